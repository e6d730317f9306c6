import { describe, expect, it } from 'vitest';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** Starts a server with an operation that documents pairs of examples: a request, and its response with the same name. */
async function startTickets(status: string, more: object = {}) {
  const schema = { type: 'object', required: ['seat'], properties: { seat: { type: 'string' } } };
  const examples = { noSeat: { value: { seat: 5 } }, sold: { value: { seat: 'A1' } } };
  const limit = { name: 'limit', in: 'query', schema: { type: 'integer' }, examples: { noLimit: { value: 'x' } } };
  const responses = {
    201: { description: 'd', content: { 'application/json': { example: { id: 1 } } } },
    [status]: {
      description: 'd',
      content: {
        'application/json': {
          schema: { type: 'object', properties: { reason: { type: 'string' } } },
          examples: { noSeat: { value: { reason: 'no seat' } }, noLimit: { value: { reason: 'no limit' } } },
        },
      },
    },
  };
  const requestBody = { content: { 'application/json': { schema, examples } } };
  const post = { operationId: 'addTicket', parameters: [limit], requestBody, responses };
  const contract = await writeDocument({ paths: { '/tickets': { post } } });
  const { ask } = await startStorefront({ contract, ...more });
  return (body: object, query = '') => ask('POST', `/tickets${query}`, body);
}

describe('a refused request that equals a request example', () => {
  it.each(['400', '422', '4XX', 'default'])(
    'gets the response example of the same name with the status %s',
    async (status) => {
      const ask = await startTickets(status, { mock: true });
      const { status: sent, body } = await ask({ seat: 5 });
      expect([sent, body]).toEqual([status === '422' ? 422 : 400, { reason: 'no seat' }]);
    },
  );

  it('gets the response example if the operation has a handler', async () => {
    const ask = await startTickets('400', { handlers: { addTicket: () => ({ status: 201, body: { id: 2 } }) } });
    expect((await ask({ seat: 5 })).body).toEqual({ reason: 'no seat' });
  });

  it('gets the response example of a query parameter', async () => {
    const ask = await startTickets('400', { mock: true });
    expect((await ask({ seat: 'B2' }, '?limit=x')).body).toEqual({ reason: 'no limit' });
  });
});

it('another refused request gets a description of its errors', async () => {
  const ask = await startTickets('400', { mock: true });
  expect((await ask({ seat: 6 })).body).toEqual({ reason: 'seat is 6: use a string' });
});
