import { describe, expect, it } from 'vitest';
import { type BrowserClock, withPages } from '../../src/testing/page-clock.ts';
import {
  type BrowserContextLike,
  type StorefrontWish,
  storefrontFixtures,
  type TestShop,
} from '../../src/testing/playwright.ts';
import { sandboxAt } from '../../src/testing/sandbox.ts';
import { sandboxIds } from '../support/harness/sandboxes.ts';
import { NOW_MS, startStorefront } from '../support/harness/start-storefront.ts';

/** A browser that notes what it is told; Playwright's own is asked by `npm run test:browser`. */
function noted() {
  const told: unknown[] = [];
  const note = (what: string) => async (value: unknown) => void told.push([what, value]);
  const clock: BrowserClock = {
    setFixedTime: note('setFixedTime'),
    setSystemTime: note('setSystemTime'),
    fastForward: note('fastForward'),
  };
  const context: BrowserContextLike = {
    clock,
    addCookies: note('addCookies'),
    async route(matches, handler) {
      for (const url of ['http://localhost:3000/api/orders', 'http://localhost:3001/api/orders']) {
        if (!matches(new URL(url))) continue;
        const request = () => ({ headers: () => ({ accept: '*/*' }) });
        await handler({ request, fallback: async ({ headers }) => void told.push([url, headers]) });
      }
    },
  };
  return { told, clock, context };
}

/** What a test does with its fixture, before it ends. */
type InTest = (shop: TestShop, told: readonly unknown[]) => Promise<void>;

/** Runs a test with the fixture, in a browser that notes what it is told. */
async function inTest(wish: StorefrontWish, test: InTest, title = 'orders a Kettle, twice!'): Promise<void> {
  const { told, context } = noted();
  const [fixture] = storefrontFixtures(wish).shop;
  await fixture({ context, baseURL: 'http://app.test:5173/shop' }, (shop) => test(shop, told), {
    title,
    workerIndex: 3,
  });
}

describe('the fixture for Playwright', () => {
  it('gives a sandbox that is there for the time of the test', async () => {
    const shop = await startStorefront();
    await inTest({ server: shop.url, by: 'cookie', from: 'empty-cart' }, async (sandbox) => {
      expect(await sandboxIds(shop)).toContain(sandbox.id);
      expect((await sandbox.state()).cartItems).toEqual([]);
    });
    expect(await sandboxIds(shop)).toEqual(['default']);
  });

  it.each([
    ['orders a Kettle, twice!', /^orders-a-kettle-twice-3-[0-9a-f]{8}$/],
    ['Größe 2: '.repeat(30), /^gr-e-2-[-\w]{0,40}-3-[0-9a-f]{8}$/],
    ['注文', /^test-3-[0-9a-f]{8}$/],
  ])('names it after the test: %s', async (title, id) => {
    const { url: server } = await startStorefront();
    await inTest({ server, by: 'cookie' }, async (shop) => expect(shop.id).toMatch(id), title);
  });

  it("sets a cookie on the app's host", async () => {
    const { url: server } = await startStorefront();
    await inTest({ server, by: 'cookie' }, async ({ id: value }, told) => {
      const cookie = { name: 'sandbox', value, url: 'http://app.test:5173/', sameSite: 'Lax' };
      expect(told).toEqual([['addCookies', [cookie]]]);
    });
  });

  it("says what it lacks where it doesn't know the app's host", async () => {
    const { url: server } = await startStorefront();
    const [fixture] = storefrontFixtures({ server, by: 'cookie' }).shop;
    const used = { context: noted().context, baseURL: undefined };
    const started = fixture(used, async () => {}, { title: 'one', workerIndex: 0 });
    await expect(started).rejects.toThrow('use.baseURL');
  });

  it("adds a header to requests for the shop's origin alone", async () => {
    const { url: server } = await startStorefront();
    await inTest({ server, by: 'header', api: 'http://localhost:3000/' }, async ({ id }, told) => {
      const headers = { accept: '*/*', 'x-sandbox': id };
      expect(told).toEqual([['http://localhost:3000/api/orders', headers]]);
    });
  });
});

describe('the clock of server and pages', () => {
  it.each<[string, (clock: TestShop['clock']) => Promise<unknown>, unknown[]]>([
    ['set', (clock) => clock.set(5_000), [['setSystemTime', 5_000]]],
    ['freeze', (clock) => clock.freeze(5_000), [['setFixedTime', 5_000]]],
    ['follow', (clock) => clock.follow(), [['setSystemTime', NOW_MS]]],
    ['run', (clock) => clock.run(), [['setSystemTime', NOW_MS]]],
    ['read', (clock) => clock.read(), []],
    [
      'advance one that runs',
      (clock) => clock.advance(1_000),
      [
        ['fastForward', 1_000],
        ['setSystemTime', NOW_MS + 1_000],
      ],
    ],
    ['put back one that runs', (clock) => clock.advance(-1_000), [['setSystemTime', NOW_MS - 1_000]]],
  ])('tells both: %s', async (_name, act, expected) => {
    const { told, clock: pages } = noted();
    await act(withPages(await aServerClock(), pages));
    expect(told).toEqual(expected);
  });

  it('shows the new moment to timers before they fire, where it stands still', async () => {
    const { told, clock: pages } = noted();
    const clock = withPages(await aServerClock(), pages);
    await clock.freeze(0);
    await clock.advance(1_000);
    expect(told.slice(1)).toEqual([
      ['setFixedTime', 1_000],
      ['fastForward', 1_000],
    ]);
  });
});

async function aServerClock() {
  const { url } = await startStorefront();
  const sandbox = sandboxAt(url, 'w3');
  await sandbox.renew();
  return sandbox.clock;
}
