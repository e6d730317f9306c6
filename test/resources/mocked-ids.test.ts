import { expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const Step = createObject({ 'taskId!': INTEGER, 'place!': TEXT });

const paths = {
  ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT })),
  '/tasks/{number}/tracking': { get: { response: createList(Step) } },
  '/reports/figures': {
    get: { query: { userId: TEXT }, response: createObject({ 'userId!': TEXT, 'figure!': INTEGER }) },
  },
};

it('A mocked response has the ids that the path and the query of the request have', async () => {
  const { ask } = await startApi({ paths, schemas: { Task: createObject({ 'id!': INTEGER, 'title!': TEXT }) } });
  for (const title of ['a', 'b']) await ask('POST', '/tasks', { title });
  for (const id of [1, 2]) {
    const { body, headers } = await ask('GET', `/tasks/${id}/tracking`);
    expect(headers.get('x-mocked')).toBe('operation');
    expect(new Set(body.map(({ taskId }: { taskId: number }) => taskId))).toEqual(new Set([id]));
  }
  expect((await ask('GET', '/reports/figures?userId=u1')).body.userId).toBe('u1');
});
