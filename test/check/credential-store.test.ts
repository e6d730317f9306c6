import { describe, expect, it } from 'vitest';
import { runCheck } from '../../src/check/command.ts';
import { CredentialStore } from '../../src/check/credential-store.ts';
import type { CheckCommand } from '../../src/check/options.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { type ReceivedRequest, type SentResponse, startApi } from '../support/harness/check-api.ts';

const securitySchemes = {
  oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token', scopes: { read: 'r' } } } },
  key: { type: 'apiKey', in: 'query', name: 'key' },
  login: { type: 'http', scheme: 'basic' },
  session: { type: 'apiKey', in: 'cookie', name: 'sid' },
};
const schema = { type: 'object', properties: { a: { type: 'integer' } } };
const secured = (id: string, security: object, more: object = {}) =>
  createOperation(id, schema, { security: [security], ...more });
const limit = { name: 'limit', in: 'query', schema: { type: 'integer' } };
const paths = {
  '/notes': { get: secured('listNotes', { oauth: ['read'] }, { parameters: [limit] }) },
  '/keys': { get: secured('listKeys', { key: [] }) },
  '/basic': { get: secured('getBasic', { login: [] }) },
  '/session': { get: secured('getSession', { session: [] }) },
};

/** Checks a server with credentials. */
async function check(respond: (request: ReceivedRequest) => SentResponse, command: Partial<CheckCommand>) {
  const url = await startApi(respond);
  const contract = await writeDocument({ paths, securitySchemes });
  return runCheck(
    { url, contract, wait: 0, allowWrites: false, headers: {}, runs: 20, ...command },
    {
      contract,
      model: shopModel,
      start: () => Promise.reject(new Error()),
      print() {},
      seed: 1,
      nowMs: 0,
      environment: { CLIENT_SECRET: 'client-secret' },
    },
  );
}

const OK: SentResponse = { status: 200, body: { a: 1 } };

/** A server whose tokens of OAuth client credentials are valid for `uses` requests. */
function createTokenServer(uses: number) {
  let left = 0;
  let count = 0;
  const respond = ({ method, path, headers, text, query }: ReceivedRequest): SentResponse => {
    if (path === '/token') {
      if (headers.authorization !== `Basic ${Buffer.from('ci:client-secret').toString('base64')}`)
        return { status: 401 };
      left = uses;
      return { status: 200, body: { access_token: `token-number-${++count}`, sent: text } };
    }
    if (path !== '/notes') return { status: 404 };
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { allow: 'GET' } };
    const isKnown = headers.authorization === `Bearer token-number-${count}`;
    if (isKnown && left-- > 0)
      return query.getAll('limit').every((text) => /^-?\d+$/.test(text)) ? OK : { status: 400 };
    return { status: 401 };
  };
  return { respond, getCount: () => count };
}

const oauth: NonNullable<CheckCommand['credentials']>[string] = async ({ send, environment, scopes }) => {
  const { body } = await send({
    path: '/token',
    headers: { authorization: `Basic ${Buffer.from(`ci:${environment.CLIENT_SECRET}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: scopes.join(' ') }),
  });
  return body.access_token;
};

describe('check.credentials', () => {
  it('gets a token of OAuth client credentials, and gets another one when the server refuses it', async () => {
    const { respond, getCount } = createTokenServer(25);
    const report = await check(respond, { only: ['listNotes'], credentials: { oauth } });
    expect(report.failures.map(({ message }) => message)).toEqual([]);
    expect(report.unchecked).toEqual([]);
    expect(getCount()).toBeGreaterThan(2);
    expect(JSON.stringify(report)).not.toMatch(/token-number|client-secret/);
  });

  it('gets no other token if the server accepts none', async () => {
    let count = 0;
    const respond = ({ path }: ReceivedRequest) => (path === '/notes' ? { status: 401 } : { status: 404 });
    const report = await check(respond, { only: ['listNotes'], credentials: { oauth: () => `t${++count}` } });
    expect(count).toBe(1);
    expect(report.unchecked).toEqual(['listNotes (only 401 received)']);
  });

  it('sends texts as keys in the query, as Basic credentials, and in cookies', async () => {
    const respond = ({ path, method, headers, query }: ReceivedRequest): SentResponse => {
      const isKnown =
        (path === '/keys' && query.get('key') === 'k&1') ||
        (path === '/basic' && headers.authorization === `Basic ${Buffer.from('ann:secret').toString('base64')}`) ||
        (path === '/session' && headers.cookie === 'sid=s1');
      if (!isKnown) return { status: 401 };
      return method === 'GET' || method === 'HEAD' ? OK : { status: 405, headers: { allow: 'GET' } };
    };
    const credentials = { key: 'k&1', login: 'ann:secret', session: 's1' };
    const report = await check(respond, { exclude: ['listNotes'], credentials });
    expect(report.unchecked).toEqual([]);
    expect(report.failures).toEqual([]);
  });

  it.each<[string, NonNullable<CheckCommand['credentials']>]>([
    ['check.credentials.oath: .* has no such security scheme: did you mean "oauth"', { oath: 'a' }],
    [
      'check.credentials.oauth of the configuration failed: GET /none responds with 404',
      {
        oauth: async ({ send }) => (await send({ path: '/none' })).body,
      },
    ],
    ['check.credentials.oauth of the configuration must be or return a string', { oauth: () => undefined as never }],
  ])('refuses what cannot work: %s', async (problem, credentials) => {
    await expect(check(() => ({ status: 404 }), { credentials })).rejects.toThrow(new RegExp(problem));
  });

  it('stops the check if it gets no other token', async () => {
    const { respond } = createTokenServer(5);
    let isFirst = true;
    const report = await check(respond, {
      only: ['listNotes'],
      credentials: {
        oauth: async (context) => {
          if (!isFirst) throw new Error('no more tokens');
          isFirst = false;
          return typeof oauth === 'function' ? oauth(context) : oauth;
        },
      },
    });
    expect(report.notes).toContain(
      'The check stopped early: check.credentials.oauth of the configuration failed: no more tokens',
    );
  });
});

it('CredentialStore gets one token for concurrent requests', async () => {
  const contract = await loadContract({ path: await writeDocument({ paths, securitySchemes }), strict: false });
  const route = contract.routes.find(({ operationId }) => operationId === 'listNotes');
  if (!route) throw new Error('no operation');
  let count = 0;
  const context = { url: '', environment: {}, send: () => Promise.reject(new Error()) };
  const store = new CredentialStore(contract, { oauth: async () => `t${++count}` }, context);
  await store.open();
  const request = { method: 'GET', target: '/notes', headers: store.getInput(route).headers };
  const receive = (status: number) => ({ status, headers: {}, text: '', body: undefined, jsonError: undefined });
  expect(await store.renew(route, request, receive(200))).toBeUndefined();
  const renewed = await Promise.all([1, 2, 3].map(() => store.renew(route, request, receive(401))));
  expect(renewed.map((one) => one?.headers)).toEqual(Array.from({ length: 3 }, () => ({ authorization: 'Bearer t2' })));
  expect(await store.renew(route, { ...request, isAnonymous: true }, receive(401))).toBeUndefined();
  expect(await store.renew(route, { ...request, headers: { authorization: 'x' } }, receive(401))).toBeUndefined();
});
