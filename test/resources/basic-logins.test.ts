import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const User = createObject({ 'id!': INTEGER, 'username!': TEXT });
const Note = createObject({ 'id!': INTEGER, 'text!': TEXT, 'authorId!': INTEGER });
const request = createObject({ 'username!': TEXT, 'password!': TEXT });
const schemas = { User, Note };

const toHeader = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });

describe('HTTP Basic authentication of a login', () => {
  const paths: Paths = {
    '/users': { post: { request, response: refer('User'), status: 201, isPublic: true } },
    '/auth/token': { post: { response: createObject({ 'token!': TEXT }), isBasic: true } },
    '/me': { get: { response: refer('User') } },
  };

  it('returns a token of the user with the login and the password', async () => {
    const { ask } = await startApi({ paths, schemas, needsToken: true });
    for (const username of ['ann', 'bob']) await ask('POST', '/users', { username, password: `${username}:1` });
    const { body } = await ask('POST', '/auth/token', undefined, toHeader('bob:bob:1'));
    const headers = { Authorization: `Bearer ${body.token}` };
    expect((await ask('GET', '/me', undefined, headers)).body).toMatchObject({ username: 'bob' });
    for (const wrong of ['bob:ann:1', 'eve:bob:1'])
      expect(await ask('POST', '/auth/token', undefined, toHeader(wrong))).toMatchObject({ status: 401 });
  });

  it('is explained', async () => {
    const { 'POST /auth/token': text } = await explainApi({ paths, schemas, needsToken: true });
    expect(text).toBe('real: logs in a user by HTTP Basic');
  });
});

describe('HTTP Basic authentication of a request', () => {
  const notes = createResourcePaths('/notes/{noteId}', refer('Note'), createObject({ 'text!': TEXT }));
  const paths: Paths = {
    '/users': {
      get: { response: createList(refer('User')) },
      post: { request, response: refer('User'), status: 201 },
    },
    '/me': { get: { response: refer('User'), isBasic: true } },
    ...notes,
    '/notes': { ...notes['/notes'], post: { ...notes['/notes']?.post, isBasic: true } },
  };

  it('names the user who sends the request', async () => {
    const { ask } = await startApi({ paths, schemas });
    for (const username of ['ann', 'bob']) await ask('POST', '/users', { username, password: `${username}1` });
    expect((await ask('GET', '/me', undefined, toHeader('bob:bob1'))).body).toEqual({ id: 2, username: 'bob' });
    expect((await ask('POST', '/notes', { text: 'a' }, toHeader('bob:bob1'))).body).toMatchObject({ authorId: 2 });
    for (const wrong of [':x', 'bob:ann1', 'eve:bob1'])
      expect(await ask('GET', '/me', undefined, toHeader(wrong))).toMatchObject({ status: 401 });
    expect(await ask('POST', '/notes', { text: 'a' }, toHeader('bob:ann1'))).toMatchObject({ status: 401 });
    expect(JSON.stringify((await ask('GET', '/users')).body)).not.toContain('bob1');
  });

  it('accepts other credentials as long as no user has a password', async () => {
    const { ask } = await startApi({ paths, schemas });
    expect(await ask('POST', '/notes', { text: 'a' }, toHeader('admin:secret'))).toMatchObject({ status: 201 });
  });
});
