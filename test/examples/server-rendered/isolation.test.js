import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startStorefront } from 'storefront/testing';

const require = createRequire(import.meta.url);
const NEXT = [require.resolve('next/dist/bin/next'), 'start', 'next'];

/** The programs of the apps, and the paths that show the number of units in the cart. */
const APPS = [
  { name: 'Next.js, a server component', program: NEXT, path: '/' },
  { name: 'Next.js, a server component with cached fetch', program: NEXT, path: '/cached' },
  { name: 'Next.js, a route handler', program: NEXT, path: '/route' },
  { name: 'SvelteKit', program: ['sveltekit/build/index.js'], path: '/' },
  { name: 'Express with EJS', program: ['express/server.js'], path: '/' },
];
const CLIENTS = 20;
const ROUNDS = 10;

const storefront = await startStorefront();
after(() => storefront.close());

// The cart of the client n has 3 + n units, and the cart of `default` has 3.
const [{ id: productId }] = await (await fetch(`${storefront.url}/api/products?search=kettle`)).json();
const sandboxes = await Promise.all(
  Array.from({ length: CLIENTS }, async (_, index) => {
    const sandbox = await storefront.sandbox();
    const units = 1 + index;
    const { cartItems } = await sandbox.state();
    const item = { id: 9, productId, quantity: units, deliveryOptionId: '1' };
    await sandbox.setState({ cartItems: [...cartItems, item] });
    return { id: sandbox.id, units: units + 3 };
  }),
);

for (const { name, program, path } of APPS)
  test(`${name}: each of ${CLIENTS} clients sees its own cart with the preload, and not without`, async (t) => {
    const env = { STOREFRONT_URL: storefront.url, NODE_OPTIONS: '--import storefront/propagate' };
    assert.equal(await countWrong(await startApp(t, program, env), path), 0);
    assert.ok((await countWrong(await startApp(t, program, {}), path)) > 0);
  });

/** Starts an app. Resolves to its address. */
async function startApp(t, program, env) {
  const port = await findPort();
  const url = `http://localhost:${port}`;
  const all = {
    ...process.env,
    API_URL: storefront.url,
    PORT: String(port),
    HOST: 'localhost',
    NEXT_TELEMETRY_DISABLED: '1',
    ...env,
  };
  const app = spawn(process.execPath, program, { env: all, stdio: ['ignore', 'ignore', 'inherit'] });
  t.after(() => app.kill());
  for (;;) {
    const isReady = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isReady) return url;
    assert.equal(app.exitCode, null, `${program} has ended`);
    await wait(100);
  }
}

/** Returns a free port. */
async function findPort() {
  const server = createServer().listen(0);
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Loads the page of each client several times. Returns how many pages show the cart of another sandbox. */
async function countWrong(url, path) {
  let wrong = 0;
  for (let round = 0; round < ROUNDS; round++)
    await Promise.all(
      sandboxes.map(async ({ id, units }, index) => {
        const headers = [{ cookie: `sandbox=${id}` }, { 'x-sandbox': id }, { baggage: `sandbox=${id}` }][index % 3];
        const text = await (await fetch(url + path, { headers })).text();
        const shown = /"?units"?[:>](\d+)/.exec(text)?.[1];
        if (Number(shown) !== units) wrong++;
      }),
    );
  return wrong;
}
