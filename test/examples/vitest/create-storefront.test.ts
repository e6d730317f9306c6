import { createStorefront } from 'storefront';
import { expect, it } from 'vitest';

it('serves the default products', async () => {
  const server = await createStorefront({ nowMs: () => Date.UTC(2025, 5, 1) });
  try {
    const response = await fetch(`${server.url}/api/products`);
    expect(await response.json()).toHaveLength(40);
  } finally {
    await server.close();
  }
});
