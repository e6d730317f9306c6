import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { withoutNonce } from '../support/harness/pages.ts';
import { expectProblem, getHeader } from '../support/harness/problems.ts';
import { sendRawRequest } from '../support/harness/raw-client.ts';
import { createClient } from '../support/harness/sandboxes.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const CONSOLE = readFileSync(projectFile('dist/console/index.html'), 'utf8');
const REFERENCE = readFileSync(projectFile('dist/reference/index.html'), 'utf8');

/** The limit of all files of the console together, compressed, in bytes. */
const MAX_CONSOLE_BYTES = 80_000;

/** Returns a contract with an operation for each of the paths. */
function contractWith(paths: readonly string[]): string {
  const get = { responses: { 200: { description: 'ok', content: { 'text/plain': { example: 'own' } } } } };
  const document = {
    openapi: '3.0.3',
    info: { title: 'own', version: '1' },
    paths: Object.fromEntries(paths.map((path) => [path, { get }])),
  };
  return JSON.stringify(document);
}

async function startWithPaths(paths: readonly string[]) {
  const folder = await folderWith({ 'own.json': contractWith(paths) });
  return startStorefront({ contract: `${folder}/own.json`, data: undefined });
}

describe('the console', () => {
  it.each(['/', '/_console', '/_console/', '/_console/?a=b'])('is at %s', async (path) => {
    const { ask } = await startStorefront();
    const page = await ask('GET', path);
    expect([page.status, withoutNonce(page)]).toEqual([200, CONSOLE]);
    expect(getHeader(page, 'Content-Type')).toBe('text/html; charset=utf-8');
    expect(getHeader(page, 'Cache-Control')).toBe('no-store');
  });

  it('is at /_console only if a front end is served', async () => {
    const { ask } = await startStorefront({ static: await folderWith({ 'index.html': 'front end' }) });
    expect((await ask('GET', '/')).text).toBe('front end');
    expect(withoutNonce(await ask('GET', '/_console/'))).toBe(CONSOLE);
    expect((await ask('GET', '/docs', undefined, { accept: 'text/html' })).text).toBe('front end');
    expect(withoutNonce(await ask('GET', '/_docs/control'))).toBe(REFERENCE);
    expectProblem(await ask('GET', '/_console/nothing', undefined, { accept: 'text/html' }), 404, 'unknown-path');
  });

  it('is at /_console only if the contract has the path /', async () => {
    const { ask } = await startWithPaths(['/', '/docs']);
    for (const path of ['/', '/docs']) expect((await ask('GET', path)).text, path).toContain('own');
    expect(withoutNonce(await ask('GET', '/_console/'))).toBe(CONSOLE);
    expect(withoutNonce(await ask('GET', '/_docs'))).toBe(REFERENCE);
  });

  it('is not hidden by an operation whose path has parameters', async () => {
    const { ask } = await startWithPaths(['/{a}', '/{a}/{b}', '/{a}/{b}/{c}']);
    expect(withoutNonce(await ask('GET', '/_console/'))).toBe(CONSOLE);
    expect(withoutNonce(await ask('GET', '/_docs'))).toBe(REFERENCE);
    const [script = ''] = /\/_console\/assets\/[^"]*\.js/.exec(CONSOLE) ?? [];
    expect(getHeader(await ask('GET', script), 'Content-Type')).toMatch(/^text\/javascript/);
  });

  it('comes with the contract for the reference, also if an operation has the path /{a}', async () => {
    const { ask } = await startWithPaths(['/{a}']);
    expect((await ask('GET', '/openapi.json')).text).toContain('own');
    expect((await ask('GET', '/_docs/openapi.json')).body).toMatchObject({ paths: { '/{a}': {} } });
  });

  it('is served without the control API too', async () => {
    const { ask } = await startStorefront({ control: false });
    expect(withoutNonce(await ask('GET', '/'))).toBe(CONSOLE);
    expect(withoutNonce(await ask('GET', '/docs'))).toBe(REFERENCE);
  });

  it('is not served to a foreign host', async () => {
    const send = createClient(await startStorefront());
    const page = await send('GET', '/_console/', undefined, { host: 'attacker.example' });
    expectProblem(page, 403, 'host-not-allowed');
  });

  it('has less than 80 kB with all of its files, compressed', () => {
    const files = readdirSync(projectFile('dist/console'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(html|js|css|svg)$/.test(entry.name))
      .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`));
    const sizes = files.map((content) => gzipSync(content).length);
    expect(sizes.length).toBeGreaterThanOrEqual(4);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MAX_CONSOLE_BYTES);
  });
});

describe('the content security policy', () => {
  it('of the console allows one script and one style sheet, and nothing inline', async () => {
    const { ask } = await startStorefront();
    const policy = getHeader(await ask('GET', '/'), 'Content-Security-Policy') ?? '';
    expect(policy.replaceAll(/(?<='nonce-)[\w+/]{24}(?=')/g, 'N')).toBe(
      "default-src 'none'; script-src 'nonce-N'; style-src 'nonce-N'; connect-src 'self'; img-src 'self'; frame-src 'self'; " +
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
  });

  it('of the API reference allows one script, inline styles, and frames of the same origin', async () => {
    const { ask } = await startStorefront();
    const nonces = new Set<string>();
    for (const path of ['/docs', '/docs/control', '/_docs', '/_docs']) {
      const page = await ask('GET', path);
      const policy = getHeader(page, 'Content-Security-Policy') ?? '';
      expect(policy.replace(/(?<='nonce-)[\w+/]{24}(?=')/, 'N'), path).toBe(
        "default-src 'none'; script-src 'nonce-N'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; " +
          "frame-ancestors 'self'; base-uri 'none'; form-action 'none'",
      );
      expect(getHeader(page, 'Cache-Control')).toBe('no-store');
      nonces.add(policy);
    }
    expect(nonces.size).toBe(4);
  });

  it('of the API reference stays the same page for HEAD, and for other methods', async () => {
    const { ask } = await startStorefront();
    expect(await ask('HEAD', '/_docs')).toMatchObject({ status: 200, text: '' });
    expectProblem(await ask('POST', '/_docs'), 405, 'method-not-allowed');
  });
});

describe('the files of the pages', () => {
  const assets = [...`${CONSOLE}${REFERENCE}`.matchAll(/"(\/_\w+\/assets\/[^"]*)"/g)].map(([, path = '']) => path);

  it('are all on this server, and can be cached for ever', async () => {
    const { ask } = await startStorefront();
    expect(assets.length).toBeGreaterThanOrEqual(5);
    for (const path of assets) {
      const file = await ask('GET', path);
      expect(file.status, path).toBe(200);
      expect(getHeader(file, 'Cache-Control'), path).toBe('public, max-age=31536000, immutable');
    }
    expect(`${CONSOLE}${REFERENCE}`).not.toMatch(/https?:/);
  });

  it('are sent compressed to clients that accept it', async () => {
    const { port } = await startStorefront();
    const script = assets.find((path) => path.startsWith('/_console/') && path.endsWith('.js'));
    const plain = await sendRawRequest(port, `GET ${script}`);
    const compressed = await sendRawRequest(port, `GET ${script}`, ['Accept-Encoding: gzip, deflate, br']);
    expect(getHeader(compressed, 'Content-Encoding')).toBe('gzip');
    expect(getHeader(plain, 'Content-Encoding')).toBeUndefined();
    for (const reply of [plain, compressed]) {
      expect(reply.status).toBe(200);
      expect(getHeader(reply, 'Content-Type')).toBe('text/javascript; charset=utf-8');
      expect(getHeader(reply, 'Vary')).toMatch(/Accept-Encoding/);
    }
    expect(compressed.size).toBeLessThan(plain.size);
  });

  it('do not include other files of the package', async () => {
    const { port } = await startStorefront();
    for (const path of [
      '/_console/index.html',
      '/_console/assets/../../main.js',
      '/_console/assets/..%2f..%2fmain.js',
      '/_console/assets/',
      '/_docs/assets/.%2e/index.html',
    ])
      expectProblem(await sendRawRequest(port, `GET ${path}`), 404, 'unknown-path', path);
  });
});
