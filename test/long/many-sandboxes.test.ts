import { expect, it } from 'vitest';
import { createSandboxClient, SANDBOXES_PATH } from '../support/harness/sandboxes.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const COUNT = 10_000;
const CLIENTS = 20;

it('10,000 sandboxes can be created from the snapshot many-orders and changed within 512 MB', async () => {
  const shop = await startStorefront({ durability: 'memory', log: 'off' });
  const before = process.memoryUsage().heapUsed;
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let n = client; n < COUNT; n += CLIENTS) {
        const { status } = await shop.ask('PUT', `${SANDBOXES_PATH}/w${n}`, { from: 'many-orders' });
        expect([n, status]).toEqual([n, 200]);
      }
    }),
  );
  expect((await shop.ask('GET', SANDBOXES_PATH)).body).toHaveLength(COUNT + 1);
  for (const n of [0, 5_000, COUNT - 1]) {
    expect((await createSandboxClient(shop, `w${n}`)('POST', '/api/orders')).status).toBe(201);
    expect((await createSandboxClient(shop, `w${n}`)('GET', '/api/orders')).body).toHaveLength(201);
  }
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(512 * 1024 * 1024);
});
