import { expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

const schemas = {
  Author: createObject({ 'id!': INTEGER, 'name!': TEXT, books: createList(refer('Book')) }),
  Book: createObject({ 'id!': INTEGER, 'title!': TEXT, 'authorId!': INTEGER, author: refer('Author') }),
};

it('A list inside an entry of the same kind has at most 20 entries', async () => {
  const { ask } = await startApi({
    schemas,
    paths: {
      ...createResourcePaths('/authors/{authorId}', refer('Author'), createObject({ 'name!': TEXT })),
      ...createResourcePaths('/books/{bookId}', refer('Book'), createObject({ 'title!': TEXT, 'authorId!': INTEGER })),
    },
  });
  const { body: author } = await ask('POST', '/authors', { name: 'Ann' });
  for (let number = 0; number < 30; number++)
    await ask('POST', '/books', { title: `Book ${number}`, authorId: author.id });
  const { body: books } = await ask('GET', '/books');
  expect(books).toHaveLength(30);
  expect(books[0].author.books).toHaveLength(20);
  expect((await ask('GET', `/authors/${author.id}`)).body.books).toHaveLength(30);
});
