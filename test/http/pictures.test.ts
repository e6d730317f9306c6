import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaults, projectFile } from '../support/fixtures/default-data.ts';
import { expectProblem, getHeader } from '../support/harness/problems.ts';
import { sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TYPES: Readonly<Record<string, string>> = { svg: 'image/svg+xml', png: 'image/png', jpg: 'image/jpeg' };

/** Targets below /images that try to leave the folder or to read hidden files. */
const ESCAPES = [
  '/..',
  '/../package.json',
  '/../../../../../../etc/passwd',
  '/%2e%2e/package.json',
  '/%2e%2e%2fpackage.json',
  '/..%2fpackage.json',
  '/products/../../package.json',
  '/products/..%2f..%2fpackage.json',
  '/..\\package.json',
  '/..%5cpackage.json',
  '/%252e%252e/package.json',
  '/%c0%ae%c0%ae/package.json',
  '//etc/passwd',
  '/%2Fetc%2Fpasswd',
  '/C:%5CWindows%5Cwin.ini',
  '/logo.png%00',
  '/%00/../logo.png%00.svg',
  '/.hidden',
  '/%2ehidden',
  '/.git/config',
  '/%',
  '/%zz',
  '/products',
  '/products/',
  '/',
  '/logo.png/',
];

describe('an image', () => {
  it('exists for every product at the path in `image`', async () => {
    const { ask } = await startStorefront();
    for (const { image } of defaults.products) {
      const reply = await ask('GET', `/${image}`);
      expect(reply.status, image).toBe(200);
      expect(getHeader(reply, 'Content-Type'), image).toBe('image/svg+xml');
    }
  });

  it.each(['home', 'cart', 'orders', 'tracking'])('is the favicon of the %s page', async (page) => {
    const { ask } = await startStorefront();
    const reply = await ask('GET', `/images/${page}-favicon.png`);
    expect([reply.status, getHeader(reply, 'Content-Type')]).toEqual([200, 'image/png']);
  });

  it('is sent byte for byte with its content type', async () => {
    const { url } = await startStorefront();
    for (const folder of ['', 'icons', 'ratings', 'products']) {
      const names = await readdir(projectFile(`images/${folder}`), { withFileTypes: true });
      for (const name of names.filter((one) => one.isFile()).map((one) => join(folder, one.name))) {
        const response = await fetch(`${url}/images/${name}?v=1`);
        expect(response.headers.get('Content-Type'), name).toBe(TYPES[name.split('.').at(-1) ?? '']);
        expect(Buffer.from(await response.arrayBuffer())).toEqual(await readFile(projectFile(`images/${name}`)));
      }
    }
  });

  it('exists for every path that front ends request', async () => {
    const { ask } = await startStorefront();
    const icons = ['buy-again', 'cart-icon', 'checkmark', 'checkmark-white', 'checkout-lock-icon', 'search-icon'];
    for (const path of [
      ...Array.from({ length: 11 }, (_, half) => `ratings/rating-${half * 5}`),
      ...icons.map((icon) => `icons/${icon}`),
      ...['logo', 'logo-white', 'mobile-logo', 'mobile-logo-white'],
    ])
      expect((await ask('GET', `/images/${path}.png`)).status, path).toBe(200);
    // The tracking pages of many front ends always show this picture.
    expect((await ask('GET', '/images/products/athletic-cotton-socks-6-pairs.jpg')).status).toBe(200);
  });

  it('is not sent again to a client that has it cached', async () => {
    const { port } = await startStorefront();
    const first = await sendRawRequest(port, 'GET /images/logo.png');
    for (const condition of [
      `If-None-Match: ${getHeader(first, 'ETag')}`,
      `If-Modified-Since: ${getHeader(first, 'Last-Modified')}`,
    ])
      expect(await sendRawRequest(port, 'GET /images/logo.png', [condition])).toMatchObject({ status: 304, size: 0 });
    const other = await sendRawRequest(port, 'GET /images/logo.png', ['If-None-Match: "another"']);
    expect(other).toMatchObject({ status: 200, size: first.size });
  });

  it('is sent completely, even if the request has a Range or If-Match header', async () => {
    const { port } = await startStorefront();
    for (const header of ['Range: bytes=0-3', 'Range: bytes=999999-', 'If-Match: "another"', 'If-Unmodified-Since: 0'])
      expect((await sendRawRequest(port, 'GET /images/logo.png', [header])).status, header).toBe(200);
  });

  it('cannot run scripts if it is an SVG', async () => {
    const { ask } = await startStorefront();
    const reply = await ask('GET', `/${defaults.products[0]?.image}`);
    expect(getHeader(reply, 'Content-Security-Policy')).toContain("default-src 'none'");
  });
});

describe('a file that is not an image', () => {
  it('is not served below /images at any spelling of its path', async () => {
    const { port } = await startStorefront();
    for (const target of ESCAPES) {
      const reply = await sendRawRequest(port, `GET /images${target}`);
      expectProblem(reply, 404, 'unknown-path', target);
      expect(getHeader(reply, 'ETag'), target).toBeUndefined();
    }
  });
});
