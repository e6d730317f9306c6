import { describe, expect, it } from 'vitest';
import type { RequestToSend } from '../../src/check/exchange.ts';
import { canBeUndocumented } from '../../src/check/undocumented-responses.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { checkApi } from '../support/harness/check-api.ts';

const SCHEMA = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const requestBody = { required: true, content: { 'application/json': { schema: SCHEMA } } };
const CURSOR = { name: 'page_token', in: 'query', schema: { type: 'string' } };
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

/** An operation that documents a success and these errors. */
function createOperation(operationId: string, errors: readonly string[] = [], more: object = {}): object {
  const responses = Object.fromEntries(['200', ...errors].map((status) => [status, { description: 'd' }]));
  return { operationId, responses, ...more };
}

const PATHS = {
  '/pets': {
    get: createOperation('listPets', [], { parameters: [CURSOR] }),
    post: createOperation('addPet', [], { requestBody }),
    put: createOperation('setPets', ['422'], { requestBody }),
    delete: createOperation('clearPets'),
  },
  '/login': { post: createOperation('logIn', [], { requestBody }) },
  '/sign-in': { post: createOperation('signIn', ['401'], { requestBody }) },
  '/me/change-password': { put: createOperation('changePassword', [], { requestBody }) },
  '/pets/{id}': { get: createOperation('getPet', [], { parameters: [ID] }) },
};

/** Returns whether a response to a request may be undocumented. */
async function isAccepted(
  operationId: string,
  status: number,
  target: string,
  body?: string,
  type = 'application/json',
): Promise<boolean> {
  const contract = await loadContract({ path: await writeDocument({ paths: PATHS }), strict: false });
  const route = contract.routes.find((one) => one.operationId === operationId);
  if (!route) throw new Error(`There is no ${operationId}`);
  const headers = body === undefined ? {} : { 'content-type': type };
  const request: RequestToSend = { method: route.method, target, headers, ...(body === undefined ? {} : { body }) };
  return canBeUndocumented(contract, route, request, { status, headers: {}, text: '', body: '', jsonError: undefined });
}

describe('A refusal whose status the operation does not document', () => {
  it.each<[string, ...Parameters<typeof isAccepted>]>([
    ['of an invalid body', 'addPet', 400, '/pets', '{}'],
    ['of an invalid body with 422', 'addPet', 422, '/pets', '{}'],
    ['of a body that is not JSON', 'addPet', 400, '/pets', '{"'],
    ['of a cursor that only the server knows', 'listPets', 400, '/pets?page_token=x'],
    ['of an id that does not exist', 'getPet', 404, '/pets/1'],
    ['of a deletion of what does not exist', 'clearPets', 404, '/pets'],
    ['of a change that conflicts with the data', 'addPet', 409, '/pets', '{"name":"Rex"}'],
    ['of a long URL', 'listPets', 414, `/pets?page_token=${'a'.repeat(2_001)}`],
    ['of a large body', 'addPet', 413, '/pets', JSON.stringify({ name: 'a'.repeat(10_001) })],
    ['of another content type', 'addPet', 415, '/pets', '{"name":"Rex"}', 'text/plain'],
    ['of another content type with 400', 'setPets', 400, '/pets', '{"name":"Rex"}', 'application/xml'],
    ['of markup in a path', 'getPet', 403, '/pets/%22%3E%3C'],
    ['of an escaped slash', 'getPet', 405, '/pets/a%2Fb'],
    ['of a query without names', 'listPets', 404, '/pets?&&=&'],
    ['of an unknown user', 'logIn', 401, '/login', '{"name":"Rex"}'],
    ['of a wrong password', 'changePassword', 400, '/me/change-password', '{"name":"Rex"}'],
  ])('%s is no violation', async (_, ...response) => {
    expect(await isAccepted(...response)).toBe(true);
  });

  it.each<[string, ...Parameters<typeof isAccepted>]>([
    ['of a valid body', 'addPet', 400, '/pets', '{"name":"Rex"}'],
    ['with another status than the documented one', 'setPets', 400, '/pets', '{}'],
    ['of a request without ids', 'listPets', 404, '/pets'],
    ['of a request that changes nothing', 'getPet', 409, '/pets/1'],
    ['of a valid query', 'listPets', 400, '/pets'],
    ['of a login with a documented 401', 'signIn', 403, '/sign-in', '{"name":"Rex"}'],
    ['of a login that conflicts with nothing', 'logIn', 404, '/login', '{"name":"Rex"}'],
    ['of a short URL', 'listPets', 414, '/pets'],
    ['of a small body', 'addPet', 413, '/pets', '{"name":"Rex"}'],
    ['of a plain path', 'getPet', 403, '/pets/1'],
    ['of its documented method', 'getPet', 405, '/pets/1'],
    ['of its documented content type', 'addPet', 415, '/pets', '{"name":"Rex"}'],
  ])('%s is a violation', async (_, ...response) => {
    expect(await isAccepted(...response)).toBe(false);
  });
});

describe('A proxy that refuses unusual requests', () => {
  const paths = {
    '/pets': { get: createOperation('listPets') },
    '/pets/{id}': { get: createOperation('getPet', ['404'], { parameters: [ID] }) },
  };

  it('is named in one note, and is no finding', async () => {
    const { findings, notes } = await checkApi({ paths }, ({ path, query }) => {
      if (path.length + query.toString().length > 1_000) return { status: 414, body: '<h1>414</h1>' };
      if (/['"<>{}]|%2f/i.test(path)) return { status: 403, body: '<h1>403</h1>' };
      return { status: path === '/pets/1' || path === '/pets' ? 200 : 404 };
    });
    expect(findings.map(({ message }) => message)).toEqual([]);
    expect(notes).toContain(
      'Undocumented refusals of unusual requests, which are no findings: 403 for special characters in the URL (getPet); 414 for URLs of more than 2,000 characters (getPet, listPets)',
    );
  });

  it('is a finding if it also refuses an ordinary request', async () => {
    const { findings } = await checkApi({ paths }, ({ path }) => ({ status: path === '/pets' ? 414 : 200 }));
    expect(findings.map(({ operationId, rule }) => [operationId, rule])).toContainEqual([
      'listPets',
      'response-status',
    ]);
  });
});
