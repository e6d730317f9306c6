import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const STATUS = { type: 'string', enum: ['draft', 'published'] };

const schemas = {
  Post: createObject({
    'id!': INTEGER,
    'title!': TEXT,
    status: STATUS,
    createdAt: { type: 'string', format: 'date-time' },
  }),
  Author: createObject({ 'id!': INTEGER, 'name!': TEXT }),
};

const posts = createList(refer('Post'));
const authors = createList(refer('Author'));
const both = { 'posts!': posts, 'authors!': authors };

const PATHS: Paths = {
  '/posts': {
    get: {
      response: posts,
      example: [
        { id: 1, title: 'Ann and Bob', status: 'published', createdAt: '2025-01-02T00:00:00Z' },
        { id: 2, title: 'Ann', status: 'draft', createdAt: '2025-01-03T00:00:00Z' },
        { id: 3, title: 'Other', status: 'published', createdAt: '2025-01-01T00:00:00Z' },
      ],
    },
  },
  '/authors': { get: { response: authors, example: [{ id: 7, name: 'Ann' }] } },
  '/search': {
    get: {
      query: { 'q!': TEXT, type: { ...TEXT, enum: ['post', 'author', 'all'] }, limit: INTEGER, color: TEXT },
      response: createObject({ ...both, 'query!': TEXT, 'total!': INTEGER, 'postCount!': INTEGER }),
    },
  },
  '/find': { get: { query: { q: TEXT, types: TEXT }, response: createObject({ 'results!': createObject(both) }) } },
  '/lookup': {
    get: {
      query: { q: TEXT },
      response: createObject({ 'results!': createObject(both), 'total!': INTEGER, 'query!': TEXT }),
    },
  },
  '/dashboard': {
    get: { response: createObject({ 'recentPosts!': posts, 'publishedPosts!': posts, 'authors!': authors }) },
  },
};

const MIXED_SCHEMAS = {
  ...schemas,
  Post: createObject({ 'id!': INTEGER, 'kind!': { ...TEXT, enum: ['post'] }, 'title!': TEXT }),
  Author: createObject({ 'id!': INTEGER, 'kind!': { ...TEXT, enum: ['author'] }, 'name!': TEXT }),
  Other: createObject({ 'id!': INTEGER, 'color!': TEXT }),
};

const mixed = createList({ oneOf: [refer('Post'), refer('Author')] });

const MIXED: Paths = {
  '/posts': {
    get: {
      response: posts,
      example: [
        { id: 1, kind: 'post', title: 'Ann and Bob' },
        { id: 2, kind: 'post', title: 'Ann' },
        { id: 3, kind: 'post', title: 'Other' },
      ],
    },
  },
  '/authors': { get: { response: authors, example: [{ id: 7, kind: 'author', name: 'Ann' }] } },
  '/mixed': {
    get: {
      query: { 'q!': TEXT, type: { ...TEXT, enum: ['post', 'author'] }, limit: INTEGER, page: INTEGER },
      response: createObject({ 'results!': mixed, 'total!': INTEGER }),
    },
  },
  '/search': { get: { query: { 'q!': TEXT }, response: mixed } },
  '/other/search': {
    get: { query: { 'q!': TEXT }, response: createList({ oneOf: [refer('Post'), refer('Other')] }) },
  },
};

const toIds = (list: readonly { readonly id: number }[]) => list.map(({ id }) => id);

describe('A response with several lists', () => {
  it('has the entries that a text search finds, and their number', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas });
    const { body } = await ask('GET', '/search?q=ann');
    expect([toIds(body.posts), toIds(body.authors)]).toEqual([[1, 2], [7]]);
    expect(body).toMatchObject({ query: 'ann', total: 3, postCount: 2 });
    const { body: none } = await ask('GET', '/search?q=nothing');
    expect(none).toEqual({ query: 'nothing', total: 0, postCount: 0, posts: [], authors: [] });
  });

  it.each([
    ['/search?q=ann&type=author', [], [7]],
    ['/search?q=ann&type=post', [1, 2], []],
    ['/search?q=ann&type=all', [1, 2], [7]],
    ['/search?q=ann&limit=1', [1], [7]],
    ['/find?types=authors', [], [7]],
    ['/find?q=bob', [1], []],
  ])('has only the entries that the query selects: %s', async (path, postIds, authorIds) => {
    const { ask } = await startApi({ paths: PATHS, schemas });
    const { body } = await ask('GET', path);
    const lists = body.results ?? body;
    expect([toIds(lists.posts), toIds(lists.authors)]).toEqual([postIds, authorIds]);
  });

  it('has them in an object beside their number and the text', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas });
    const { body } = await ask('GET', '/lookup?q=bob');
    expect(body).toMatchObject({ results: { posts: [{ id: 1 }], authors: [] }, total: 1, query: 'bob' });
  });

  it('has the entries that the names of its lists select', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas });
    const { body } = await ask('GET', '/dashboard');
    expect([toIds(body.recentPosts), toIds(body.publishedPosts), toIds(body.authors)]).toEqual([
      [2, 1, 3],
      [1, 3],
      [7],
    ]);
  });

  it.each([
    ['/mixed?q=ann', ['post 1', 'post 2', 'author 7'], 3],
    ['/mixed?q=bob', ['post 1'], 1],
    ['/mixed?q=ann&type=author', ['author 7'], 1],
    ['/mixed?q=ann&limit=2', ['post 1', 'post 2'], 3],
    ['/mixed?q=ann&limit=2&page=2', ['author 7'], 3],
    ['/mixed?q=nothing', [], 0],
  ])('has the found entries of all resources in one list: %s', async (path, expected, total) => {
    const { ask } = await startApi({ paths: MIXED, schemas: MIXED_SCHEMAS });
    const { body, headers } = await ask('GET', path);
    const names = body.results.map(({ id, kind }: { id: number; kind: string }) => `${kind} ${id}`);
    expect([names, body.total, headers.get('x-mocked')]).toEqual([expected, total, null]);
  });

  it('can be the list itself', async () => {
    const { ask } = await startApi({ paths: MIXED, schemas: MIXED_SCHEMAS });
    expect(toIds((await ask('GET', '/search?q=ann')).body)).toEqual([1, 2, 7]);
    expect(await explainApi({ paths: MIXED, schemas: MIXED_SCHEMAS })).toMatchObject({
      'GET /search': 'real: shows: posts, authors; filters: q (all texts)',
      'GET /mixed':
        'real: shows: results (posts), results (authors), total; selects lists by: type; filters: q (all texts); pages by: limit, page',
      'GET /other/search': expect.stringMatching(/^mocked: /),
    });
  });

  it('is explained with what its query parameters do', async () => {
    expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
      'GET /search':
        'real: shows: postCount, posts, authors, total; selects lists by: type; filters: q (all texts); pages by: limit; ignores: color',
      'GET /find': 'real: shows: posts, authors; selects lists by: types; filters: q (all texts)',
      'GET /dashboard':
        'real: shows: recentPosts (posts) sorted by createdAt, publishedPosts (posts) only status "published", authors',
    });
  });
});

describe('A document with projects that have a number of tasks', () => {
  const status = { ...TEXT, enum: ['active', 'archived'], default: 'active' };
  const named = { 'name!': TEXT, status };
  const Project = createObject({ 'id!': INTEGER, ...named, 'task_count!': INTEGER });
  const Task = createObject({
    'id!': INTEGER,
    'title!': TEXT,
    project_id: INTEGER,
    createdAt: { ...TEXT, format: 'date-time' },
  });
  const paths: Paths = {
    ...createResourcePaths('/projects/{projectId}', refer('Project'), createObject(named)),
    ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT, project_id: INTEGER })),
    '/search': {
      get: {
        query: { q: TEXT },
        response: createObject({ 'projects!': createList(refer('Project')), 'tasks!': createList(refer('Task')) }),
      },
    },
    '/dashboard': {
      get: {
        response: createObject({
          ...{ 'total_projects!': INTEGER, 'active_projects!': INTEGER, 'total_tasks!': INTEGER },
          'recent_tasks!': createList(refer('Task')),
        }),
      },
    },
  };

  it('finds the projects themselves, and counts the entries beside the only list of a dashboard', async () => {
    const { ask } = await startApi({ paths, schemas: { Project, Task } });
    await ask('POST', '/projects', { name: 'plan' });
    await ask('POST', '/projects', { name: 'other', status: 'archived' });
    for (const title of ['a plan', 'b']) await ask('POST', '/tasks', { title, project_id: 1 });
    const { body: found } = await ask('GET', '/search?q=plan');
    expect(found).toMatchObject({ projects: [{ id: 1, name: 'plan', task_count: 2 }], tasks: [{ id: 1 }] });
    const { body } = await ask('GET', '/dashboard');
    expect(body).toMatchObject({ total_projects: 2, active_projects: 1, total_tasks: 2 });
    expect(toIds(body.recent_tasks).toSorted()).toEqual([1, 2]);
  });
});
