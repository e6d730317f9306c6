import { describe, expect, it } from 'vitest';
import { createList, createObject, type OperationParts, type Paths } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const NEW_LEAD = createObject({ 'name!': TEXT, username: TEXT });

const POST = { post: { status: 201, request: NEW_LEAD } };

/** The operations of leads. No response has a documented body. */
const LEADS: Paths = {
  '/leads': { get: {}, ...POST },
  '/leads/{leadId}': { get: {}, patch: { request: NEW_LEAD }, delete: { status: 204 } },
};

describe('Resources whose responses have no documented body', () => {
  it('have a life cycle: GET returns the entries with their ids, and so do changes at the same path', async () => {
    const { ask } = await startApi({ paths: LEADS });
    expect(await ask('GET', '/leads')).toMatchObject({ status: 200, body: [] });
    const created = await ask('POST', '/leads', { name: 'Ada', username: 'ada' });
    const [lead] = (await ask('GET', '/leads')).body;
    expect(created).toMatchObject({ status: 201, body: lead });
    expect(lead).toEqual({ id: expect.any(String), name: 'Ada', username: 'ada' });
    expect((await ask('GET', `/leads/${lead.id}`)).body).toEqual(lead);
    expect((await ask('PATCH', `/leads/${lead.id}`, { name: 'Bob' })).body).toEqual({ ...lead, name: 'Bob' });
    expect((await ask('GET', `/leads/${lead.id}`)).body).toEqual({ ...lead, name: 'Bob' });
    await ask('DELETE', `/leads/${lead.id}`);
    expect((await ask('GET', `/leads/${lead.id}`)).status).toBe(404);
  });

  it('need no path for an entry, if a POST creates entries with the status 201', async () => {
    const { ask } = await startApi({ paths: { '/leads': { get: {}, ...POST } } });
    await ask('POST', '/leads', { name: 'Ada' });
    expect((await ask('GET', '/leads')).body).toEqual([{ id: expect.any(String), name: 'Ada' }]);
  });

  it('have the id that the path names, if it is not the id of the entry: txid', async () => {
    const item = { '/payments/{txid}': { get: {}, parameters: { txid: { type: 'integer' } } } };
    const { ask } = await startApi({ paths: { '/payments': { get: {}, ...POST }, ...item } });
    await ask('POST', '/payments', { name: 'Ada' });
    expect((await ask('GET', '/payments/1')).body).toEqual({ txid: 1, name: 'Ada' });
  });

  it('have an id beside their title, if the path needs a number: {lead}', async () => {
    const request = createObject({ 'title!': TEXT });
    const item = { '/leads/{lead}': { get: {}, parameters: { lead: { type: 'integer' } } } };
    const { ask } = await startApi({ paths: { '/leads': { get: {}, post: { status: 201, request } }, ...item } });
    await ask('POST', '/leads', { title: 'Ada' });
    expect((await ask('GET', '/leads/1')).body).toEqual({ id: 1, title: 'Ada' });
  });

  it('have ids that are valid in the paths below an entry', async () => {
    const below = { post: { status: 201, request: NEW_LEAD } };
    const notes: Paths = { '/leads/{leadId}/close': { ...below, parameters: { leadId: { type: 'integer' } } } };
    const { ask } = await startApi({ paths: { '/leads': { get: {}, ...POST }, ...notes } });
    expect((await ask('POST', '/leads', { name: 'Ada' })).body).toEqual({ id: 1, name: 'Ada' });
    expect((await ask('POST', '/leads/1/close', { name: 'Ada' })).status).toBe(201);
  });

  it.each([{}, { title: 'Response' }])('can be JSON without a type, as FastAPI documents it: %j', async (response) => {
    const paths = { '/leads': { get: { response }, post: { status: 201, request: NEW_LEAD, response } } };
    const { ask } = await startApi({ paths });
    const { body } = await ask('POST', '/leads', { name: 'Ada' });
    expect((await ask('GET', '/leads')).body).toEqual([body]);
    expect(body).toMatchObject({ name: 'Ada' });
  });

  it('never show writeOnly properties', async () => {
    const user = createObject({ 'email!': TEXT, 'password!': { ...TEXT, writeOnly: true } });
    const change = { put: { request: user } };
    const paths: Paths = {
      '/users': { get: {}, post: { status: 201, request: user, response: {} } },
      '/users/{id}': { get: { response: {} }, ...change },
      '/me': { get: {}, ...change },
    };
    const { ask } = await startApi({ paths });
    const { body } = await ask('POST', '/users', { email: 'a', password: 'secret' });
    expect(body).toEqual({ id: expect.any(String), email: 'a' });
    const changed = { ...body, email: 'b' };
    expect((await ask('PUT', '/me', { email: 'b', password: 'secret' })).body).toEqual(changed);
    expect((await ask('GET', '/users')).body).toEqual([changed]);
    expect((await ask('GET', `/users/${body.id}`)).body).toEqual(changed);
    expect((await ask('GET', '/me')).body).toEqual(changed);
  });

  it.each<[title: string, get: OperationParts]>([
    ['no content', {}],
    ['any JSON', { response: {} }],
  ])('show the user of a login, if only the login describes the user, and GET /me has %s', async (_title, get) => {
    const user = createObject({ 'id!': { type: 'string', format: 'uuid' }, 'email!': TEXT, name: TEXT });
    const request = createObject({ 'email!': TEXT, 'password!': TEXT });
    const { ask } = await startApi({
      paths: {
        '/login': { post: { request, response: createObject({ 'token!': TEXT, 'user!': user }) } },
        '/me': { get, put: { request: createObject({ 'email!': TEXT, name: TEXT }) } },
      },
    });
    const { body, headers } = await ask('POST', '/login', { email: 'ann@example.com', password: 'secret' });
    expect([body.user, headers.get('x-mocked')]).toEqual([{ id: expect.any(String), email: 'ann@example.com' }, null]);
    const authorization = { Authorization: `Bearer ${body.token}` };
    expect((await ask('GET', '/me', undefined, authorization)).body).toEqual(body.user);
    const renamed = { ...body.user, name: 'Ann' };
    const change = { email: 'ann@example.com', name: 'Ann' };
    expect(await ask('PUT', '/me', change, authorization)).toMatchObject({ status: 200 });
    expect((await ask('GET', '/me', undefined, authorization)).body).toEqual(renamed);
  });

  it('keep the id that another response of the resource documents', async () => {
    const meta = createObject({ 'metadata!': createObject({ 'name!': TEXT }) });
    const paths = { '/metas': { get: {}, post: { request: meta, response: meta } }, '/metas/{meta}': { get: {} } };
    const { ask } = await startApi({ paths });
    await ask('POST', '/metas', { metadata: { name: 'm1' } });
    expect((await ask('GET', '/metas/m1')).body).toEqual({ metadata: { name: 'm1' } });
  });

  it('have the media type and the place in the body that the document names', async () => {
    const hal = { response: {}, responseType: 'application/hal+json' };
    const paths: Paths = {
      '/leads': { get: { ...hal, storefront: { list: 'data.items' } }, ...POST },
      '/leads/{leadId}': { get: { ...hal, storefront: { entry: 'data' } } },
    };
    const { ask } = await startApi({ paths }, { verify: 'strict' });
    await ask('POST', '/leads', { name: 'Ada' });
    const list = await ask('GET', '/leads');
    const [lead] = list.body.data.items;
    expect(lead).toEqual({ id: expect.any(String), name: 'Ada' });
    const read = await ask('GET', `/leads/${lead.id}`);
    expect([read.status, read.body]).toEqual([200, { data: lead }]);
    expect([list, read].map(({ headers }) => headers.get('content-type'))).toEqual(Array(2).fill(hal.responseType));
  });

  it('need no path for an entry, if the response of the POST has an id', async () => {
    const lead = createObject({ 'id!': { type: 'integer' }, 'name!': TEXT });
    const { ask } = await startApi({ paths: { '/leads': { get: {}, post: { request: NEW_LEAD, response: lead } } } });
    await ask('POST', '/leads', { name: 'Ada' });
    expect((await ask('GET', '/leads')).body).toEqual([{ id: 1, name: 'Ada' }]);
  });

  it('are named by explain', async () => {
    expect(await explainApi({ paths: LEADS })).toMatchObject({
      'GET /leads': 'real: lists leads (the document describes no response body)',
      'GET /leads/{leadId}': 'real: reads a lead (the document describes no response body; id: id)',
      'POST /leads': 'real: creates a lead (the document describes no response body)',
    });
  });

  it.each<[title: string, paths: Paths]>([
    ['a POST responds with 200', { '/leads': { get: {}, post: { request: NEW_LEAD } } }],
    ['a POST has no request body', { '/leads': { get: {}, post: { status: 201 } } }],
    ['a GET has an example', { '/leads': { get: { response: {}, example: { ok: true } }, ...POST } }],
    ['a GET responds with 204', { '/leads': { get: { status: 204 }, ...POST } }],
    ['the request body is a list', { '/leads': { get: {}, post: { status: 201, request: createList(NEW_LEAD) } } }],
  ])('are mocked without a path for an entry, if %s', async (_title, paths) => {
    expect((await explainApi({ paths }))['GET /leads']).toMatch(/^mocked/);
  });

  it.each<[title: string, path: string, paths: Paths[string]]>([
    ['its name is plural', '/leads', { get: {}, put: { request: NEW_LEAD } }],
    ['it has a POST', '/bulk', { get: {}, post: {}, patch: { request: NEW_LEAD } }],
    ['PUT sends a list', '/order', { get: {}, put: { request: createList(TEXT) } }],
    ['PUT sends a file', '/avatar', { get: {}, put: { request: NEW_LEAD, requestType: 'multipart/form-data' } }],
  ])('are mocked at a path with GET and PUT, if %s', async (_title, path, operations) => {
    expect((await explainApi({ paths: { [path]: operations } }))[`GET ${path}`]).toMatch(/^mocked/);
  });
});
