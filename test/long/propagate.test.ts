import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { getProductId, projectFile } from '../support/fixtures/default-data.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const PRELOAD = pathToFileURL(projectFile('dist/propagate.js')).href;
const CLIENTS = 20;
const ROUNDS = 3;

/** The number of units in the cart of the sandbox `default`. */
const DEFAULT_UNITS = 3;

/** The sandbox of a client, and the number of units in its cart. */
interface Client {
  readonly id: string;
  readonly units: number;
}

/** Creates a sandbox for each client, with a different number of units. */
async function createClients({ ask }: TestShop): Promise<readonly Client[]> {
  return Promise.all(
    Array.from({ length: CLIENTS }, async (_, index) => {
      const id = `w${index}`;
      for (let left = 1 + index; left > 0; left -= 10)
        await ask('POST', '/api/cart-items', { productId: KETTLE, quantity: Math.min(left, 10) }, { 'x-sandbox': id });
      return { id, units: DEFAULT_UNITS + 1 + index };
    }),
  );
}

/** Starts a server that records the sandbox of each request. */
async function startOther() {
  const received: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers['x-sandbox']?.toString());
    response.end('[]');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Starts `test/support/reference-servers/rendering/FILE`. `isPlain`: without the preload. */
async function startApp(file: string, env: Record<string, string>, isPlain = false) {
  const options = isPlain ? '' : `--import ${PRELOAD}`;
  const path = projectFile(`test/support/reference-servers/rendering/${file}`);
  const app = spawn(process.execPath, [path], {
    env: { ...process.env, NODE_OPTIONS: options, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void app.kill());
  let errors = '';
  app.stderr.on('data', (text) => (errors += text));
  const port = await new Promise<string>((resolve, reject) => {
    let output = '';
    app.stdout.on('data', (text) => {
      output += text;
      const found = /listening on (\d+)/.exec(output)?.[1];
      if (found) resolve(found);
    });
    app.once('exit', () => reject(new Error(errors)));
  });
  return { url: `http://127.0.0.1:${port}`, getErrors: () => errors };
}

/** The ways in which a browser or another server names the sandbox. */
const NAMINGS = [
  (id: string) => ({ 'x-sandbox': id }),
  (id: string) => ({ cookie: `theme=dark; sandbox=${id}` }),
  (id: string) => ({ baggage: `userId=7, sandbox=${id};ttl=1` }),
];

/** Requests the page of each client several times. Returns how many pages show the cart of another sandbox. */
async function countWrong(url: string, clients: readonly Client[]): Promise<number> {
  let wrong = 0;
  for (let round = 0; round < ROUNDS; round++)
    await Promise.all(
      clients.map(async ({ id, units }, index) => {
        const headers = NAMINGS[(index + round) % NAMINGS.length]?.(id) as Record<string, string>;
        if (Number(await (await fetch(url, { headers })).text()) !== units) wrong++;
      }),
    );
  return wrong;
}

describe('an app with the preload', () => {
  it.each([
    ['app.mjs', 'fetch'],
    ['app.mjs', 'request'],
    ['app.mjs', 'get'],
    ['app.mjs', 'options'],
    ['app.cjs', 'fetch'],
    ['app.cjs', 'request'],
    ['worker.mjs', 'fetch'],
    ['child.mjs', 'fetch'],
  ])('%s passes each sandbox on with %s, to the server only', async (file, client) => {
    const shop = await startStorefront();
    const [clients, other] = [await createClients(shop), await startOther()];
    const env = { STOREFRONT_URL: `http://unused.test,${shop.url}`, API_URL: shop.url, OTHER_URL: other.url };
    const { url } = await startApp(file, env);
    expect(await countWrong(`${url}/${client}`, clients)).toBe(0);
    expect(other.received).toEqual(Array.from({ length: CLIENTS * ROUNDS }, () => undefined));
    expect(await (await fetch(`${url}/${client}`)).text()).toBe(String(DEFAULT_UNITS));
  });

  it('shows the cart of another sandbox without it', async () => {
    const shop = await startStorefront();
    const env = { STOREFRONT_URL: shop.url, API_URL: shop.url, OTHER_URL: (await startOther()).url };
    const { url } = await startApp('app.mjs', env, true);
    expect(await countWrong(`${url}/fetch`, await createClients(shop))).toBe(CLIENTS * ROUNDS);
  });

  it('does not follow a redirect to another server with the sandbox', async () => {
    const [shop, other] = [await startOther(), await startOther()];
    const redirecting = createServer((_, response) => response.writeHead(302, { location: other.url }).end());
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void redirecting.close());
    const api = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    const { url } = await startApp('app.mjs', { STOREFRONT_URL: api, API_URL: api, OTHER_URL: shop.url });
    await fetch(`${url}/fetch`, { headers: { 'x-sandbox': 'w1' } });
    expect([shop.received, other.received]).toEqual([[undefined], [undefined]]);
  });

  it('does not replace a header of the app', async () => {
    const [shop, other] = [await startOther(), await startOther()];
    const { url } = await startApp('app.mjs', { STOREFRONT_URL: shop.url, API_URL: shop.url, OTHER_URL: other.url });
    for (const client of ['own-fetch', 'own-request'])
      await fetch(`${url}/${client}`, { headers: { 'x-sandbox': 'w1' } });
    expect([shop.received, other.received]).toEqual([
      ['own', 'own'],
      ['own', 'own'],
    ]);
  });

  it('warns once about a response of another sandbox', async () => {
    const cache = createServer((_, response) => response.writeHead(200, { 'X-Sandbox': 'w2' }).end('[]'));
    await new Promise<void>((resolve) => cache.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void cache.close());
    const api = `http://127.0.0.1:${(cache.address() as AddressInfo).port}`;
    const env = { STOREFRONT_URL: api, API_URL: api, OTHER_URL: (await startOther()).url };
    const { url, getErrors } = await startApp('app.mjs', env);
    for (const id of ['w1', 'w1', 'w3']) await (await fetch(`${url}/fetch`, { headers: { 'x-sandbox': id } })).text();
    await expect.poll(getErrors).toContain('A response for the sandbox w1 came from the sandbox w2');
    expect(getErrors().match(/StorefrontWarning/g)).toHaveLength(1);
  });

  it('warns if the address of the server is not set', async () => {
    const [shop, other] = [await startOther(), await startOther()];
    const { url, getErrors } = await startApp('app.mjs', {
      STOREFRONT_URL: '',
      API_URL: shop.url,
      OTHER_URL: other.url,
    });
    await fetch(`${url}/fetch`, { headers: { 'x-sandbox': 'w1' } });
    await expect.poll(getErrors).toContain('set it to the address of the storefront server');
    expect(shop.received).toEqual([undefined]);
  });
});

describe('storefront/clock', () => {
  it('returns the time of the sandbox of the request, or the system time', async () => {
    const shop = await startStorefront({ nowMs: Date.now });
    const { url } = await startApp('clock.mjs', { STOREFRONT_URL: shop.url, CLOCK: projectFile('dist/clock.js') });
    const getTime = async (headers = {}) => Number(await (await fetch(url, { headers })).text());
    const put = (id: string, clock: object) =>
      fetch(`${shop.url}/_control/sandboxes/${id}/clock`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(clock),
      });
    await put('w1', { now: '2025-06-01T12:00:00Z', frozen: true });
    await put('w2', { now: '2030-01-01T00:00:00Z' });
    expect(await getTime({ cookie: 'sandbox=w1' })).toBe(Date.parse('2025-06-01T12:00:00Z'));
    expect(new Date(await getTime({ cookie: 'sandbox=w2' })).getUTCFullYear()).toBe(2030);
    for (const headers of [{}, { 'x-sandbox': 'unknown' }])
      expect(Math.abs((await getTime(headers)) - Date.now())).toBeLessThan(600_000);
  });
});
