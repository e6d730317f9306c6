import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const NEW = { 'title!': TEXT, body: TEXT };
const schemas = { Note: createObject({ 'id!': TEXT, ...NEW }) };
const NOTES = createResourcePaths('/notes/{noteId}', refer('Note'), createObject(NEW));

describe('A response with a property that the request has under the same name', () => {
  it('repeats the parameters of a search', async () => {
    const response = createObject({ 'query!': TEXT, 'type!': TEXT, 'items!': createList(refer('Note')) });
    const paths = { ...NOTES, '/find-notes': { get: { query: { query: TEXT, type: TEXT }, response } } };
    const { ask } = await startApi({ paths, schemas });
    const { body: note } = await ask('POST', '/notes', { title: 'Dune' });
    const { body } = await ask('GET', '/find-notes?query=dune&type=title');
    expect(body).toEqual({ query: 'dune', type: 'title', items: [note] });
  });

  it('repeats the path and the body if it is mocked', async () => {
    const quote = {
      request: createObject({ 'amount!': NUMBER, note: TEXT }),
      response: createObject({ 'ok!': { type: 'boolean' }, 'amount!': NUMBER, 'fee!': NUMBER, 'queryIsbn!': TEXT }),
    };
    const { ask } = await startApi({ paths: { '/quotes/{isbn}/estimate': { post: quote } } });
    const { body, headers } = await ask('POST', '/quotes/978/estimate', { amount: 12.5 });
    expect(body).toEqual({ ok: true, amount: 12.5, fee: expect.any(Number), queryIsbn: '978' });
    expect(headers.get('X-Mocked')).toBe('operation');
  });
});

it('A mocked response does not repeat the passwords and tokens of the request', async () => {
  const Secrets = createObject({ 'refreshToken!': TEXT, 'password!': TEXT });
  const { ask } = await startApi({ paths: { '/keys/renew': { post: { request: Secrets, response: Secrets } } } });
  const { text } = await ask('POST', '/keys/renew', { refreshToken: 'old-4711', password: 'pass-4712' });
  expect(text).not.toMatch(/4711|4712/);
});

it('A mocked response repeats the body in its data, and has the status with which it is sent', async () => {
  const data = createObject({ 'id!': TEXT, 'name!': TEXT });
  const create = {
    request: createObject({ 'name!': TEXT }),
    response: createObject({ 'data!': data, 'status_code!': { type: 'integer' }, 'status_msg!': TEXT }),
  };
  const accept = { response: createObject({ 'data!': TEXT, 'status_code!': { type: 'integer' } }) };
  const { ask } = await startApi({ paths: { '/group/create': { post: create }, '/group/accept': { put: accept } } });
  expect((await ask('POST', '/group/create', { name: 'Chess' })).body).toEqual({
    data: { id: expect.any(String), name: 'Chess' },
    status_code: 200,
    status_msg: 'The response',
  });
  expect((await ask('PUT', '/group/accept')).body.status_code).toBe(200);
});

describe('The path of a search below a list', () => {
  const result = { 'id!': TEXT, 'title!': TEXT, rank: NUMBER };
  const search = (items: object): Paths => ({
    ...NOTES,
    '/notes/search': { get: { query: { 'q!': TEXT }, response: createList(createObject({ ...items })) } },
  });

  it('finds entries whose results have a part of their properties', async () => {
    const { ask } = await startApi({ paths: search(result), schemas });
    const { body: note } = await ask('POST', '/notes', { title: 'Dune', body: 'Sand' });
    await ask('POST', '/notes', { title: 'Emma' });
    expect((await ask('GET', '/notes/search?q=sand')).body).toEqual([{ id: note.id, title: 'Dune' }]);
  });

  it('is mocked if the results have other properties', async () => {
    const explained = await explainApi({ paths: search({ ...result, author: TEXT }), schemas });
    expect(explained['GET /notes/search']).toMatch(/^mocked: /);
  });
});

it('A path such as /audit/verify/{documentId} has no entries of another path with the same verb', async () => {
  const Verdict = createObject({ 'valid!': { type: 'boolean' }, entries: TEXT });
  const paths = {
    '/audit/verify/{documentId}': { get: { response: Verdict } },
    '/audit/proof/verify': { post: { request: createObject({ entries: TEXT }), response: Verdict } },
  };
  for (const explanation of Object.values(await explainApi({ paths }))) expect(explanation).toMatch(/^mocked: /);
});
