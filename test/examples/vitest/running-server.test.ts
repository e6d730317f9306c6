import { sandboxAt, startStorefront } from 'storefront/testing';
import { expect, it, onTestFinished } from 'vitest';

it('uses a sandbox of a running server', async () => {
  const server = await startStorefront();
  onTestFinished(() => server.close());

  const sandbox = sandboxAt(server.url, 'checkout-1');
  await sandbox.restore('empty-cart');

  expect(await (await sandbox.fetch('/api/cart-items')).json()).toEqual([]);
});
