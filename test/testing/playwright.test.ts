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
  options: StorefrontFixtureOptions,
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
      expect(calls).toEqual([['addCookies', [cookie]]]);
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
    [{ server: 'http://localhost:3000', by: 'host' }, /Invalid option by .* "host": use 'cookie' or 'header'/],
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
