import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createList,
  createObject,
  createResourcePaths,
  type Paths,
  refer,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const NAMED = createObject({ 'email!': TEXT, 'password!': TEXT, username: TEXT });
const Short = createObject({ 'username!': TEXT });
const Tokens = createObject({ 'token!': TEXT, 'user!': refer('User') });
const User = createObject({ 'id!': INTEGER, 'email!': TEXT, 'username!': TEXT, postCount: INTEGER });

/** `author`: the schema of the author of a post. `sent`: the properties that a client can send. */
function createApi(author: Schema, sent: Readonly<Record<string, Schema>> = {}) {
  const NewPost = createObject({ 'title!': TEXT, ...sent });
  const paths: Paths = {
    '/register': { post: { request: NAMED, response: Tokens, status: 201 } },
    '/login': { post: { request: NAMED, response: Tokens } },
    '/me': {
      get: { response: refer('User') },
      patch: { request: createObject({ username: TEXT }), response: refer('User') },
    },
    '/me/posts': { get: { response: createList(refer('Post')) } },
    '/users': { get: { response: createList(refer('User')) } },
    '/users/{userId}': { get: { response: refer('User') } },
    '/users/{userId}/posts': {
      get: { response: createList(refer('Post')) },
      post: { request: NewPost, response: refer('Post'), status: 201 },
    },
    ...createResourcePaths('/posts/{postId}', refer('Post'), NewPost),
  };
  const Post = createObject({ 'id!': INTEGER, 'title!': TEXT, 'author!': author });
  return { paths, schemas: { User, Post } };
}

/** Starts a server, and registers Ann and Bob. */
async function start(...parts: Parameters<typeof createApi>) {
  const { ask } = await startApi(createApi(...parts));
  const register = async (username: string) => {
    const sent = { email: `${username}@example.com`, password: 'x', username };
    const { token, user } = (await ask('POST', '/register', sent)).body;
    return { ...user, headers: { Authorization: `Bearer ${token}` } };
  };
  const getTitles = async (path: string, headers?: Record<string, string>) =>
    (await ask('GET', path, undefined, headers)).body.map(({ title }: { title: string }) => title);
  return { ask, getTitles, ann: await register('ann'), bob: await register('bob') };
}

describe('a post whose author is shown', () => {
  it.each([
    ['as an object with the id', refer('User'), ({ username }: { username: string }) => username],
    ['as an object without the id', Short, ({ username }: { username: string }) => username],
    ['by name', TEXT, (author: string) => author],
  ])('%s is one of its author', async (_how, author, getName) => {
    const { ask, getTitles, ann, bob } = await start(author as Schema);
    const { body } = await ask('POST', '/posts', { title: 'a' }, ann.headers);
    expect(getName(body.author)).toBe('ann');
    await ask('POST', '/posts', { title: 'b' }, bob.headers);
    await ask('POST', `/users/${ann.id}/posts`, { title: 'c' }, bob.headers);
    expect(await getTitles(`/users/${ann.id}/posts`)).toEqual(['a', 'c']);
    expect(await getTitles(`/users/${bob.id}/posts`)).toEqual(['b']);
    expect(await getTitles('/me/posts', ann.headers)).toEqual(['a', 'c']);
    expect((await ask('GET', `/users/${ann.id}`)).body.postCount).toBe(2);
    await ask('PATCH', '/me', { username: 'anna' }, ann.headers);
    for (const id of [1, 3]) expect(getName((await ask('GET', `/posts/${id}`)).body.author)).toBe('anna');
    expect(await getTitles(`/users/${ann.id}/posts`)).toEqual(['a', 'c']);
    expect(await ask('GET', '/users/0/posts')).toMatchObject({ status: 404 });
  });

  it('is one of the user whose id a client sends', async () => {
    const { ask, getTitles, ann, bob } = await start(refer('User'), { authorId: INTEGER });
    const { body } = await ask('POST', '/posts', { title: 'a', authorId: bob.id }, ann.headers);
    expect(body.author.username).toBe('bob');
    expect(await getTitles(`/users/${bob.id}/posts`)).toEqual(['a']);
    const changed = await ask('PATCH', `/posts/${body.id}`, { authorId: ann.id });
    expect(changed.body.author.username).toBe('ann');
    expect(await getTitles(`/users/${bob.id}/posts`)).toEqual([]);
    expect(await getTitles(`/users/${ann.id}/posts`)).toEqual(['a']);
  });

  it('is one of the user whose name a client sends', async () => {
    const { ask, getTitles, ann, bob } = await start(TEXT, { author: TEXT });
    const { body } = await ask('POST', '/posts', { title: 'a', author: 'bob' }, ann.headers);
    expect(body.author).toBe('bob');
    expect(await getTitles(`/users/${bob.id}/posts`)).toEqual(['a']);
    expect((await ask('PATCH', `/posts/${body.id}`, { author: 'ann' })).body.author).toBe('ann');
    expect(await getTitles(`/users/${ann.id}/posts`)).toEqual(['a']);
  });

  it('is still one of its author after a PUT without the author', async () => {
    const { ask, getTitles, ann, bob } = await start(TEXT, { author: TEXT });
    const { id } = (await ask('POST', '/posts', { title: 'a' }, ann.headers)).body;
    const replaced = await ask('PUT', `/posts/${id}`, { title: 'b' }, bob.headers);
    expect(replaced.body).toMatchObject({ title: 'b', author: 'ann' });
    expect(await getTitles(`/users/${ann.id}/posts`)).toEqual(['b']);
  });

  it.each([
    ['as an object with the id', refer('User'), { id: 7, email: 'eve@example.com', username: 'eve' }],
    ['as an object without the id', Short, { username: 'eve' }],
    ['by name', TEXT, 'eve'],
  ])('%s is one of its author also in the default data', async (_how, schema, author) => {
    const api = createApi(schema as Schema);
    const defaultData = join(dirname(await writeApi(api)), 'posts.json');
    const users = [{ id: 7, email: 'eve@example.com', username: 'eve' }];
    await writeFile(defaultData, JSON.stringify({ users, posts: [{ id: 1, title: 'a', author }] }));
    const { ask } = await startApi(api, { defaultData });
    expect((await ask('GET', '/users/7/posts')).body).toMatchObject([{ title: 'a', author }]);
  });
});
