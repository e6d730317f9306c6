import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { getProductId, projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startWithContractFile, waitForLog, withReviews } from '../support/harness/live-contract.ts';
import { withoutNonce } from '../support/harness/pages.ts';
import { getHeader } from '../support/harness/problems.ts';
import { sendRaw, sendRawRequest } from '../support/harness/raw-client.ts';
import { listSandboxIds } from '../support/harness/sandboxes.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

describe('the console', () => {
  it.each(['/_sandbox/w3', '/_sandbox/w3/', '/_sandbox/w3/?a=b'])(
    'is at the path of a sandbox, and does not create the sandbox: GET %s',
    async (path) => {
      const shop = await startStorefront();
      const page = await shop.ask('GET', path);
      expect(page.status).toBe(200);
      expect(withoutNonce(page)).toBe(withoutNonce(await shop.ask('GET', '/_console/')));
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

  it('contains nothing of the request, such as a Host header with HTML', async () => {
    const { port } = await startStorefront({ allowHost: ['*'] });
    const host = '"><script>alert(1)</script>';
    const [reply] = await sendRaw(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(reply?.status).toBe(200);
    expect(reply?.text).not.toContain('alert');
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

  it.each(['/openapi.yaml', '/openapi.json', '/_control/openapi.yaml', '/_control/openapi.json'])(
    'is not sent again to a client that has it cached: %s',
    async (path) => {
      const { ask } = await startStorefront();
      const tag = getHeader(await ask('GET', path), 'ETag') ?? '';
      expect(tag).toMatch(/^"\w+"$/);
      expect(await ask('GET', path, undefined, { 'if-none-match': tag })).toMatchObject({ status: 304, text: '' });
      expect((await ask('GET', path, undefined, { 'if-none-match': '"other"' })).status).toBe(200);
    },
  );

  it('has another tag after a reload', async () => {
    const { shop, save } = await startWithContractFile();
    const before = getHeader(await shop.ask('HEAD', '/openapi.json'), 'ETag');
    await save(withReviews);
    await waitForLog(shop, 'was reloaded');
    expect(getHeader(await shop.ask('HEAD', '/openapi.json'), 'ETag')).not.toBe(before);
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
