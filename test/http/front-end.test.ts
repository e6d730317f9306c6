import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaults } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { expectProblem, getHeader } from '../support/harness/problems.ts';
import { sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const INDEX = '<!doctype html><title>The front end</title>';
const SCRIPT = 'console.log("the front end");';

/** Starts a shop with a built front end. The parent folder contains a secret file. */
async function startWithFrontEnd(): Promise<TestShop> {
  const folder = await folderWith({
    'site/index.html': INDEX,
    'site/assets/app-1a2b.js': SCRIPT,
    'site/about us.html': 'about',
    'site/.env': 'SECRET',
    'site/.git/config': 'SECRET',
    'secret.txt': 'SECRET',
  });
  return startStorefront({ static: `${folder}/site` });
}

describe('a built front end', () => {
  it('is served with its index at /', async () => {
    const { ask } = await startWithFrontEnd();
    for (const path of ['/', '/?page=2', '/index.html']) {
      const reply = await ask('GET', path);
      expect(reply, path).toMatchObject({ status: 200, text: INDEX });
      expect(getHeader(reply, 'Content-Type'), path).toMatch(/^text\/html/);
    }
  });

  it('is served with its files and their content types', async () => {
    const { ask } = await startWithFrontEnd();
    const script = await ask('GET', '/assets/app-1a2b.js?v=1');
    expect(script).toMatchObject({ status: 200, text: SCRIPT });
    expect(getHeader(script, 'Content-Type')).toMatch(/^(text|application)\/javascript/);
    expect(await ask('GET', '/about%20us.html')).toMatchObject({ status: 200, text: 'about' });
  });

  it('is served with its index for client-side routes', async () => {
    const { port } = await startWithFrontEnd();
    for (const path of ['/orders', '/tracking/1/2?x=a.b', '/v1.2/checkout', '/caf%C3%A9', '/assets', '/apiary']) {
      for (const accept of ['text/html,application/xhtml+xml;q=0.9', '*/*'])
        expect(await sendRawRequest(port, `GET ${path}`, [`Accept: ${accept}`]), path).toMatchObject({
          status: 200,
          text: INDEX,
        });
    }
  });

  it('is not served with its index if the request does not accept HTML', async () => {
    const { port } = await startWithFrontEnd();
    const missing = await sendRawRequest(port, 'GET /assets/app-9z.js', ['Accept: */*']);
    expectProblem(missing, 404, 'unknown-path');
    expectProblem(await sendRawRequest(port, 'GET /orders', ['Accept: application/json']), 404, 'unknown-path');
  });

  it.each([
    ['a navigation of Chromium', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'],
    ['fetch and curl', '*/*'],
    ['any text', 'application/json;q=0.5, text/*'],
    ['HTML to JSON, after XML', 'text/html;q=0.9, application/xml'],
    ['HTML before JSON of the same quality', 'text/html, application/json'],
  ])('is served with its index for a route if the request prefers HTML: %s', async (_, accept) => {
    const { port } = await startWithFrontEnd();
    const reply = await sendRawRequest(port, 'GET /orders', [`Accept: ${accept}`]);
    expect(reply).toMatchObject({ status: 200, text: INDEX });
    expect(getHeader(reply, 'Vary')).toMatch(/\bAccept\b/);
  });

  it.each([
    ['axios', 'application/json, text/plain, */*'],
    ['JSON of a higher quality', 'text/html;q=0.8, application/json'],
    ['JSON before HTML of the same quality', 'application/json, text/html'],
    ['a picture', 'image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8'],
    ['a style sheet', 'text/css,*/*;q=0.1'],
    ['anything but HTML', '*/*, text/html;q=0'],
  ])('is not served with its index for a route if the request prefers another type: %s', async (_, accept) => {
    const { port } = await startWithFrontEnd();
    const reply = await sendRawRequest(port, 'GET /orders', [`Accept: ${accept}`]);
    expectProblem(reply, 404, 'unknown-path');
    expect(getHeader(reply, 'Vary')).toMatch(/\bAccept\b/);
  });

  it('is not served with its index for paths of the shop', async () => {
    const { port } = await startWithFrontEnd();
    for (const path of [
      '/api',
      '/api/',
      '/api/nothing',
      '/api/orders/x/y',
      '/images/',
      '/images/nothing',
      '/images/x/y',
    ])
      expectProblem(await sendRawRequest(port, `GET ${path}`, ['Accept: text/html']), 404, 'unknown-path', path);
  });

  it('does not hide the API, the contract and the images', async () => {
    const { ask } = await startWithFrontEnd();
    expect((await ask('GET', '/api/products')).body).toEqual(defaults.products);
    for (const path of ['/openapi.yaml', '/_control/health', '/problems/empty-cart', '/images/logo.png'])
      expect((await ask('GET', path)).text, path).not.toBe(INDEX);
  });

  it('allows GET and HEAD only', async () => {
    const { port } = await startWithFrontEnd();
    for (const path of ['/', '/index.html', '/orders', '/assets/app-1a2b.js']) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const reply = await sendRawRequest(port, `${method} ${path}`, ['Accept: text/html']);
        expect([404, 405], `${method} ${path}`).toContain(reply.status);
        expect(reply.text).not.toContain(INDEX);
      }
    }
  });

  it('responds to HEAD as to GET, without the body', async () => {
    const { port } = await startWithFrontEnd();
    for (const path of ['/', '/assets/app-1a2b.js', '/orders']) {
      const { date: _, ...headers } = (await sendRawRequest(port, `GET ${path}`)).headers;
      expect(await sendRawRequest(port, `HEAD ${path}`), path).toMatchObject({ status: 200, headers, size: 0 });
    }
  });

  it('is not sent again to a client that has it cached', async () => {
    const { port } = await startWithFrontEnd();
    for (const path of ['/', '/assets/app-1a2b.js', '/orders']) {
      const tag = getHeader(await sendRawRequest(port, `GET ${path}`), 'ETag');
      expect(await sendRawRequest(port, `GET ${path}`, [`If-None-Match: ${tag}`]), path).toMatchObject({ status: 304 });
    }
  });

  it('does not expose hidden files or files outside of its folder', async () => {
    const { port } = await startWithFrontEnd();
    for (const target of [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/%2e%2e%2fsecret.txt',
      '/assets/../../secret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/..\\secret.txt',
      '/..%5csecret.txt',
      '//secret.txt',
      '/.env',
      '/%2eenv',
      '/.git/config',
      '/index.html%00.txt',
      '/%',
    ]) {
      const reply = await sendRawRequest(port, `GET ${target}`, ['Accept: text/html']);
      expect([200, 400, 404], target).toContain(reply.status);
      expect(reply.text, target).not.toContain('SECRET');
      if (reply.status === 200) expect(reply.text, target).toBe(INDEX);
    }
  });
});

describe('The files of the state in the folder of a front end', () => {
  it('are never served: the data file, its log, copies of it, and links to it', async () => {
    const folder = await folderWith({ 'index.html': INDEX, 'db.js': SCRIPT, 'db.json.wal.conflict-1': 'SECRET' });
    const data = join(folder, 'db.json');
    await symlink(data, join(folder, 'data.txt'));
    const shop = await startStorefront({ static: folder, data });
    await shop.ask('POST', '/api/orders');
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['db.json', 'db.json.wal']));
    for (const path of [
      '/db.json',
      '/db.json.wal',
      '/db.json.wal.conflict-1',
      '/data.txt',
      '/db%2ejson',
      '/x/../db.json',
    ])
      expectProblem(
        await sendRawRequest(shop.port, `GET ${path}`, ['Accept: application/json']),
        404,
        'unknown-path',
        path,
      );
    expect(await shop.ask('GET', '/db.js')).toMatchObject({ status: 200, text: SCRIPT });
  });
});
