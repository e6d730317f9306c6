import { expect, it } from 'vitest';
import { checkApi, type SentResponse } from '../support/harness/check-api.ts';

const createBody = (schema: object) => ({ content: { 'application/json': { schema } } });
const USER = { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 40 } } };
const REFUSED = { 400: { description: '' }, 401: { description: '' } };

it('the check logs out after the requests to all other operations', async () => {
  const shown = { 200: { description: '', ...createBody(USER) }, ...REFUSED };
  const requestBody = { required: true, ...createBody(USER) };
  const paths = {
    '/auth/logout': {
      post: { operationId: 'logOut', responses: { 204: { description: '' }, ...REFUSED } },
    },
    '/me': {
      get: { operationId: 'getMe', responses: shown },
      patch: { operationId: 'setMe', requestBody, responses: shown },
    },
  };
  const requests: string[] = [];
  let isLoggedOut = false;
  const respond = ({ method, path, headers, json }: Parameters<Parameters<typeof checkApi>[1]>[0]): SentResponse => {
    if (isLoggedOut || headers.authorization !== 'Bearer key') return { status: 401 };
    requests.push(`${method} ${path}`);
    isLoggedOut = method === 'POST' && path === '/auth/logout';
    if (isLoggedOut) return { status: 204 };
    if (method === 'GET') return { status: 200, body: { name: 'Ann' } };
    const { name } = (json ?? {}) as Record<string, unknown>;
    const isName = typeof name === 'string' && [...name].length <= 40;
    return isName ? { status: 200, body: { name } } : { status: 400 };
  };
  const headers = { authorization: 'Bearer key' };
  const { unchecked } = await checkApi({ paths }, respond, { runs: 3, headers });
  expect(unchecked).toEqual([]);
  expect(requests.at(-1)).toBe('POST /auth/logout');
  expect(requests.length).toBeGreaterThan(10);
});
