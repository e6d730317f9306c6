import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, it, vi } from 'vitest';
import { getProductId, projectFile } from '../support/fixtures/default-data.ts';
import { startCommand } from '../support/harness/commands.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { findFreePort } from '../support/harness/free-port.ts';
import { hasNginx, startNginx, startTlsNginx } from '../support/harness/nginx.ts';
import { createFetchClient, startStorefront } from '../support/harness/start-storefront.ts';

beforeEach(({ skip }) => skip(!hasNginx, 'nginx is not installed'));

/** Starts nginx before two servers. Each server has a state of its own, so a test sees which one responds. */
async function startBehindNginx() {
  const replicas = [await startStorefront(), await startStorefront()];
  const url = await startNginx(replicas.map(({ port }) => port));
  return { replicas, port: Number(new URL(url).port), ask: createFetchClient(url) };
}

it('nginx sends requests to both replicas, with the host and the path of the client', async () => {
  const { replicas, port, ask } = await startBehindNginx();
  for (let sent = 0; sent < 20; sent++) await ask('GET', '/api//orders?expand=products');
  const paths = replicas.map(({ log }) => log.filter(({ path }) => path === '/api//orders?expand=products').length);
  expect(paths.every((count) => count > 0)).toBe(true);
  const [replica] = replicas;
  const fromPage = await ask('GET', '/api/orders', undefined, { Origin: `http://localhost:${port}` });
  expect(fromPage.headers.get('Access-Control-Allow-Origin')).toBe(`http://localhost:${port}`);
  const large = JSON.stringify(
    (await createFetchClient(replica?.url ?? '')('GET', '/_control/sandboxes/default/state')).body,
  );
  const padded = large + ' '.repeat(15_000_000);
  const put = await ask('PUT', '/_control/sandboxes/default/state', padded);
  expect([put.status, put.text]).toEqual([204, '']);
});

it('nginx passes on the link to the next page of a long search', async () => {
  const { ask } = await startBehindNginx();
  const { status, headers } = await ask(
    'GET',
    `/api/products?limit=2&search=${encodeURIComponent('ｓｈｏｅｓ　'.repeat(90))}`,
  );
  expect(status).toBe(200);
  expect(headers.get('link')).toMatch(/&after=[^>]+>; rel="next"$/);
});

it('nginx repeats reads on the other replica if one fails, and never changes', async () => {
  const { replicas, ask } = await startBehindNginx();
  const clients = replicas.map(({ url }) => createFetchClient(url));
  const fault = { operation: 'createOrder', connection: 'reset', phase: 'after' };
  for (const client of clients) await client('POST', '/_control/sandboxes/default/faults', fault);
  expect((await ask('POST', '/api/orders')).status).toBe(502);
  const orders = await Promise.all(clients.map(async (client) => (await client('GET', '/api/orders')).body.length));
  expect(orders.toSorted()).toEqual([2, 3]);
  await replicas[0]?.close();
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await ask('GET', '/api/orders')).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
});

const HOST = 'shop.example.com';
const INDEX = '<title>My shop</title>';

/** What Chromium accepts when it loads a page, and a picture. */
const ACCEPT = {
  page: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
  picture: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
};

/**
 * Starts the program as Render does: with PORT, HOST and its public name in the environment, and a built front end. Starts nginx before it, which terminates
 * TLS. Returns a client that sends requests to the public name, with a cookie.
 */
async function startDeployed(...options: readonly string[]) {
  const files = { 'index.html': INDEX, 'assets/app-1a2b.js': 'start();', 'images/ratings/rating-45.png': 'own' };
  const cwd = await folderWith(Object.fromEntries(Object.entries(files).map(([name, text]) => [`dist/${name}`, text])));
  const port = await findFreePort();
  const environment = [`PORT=${port}`, 'HOST=0.0.0.0', `RENDER_EXTERNAL_HOSTNAME=${HOST}`];
  const program = [process.execPath, projectFile('dist/main.js'), '--static', 'dist', '--log', 'json', ...options];
  await startCommand('env', [...environment, ...program], { cwd }).said(/listening at /);
  const nginx = await startTlsNginx(HOST, port);
  const send = (
    method: string,
    path: string,
    { accept = '*/*', body, cookie, host = HOST, origin, token }: Sent = {},
  ) =>
    new Promise<Received>((resolve, reject) => {
      const headers = {
        host,
        accept,
        ...(origin && { origin }),
        'content-type': 'application/json',
        ...(cookie && { cookie }),
        ...(token && { authorization: `Bearer ${token}` }),
      };
      const place = { host: '127.0.0.1', port: nginx.port, servername: HOST, ca: nginx.certificate };
      const sent = request({ ...place, method, path, headers }, async (response) =>
        resolve({
          status: response.statusCode,
          text: await text(response),
          type: response.headers['content-type'],
          cookie: response.headers['set-cookie']?.[0],
          location: response.headers.location,
        }),
      );
      sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  await vi.waitFor(async () => expect((await send('GET', '/_control/health')).status).toBe(200), { timeout: 60_000 });
  return send;
}

interface Sent {
  readonly accept?: string;
  readonly body?: unknown;
  readonly cookie?: string | undefined;
  readonly host?: string;
  readonly origin?: string;
  readonly token?: string;
}

interface Received {
  readonly status: number | undefined;
  readonly text: string;
  readonly type: string | undefined;
  readonly cookie: string | undefined;
  readonly location: string | undefined;
}

it('a server that is deployed below a path has the front end, the API and its cookies there', async () => {
  const send = await startDeployed('--sandboxes', 'visitor');
  expect(await send('GET', '/shop/')).toMatchObject({ status: 200, text: INDEX });
  expect((await send('GET', '/shop/assets/app-1a2b.js')).text).toBe('start();');
  const { status, cookie, location } = await send('POST', '/shop/api/orders');
  expect([status, cookie]).toEqual([201, expect.stringContaining('Path=/shop/;')]);
  const { pathname } = new URL(location ?? '');
  expect(pathname).toMatch(/^\/shop\/api\/orders\//);
  expect((await send('GET', pathname, { cookie: cookie?.split(';', 1)[0] })).status).toBe(200);
});

it('a deployed server serves the front end and the API under its public name, and no other name', async () => {
  const send = await startDeployed();
  expect(await send('GET', '/')).toMatchObject({ status: 200, text: INDEX });
  expect((await send('GET', '/orders')).text).toBe(INDEX);
  expect(JSON.parse((await send('GET', '/api/products')).text)).not.toEqual([]);
  expect((await send('GET', '/api/products', { host: 'attacker.example' })).status).toBe(403);
});

it('a deployed server responds to a reload of each client-side route with the front end', async () => {
  const send = await startDeployed();
  const [order] = JSON.parse((await send('GET', '/api/orders')).text);
  const tracking = `/tracking/${order.id}/${order.products[0].productId}`;
  for (const path of ['/', '/checkout', '/orders', tracking, '/?search=socks', '/no-page'])
    expect(await send('GET', path, { accept: ACCEPT.page }), path).toMatchObject({ status: 200, text: INDEX });
  expect((await send('GET', '/assets/app-1a2b.js')).text).toBe('start();');
  expect((await send('GET', '/assets/app-of-an-earlier-build.js')).status).toBe(404);
});

it('a deployed server has the picture of each product, and the pictures of the front end', async () => {
  const send = await startDeployed();
  const products: readonly { readonly image: string }[] = JSON.parse((await send('GET', '/api/products')).text);
  for (const { image } of products) {
    const picture = await send('GET', `/${image}`, { accept: ACCEPT.picture });
    expect(picture, image).toMatchObject({ status: 200, type: expect.stringMatching(/^image\//) });
  }
  expect((await send('GET', '/images/ratings/rating-45.png', { accept: ACCEPT.picture })).text).toBe('own');
  expect((await send('GET', '/images/ratings/rating-50.png', { accept: ACCEPT.picture })).type).toBe('image/png');
});

it('a deployed server allows the pages of a front end at another address only if its origin is named', async () => {
  const send = await startDeployed('--allow-origin', 'https://front.example.net');
  const body = { productId: getProductId('Cordless'), quantity: 1 };
  const sendFrom = (origin: string) => send('POST', '/api/cart-items', { origin, body });
  expect((await sendFrom('https://front.example.net')).status).toBe(201);
  expect((await sendFrom('https://other.example.net')).status).toBe(403);
});

it('a deployed server refuses the control API without its token', async () => {
  const open = await startDeployed();
  for (const path of ['/sandboxes', '/server', '/sandboxes/default/state', '/sandboxes/default/requests'])
    expect((await open('GET', `/_control${path}`)).status, path).toBe(403);
  expect((await open('PUT', '/_control/sandboxes/default/state', { body: { cartItems: [] } })).status).toBe(403);
  const send = await startDeployed('--control-token', 'secret-of-24-characters!');
  expect((await send('GET', '/_control/sandboxes')).status).toBe(401);
  expect((await send('GET', '/_control/sandboxes', { token: 'wrong' })).status).toBe(401);
  expect((await send('GET', '/_control/sandboxes', { token: 'secret-of-24-characters!' })).status).toBe(200);
});

it('a deployed server with --sandboxes visitor gives each visitor a cart', async () => {
  const send = await startDeployed('--sandboxes', 'visitor');
  const visitors = await Promise.all(['a', 'b'].map(() => send('GET', '/api/cart-items')));
  const [first, second] = visitors.map(({ cookie }) => cookie?.split(';', 1)[0]);
  expect(visitors[0]?.cookie).toContain('; HttpOnly');
  const body = { productId: getProductId('Cordless'), quantity: 3 };
  expect((await send('POST', '/api/cart-items', { body, cookie: first })).status).toBe(201);
  const carts = await Promise.all([first, second].map((cookie) => send('GET', '/api/cart-items', { cookie })));
  expect(carts.map((cart) => JSON.parse(cart.text).length)).toEqual([3, 2]);
});
