import { expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const Tag = createObject({ 'id!': INTEGER, 'name!': TEXT });
const tags = createList(refer('Tag'));

it('A list without a POST has the entries below others with its name, once for each name', async () => {
  const Task = createObject({
    'id!': INTEGER,
    'title!': TEXT,
    'tags!': createList(createObject({ 'id!': INTEGER, 'name!': TEXT })),
  });
  const paths = {
    ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT })),
    '/tasks/{taskId}/tags': {
      post: { request: createObject({ 'name!': TEXT }), response: refer('Task'), status: 200 },
    },
    '/tasks/{taskId}/tags/{tagId}': { delete: {} },
    '/tags': { get: { response: tags } },
  };
  const lines = await explainApi({ paths, schemas: { Tag, Task } });
  expect(lines['GET /tags']).toContain('(with those of: tags;');
  const { ask } = await startApi({ paths, schemas: { Tag, Task } });
  const { body: before } = await ask('GET', '/tags');
  const ids = [];
  for (const title of ['Buy milk', 'Read']) ids.push((await ask('POST', '/tasks', { title })).body.id);
  for (const id of ids) await ask('POST', `/tasks/${id}/tags`, { name: 'garden' });
  await ask('POST', `/tasks/${ids[0]}/tags`, { name: before[0].name });
  const { body } = await ask('GET', '/tags');
  expect(body).toEqual([...before, { id: expect.any(Number), name: 'garden' }]);
});
