import { describe, expect, it } from 'vitest';
import {
  createList,
  createObject,
  createResourcePaths,
  type OperationParts,
  refer,
} from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean' };
const INTEGER = { type: 'integer' };

const Post = createObject({
  'id!': { ...INTEGER, readOnly: true },
  'title!': TEXT,
  rating: INTEGER,
  createdAt: { type: 'string', format: 'date-time', readOnly: true },
});

/** Returns a document with posts whose list has these texts and query parameters. */
function createApi(parts: OperationParts) {
  const posts = createResourcePaths('/posts/{postId}', refer('Post'));
  return {
    paths: { ...posts, '/posts': { ...posts['/posts'], get: { ...posts['/posts']?.get, ...parts } } },
    schemas: { Post },
  };
}

async function explainList(parts: OperationParts) {
  return (await explainApi(createApi(parts)))['GET /posts'];
}

/** Starts a server with three posts. The result returns the ids in the list. */
async function startList(parts: OperationParts) {
  const { ask } = await startApi(createApi(parts));
  await ask('POST', '/posts', { title: 'Beta', rating: 2 });
  await ask('POST', '/posts', { title: 'Alpha', rating: 3 });
  await ask('POST', '/posts', { title: 'Gamma', rating: 1 });
  return async (query = '') =>
    (await ask('GET', `/posts${query}`)).body.map(({ id }: { readonly id: number }) => id).join('');
}

it('A list that is ordered by a due date without a direction begins with the earliest one', async () => {
  const Task = createObject({ 'id!': INTEGER, 'dueDate!': { type: 'string', format: 'date' } });
  const paths = createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'dueDate!': TEXT }));
  const get = { ...paths['/tasks']?.get, description: 'All active tasks ordered by due date' };
  const { ask } = await startApi({ paths: { ...paths, '/tasks': { ...paths['/tasks'], get } }, schemas: { Task } });
  for (const dueDate of ['2030-03-01', '2030-01-01', '2030-02-01']) await ask('POST', '/tasks', { dueDate });
  const { body } = await ask('GET', '/tasks');
  expect(body.map(({ id }: { readonly id: number }) => id)).toEqual([2, 3, 1]);
});

describe('A list without a sort parameter', () => {
  it.each([
    ['Lists the posts, newest first', '321', 'newest first'],
    ['Posts from newest to oldest.', '321', 'newest first'],
    ['Most recent posts first', '321', 'newest first'],
    ['Returns posts in reverse-chronological order', '321', 'newest first'],
    ['Lists all posts. They are ordered by creation date (descending).', '321', 'newest first'],
    ['Sorted by `createdAt` descending by default', '321', 'newest first'],
    ['Lists the posts in\nchronological order', '123', 'oldest first'],
    ['Sorted alphabetically by title', '213', 'title'],
    ['Posts ordered by their title', '213', 'title'],
    ['Posts sorted by rating in descending order', '213', 'rating descending'],
  ])('has the order in the description "%s"', async (description, ids, explained) => {
    const list = await startList({ description });
    expect(await list()).toBe(ids);
    expect(await explainList({ description })).toBe(`real: lists posts (sorted by: ${explained})`);
  });

  it.each([
    'Lists the latest posts',
    'Posts can be sorted by title',
    'Use sort to get the newest first',
    'Lists posts with their comments, newest first',
    'Posts from newest to oldest, or from oldest to newest',
    'Lists the newest first. Lists the oldest first',
    'Posts sorted by relevance',
    'Posts sorted by rating',
    'Posts sorted by title and rating',
    'The first post is the newest',
  ])('has the order of creation with the description "%s"', async (description) => {
    const list = await startList({ description });
    expect(await list()).toBe('123');
    expect(await explainList({ description })).toBe('real: lists posts');
  });

  it('has the order in its summary on all pages', async () => {
    const list = await startList({
      summary: 'Newest posts first',
      query: { limit: INTEGER, after: TEXT, page: INTEGER },
    });
    expect(await list('?limit=2')).toBe('32');
    expect(await list('?limit=2&page=2')).toBe('1');
    expect(await list('?limit=1&after=3')).toBe('2');
  });

  it('has the newest entries, if the response has a maximum', async () => {
    const list = await startList({ summary: 'Newest first', response: { ...createList(refer('Post')), maxItems: 2 } });
    expect(await list()).toBe('32');
  });
});

describe('A sort parameter', () => {
  it('replaces the order in the description', async () => {
    const list = await startList({ summary: 'Newest first', query: { sort: TEXT } });
    expect(await list()).toBe('321');
    expect(await list('?sort=title')).toBe('213');
    expect(await list('?sort=relevance')).toBe('321');
  });

  it.each([
    ['Field to sort by. Default: newest first', '321'],
    ['Field to sort by, such as newest first', '123'],
  ])('has a default in its description: %s', async (sort, ids) => {
    const list = await startList({ query: { sort: TEXT }, descriptions: { sort } });
    expect(await list()).toBe(ids);
  });
});

describe('A parameter such as oldest_first', () => {
  it.each([
    ['oldest_first', 'Whether to start with the oldest post. Defaults to ``false``.', '321', 'newest first'],
    ['oldest_first', 'Whether to return the posts oldest first. default newest first', '321', 'newest first'],
    ['newestFirst', 'Default: true', '321', 'newest first'],
    ['newestFirst', 'Default: false', '123', 'oldest first'],
  ])('%s sorts a list, and "%s" is its order without it', async (name, description, ids, explained) => {
    const parts = { query: { [name]: FLAG }, descriptions: { [name]: description } };
    const list = await startList(parts);
    const isOldest = name === 'oldest_first';
    expect(await list()).toBe(ids);
    expect(await list(`?${name}=true`)).toBe(isOldest ? '123' : '321');
    expect(await list(`?${name}=false`)).toBe(isOldest ? '321' : '123');
    expect(await explainList(parts)).toBe(`real: lists posts (sorted by: ${explained}; sorts by: ${name})`);
  });

  it('leaves the order of creation without a default', async () => {
    const list = await startList({ query: { oldest_first: FLAG } });
    expect(await list()).toBe('123');
    expect(await list('?oldest_first=false')).toBe('321');
  });
});
