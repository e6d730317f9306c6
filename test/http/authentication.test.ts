import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { contractText, replaceInContract, startWithContractFile } from '../support/harness/live-contract.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const securitySchemes = {
  bearer: { type: 'http', scheme: 'Bearer' },
  basic: { type: 'http', scheme: 'basic' },
  digest: { type: 'http', scheme: 'digest' },
  header: { type: 'apiKey', in: 'header', name: 'X-Shelf' },
  query: { type: 'apiKey', in: 'query', name: 'shelf' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'shelf' },
  plain: { type: 'apiKey', in: 'header', name: 'Authorization' },
  oauth: {
    type: 'oauth2',
    flows: { implicit: { authorizationUrl: 'https://a.test', scopes: { read: 'r', write: 'w' } } },
  },
  openid: { $ref: '#/components/securitySchemes/connect' },
  connect: { type: 'openIdConnect', openIdConnectUrl: 'https://a.test' },
  certificate: { type: 'mutualTLS' },
};

const parameters = [{ name: 'limit', in: 'query', schema: { type: 'integer' } }];
const message = { type: 'object', required: ['message'], properties: { message: { type: 'string' } } };
const toContent = (schema: object) => ({ description: 'd', content: { 'application/json': { schema } } });

/** Security requirements by path. */
const REQUIREMENTS: Readonly<Record<string, readonly object[]>> = {
  '/both': [{ header: [], query: [] }],
  '/either': [{ header: [] }, { bearer: [] }],
  '/optional': [{ header: [] }, {}],
  '/none': [],
  '/certificate': [{ certificate: [] }],
  '/certificate-and-key': [{ certificate: [], header: [] }],
  '/unknown': [{ missing: [] }],
  '/write': [{ oauth: ['read', 'write'] }],
};

/** Starts a server for a document that requires a key in a header, unless an operation has requirements of its own. */
async function startSecured(options: Partial<Options> = {}): Promise<TestShop> {
  const schemes = Object.keys(securitySchemes).map((name): [string, readonly object[]] => [
    `/only/${name}`,
    [{ [name]: [] }],
  ]);
  const operations = Object.entries({ ...REQUIREMENTS, ...Object.fromEntries(schemes) }).map(([path, security]) => {
    const responses = { 200: { description: 'd' } };
    return [path, { get: { operationId: path.replaceAll(/\W/g, ''), security, parameters, responses } }];
  });
  const responses = { 200: { description: 'd' }, 401: toContent(message) };
  const paths = {
    ...Object.fromEntries(operations),
    '/shelf': { get: { operationId: 'getShelf', parameters, responses } },
  };
  const contract = await writeDocument({ paths, securitySchemes, security: [{ header: [] }] });
  return startStorefront({ contract, ...options });
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

/** Requests with a path, headers and the status. */
type Case = readonly [path: string, headers: Record<string, string>, status: number];

async function expectStatuses({ ask }: TestShop, cases: readonly Case[]): Promise<void> {
  for (const [path, headers, status] of cases)
    expect([path, headers, (await ask('GET', path, undefined, headers)).status]).toEqual([path, headers, status]);
}

describe('the security of a contract', () => {
  it('requires a credential of the right form for each type of scheme', async () => {
    await expectStatuses(await startSecured(), [
      ['/only/bearer', {}, 401],
      ['/only/bearer', { authorization: 'Bearer' }, 401],
      ['/only/bearer', { authorization: 'Bearer a b' }, 401],
      ['/only/bearer', { authorization: 'Bearer abc.def-_~+/==' }, 200],
      ['/only/bearer', { authorization: 'bearer abc' }, 200],
      ['/only/bearer', { authorization: basic('a:b') }, 401],
      ['/only/basic', { authorization: basic('a:b') }, 200],
      ['/only/basic', { authorization: basic('ab') }, 401],
      ['/only/basic', { authorization: 'Basic a:b' }, 401],
      ['/only/digest', { authorization: 'Digest username="a"' }, 200],
      ['/only/digest', { authorization: 'Digest' }, 401],
      ['/only/header', { 'X-SHELF': 'a' }, 200],
      ['/only/header', { 'X-Shelf': '' }, 401],
      ['/only/query', {}, 401],
      ['/only/query?shelf=', {}, 401],
      ['/only/query?shelf=a', {}, 200],
      ['/only/cookie', { cookie: 'other=1; shelf=a' }, 200],
      ['/only/cookie', { cookie: 'shelf=' }, 401],
      ['/only/plain', { authorization: 'abc' }, 200],
      ['/only/oauth', { authorization: 'Bearer abc' }, 200],
      ['/only/oauth', {}, 401],
      ['/only/openid', { authorization: 'Bearer abc' }, 200],
      ['/only/openid', {}, 401],
    ]);
  });

  it('combines alternatives and several credentials, and operations override it', async () => {
    await expectStatuses(await startSecured(), [
      ['/shelf', {}, 401],
      ['/shelf', { 'X-Shelf': 'a' }, 200],
      ['/both', { 'X-Shelf': 'a' }, 401],
      ['/both?shelf=b', { 'X-Shelf': 'a' }, 200],
      ['/either', {}, 401],
      ['/either', { 'X-Shelf': 'a' }, 200],
      ['/either', { authorization: 'Bearer a' }, 200],
      ['/optional', {}, 200],
      ['/none', {}, 200],
      ['/certificate', {}, 200],
      ['/certificate-and-key', {}, 401],
      ['/unknown', {}, 200],
    ]);
  });

  it('is not enforced with the option off', async () => {
    await expectStatuses(await startSecured({ auth: 'off' }), [
      ['/shelf', {}, 200],
      ['/both', {}, 200],
      ['/only/bearer', { authorization: 'x' }, 200],
    ]);
  });

  it('accepts only the given tokens', async () => {
    const auth = ['secret==', 'key', 'ada:pass', 'reader=read', 'writer=read+write'];
    await expectStatuses(await startSecured({ auth }), [
      ['/only/bearer', { authorization: 'Bearer secret==' }, 200],
      ['/only/bearer', { authorization: 'Bearer secret' }, 401],
      ['/only/bearer', { authorization: 'Bearer reader' }, 200],
      ['/only/basic', { authorization: basic('ada:pass') }, 200],
      ['/only/basic', { authorization: basic('ada:word') }, 401],
      ['/only/header', { 'X-Shelf': 'key' }, 200],
      ['/only/query?shelf=other', {}, 401],
      ['/only/plain', { authorization: 'Token key' }, 200],
      ['/write', { authorization: 'Bearer key' }, 200],
      ['/write', { authorization: 'Bearer writer' }, 200],
      ['/write', { authorization: 'Bearer reader' }, 403],
      ['/write', { authorization: 'Bearer other' }, 401],
    ]);
  });
});

describe('a request without credentials', () => {
  it('gets a 401 with a challenge, in the form that the contract documents', async () => {
    const { ask } = await startSecured();
    const reply = await ask('GET', '/shelf?limit=x');
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toBe('ApiKey realm="t", in="header", name="x-shelf"');
    expect(reply.body).toEqual({ message: 'the credentials are missing: send the header x-shelf' });
  });

  it('gets the form of the other 401 responses if the contract documents none for the operation', async () => {
    const { ask } = await startSecured();
    const reply = await ask('GET', '/either');
    expect([reply.status, reply.headers.get('content-type')]).toEqual([401, 'application/json']);
    const challenges = 'ApiKey realm="t", in="header", name="x-shelf", Bearer realm="t"';
    expect(reply.headers.get('www-authenticate')).toBe(challenges);
    expect(reply.body.message).toContain('send the header x-shelf, or the header Authorization: Bearer TOKEN');
  });

  it('gets the reason if its token is invalid or lacks a scope', async () => {
    const { ask } = await startSecured({ auth: ['reader=read'] });
    const invalid = await ask('GET', '/write', undefined, { authorization: 'Bearer other' });
    expect(invalid.headers.get('www-authenticate')).toBe('Bearer realm="t", error="invalid_token"');
    const unscoped = await ask('GET', '/write', undefined, { authorization: 'Bearer reader' });
    expect([unscoped.status, unscoped.body.message]).toEqual([403, expect.stringContaining('scope')]);
    expect(unscoped.headers.get('www-authenticate')).toBe(
      'Bearer realm="t", error="insufficient_scope", scope="read write"',
    );
  });

  it('is refused before its preferences apply, and before its parameters and body are validated', async () => {
    const { ask } = await startSecured();
    const headers = { prefer: 'code=200' };
    expect((await ask('GET', '/shelf?limit=x', undefined, headers)).status).toBe(401);
    expect((await ask('GET', '/shelf?limit=x', undefined, { 'x-shelf': 'a' })).status).toBe(400);
    expect((await ask('GET', '/shelf', undefined, { 'x-shelf': 'a', prefer: 'code=401' })).status).toBe(401);
  });

  it('can be a preflight request', async () => {
    const { ask } = await startSecured();
    const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'GET' };
    const asked = { ...headers, 'access-control-request-headers': 'x-shelf' };
    const reply = await ask('OPTIONS', '/shelf', undefined, asked);
    expect([reply.status, reply.headers.get('access-control-allow-headers')]).toEqual([204, 'x-shelf']);
  });

  it('keeps the credentials of the query in links to other pages', async () => {
    const items = {
      type: 'array',
      items: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    };
    const page = { type: 'object', properties: { data: items, next: { type: ['string', 'null'] } } };
    const list = { operationId: 'list', parameters, responses: { 200: toContent(page) } };
    const post = {
      operationId: 'add',
      requestBody: { required: true, content: toContent({ type: 'object' }).content },
      responses: { 201: toContent(items.items) },
    };
    const entry = { operationId: 'read', responses: { 200: toContent(items.items) } };
    const id = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }];
    const offset = { name: 'offset', in: 'query', schema: { type: 'integer' } };
    const get = { ...list, parameters: [...parameters, offset] };
    const paths = { '/notes': { get, post }, '/notes/{id}': { parameters: id, get: entry } };
    const contract = await writeDocument({ paths, securitySchemes, security: [{ query: [] }] });
    const { ask } = await startStorefront({ contract });
    for (const _ of [1, 2]) await ask('POST', '/notes?shelf=a', {});
    const { body } = await ask('GET', '/notes?shelf=a&limit=1');
    expect(new URL(body.next).searchParams.get('shelf')).toBe('a');
  });

  it('gets no response from the response cache', async () => {
    const schemes = '  securitySchemes: { key: { type: apiKey, in: header, name: X-Shelf } }\n';
    const secured = replaceInContract('security: []\n', 'security: [{ key: [] }]\n', contractText);
    const text = replaceInContract('components:\n', `components:\n${schemes}`, secured);
    const { shop } = await startWithContractFile({}, text);
    await expectStatuses(shop, [
      ['/api/products', { 'x-shelf': 'a' }, 200],
      ['/api/products', { 'x-shelf': 'a' }, 200],
      ['/api/products', {}, 401],
      ['/api/products', { 'x-shelf': '' }, 401],
    ]);
  });
});

describe('a key in the query', () => {
  it('is not an unknown parameter, also with the option strict', async () => {
    const shop = await startSecured({ strict: true });
    await expectStatuses(shop, [
      ['/only/query?shelf=a&limit=1', {}, 200],
      ['/only/query?shelf=a&other=1', {}, 400],
      ['/none?shelf=a', {}, 400],
    ]);
  });
});

describe('the journal', () => {
  it('redacts the credentials that the contract names', async () => {
    const { ask, url } = await startSecured();
    await ask('GET', '/both?limit=1&shelf=hunter2', undefined, { 'x-shelf': 'hunter3' });
    await ask('GET', '/nowhere?shelf=hunter2', undefined, { 'x-shelf': 'hunter3' });
    const journal = await (await fetch(`${url}/_control/sandboxes/default/requests`)).text();
    expect(journal).toContain('/both?limit=1&shelf=[redacted]');
    expect(journal).not.toContain('hunter');
  });

  it('does not show credentials in the reasons why a request does not match', async () => {
    const { ask } = await startSecured();
    await ask('GET', '/both?shelf=hunter2', undefined, { 'x-shelf': 'hunter3' });
    const where = { query: { shelf: 'a' }, headers: { 'X-Shelf': 'b' } };
    const { text } = await ask('POST', '/_control/sandboxes/default/requests/verify', { where });
    expect(text).toContain('the value does not match');
    expect(text).not.toContain('hunter');
  });

  it('are not required for what precedes a login, unless the operation itself has security', async () => {
    const body = { properties: { email: { type: 'string' }, password: { type: 'string' } } };
    const requestBody = { content: { 'application/json': { schema: { type: 'object', ...body } } } };
    const responses = { 200: { description: 'd' } };
    const names = [
      'login',
      'sign-up',
      'forgotPassword',
      'auth/refresh_token',
      'session',
      'join',
      'tasks',
      'tokens/revoke',
    ];
    const own = { operationId: 'own', requestBody, responses, security: [{ bearer: [] }] };
    const paths = {
      ...Object.fromEntries(
        names.map((name, index) => [`/${name}`, { post: { operationId: `post${index}`, requestBody, responses } }]),
      ),
      '/register': { post: own },
      '/tokens': { post: { operationId: 'createToken', responses } },
    };
    const contract = await writeDocument({ paths, securitySchemes, security: [{ bearer: [] }] });
    const shop = await startStorefront({ contract });
    const statuses = await Promise.all(
      [...names, 'register', 'tokens'].map(async (name) => {
        const { status } = await shop.ask('POST', `/${name}`, { email: 'ann@x.test', password: 'secret' });
        return [name, status];
      }),
    );
    expect(statuses).toEqual([
      ...['login', 'sign-up', 'forgotPassword', 'auth/refresh_token', 'session', 'join'].map((name) => [name, 200]),
      ...['tasks', 'tokens/revoke', 'register', 'tokens'].map((name) => [name, 401]),
    ]);
  });

  it.each([
    [['/sessions', '/accounts'], '/accounts', 200],
    [['/auth/login', '/users'], '/users', 200],
    [['/auth/login', '/auth/register', '/users'], '/users', 401],
    [['/auth/login', '/join', '/users'], '/users', 401],
    [['/users'], '/users', 401],
  ])('of a document with POST %j are, or are not, required for POST %s', async (all, path, status) => {
    const body = { properties: { email: { type: 'string' }, password: { type: 'string' } } };
    const requestBody = { content: { 'application/json': { schema: { type: 'object', ...body } } } };
    const responses = { 200: { description: 'd' } };
    const posts = all.map((one, index) => [one, { post: { operationId: `post${index}`, requestBody, responses } }]);
    const contract = await writeDocument({
      paths: Object.fromEntries(posts),
      securitySchemes,
      security: [{ bearer: [] }],
    });
    const shop = await startStorefront({ contract });
    const sent = await shop.ask('POST', path, { email: 'ann@x.test', password: 'secret' });
    expect(sent.status).toBe(status);
  });

  it('are accepted in the cookie of a login without a token, also for bearer tokens', async () => {
    const responses = { 200: { description: 'd' } };
    const paths = { '/shelf': { get: { operationId: 'getShelf', responses } } };
    const contract = await writeDocument({ paths, securitySchemes, security: [{ bearer: [] }] });
    const send = async (options: Partial<Options>, cookie: string) =>
      (await (await startStorefront({ contract, ...options })).ask('GET', '/shelf', undefined, { cookie })).status;
    expect(await send({}, 'a=b; session=a.b.c')).toBe(200);
    expect(await send({}, 'a=b')).toBe(401);
    expect(await send({}, 'session=a b')).toBe(401);
    expect(await send({ auth: ['a.b.c'] }, 'session=a.b.c')).toBe(401);
  });
});
