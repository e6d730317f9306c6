import { expect, it } from 'vitest';
import { sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

it.each([204, 304])(
  'a response with status %i has no body and no header of one, whatever the handler returns',
  async (status) => {
    const headers = { 'content-type': 'text/plain', 'X-Own': '1' };
    const { port } = await startStorefront({
      handlers: { listOrders: (() => ({ status, body: { a: 1 }, headers })) as never },
      verify: 'off',
    });
    const reply = await sendRawRequest(port, 'GET /api/orders');
    expect([reply.status, reply.text]).toEqual([status, '']);
    expect(reply.headers['x-own']).toEqual(['1']);
    expect(Object.keys(reply.headers)).not.toContain('content-length');
    expect(Object.keys(reply.headers)).not.toContain('content-type');
  },
);
