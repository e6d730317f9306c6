import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { sendRaw } from '../support/harness/raw-client.ts';
import { createClient, listSandboxIds } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const PATHS: readonly [string, string][] = [
  ['GET', '/api/products'],
  ['POST', '/api/reset'],
  ['POST', '/_sandbox/w1/api/orders'],
  ['GET', '/api/nothing'],
  ['GET', '/'],
  ['GET', '/openapi.yaml'],
  ['GET', '/openapi.json'],
  ['GET', '/problems'],
  ['GET', '/problems/host-not-allowed'],
  ['GET', '/images/logo.png'],
  ['GET', '/_control/health'],
  ['GET', '/_control/sandboxes'],
];

/** Host headers of DNS rebinding attacks and of misconfigured clients. */
const UNKNOWN = [
  'evil.example',
  'evil.example:3000',
  'localhost.evil.example',
  'evil-localhost',
  '.localhost',
  '127.0.0.1.evil.example',
  '127.0.0.1:80.evil.example',
  'localhost:x',
  '127-0-0-1',
  '[evil.example]',
  '::1',
  '[::1',
  '1.2.3',
];

const KNOWN = [
  'localhost:3000',
  'LOCALHOST',
  'a.b.localhost',
  '127.0.0.1',
  '192.168.1.5:3000',
  '[::1]:3000',
  '[fe80::1]',
];

async function expectRefused(shop: TestShop, host: string): Promise<void> {
  for (const [method, path] of PATHS) {
    const reply = await createClient(shop)(method, path, undefined, { host });
    expectProblem(reply, 403, 'host-not-allowed', `${method} ${path} at ${host}`);
    const isName = /^[\w.-]+(:\d*)?$/.test(host);
    expect(reply.body.detail).toContain(
      isName ? '--allow-host' : `the Host ${JSON.stringify(host)} is neither a host name`,
    );
    if (!isName) expect(reply.body.detail).not.toContain('--allow-host');
  }
}

async function expectServed(shop: TestShop, host: string, token = ''): Promise<void> {
  const headers = { host, ...(token === '' ? {} : { authorization: `Bearer ${token}` }) };
  for (const path of ['/api/products', '/', '/openapi.yaml', '/images/logo.png', '/_control/sandboxes'])
    expect((await createClient(shop)('GET', path, undefined, headers)).status, `${path} at ${host}`).toBe(200);
}

describe('A request with an unknown Host', () => {
  it('is rejected at every path and changes nothing', async () => {
    const shop = await startStorefront();
    for (const host of UNKNOWN) await expectRefused(shop, host);
    const [empty] = await sendRaw(shop.port, 'GET /api/orders HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n');
    expect(empty?.status).toBe(403);
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('is rejected even if the response is cached for a known host', async () => {
    const shop = await startStorefront();
    for (let time = 1; time <= 2; time++) await expectServed(shop, 'localhost');
    await expectRefused(shop, 'evil.example');
  });

  it('is rejected on addresses other than loopback too, as in Vite', async () => {
    const shop = await startStorefront({ host: '0.0.0.0', controlToken: 's3cret' });
    await expectRefused(shop, 'evil.example');
    expect((await createClient(shop)('GET', '/api/orders', undefined, { host: '10.1.2.3:3000' })).status).toBe(200);
  });

  it('gets a message with the host name for --allow-host, without the port', async () => {
    const reply = await createClient(await startStorefront())('GET', '/api/orders', undefined, {
      host: 'shop.test:80',
    });
    expect(reply.body.detail).toContain('--allow-host shop.test');
    expect(reply.body.detail).not.toContain(':80');
  });
});

describe('A request with a known Host', () => {
  it('is served for every name of this machine and for every IP address', async () => {
    const shop = await startStorefront();
    for (const host of KNOWN) await expectServed(shop, host);
  });

  it('is served for allowed names in any letter case and with any port', async () => {
    const shop = await startStorefront({ allowHost: ['Shop', 'host.docker.internal', '.shop.test'] });
    const hosts = ['shop', 'SHOP:8080', 'host.docker.internal:3000', 'shop.test', 'a.shop.test', 'a.b.shop.test:1'];
    for (const host of hosts) await expectServed(shop, host);
    for (const host of ['shop.evil.example', 'xshop', 'xshop.test', 'a.host.docker.internal'])
      await expectRefused(shop, host);
  });

  it('is served for any name if all names are allowed', async () => {
    const shop = await startStorefront({ allowHost: ['*'], controlToken: 's3cret' });
    await expectServed(shop, 'evil.example:80', 's3cret');
  });

  it('may omit the header in HTTP/1.0, but not for the control API', async () => {
    const { port } = await startStorefront();
    const statuses = ['/api/orders', '/_control/sandboxes'].map(async (path) => {
      const [reply] = await sendRaw(port, `GET ${path} HTTP/1.0\r\n\r\n`);
      return reply?.status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 403]);
  });
});

describe('The path of the data file', () => {
  it('is shown as a file name by the control API, and in full by the log', async () => {
    const { ask, dataFile = '', folder, log } = await startStorefront();
    const [server, health] = [await ask('GET', '/_control/server'), await ask('GET', '/_control/health')];
    expect([server.body.dataFile, health.body.dataFile]).toEqual([basename(dataFile), basename(dataFile)]);
    expect(server.text + health.text).not.toContain(folder);
    expect(log[0]?.msg).toContain(`data in ${dataFile}`);
  });
});

describe('The log of a server that starts', () => {
  const warnings = ({ log }: TestShop) => log.filter(({ level }) => level === 40).map(({ msg }) => msg);

  it('warns on addresses other than loopback what is exposed and how to protect it', async () => {
    const shop = await startStorefront({ host: '0.0.0.0' });
    expect(warnings(shop)).toEqual([
      'The server listens on 0.0.0.0. Other machines can read and change the data through the API, and read the images. The control API is disabled: with --host or the variable HOST, it needs --control-token. Requests to IP addresses and these host names are allowed: localhost. Requests to other host names get 403, which prevents DNS rebinding attacks by web pages. To allow the name of a container or a service, use --allow-host NAME. To protect the server, omit --host and the variable HOST, or allow only trusted machines to connect to the port.',
    ]);
  });

  it('mentions the files of --static in this warning only if the option is used', async () => {
    const shop = await startStorefront({ host: '0.0.0.0', static: await folderWith({ 'index.html': 'a' }) });
    expect(warnings(shop)).toEqual([expect.stringContaining('read the images and the files of --static.')]);
  });

  it('lists the allowed host names in this warning', async () => {
    const [some, all] = [['storefront', '.shop.test'], ['*']];
    const [named] = warnings(await startStorefront({ host: '0.0.0.0', allowHost: some }));
    expect(named).toContain(
      'IP addresses and these host names are allowed: localhost, storefront, .shop.test. Requests to other host names get 403',
    );
    expect(named).not.toContain('--allow-host NAME');
    const [warning] = warnings(await startStorefront({ host: '0.0.0.0', allowHost: all }));
    expect(warning).toContain('All host names are allowed (--allow-host *).');
    expect(warning).not.toContain('403');
  });

  it('names --allow-host for a service name on 0.0.0.0, which gets 403 otherwise', async () => {
    const host = 'storefront:3000';
    const products = async (options: Options) =>
      (
        await createClient(await startStorefront({ host: '0.0.0.0', ...options }))('GET', '/api/products', undefined, {
          host,
        })
      ).status;
    expect([await products({}), await products({ allowHost: ['storefront'] })]).toEqual([403, 200]);
  });

  it('says in this warning whether the control API is disabled or requires a token', async () => {
    expect(warnings(await startStorefront({ host: '::', controlToken: 's3cret' }))).toEqual([
      expect.stringContaining('The control API requires the token of --control-token.'),
    ]);
    expect(warnings(await startStorefront({ host: '0.0.0.0', control: false }))).toEqual([
      expect.stringContaining('The control API is disabled.'),
    ]);
  });

  it('contains no warning on loopback', async () => {
    for (const host of [undefined, 'localhost', '127.0.0.1'])
      expect(warnings(await startStorefront({ host }))).toEqual([]);
  });
});
