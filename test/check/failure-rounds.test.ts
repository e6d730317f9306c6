import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../../src/check/client.ts';
import { CheckResults } from '../../src/check/findings.ts';
import { createSession } from '../../src/check/session.ts';
import type { Route } from '../../src/openapi/routes.ts';
import { shopContract } from '../support/harness/check.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

const AT_ONCE = 10;

/** Starts a server that closes ten connections at once in each round. Returns a function that sends the ten requests of a round. */
async function startRounds(lost: number) {
  let left = lost;
  const waiting: ServerResponse[] = [];
  const { url } = await startRecorder((_, response) => {
    if (left === 0) return void response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
    if (waiting.push(response) < AT_ONCE) return;
    left--;
    for (const one of waiting.splice(0)) one.destroy();
  });
  const client = new Client(url, {});
  onTestFinished(() => client.close());
  const results = new CheckResults(shopContract.routes);
  const parts = {
    contract: shopContract,
    client,
    clients: [client],
    results,
    hasModel: false,
    rules: [],
    maxConcurrent: AT_ONCE,
  };
  const session = createSession(parts);
  const [route] = shopContract.routes as [Route];
  const send = () => session.send('input', route, { method: 'GET', target: '/api/products' });
  return () => Promise.all(Array.from({ length: AT_ONCE }, send));
}

describe('a check session', () => {
  it('continues after ten concurrent requests without a response', async () => {
    const sendRound = await startRounds(4);
    for (let round = 0; round < 4; round++)
      expect((await sendRound()).flatMap(({ findings }) => findings).map(({ title }) => title)).toEqual(
        Array.from({ length: AT_ONCE }, () => 'responds'),
      );
    expect((await sendRound()).filter(({ exchange }) => exchange?.response.status === 200)).toHaveLength(AT_ONCE);
  });

  it('ends after five rounds in a row without a response', async () => {
    const sendRound = await startRounds(5);
    for (let round = 0; round < 4; round++) await sendRound();
    await expect(sendRound()).rejects.toMatchObject({ kind: 'unresponsive' });
  });
});
