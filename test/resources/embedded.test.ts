import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

const schemas = {
  Team: createObject({ 'id!': INTEGER, 'name!': TEXT, 'memberCount!': INTEGER }),
  Member: createObject({ 'id!': INTEGER, 'name!': TEXT, 'avatar!': TEXT, teamId: INTEGER, team: refer('Team') }),
  Tag: createObject({ 'id!': INTEGER, 'name!': TEXT }),
  Note: createObject({
    'id!': INTEGER,
    'text!': TEXT,
    authorId: INTEGER,
    'author!': refer('Member'),
    tagIds: createList(INTEGER),
    tags: createList(refer('Tag')),
  }),
};

const NewMember = createObject({ 'name!': TEXT, teamId: INTEGER });
const NewNote = createObject({ 'text!': TEXT, authorId: INTEGER, tagIds: createList(INTEGER) });

const PATHS = {
  ...createResourcePaths('/teams/{teamId}', refer('Team'), createObject({ 'name!': TEXT })),
  ...createResourcePaths('/members/{memberId}', refer('Member'), NewMember),
  ...createResourcePaths('/tags/{tagId}', refer('Tag'), createObject({ 'name!': TEXT })),
  ...createResourcePaths('/notes/{noteId}', refer('Note'), NewNote),
};

/** Starts a server with two teams, two members of the first team, two tags, and a note. */
async function start() {
  const shop = await startApi({ paths: PATHS, schemas });
  for (const name of ['red', 'blue']) await shop.ask('POST', '/teams', { name });
  for (const name of ['Ann', 'Bob']) await shop.ask('POST', '/members', { name, teamId: 1 });
  for (const name of ['x', 'y']) await shop.ask('POST', '/tags', { name });
  const created = await shop.ask('POST', '/notes', { text: 'n', authorId: 2, tagIds: [2, 1, 9] });
  const get = async (path: string) => (await shop.ask('GET', path)).body;
  return { ...shop, get, created };
}

describe('an object in an entry that shows another entry', () => {
  it('is the entry whose id is beside it, as other responses show it', async () => {
    const { get, created } = await start();
    const author = await get('/members/2');
    expect(author).toMatchObject({ name: 'Bob', team: { id: 1, name: 'red', memberCount: 2 } });
    expect(created.body).toMatchObject({ author, tags: [await get('/tags/2'), await get('/tags/1')] });
    expect(await get('/notes/1')).toEqual(created.body);
    expect(await get('/notes')).toEqual([created.body]);
  });

  it('is an empty list if the request has no ids for a required list', async () => {
    const Task = createObject({
      'id!': INTEGER,
      'text!': TEXT,
      tag_ids: createList(INTEGER),
      'tags!': createList(refer('Tag')),
    });
    const NewTask = createObject({ 'text!': TEXT, tag_ids: createList(INTEGER) });
    const tags = createResourcePaths('/tags/{tagId}', refer('Tag'), createObject({ 'name!': TEXT }));
    const paths = { ...tags, ...createResourcePaths('/tasks/{taskId}', refer('Task'), NewTask) };
    const shop = await startApi({ paths, schemas: { ...schemas, Task } });
    const created = await shop.ask('POST', '/tasks', { text: 'a' });
    expect([created.body.tags, created.headers.get('x-mocked')]).toEqual([[], null]);
    expect((await shop.ask('GET', '/tasks/1')).body.tags).toEqual([]);
  });

  it('is null if the id is null and the schema allows it', async () => {
    const author = { anyOf: [refer('Member'), { type: 'null' }] };
    const authorId = { type: ['integer', 'null'] };
    const Post = createObject({ 'id!': INTEGER, 'text!': TEXT, authorId, author });
    const NewPost = createObject({ 'text!': TEXT, authorId });
    const members = createResourcePaths('/members/{memberId}', refer('Member'), NewMember);
    const paths = { ...members, ...createResourcePaths('/posts/{postId}', refer('Post'), NewPost) };
    const { ask } = await startApi({ paths, schemas: { ...schemas, Post } });
    await ask('POST', '/posts', { text: 'a', authorId: null });
    expect((await ask('GET', '/posts/1')).body).toEqual({ id: 1, text: 'a', authorId: null, author: null });
  });

  it('follows changes of the id and of the other entry', async () => {
    const { ask, get } = await start();
    await ask('PATCH', '/members/2', { name: 'Bobby', teamId: 2 });
    expect(await get('/notes/1')).toMatchObject({ author: { name: 'Bobby', team: { name: 'blue', memberCount: 1 } } });
    expect((await ask('PATCH', '/notes/1', { authorId: 1, tagIds: [1] })).body).toMatchObject({
      author: await get('/members/1'),
      tags: [{ id: 1, name: 'x' }],
    });
    await ask('DELETE', '/members/1');
    expect((await get('/notes/1')).author).toMatchObject({ name: expect.any(String) });
    await ask('DELETE', '/tags/1');
    expect((await get('/notes/1')).tags).toEqual([]);
  });

  it('is what the client has sent, if requests can have it', async () => {
    const Own = createObject({ 'id!': INTEGER, teamId: INTEGER, team: refer('Team') });
    const paths = {
      ...createResourcePaths('/teams/{teamId}', refer('Team'), createObject({ 'name!': TEXT })),
      ...createResourcePaths('/players/{playerId}', refer('Own')),
    };
    const { ask } = await startApi({ paths, schemas: { ...schemas, Own } });
    await ask('POST', '/teams', { name: 'red' });
    const team = { id: 7, name: 'own', memberCount: 3 };
    expect((await ask('POST', '/players', { id: 1, teamId: 1, team })).body).toMatchObject({ team });
  });

  it('is explained', async () => {
    expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
      'GET /notes/{noteId}':
        'real: reads a note (shows: author (members by authorId), tags (tags by tagIds); generates: author.avatar; id: id)',
      'GET /members/{memberId}': 'real: reads a member (shows: team (teams by teamId); generates: avatar; id: id)',
    });
  });
});

describe('an object whose id only a request has', () => {
  it('is the entry with the id, also in a list, and with fewer properties', async () => {
    const Part = createObject({ 'id!': INTEGER, name: TEXT });
    const paths = {
      ...createResourcePaths('/cafes/{cafeId}', refer('Cafe'), createObject({ 'name!': TEXT, city: TEXT })),
      ...createResourcePaths(
        '/dishes/{dishId}',
        refer('Dish'),
        createObject({ 'title!': TEXT, cafe_id: INTEGER, cafes_id: createList(INTEGER) }),
      ),
    };
    const { ask } = await startApi({
      paths,
      schemas: {
        Cafe: createObject({ 'id!': INTEGER, 'name!': TEXT, city: TEXT }),
        Dish: createObject({ 'id!': INTEGER, 'title!': TEXT, cafe: Part, cafes: createList(Part) }),
      },
    });
    for (const name of ['one', 'two']) await ask('POST', '/cafes', { name, city: 'Kazan' });
    const { body } = await ask('POST', '/dishes', { title: 'soup', cafe_id: 2, cafes_id: [2, 1] });
    const [one, two] = ['one', 'two'].map((name, index) => ({ id: index + 1, name }));
    expect(body).toEqual({ id: 1, title: 'soup', cafe: two, cafes: [two, one] });
    await ask('PATCH', '/cafes/2', { name: 'zwei' });
    await ask('PATCH', '/dishes/1', { cafes_id: [1] });
    await ask('POST', '/dishes', { title: 'tea', cafe_id: 77, cafes_id: [77] });
    expect((await ask('GET', '/dishes/2')).body).toMatchObject({ cafe: { id: 77 }, cafes: [] });
    await ask('DELETE', '/dishes/2');
    expect((await ask('GET', '/dishes')).body).toEqual([
      { id: 1, title: 'soup', cafe: { id: 2, name: 'zwei' }, cafes: [one] },
    ]);
  });
});

describe('an entry below the path of another one', () => {
  const paths = {
    ...createResourcePaths('/cafes/{cafeId}', refer('Cafe'), createObject({ 'name!': TEXT })),
    '/cafes/{cafeId}/reviews': {
      get: { response: createList(refer('Review')) },
      post: { status: 201, request: createObject({ 'text!': TEXT }), response: refer('Review') },
    },
    '/reviews': { get: { response: createList(refer('Review')), query: { cafe_id: INTEGER, cafeId: INTEGER } } },
  };
  const api = {
    paths,
    schemas: {
      Cafe: createObject({ 'id!': INTEGER, 'name!': TEXT, reviews: createList(refer('Short')) }),
      Short: createObject({ 'id!': INTEGER, 'text!': TEXT }),
      Part: createObject({ 'id!': INTEGER, 'name!': TEXT }),
      Review: createObject({ 'id!': INTEGER, 'text!': TEXT, 'cafe!': refer('Part'), 'cafeName!': TEXT }),
    },
  };

  it('shows the other entry, and is shown by it', async () => {
    const { ask } = await startApi(api);
    for (const name of ['one', 'two']) await ask('POST', '/cafes', { name });
    const { body } = await ask('POST', '/cafes/2/reviews', { text: 'good' });
    expect(body).toEqual({ id: 1, text: 'good', cafe: { id: 2, name: 'two' }, cafeName: 'two' });
    const { body: list } = await ask('GET', '/cafes');
    expect(list[1]).toEqual({ id: 2, name: 'two', reviews: [{ id: 1, text: 'good' }] });
    await ask('PATCH', '/cafes/2', { name: 'zwei' });
    expect((await ask('GET', '/cafes/2/reviews')).body).toMatchObject([{ cafe: { name: 'zwei' }, cafeName: 'zwei' }]);
  });

  it('is found by the id of the other entry', async () => {
    const { ask } = await startApi(api);
    for (const name of ['one', 'two']) await ask('POST', '/cafes', { name });
    for (const id of [1, 2, 2]) await ask('POST', `/cafes/${id}/reviews`, { text: `of ${id}` });
    for (const name of ['cafe_id', 'cafeId'])
      expect((await ask('GET', `/reviews?${name}=2`)).body).toMatchObject([{ text: 'of 2' }, { text: 'of 2' }]);
    expect((await ask('GET', '/reviews?cafe_id=7')).body).toEqual([]);
    expect(await explainApi(api)).toMatchObject({
      'GET /reviews':
        'real: lists reviews (shows: cafe (cafes in the path), cafeName (name of cafes in the path); filters: cafe_id (cafe), cafeId (cafe))',
    });
  });
});

describe('an example that has an object without the id beside it', () => {
  const examples = [{ id: 1, title: 'a', assignee: { id: 2, name: 'Bob' } }];
  const users = [1, 2].map((id) => ({ id, name: ['Ann', 'Bob'][id - 1], email: `u${id}@x.test` }));
  const NULLABLE = { type: ['integer', 'null'] };
  const start = async (name: string, id: Schema, assignee: Schema) => {
    const Task = createObject({ 'id!': INTEGER, 'title!': TEXT, [name]: id, [name.replace('Id', '')]: assignee });
    const NewTask = createObject({ 'title!': TEXT, assigneeId: NULLABLE });
    const { '/tasks': list, ...paths } = createResourcePaths('/tasks/{taskId}', refer('Task'), NewTask);
    const User = createObject({ 'id!': INTEGER, 'name!': TEXT, 'email!': TEXT, assignedTaskCount: INTEGER });
    const shop = await startApi({
      paths: {
        ...paths,
        '/users': { get: { response: createList(refer('User')), example: users } },
        '/tasks': {
          ...list,
          get: { response: createList(refer('Task')), example: examples, query: { assigneeId: INTEGER } },
        },
        '/tasks/{taskId}/unassign': { post: { response: refer('Task') } },
      },
      schemas: { Task, User, Person: createObject({ 'id!': INTEGER, 'name!': TEXT }) },
    });
    return { ...shop, get: async (path: string) => (await shop.ask('GET', path)).body };
  };
  const NULLABLE_PERSON = { oneOf: [refer('Person'), { type: 'null' }] };

  it.each([
    ['assigneeId!', NULLABLE, NULLABLE_PERSON, { assigneeId: null, assignee: null }],
    ['assigneeId', NULLABLE, refer('Person'), { assigneeId: null }],
    ['assigneeId', INTEGER, refer('Person'), {}],
  ])('names the other entry, until a request removes it: %s %j', async (name, id, assignee, rest) => {
    for (const [method, path] of [
      ['PATCH', '/tasks/1'],
      ['POST', '/tasks/1/unassign'],
    ] as const) {
      const { ask, get } = await start(name, id, assignee);
      expect(await get('/tasks?assigneeId=2')).toEqual([{ ...examples[0], assigneeId: 2 }]);
      expect(await get('/users')).toMatchObject([{ assignedTaskCount: 0 }, { assignedTaskCount: 1 }]);
      const sent = method === 'PATCH' ? { assigneeId: null } : undefined;
      expect((await ask(method, path, sent)).body).toEqual({ id: 1, title: 'a', ...rest });
      expect(await get('/tasks/1')).toEqual({ id: 1, title: 'a', ...rest });
      expect(await get('/tasks?assigneeId=2')).toEqual([]);
      expect(await get('/users')).toMatchObject([{ assignedTaskCount: 0 }, { assignedTaskCount: 0 }]);
    }
  });
});

describe('A list of the entries below an entry under another name', () => {
  const Track = createObject({ 'id!': { type: 'integer' }, 'title!': { type: 'string' } });
  const createAlbums = (lists: Readonly<Record<string, Schema>>) => ({
    paths: {
      ...createResourcePaths('/albums/{albumId}', refer('Album'), createObject({ 'title!': { type: 'string' } })),
      ...createResourcePaths('/albums/{albumId}/tracks/{trackId}', refer('Track'), createObject({ title: {} })),
    },
    schemas: { Track, Album: createObject({ 'id!': { type: 'integer' }, 'title!': { type: 'string' }, ...lists }) },
  });

  it('has these entries', async () => {
    const api = createAlbums({ 'songs!': createList(refer('Track')) });
    const { ask } = await startApi(api);
    await ask('POST', '/albums', { title: 'a' });
    await ask('POST', '/albums/1/tracks', { title: 'b' });
    expect((await ask('GET', '/albums/1')).body.songs).toEqual([{ id: 1, title: 'b' }]);
    expect((await explainApi(api))['GET /albums']).toContain('shows: songs (tracks of the entry)');
  });

  it.each<[title: string, lists: Readonly<Record<string, Schema>>]>([
    ['its name is that of some of them', { 'featured!': createList(refer('Track')) }],
    ['its name has several words', { 'bonusSongs!': createList(refer('Track')) }],
    ['there are two lists', { 'songs!': createList(refer('Track')), 'extras!': createList(refer('Track')) }],
  ])('is not inferred if %s, which is explained', async (_title, lists) => {
    const explained = await explainApi(createAlbums(lists));
    expect(explained['GET /albums']).toMatch(/shows: \w+ \(\S+ that the default data has in it\)/);
  });
});

it('A response that shows only ids has those of the objects', async () => {
  const Tag = createObject({ 'id!': { type: 'integer' }, 'name!': { type: 'string' } });
  const Note = createObject({ 'id!': { type: 'integer' }, 'text!': { type: 'string' }, 'tags!': createList(Tag) });
  const sent = createObject({ 'text!': { type: 'string' }, 'tags!': createList({ type: 'integer' }) });
  const paths = {
    ...createResourcePaths('/tags/{tagId}', Tag, createObject({ 'name!': { type: 'string' } })),
    ...createResourcePaths('/notes/{noteId}', refer('Note'), sent),
    '/notes': {
      get: { response: createList(refer('Note')) },
      post: { status: 201, request: sent, response: sent },
    },
  };
  const { ask } = await startApi({ paths, schemas: { Note } });
  await ask('POST', '/tags', { name: 'a' });
  expect((await ask('POST', '/notes', { text: 'x', tags: [1] })).body).toEqual({ text: 'x', tags: [1] });
  expect((await ask('GET', '/notes/1')).body.tags).toEqual([{ id: 1, name: 'a' }]);
});

describe('An entry that requests create by the id of another one', () => {
  const KIND = { type: 'string', enum: ['drama', 'comedy'] };
  const Film = createObject({ 'id!': INTEGER, 'title!': TEXT, 'plot!': TEXT, 'slug!': TEXT, 'kind!': KIND });
  const Watch = createObject({
    'id!': INTEGER,
    'filmId!': INTEGER,
    title: TEXT,
    plot: TEXT,
    kind: KIND,
    rank: INTEGER,
  });
  const film = { id: 1, title: 'Dune', plot: 'A desert', slug: 'dune', kind: 'drama' };

  async function start(request: Readonly<Record<string, Schema>>) {
    const { ask } = await startApi({
      paths: {
        ...createResourcePaths('/films/{filmId}', refer('Film')),
        '/watches': {
          get: { response: createList(refer('Watch')) },
          post: { status: 201, request: createObject(request), response: refer('Watch') },
        },
        '/watches/{watchId}': { delete: { status: 204 } },
      },
      schemas: { Film, Watch },
    });
    await ask('POST', '/films', film);
    return ask;
  }

  it('has all texts of it if the requests have nothing else', async () => {
    const ask = await start({ 'filmId!': INTEGER });
    const { body } = await ask('POST', '/watches', { filmId: 1 });
    expect(body).toEqual({ id: 1, filmId: 1, title: 'Dune', plot: 'A desert' });
    await ask('PUT', '/films/1', { ...film, title: 'Dune II' });
    expect((await ask('GET', '/watches')).body).toMatchObject([{ title: 'Dune II' }]);
  });

  it('has only its title and similar texts if the requests have other values', async () => {
    const ask = await start({ 'filmId!': INTEGER, rank: INTEGER });
    expect((await ask('POST', '/watches', { filmId: 1, rank: 2 })).body).toEqual({
      ...{ id: 1, filmId: 1, title: 'Dune', rank: 2 },
    });
  });

  it('has none of its texts if the requests have other texts', async () => {
    const ask = await start({ 'filmId!': INTEGER, plot: TEXT });
    expect((await ask('POST', '/watches', { filmId: 1, plot: 'a' })).body).toEqual({ id: 1, filmId: 1, plot: 'a' });
  });
});

it('A new entry has the ids of the entry above or of the named entry, and views select by them', async () => {
  const ID = { 'id!': INTEGER };
  const Comment = createObject({ ...ID, 'text!': TEXT, 'projectId!': INTEGER, userId: INTEGER });
  const Note = createObject({ ...ID, 'text!': TEXT, 'taskId!': INTEGER, projectId: INTEGER });
  const Task = createObject({ ...ID, 'title!': TEXT, 'projectId!': INTEGER, userId: INTEGER });
  const paths = {
    ...createResourcePaths('/users/{userId}', createObject({ ...ID, 'name!': TEXT }), createObject({ 'name!': TEXT })),
    ...createResourcePaths('/projects/{id}', createObject({ ...ID, 'name!': TEXT }), createObject({ 'name!': TEXT })),
    ...createResourcePaths(
      '/tasks/{taskId}',
      Task,
      createObject({ 'title!': TEXT, 'projectId!': INTEGER, userId: INTEGER }),
    ),
    '/tasks/{taskId}/comments': {
      get: { response: createList(Comment) },
      post: { request: createObject({ 'text!': TEXT }), response: Comment, status: 201 },
    },
    '/notes': {
      get: { response: createList(Note) },
      post: { request: createObject({ 'text!': TEXT, 'taskId!': INTEGER }), response: Note, status: 201 },
    },
    '/projects/{projectId}/notes': { get: { response: createList(Note) } },
  };
  const { ask } = await startApi({ paths });
  await ask('POST', '/users', { name: 'a' });
  for (const name of ['b', 'c']) await ask('POST', '/projects', { name });
  for (const projectId of [1, 2]) await ask('POST', '/tasks', { title: 'd', projectId, userId: 1 });
  expect((await ask('POST', '/tasks/2/comments', { text: 'e' })).body).toEqual({ id: 1, text: 'e', projectId: 2 });
  expect((await ask('POST', '/notes', { text: 'f', taskId: 2 })).body).toMatchObject({ projectId: 2 });
  expect((await ask('GET', '/projects/2/notes')).body).toMatchObject([{ text: 'f' }]);
  expect((await ask('GET', '/projects/1/notes')).body).toEqual([]);
  const lines = await explainApi({ paths });
  expect(lines['GET /notes']).toContain('shows: projectId (projectId of tasks by taskId)');
});

it('A new entry has no id of the named entry that an action sets', async () => {
  const Agent = createObject({ 'id!': INTEGER, 'name!': TEXT });
  const Customer = createObject({ 'id!': INTEGER, 'name!': TEXT, agentId: INTEGER });
  const Ticket = createObject({ 'id!': INTEGER, 'text!': TEXT, 'customerId!': INTEGER, agentId: INTEGER });
  const paths = {
    ...createResourcePaths('/agents/{agentId}', Agent, createObject({ 'name!': TEXT })),
    ...createResourcePaths('/customers/{id}', Customer, createObject({ 'name!': TEXT, agentId: INTEGER })),
    ...createResourcePaths(
      '/tickets/{ticketId}',
      refer('Ticket'),
      createObject({ 'text!': TEXT, customerId: INTEGER }),
    ),
    '/tickets/{ticketId}/assign': {
      post: { request: createObject({ 'agentId!': INTEGER }), response: refer('Ticket'), errors: [404] },
    },
  };
  const { ask } = await startApi({ paths, schemas: { Ticket } });
  await ask('POST', '/agents', { name: 'a' });
  await ask('POST', '/customers', { name: 'b', agentId: 1 });
  expect((await ask('POST', '/tickets', { text: 'c', customerId: 1 })).body).toEqual({
    id: 1,
    text: 'c',
    customerId: 1,
  });
  expect((await ask('POST', '/tickets/1/assign', { agentId: 1 })).body).toMatchObject({ agentId: 1 });
});
