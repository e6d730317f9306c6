import { fileURLToPath } from 'node:url';
import { createStorefront } from 'storefront';
import { expect, it, onTestFinished } from 'vitest';

it('uses the handlers of a module', async () => {
  const server = await createStorefront({ handlers: fileURLToPath(new URL('handlers.js', import.meta.url)) });
  onTestFinished(() => server.close());

  const response = await fetch(`${server.url}/api/orders/00000000-0000-4000-8000-000000000000`);

  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ message: expect.stringMatching('There is no order 00000000') });
});
