import { describe, expect, it } from 'vitest';
import type { RequestToSend } from '../../src/check/exchange.ts';
import { canBeUndocumented } from '../../src/check/undocumented-responses.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';

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
  '/pets/{id}': { get: createOperation('getPet', [], { parameters: [ID] }) },
};

/** Returns whether a response to a request may be undocumented. */
async function isAccepted(operationId: string, status: number, target: string, body?: string): Promise<boolean> {
  const contract = await loadContract({ path: await writeDocument({ paths: PATHS }), strict: false });
  const route = contract.routes.find((one) => one.operationId === operationId);
  if (!route) throw new Error(`There is no ${operationId}`);
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
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
  ])('%s is no violation', async (_, ...response) => {
    expect(await isAccepted(...response)).toBe(true);
  });

  it.each<[string, ...Parameters<typeof isAccepted>]>([
    ['of a valid body', 'addPet', 400, '/pets', '{"name":"Rex"}'],
    ['with another status than the documented one', 'setPets', 400, '/pets', '{}'],
    ['of a request without ids', 'listPets', 404, '/pets'],
    ['of a request that changes nothing', 'getPet', 409, '/pets/1'],
    ['of a valid query', 'listPets', 400, '/pets'],
  ])('%s is a violation', async (_, ...response) => {
    expect(await isAccepted(...response)).toBe(false);
  });
});
