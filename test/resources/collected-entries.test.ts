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
  expect(new Set(body.map(({ id }: { readonly id: number }) => id)).size).toBe(body.length);
});

const Review = createObject({ 'id!': INTEGER, 'title!': TEXT, 'text!': TEXT, 'stars!': INTEGER });
const Short = createObject({ 'id!': INTEGER, 'title!': TEXT });
const Book = createObject({ 'id!': INTEGER, 'title!': TEXT });

it.each([
  ['its entries have no name', 'reviews', Review, Short, {}],
  ['a path has one of them', 'tags', Tag, Tag, { '/tags/{tagId}': { get: { response: Tag } } }],
] as const)(
  'A list without a POST lacks the entries below others, and explain says so, if %s',
  async (_, name, entry, listed, more) => {
    const paths = {
      ...createResourcePaths('/books/{bookId}', refer('Book'), createObject({ 'title!': TEXT })),
      ...createResourcePaths(`/books/{bookId}/${name}/{id}`, entry),
      [`/${name}`]: { get: { response: createList(listed) } },
      ...more,
    };
    const api = { paths, schemas: { Book } };
    expect((await explainApi(api))[`GET /${name}`]).toMatch(/lacks those of: books\.|lacks those of: reviews/);
    const { ask } = await startApi(api);
    const { body: before } = await ask('GET', `/${name}`);
    await ask('POST', '/books', { title: 'Emma' });
    await ask('POST', `/books/1/${name}`, { id: 901, name: 'garden', title: 'Great', text: 'a', stars: 5 });
    expect(before.length).toBeGreaterThan(0);
    expect((await ask('GET', `/${name}`)).body).toEqual(before);
  },
);
