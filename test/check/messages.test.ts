import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../../src/check/client.ts';
import { CheckResults } from '../../src/check/findings.ts';
import { createSession } from '../../src/check/session.ts';
import type { Route } from '../../src/openapi/routes.ts';
import { shopContract } from '../support/harness/check.ts';

describe('A finding of a check', () => {
  it('reports a response to HEAD with a body', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]');
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const client = new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {});
    const results = new CheckResults(shopContract.routes);
    const session = createSession({
      contract: shopContract,
      client,
      clients: [client],
      results,
      hasModel: true,
      rules: [],
      maxConcurrent: 1,
    });
    const [route] = shopContract.routes as [Route];
    const { findings } = await session.send('methods', route, { method: 'HEAD', target: '/api/products' });
    expect(findings.map(({ title, status, message: said }) => [title, status, said])).toEqual([
      ['HTTP', '200', expect.stringContaining('The response to HEAD has a body')],
    ]);
  });
});
