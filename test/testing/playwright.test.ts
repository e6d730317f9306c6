import { describe, expect, it } from 'vitest';
import { type BrowserClock, withPages } from '../../src/testing/clock.ts';
import {
  type BrowserContextLike,
  type StorefrontFixtureOptions,
  storefrontFixtures,
  type TestShop,
} from '../../src/testing/playwright.ts';
import { sandboxAt } from '../../src/testing/sandbox.ts';
import { listSandboxIds } from '../support/harness/sandboxes.ts';
import { NOW_MS, startStorefront } from '../support/harness/start-storefront.ts';

/** Creates a browser context that records calls; `npm run test:browser` uses Playwright's own. */
function createRecordingContext() {
  const calls: unknown[] = [];
  const record = (method: string) => async (value: unknown) => void calls.push([method, value]);
  const clock: BrowserClock = {
    setFixedTime: record('setFixedTime'),
    setSystemTime: record('setSystemTime'),
    fastForward: record('fastForward'),
  };
  const context: BrowserContextLike = {
    clock,
    addCookies: record('addCookies'),
    async route(matches, handler) {
      for (const url of ['http://localhost:3000/api/orders', 'http://localhost:3001/api/orders']) {
        if (!matches(new URL(url))) continue;
        const request = () => ({ headers: () => ({ accept: '*/*' }) });
        await handler({ request, fallback: async ({ headers }) => void calls.push([url, headers]) });
      }
    },
  };
  return { calls, clock, context };
}

/** The body of a test that uses the fixture. */
type TestBody = (shop: TestShop, calls: readonly unknown[]) => Promise<void>;

/** Runs a test with the fixture in a recording browser context. */
async function runTest(
  options: StorefrontFixtureOptions<'shop'>,
  test: TestBody,
  title = 'orders a Kettle, twice!',
): Promise<void> {
  const { calls, context } = createRecordingContext();
  const [fixture] = storefrontFixtures(options).shop;
  await fixture({ context, baseURL: 'http://app.test:5173/shop' }, (shop) => test(shop, calls), {
    title,
    workerIndex: 3,
  });
}

describe('storefrontFixtures', () => {
  it('creates a sandbox for the test and removes it afterwards', async () => {
    const shop = await startStorefront();
    await runTest({ server: shop.url, by: 'cookie', from: 'empty-cart' }, async (sandbox) => {
      expect(await listSandboxIds(shop)).toContain(sandbox.id);
      expect((await sandbox.state()).cartItems).toEqual([]);
    });
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('sets the cookie of the app and the header of the API with cookie-and-header', async () => {
    const { url: server } = await startStorefront();
    const options = { server, api: 'http://localhost:3001', by: 'cookie-and-header' } as const;
    await runTest(options, async ({ id }, calls) => {
      expect(calls).toEqual([
        [
          'addCookies',
          ['sandbox', `sandbox-${new URL(server).port}`].map((name) => ({
            name,
            value: id,
            url: 'http://app.test:5173/',
            sameSite: 'Lax',
          })),
        ],
        ['http://localhost:3001/api/orders', { accept: '*/*', 'x-sandbox': id }],
      ]);
    });
  });

  it.each([
    ['orders a Kettle, twice!', /^orders-a-kettle-twice-3-[0-9a-f]{8}$/],
    ['Größe 2: '.repeat(30), /^gr-e-2-[-\w]{0,40}-3-[0-9a-f]{8}$/],
    ['注文', /^test-3-[0-9a-f]{8}$/],
  ])('derives the id of the sandbox from the title of the test: %s', async (title, id) => {
    const { url: server } = await startStorefront();
    await runTest({ server, by: 'cookie' }, async (shop) => expect(shop.id).toMatch(id), title);
  });

  it('sets a cookie on the host of the app', async () => {
    const { url: server } = await startStorefront();
    await runTest({ server, by: 'cookie' }, async ({ id: value }, calls) => {
      const cookie = { name: 'sandbox', value, url: 'http://app.test:5173/', sameSite: 'Lax' };
      const own = { ...cookie, name: `sandbox-${new URL(server).port}` };
      expect(calls).toEqual([['addCookies', [cookie, own]]]);
    });
  });

  it('rejects with the name of the missing setting if the address of the app is unknown', async () => {
    const { url: server } = await startStorefront();
    const [fixture] = storefrontFixtures({ server, by: 'cookie' }).shop;
    const used = { context: createRecordingContext().context, baseURL: undefined };
    const setup = fixture(used, async () => {}, { title: 'one', workerIndex: 0 });
    await expect(setup).rejects.toThrow('use.baseURL');
  });

  it('adds a header to requests to the origin of the API only', async () => {
    const { url: server } = await startStorefront();
    await runTest({ server, by: 'header', api: 'http://localhost:3000/' }, async ({ id }, calls) => {
      const headers = { accept: '*/*', 'x-sandbox': id };
      expect(calls).toEqual([['http://localhost:3000/api/orders', headers]]);
    });
  });

  it('sets the pages to the system time when the sandbox is recreated', async () => {
    const { url: server } = await startStorefront();
    await runTest({ server, by: 'header' }, async (shop, calls) => {
      await shop.clock.freeze(5_000);
      await shop.recreate({ from: 'empty-cart' });
      expect(calls.at(-1)).toEqual(['setSystemTime', NOW_MS]);
      expect((await shop.state()).cartItems).toEqual([]);
    });
  });

  it.each([
    [undefined, /Invalid option server .* "": use the address/],
    [{ by: 'cookie' }, /Invalid option server .* "": use the address of the server/],
    [{ server: 'localhost:3000', by: 'cookie' }, /Invalid option server .* "localhost:3000": use the address/],
    [
      { server: 'http://localhost:3000', by: 'host' },
      /Invalid option by .* "host": use 'cookie', 'header' or 'cookie-and-header'/,
    ],
    [{ server: 'http://localhost:3000', by: 'cookie', name: 'a b' }, /Invalid option name .* "a b": use a name/],
    [{ server: 'http://localhost:3000' }, /Invalid option by .* undefined: use/],
    [
      { server: 'http://localhost:3000', by: 'cookie', app: '/shop' },
      /Invalid option app .* "\/shop": use the address/,
    ],
    [{ server: 'http://localhost:3000', by: 'header', api: '/api' }, /Invalid option api .* "\/api": use the address/],
  ])('throws an error with the name of the invalid option: %j', (options, message) => {
    expect(() => storefrontFixtures(options as StorefrontFixtureOptions)).toThrow(message);
  });
});

describe('withPages', () => {
  it.each<[string, (clock: TestShop['clock']) => Promise<unknown>, unknown[]]>([
    ['set', (clock) => clock.set(5_000), [['setSystemTime', 5_000]]],
    ['freeze', (clock) => clock.freeze(5_000), [['setFixedTime', 5_000]]],
    ['follow', (clock) => clock.follow(), [['setSystemTime', NOW_MS]]],
    ['run', (clock) => clock.run(), [['setSystemTime', NOW_MS]]],
    ['read', (clock) => clock.read(), []],
    [
      'advance a running clock',
      (clock) => clock.advance(1_000),
      [
        ['fastForward', 1_000],
        ['setSystemTime', NOW_MS + 1_000],
      ],
    ],
    ['move a running clock back', (clock) => clock.advance(-1_000), [['setSystemTime', NOW_MS - 1_000]]],
  ])('sets the sandbox and the pages together: %s', async (_name, act, expected) => {
    const { calls, clock: pageClock } = createRecordingContext();
    await act(withPages(await createSandboxClock(), pageClock));
    expect(calls).toEqual(expected);
  });

  it('sets pages to the new time of a frozen clock before timers fire', async () => {
    const { calls, clock: pageClock } = createRecordingContext();
    const clock = withPages(await createSandboxClock(), pageClock);
    await clock.freeze(0);
    await clock.advance(1_000);
    expect(calls.slice(1)).toEqual([
      ['setFixedTime', 1_000],
      ['fastForward', 1_000],
    ]);
  });
});

async function createSandboxClock() {
  const { url } = await startStorefront();
  const sandbox = sandboxAt(url, 'w3');
  await sandbox.recreate();
  return sandbox.clock;
}

/** Runs a failing test with the fixture. Returns the attachments by name. */
async function runFailingTest(
  options: StorefrontFixtureOptions<'shop'>,
  test: (shop: TestShop) => Promise<void>,
  status = 'failed',
): Promise<Record<string, string>> {
  const attachments: Record<string, string> = {};
  const [fixture] = storefrontFixtures(options).shop;
  await fixture({ context: createRecordingContext().context, baseURL: 'http://app.test:5173' }, test, {
    title: 'fails',
    workerIndex: 0,
    status,
    expectedStatus: 'passed',
    attach: async (name, { body }) => {
      attachments[name] = body;
    },
  });
  return attachments;
}

describe('the attachments of a failed test', () => {
  it('are the requests, the faults with near misses, and the changes of the data', async () => {
    const shop = await startStorefront();
    const attachments = await runFailingTest({ server: shop.url, by: 'header' }, async (sandbox) => {
      await sandbox.fault({ operation: 'createOrder', status: 503, times: 1 });
      await sandbox.fault({ operation: 'addCartItem', where: { body: { quantity: 99 } }, status: 409 });
      await sandbox.fetch('/api/orders', { method: 'POST' });
      await sandbox.fetch('/api/orders', { method: 'POST', headers: { Authorization: 'Bearer abcdef' } });
    });
    const evidence = JSON.parse(attachments['shop.json'] ?? '');
    expect(evidence.requests.map(({ response }: { response: { status: number } }) => response.status)).toEqual([
      503, 201,
    ]);
    expect(evidence.requests[0].forced.faults).toEqual(['f1']);
    expect(evidence.nearMisses.f2[0].reasons.join()).toContain('operation');
    expect(evidence.changes.orders).toMatchObject({ added: [{ id: expect.any(String) }], changed: [], removed: [] });
    expect(evidence.changes.products).toBeUndefined();
    const text = attachments['shop.txt'];
    for (const part of ['→ 503 createOrder', '(fault f1)', 'f2 {"operation', 'near miss: #2', 'orders: 1 added'])
      expect(text).toContain(part);
    const headings = [
      'Changes of the data:',
      'Faults that were not applied (1):',
      'Requests (2):',
      'Applied faults (1):',
    ];
    expect(text?.split('\n').filter((line) => headings.includes(line))).toEqual(headings);
    expect(JSON.stringify(attachments)).not.toContain('abcdef');
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('say first why the sandbox may have received no requests', async () => {
    const { url: server } = await startStorefront();
    const attachments = await runFailingTest({ server, by: 'header' }, async () => {});
    const { missingRequests } = JSON.parse(attachments['shop.json'] ?? '');
    expect(missingRequests).toMatch(
      /has received no requests: .*header X-Sandbox.*\(docs\/server-rendered-apps\.md\)$/,
    );
    expect(attachments['shop.txt']).toBe(`${missingRequests}\n\nThe data is as at the start.\n`);
  });

  it('are absent if the test passes', async () => {
    const { url: server } = await startStorefront();
    expect(await runFailingTest({ server, by: 'header' }, async () => {}, 'passed')).toEqual({});
  });

  it('compare the data with the snapshot of the last recreate', async () => {
    const { url: server } = await startStorefront();
    const attachments = await runFailingTest({ server, by: 'header' }, (shop) => shop.recreate({ from: 'empty-cart' }));
    expect(JSON.parse(attachments['shop.json'] ?? '').changes).toEqual({});
  });

  it('say why they are missing if the server cannot be read', async () => {
    const shop = await startStorefront();
    const running = runFailingTest({ server: shop.url, by: 'header' }, () => shop.close());
    await expect(running).rejects.toThrow('No server responds');
  });
});

describe('two fixtures in one suite', () => {
  it('have two names, and two cookies on the same host', async () => {
    const [shop, payments] = [await startStorefront(), await startStorefront()];
    const jar = new Map<string, string>();
    const { context } = createRecordingContext();
    const shared: BrowserContextLike = {
      ...context,
      addCookies: async (cookies) => cookies.forEach(({ name, value }) => void jar.set(name, value)),
    };
    const first = storefrontFixtures({ server: shop.url, by: 'cookie' }).shop[0];
    const second = storefrontFixtures({ server: payments.url, by: 'cookie', name: 'payments' }).payments[0];
    const used = { context: shared, baseURL: 'http://localhost:5173' };
    const testInfo = { title: 'pays', workerIndex: 0 };
    await first(
      used,
      (one) =>
        second(
          used,
          async (other) => {
            const cookie = Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ');
            for (const [server, sandbox] of [
              [shop, one],
              [payments, other],
            ] as const) {
              const response = await fetch(`${server.url}/api/orders`, { headers: { cookie } });
              expect(response.headers.get('x-sandbox')).toBe(sandbox.id);
              expect(await sandbox.count()).toBe(1);
            }
          },
          testInfo,
        ),
      testInfo,
    );
  });
});
