import { describe, expect, it } from 'vitest';
import { getProductId } from '../support/fixtures/default-data.ts';
import { listSandboxIds } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');

/** A client that stores the cookie as a browser does. */
function createBrowser({ ask }: TestShop) {
  let cookie: string | undefined;
  return async (method: string, path: string, body?: unknown) => {
    const response = await ask(method, path, body, cookie === undefined ? {} : { cookie });
    cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? cookie;
    return response;
  };
}

describe('a server with --sandboxes visitor', () => {
  it('serves 1,000 visitors, each with a cart of its own', async () => {
    const shop = await startStorefront({ sandboxes: 'visitor', durability: 'memory' });
    const visitors = Array.from({ length: 1_000 }, (_, n) => ({ send: createBrowser(shop), quantity: 1 + (n % 10) }));
    await inTurns(visitors, ({ send }) => send('GET', '/api/cart-items'));
    await inTurns(visitors, ({ send, quantity }) => send('POST', '/api/cart-items', { productId: KETTLE, quantity }));
    const wrong = await inTurns(visitors, async ({ send, quantity }) => {
      const { body } = await send('GET', '/api/cart-items');
      return body.length !== 3 || body[2].quantity !== quantity;
    });
    expect(wrong.filter(Boolean)).toEqual([]);
    expect(await listSandboxIds(shop)).toHaveLength(1_001);
  });
});

/** Runs `run` for each item, 20 at a time. */
async function inTurns<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += 20)
    results.push(...(await Promise.all(items.slice(start, start + 20).map(run))));
  return results;
}
