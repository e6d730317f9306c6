import { expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const ROOM = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'string' }, name: { type: 'string' }, beds: { type: 'integer' } },
};

/** Returns the paths of rooms. `mocked`: the operation that is mocked beside the others, which are real. */
function createPaths(mocked: string) {
  const requestBody = { required: true, content: { 'application/json': { schema: ROOM } } };
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  const content = { 'application/json': { schema: ROOM } };
  const links = { self: { operationId: 'getRoom', parameters: { id: '$response.body#/id' } } };
  const responses = {
    201: { description: 'd', content, headers: { Location: { schema: { type: 'string' } } }, links },
  };
  const off = (operationId: string) => (operationId === mocked ? { 'x-storefront': { off: true } } : {});
  const create = (id: string, more: object, schema: object = ROOM) =>
    createOperation(id, schema, { ...more, ...off(id) });
  return {
    '/rooms': {
      get: create('listRooms', {}, { type: 'array', items: ROOM }),
      post: create('addRoom', { requestBody, responses }),
    },
    '/rooms/{id}': {
      get: create('getRoom', { parameters }),
      put: create('putRoom', { parameters, requestBody }),
      delete: create('deleteRoom', { parameters }),
    },
  };
}

it.each(['none', 'listRooms', 'addRoom', 'getRoom', 'putRoom', 'deleteRoom'])(
  'checkServer agrees with the server about a mocked operation beside real ones: %s',
  async (mocked) => {
    const path = await writeDocument({ paths: createPaths(mocked) });
    const { url, ask } = await startStorefront({ contract: path });
    const isMocked = (await ask('GET', '/rooms')).headers.get('x-mocked') === 'operation';
    expect(isMocked).toBe(mocked === 'listRooms');
    const contract = await loadContract({ path, strict: false });
    const { findings, unchecked, notes } = await runCheck(url, { contract, isFresh: false, runs: 5 });
    expect([formatFindings(findings), unchecked]).toEqual([[], []]);
    const note = `Mocked operations store nothing, so their life cycles were checked only in part: ${mocked}`;
    expect(notes.includes(note)).toBe(mocked !== 'none');
  },
);
