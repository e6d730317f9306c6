import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLargeState } from '../support/fixtures/many-products.ts';
import { advanceClockByReads } from '../support/harness/advance-clock.ts';
import { createControlClient, createSandboxClient } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

/** The number of products. Their memory is counted in more than a hundred steps of 32 products. */
const COUNT = 5_000;

/** With a clock that advances by 1 ms each time it is read, a slice of 3 ms ends after three steps. */
const MIN_SLICES = 30;

async function startShop(count: number): Promise<TestShop> {
  const defaultData = join(await tempFolder(), 'default.json');
  await writeFile(defaultData, JSON.stringify(createLargeState(count)));
  return startStorefront({ defaultData, durability: 'memory' });
}

/** Returns a function that returns the turns of the event loop between the start of the last request and the end of its response. */
function countTurns(): () => number {
  let [turns, startTurn, endTurn] = [0, 0, 0];
  const turn = () => {
    turns++;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  const onStart = (_message: unknown) => {
    startTurn = turns;
  };
  const onEnd = (message: unknown) => {
    if ((message as { readonly request?: IncomingMessage }).request) endTurn = turns;
  };
  subscribe('http.server.request.start', onStart);
  subscribe('http.server.response.finish', onEnd);
  onTestFinished(() => {
    clearImmediate(next);
    unsubscribe('http.server.request.start', onStart);
    unsubscribe('http.server.response.finish', onEnd);
  });
  return () => endTurn - startTurn;
}

describe.each<[string, (shop: TestShop) => Promise<{ readonly status: number }>]>([
  ['a snapshot', (shop) => createControlClient(shop)('PUT', '/default/snapshots/large')],
  ['a sandbox that a request creates', (shop) => createSandboxClient(shop, 'w1')('GET', '/api/delivery-options')],
  ['a sandbox that the control API creates', (shop) => createControlClient(shop)('PUT', '/w1')],
])('%s of many products', (_what, send) => {
  it('is created in several turns of the event loop', async () => {
    const getTurns = countTurns();
    const turns: number[] = [];
    for (const count of [40, COUNT]) {
      const shop = await startShop(count);
      // Loads the router.
      await createControlClient(shop)('GET', '/default');
      const restoreClock = advanceClockByReads();
      expect((await send(shop)).status).toBeLessThan(300);
      restoreClock();
      turns.push(getTurns());
    }
    const [few = 0, many = 0] = turns;
    expect(many - few).toBeGreaterThan(MIN_SLICES);
  });
});

describe('a server that stops while it saves a snapshot of many products', () => {
  it('completes the request', async () => {
    const shop = await startShop(60_000);
    const arrived = new Promise<void>((resolve) => {
      const onStart = () => {
        unsubscribe('http.server.request.start', onStart);
        resolve();
      };
      subscribe('http.server.request.start', onStart);
    });
    const saving = createControlClient(shop)('PUT', '/default/snapshots/large');
    await arrived;
    await shop.close();
    expect((await saving).status).toBe(200);
  });
});
