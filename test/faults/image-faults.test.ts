import { describe, expect, it } from 'vitest';
import { folderWith } from '../support/harness/folder-with.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();
const LOGO = '/images/logo.png';
const where = { path: '/images/*' };

describe('a fault that images do not support', () => {
  it.each<readonly [fault: object, warning: RegExp]>([
    [{ status: 503, connection: 'cut' }, /images can't have connection cut/],
    [{ connection: 'cut' }, /images can't have connection cut/],
    [{ bodyDurationMs: 100 }, /images can't have bodyDurationMs/],
    [{ status: 200 }, /images can't have status 200/],
    [{ example: 'foreignOrigin' }, /images can't have example/],
  ])('is added with a warning: %j', async (fault, warning) => {
    const sandbox = newSandbox();
    const added = await sandbox.sendControl('POST', '/faults', { where, ...fault });
    expect([added.status, added.body.warnings]).toEqual([200, [expect.stringMatching(warning)]]);
    expect((await sandbox.ask('GET', LOGO)).status).toBe(200);
    expect((await sandbox.sendControl('GET', '/faults')).body).toMatchObject([{ matched: 0, applied: 0 }]);
  });

  it.each([{ connection: 'reset' }, { delay: 1 }, { status: 418 }])(
    'is not reported if images support it: %j',
    async (fault) => {
      const added = await newSandbox().sendControl('POST', '/faults', { where, ...fault });
      expect([added.status, added.body.warnings]).toEqual([200, undefined]);
    },
  );

  it('is not reported if operations at its path support it', async () => {
    const added = await newSandbox().sendControl('POST', '/faults', { where: { path: '*' }, connection: 'cut' });
    expect([added.status, added.body.warnings]).toEqual([200, undefined]);
  });
});

describe('a forced error for an image', () => {
  it.each([
    [405, { allow: 'GET, HEAD', 'retry-after': null }],
    [429, { allow: null, 'retry-after': '1' }],
    [503, { allow: null, 'retry-after': '1' }],
    [404, { allow: null, 'retry-after': null }],
  ] as const)('has the headers that its status requires: %i', async (status, headers) => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', { where, status });
    const reply = await sandbox.ask('GET', LOGO);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(reply.headers.get('x-mocked')).toBe('operation');
    for (const [name, value] of Object.entries(headers)) expect(reply.headers.get(name), name).toBe(value);
    expect(reply.body).toMatchObject({ type: 'about:blank', status, instance: LOGO });
  });

  it('has the headers of the fault instead of those that its status requires', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', { where, status: 503, headers: { 'retry-after': '7' } });
    expect((await sandbox.ask('GET', LOGO)).headers.get('retry-after')).toBe('7');
  });

  it('has the text body of the fault unchanged, in any spelling of Content-Type', async () => {
    const sandbox = newSandbox();
    const page = { status: 502, body: '<h1>bad</h1>', headers: { 'content-type': 'text/html' } };
    await sandbox.sendControl('POST', '/faults', { where, ...page });
    const reply = await sandbox.ask('GET', LOGO);
    expect([reply.status, reply.headers.get('content-type'), reply.text]).toEqual([502, 'text/html', '<h1>bad</h1>']);
  });

  it('replaces the image of a built front end', async () => {
    const folder = await folderWith({ 'index.html': 'the front end', 'images/logo.png': 'a logo of its own' });
    const shop = await startStorefront({ static: folder });
    await createControlClient(shop)('POST', '/default/faults', { where, status: 503, times: 1 });
    expect((await shop.ask('GET', LOGO)).status).toBe(503);
    expect(await shop.ask('GET', LOGO)).toMatchObject({ status: 200, text: 'a logo of its own' });
  });
});
