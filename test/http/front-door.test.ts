import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { projectFile } from '../support/default-data.ts';
import { headerOf } from '../support/problems.ts';
import { rawAsk, rawRequest } from '../support/raw-client.ts';
import { startStorefront, type TestShop } from '../support/start-storefront.ts';

/** The command lines that the page at / shows, as their reader sees them. */
async function commands({ ask }: TestShop): Promise<readonly string[]> {
  const page = (await ask('GET', '/')).text;
  const entities: Readonly<Record<string, string>> = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };
  return [...page.matchAll(/<pre>(.*?)<\/pre>/g)].map(([, command = '']) =>
    command.replaceAll(/&\w+;/g, (entity) => entities[entity] ?? entity),
  );
}

/** Does what a command line of curl says, as far as these go. */
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
  it('shows the address at which it was asked for', async () => {
    const shop = await startStorefront();
    const page = await shop.ask('GET', '/');
    expect(page.status).toBe(200);
    expect(headerOf(page, 'Content-Type')).toBe('text/html; charset=utf-8');
    expect(page.text).toContain(shop.url);
    expect((await rawRequest(shop.port, 'GET /')).text).toContain('http://shop.test');
  });

  it('shows three command lines that do what they say', async () => {
    const shop = await startStorefront();
    const lines = await commands(shop);
    expect(lines).toHaveLength(3);
    const [search, add, sum] = (await Promise.all(lines.map(run))) as [Response, Response, Response];
    expect([search.status, add.status, sum.status]).toEqual([200, 201, 200]);
    expect(await search.json()).not.toEqual([]);
    expect(await add.json()).toMatchObject({ quantity: 2 });
    expect(await sum.json()).toHaveProperty('totalCostCents');
  });

  it('leads to pages that are there, and needs nothing from elsewhere', async () => {
    const { ask } = await startStorefront();
    const page = (await ask('GET', '/')).text;
    const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect((await ask('GET', link)).status, link).toBe(200);
    expect(page).not.toMatch(/<(script|img|link|iframe)|@import|url\(/);
  });

  it('shows a host that was made up as text', async () => {
    const { port } = await startStorefront();
    const host = '"><script>alert(1)</script>';
    const [reply] = await rawAsk(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(reply?.text).not.toContain('<script>');
  });
});

describe('the contract', () => {
  it('is given as the file that it is, byte for byte', async () => {
    const { url } = await startStorefront();
    const response = await fetch(`${url}/openapi.yaml`);
    expect(response.headers.get('Content-Type')).toBe('application/yaml');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(await readFile(projectFile('openapi.yaml')));
  });

  it('is given as JSON that says the same', async () => {
    const { ask } = await startStorefront();
    const json = await ask('GET', '/openapi.json');
    expect(headerOf(json, 'Content-Type')).toBe('application/json');
    expect(json.body).toEqual(load(await readFile(projectFile('openapi.yaml'), 'utf8')));
  });

  it('can be read from any origin', async () => {
    const { port } = await startStorefront();
    for (const path of ['/openapi.yaml', '/openapi.json'])
      expect((await rawRequest(port, `GET ${path}`, ['Origin: https://a.test'])).headers).toMatchObject({
        'access-control-allow-origin': ['https://a.test'],
      });
  });
});

describe('/_control/health', () => {
  it('tells that the server is ready, and what it is', async () => {
    const { ask, dataFile } = await startStorefront();
    const { version } = JSON.parse(await readFile(projectFile('package.json'), 'utf8'));
    const health = await ask('GET', '/_control/health');
    expect(health).toMatchObject({ status: 200, body: { version, dataFile, operations: 11 } });
    expect(headerOf(health, 'Content-Type')).toBe('application/json');
    expect(headerOf(health, 'Cache-Control')).toBe('no-store');
  });

  it('has no data file where the state is in memory', async () => {
    const { ask } = await startStorefront({ data: undefined });
    expect((await ask('GET', '/_control/health')).body.dataFile).toBeNull();
  });
});
