import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { defaults, getProductId, projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { getHeader } from '../support/harness/problems.ts';
import { sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { createClient, listSandboxIds } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

/** Returns the command lines of the page at /, without HTML escapes. */
async function commands({ ask }: TestShop): Promise<readonly string[]> {
  const page = (await ask('GET', '/')).text;
  const entities: Readonly<Record<string, string>> = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };
  return [...page.matchAll(/<pre>(.*?)<\/pre>/g)].map(([, command = '']) =>
    command.replaceAll(/&\w+;/g, (entity) => entities[entity] ?? entity),
  );
}

/** Sends the request of a curl command line. Supports only the options that the page uses. */
async function run(command: string): Promise<Response> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const after = (option: string) => (words.includes(option) ? words[words.indexOf(option) + 1] : undefined);
  const [, type] = after('-H')?.split(': ') ?? [];
  const body = after('-d');
  return fetch(words.find((word) => word.startsWith('http')) ?? '', {
    method: after('-X') ?? 'GET',
    ...(type ? { headers: { 'Content-Type': type } } : {}),
    ...(body ? { body } : {}),
  });
}

describe('the page at /', () => {
  it('shows the address of the request', async () => {
    const shop = await startStorefront();
    const page = await shop.ask('GET', '/');
    expect(page.status).toBe(200);
    expect(getHeader(page, 'Content-Type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain(shop.url);
    expect((await sendRawRequest(shop.port, 'GET /')).text).toContain('http://localhost<');
  });

  it('shows three commands that work', async () => {
    const shop = await startStorefront();
    const lines = await commands(shop);
    expect(lines).toHaveLength(3);
    const [search, add, sum] = (await Promise.all(lines.map(run))) as [Response, Response, Response];
    expect([search.status, add.status, sum.status]).toEqual([200, 201, 200]);
    expect(await search.json()).not.toEqual([]);
    expect(await add.json()).toMatchObject({ quantity: 2 });
    expect(await sum.json()).toHaveProperty('totalCostCents');
  });

  it('links to existing pages and loads nothing from other servers', async () => {
    const { ask } = await startStorefront();
    const page = (await ask('GET', '/')).text;
    const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect((await ask('GET', link)).status, link).toBe(200);
    expect(page).not.toMatch(/<(script|img|link|iframe)|@import|url\(/);
  });

  it.each([
    { by: 'host', headers: { host: 'w3.localhost:3000' }, address: () => 'http://w3.localhost:3000' },
    { by: 'header', headers: { 'x-sandbox': 'w3' }, address: ({ url }: TestShop) => `${url}/_sandbox/w3` },
    { by: 'cookie', headers: { cookie: 'sandbox=w3' }, address: ({ url }: TestShop) => `${url}/_sandbox/w3` },
  ])('describes the sandbox that the request names by its $by', async ({ headers, address }) => {
    const shop = await startStorefront();
    const [first] = defaults.products.slice(5);
    await shop.ask('PUT', '/_control/sandboxes/w3', {});
    await shop.ask('PUT', '/_control/sandboxes/w3/state', { products: [first], cartItems: [], orders: [] });
    const { text } = await createClient(shop)('GET', '/', undefined, headers);
    expect(text).toContain('sandbox <code>w3</code>: products: 1, delivery options: 3, cart items: 0, orders: 0');
    expect(text).toContain('data in <code>memory</code>');
    expect(text).toContain(`${address(shop)}/api/cart-items`);
    expect(text).toContain(first?.id);
    expect(text).not.toContain(defaults.products[0]?.id);
  });

  it('describes a sandbox that does not exist yet, without creating it', async () => {
    const shop = await startStorefront();
    const { text } = await createClient(shop)('GET', '/', undefined, { host: 'w3.localhost' });
    expect(text).toContain('sandbox <code>w3</code>: created from the default data by the first request to it');
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it.each(['/_sandbox/w3', '/_sandbox/w3/', '/_sandbox/w3/?a=b'])(
    'describes the sandbox of a path: GET %s',
    async (path) => {
      const shop = await startStorefront();
      const { status, text } = await shop.ask('GET', path);
      expect(status).toBe(200);
      expect(text).toContain('sandbox <code>w3</code>: created from the default data by the first request to it');
      expect(text).toContain(`${shop.url}/_sandbox/w3/api/cart-items`);
      expect(await listSandboxIds(shop)).toEqual(['default']);
    },
  );

  it('does not exist below /_sandbox if a front end has the path /, with a message that names the paths of a sandbox', async () => {
    const shop = await startStorefront({ static: await folderWith({ 'index.html': 'a' }) });
    for (const path of ['/_sandbox/w3/', '/_sandbox/w3/openapi.yaml']) {
      const { body } = await shop.ask('GET', path);
      expect(body.detail).toBe(
        `the path ${path} does not exist: use the prefix /_sandbox/ID before a path of /openapi.yaml, or use the host ID.localhost`,
      );
    }
  });

  it('describes the default sandbox if the request names none', async () => {
    const { ask, dataFile } = await startStorefront();
    const { text } = await ask('GET', '/');
    expect(text).toContain(`data in <code>${basename(dataFile ?? '')}</code>`);
    expect(text).toContain('products: 40, delivery options: 3, cart items: 2, orders: 2');
    expect(text).not.toContain('sandbox <code>');
  });

  it('escapes a Host header with HTML', async () => {
    const { port } = await startStorefront({ allowHost: ['*'] });
    const host = '"><script>alert(1)</script>';
    const [reply] = await sendRaw(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(reply?.status).toBe(200);
    expect(reply?.text).not.toContain('<script>');
  });
});

describe('the contract', () => {
  it('is sent byte for byte as the file', async () => {
    const { url } = await startStorefront();
    const response = await fetch(`${url}/openapi.yaml`);
    expect(response.headers.get('Content-Type')).toBe('application/yaml');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(await readFile(projectFile('openapi.yaml')));
  });

  it('is sent to browsers as text, so that they show it instead of downloading it', async () => {
    const { ask } = await startStorefront();
    for (const path of ['/openapi.yaml', '/_control/openapi.yaml']) {
      const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
      const opened = await ask('GET', path, undefined, { accept });
      expect([getHeader(opened, 'Content-Type'), opened.headers.get('content-disposition')], path).toEqual([
        'text/plain; charset=utf-8',
        null,
      ]);
      for (const other of ['*/*', 'application/yaml', 'application/json, text/plain, */*']) {
        const read = await ask('GET', path, undefined, { accept: other });
        expect(getHeader(read, 'Content-Type'), other).toBe('application/yaml');
        expect(getHeader(read, 'Vary'), other).toMatch(/\bAccept\b/);
      }
    }
  });

  it('is also available as equivalent JSON', async () => {
    const { ask } = await startStorefront();
    const json = await ask('GET', '/openapi.json');
    expect(getHeader(json, 'Content-Type')).toBe('application/json');
    expect(json.body).toEqual(load(await readFile(projectFile('openapi.yaml'), 'utf8')));
  });

  it('has closed schemas if the server is strict', async () => {
    const { ask } = await startStorefront({ strict: true });
    const yaml = (await ask('GET', '/openapi.yaml')).text;
    const json = (await ask('GET', '/openapi.json')).body;
    expect(load(yaml)).toEqual(json);
    const folder = await folderWith({ 'served.yaml': yaml });
    const other = await startStorefront({ contract: join(folder, 'served.yaml') });
    const body = { productId: getProductId('Cordless Electric Kettle'), quantity: 1 };
    expect((await other.ask('POST', '/api/cart-items', body)).status).toBe(201);
    const reply = await other.ask('POST', '/api/cart-items', { ...body, colour: 'red' });
    expect(reply.body.violations).toMatchObject([{ pointer: '/colour', rule: 'additionalProperties' }]);
  });

  it('can be read by pages of allowed origins', async () => {
    const { port } = await startStorefront();
    for (const path of ['/openapi.yaml', '/openapi.json'])
      expect((await sendRawRequest(port, `GET ${path}`, ['Origin: http://localhost:5173'])).headers).toMatchObject({
        'access-control-allow-origin': ['http://localhost:5173'],
      });
  });
});

describe('/_control/health', () => {
  it('reports that the server is ready, and its version', async () => {
    const { ask, dataFile = '' } = await startStorefront();
    const { version } = JSON.parse(await readFile(projectFile('package.json'), 'utf8'));
    const health = await ask('GET', '/_control/health');
    expect(health).toMatchObject({ status: 200, body: { version, dataFile: basename(dataFile), operations: 11 } });
    expect(getHeader(health, 'Content-Type')).toBe('application/json');
    expect(getHeader(health, 'Cache-Control')).toBe('no-store');
  });

  it('reports no data file if the state is in memory', async () => {
    const { ask } = await startStorefront({ data: undefined });
    expect((await ask('GET', '/_control/health')).body.dataFile).toBeNull();
  });
});
