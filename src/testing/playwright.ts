/** `storefront/playwright`: fixtures for Playwright. This module does not import Playwright. */
import { type BrowserClock, withPages } from './page-clock.ts';
import { sandboxAt, type TestSandbox } from './sandbox.ts';

export * from './exports.ts';
export type { BrowserClock } from './page-clock.ts';

/** Options of `storefrontFixtures`. */
export interface StorefrontFixtureOptions {
  /** Address of the running storefront server. */
  readonly server: string;
  /**
   * How requests of pages name the sandbox of their test. `cookie`: a cookie on the host of the app, for an app that sends API requests to its own origin
   * (a proxy, or `--static`). `header`: the header `X-Sandbox` on requests to the origin of the API only, for an app that sends requests there.
   */
  readonly by: 'cookie' | 'header';
  /** Address of the app, for the cookie. Default: Playwright's `baseURL`. */
  readonly app?: string | undefined;
  /** Address of the API as pages see it, for the header. Default: `server`. */
  readonly api?: string | undefined;
  /** Snapshot that each test starts with. Default: the default data. */
  readonly from?: string | undefined;
  /** Bearer token of the control API. Default: none. */
  readonly token?: string | undefined;
}

/** The sandbox of a test. Its clock sets the pages of the test's context too. */
export interface TestShop extends TestSandbox {
  /** Puts the pages of another browser context in this sandbox too, such as those of a second user. */
  enter(context: BrowserContextLike): Promise<void>;
}

/** The part of Playwright's `BrowserContext` that the fixtures use. */
export interface BrowserContextLike {
  readonly clock: BrowserClock;
  addCookies(cookies: { name: string; value: string; url: string; sameSite: 'Lax' }[]): Promise<unknown>;
  route(url: (url: URL) => boolean, handler: (route: RouteLike) => Promise<void>): Promise<unknown>;
}

/** The part of Playwright's `Route` that the fixtures use. */
export interface RouteLike {
  request(): { headers(): Record<string, string> };
  fallback(options: { headers: Record<string, string> }): Promise<void>;
}

/** Playwright's built-in fixtures that `shop` depends on. */
export interface FixturesUsed {
  context: BrowserContextLike;
  baseURL: string | undefined;
}

/** The part of Playwright's `TestInfo` that the fixtures use. */
export interface TestInfoLike {
  readonly title: string;
  readonly workerIndex: number;
}

/** The fixtures that `storefrontFixtures` adds. */
export interface StorefrontFixtures {
  /** The sandbox of the test. */
  shop: TestShop;
}

/** A fixture that Playwright sets up for every test, even if the test does not use it. */
type AutoFixture<T> = [
  (used: FixturesUsed, use: (value: T) => Promise<void>, testInfo: TestInfoLike) => Promise<void>,
  { auto: true },
];

/**
 * Creates fixtures for `test.extend<StorefrontFixtures>`: `shop` is a new sandbox for every test, in which the pages of the test's context are. It is
 * removed after the test.
 */
export function storefrontFixtures(options: StorefrontFixtureOptions): { shop: AutoFixture<TestShop> } {
  if (!['cookie', 'header'].includes(options?.by))
    throw new Error("Invalid options of storefrontFixtures. Use { server, by: 'cookie' } or { server, by: 'header' }.");
  return {
    shop: [
      // Playwright requires an object pattern here, from which it reads the names of the fixtures.
      async ({ context, baseURL }, use, testInfo) => {
        const sandbox = sandboxAt(options.server, createId(testInfo), options);
        await sandbox.recreate(options);
        const enter = (other: BrowserContextLike) => enterSandbox(other, sandbox.id, options, baseURL);
        await enter(context);
        await use({ ...sandbox, enter, clock: withPages(sandbox.clock, context.clock) });
        await sandbox.remove();
      },
      { auto: true },
    ],
  };
}

async function enterSandbox(
  context: BrowserContextLike,
  id: string,
  { server, by, app, api = server }: StorefrontFixtureOptions,
  baseURL: string | undefined,
): Promise<void> {
  if (by === 'cookie') return setCookie(context, id, app ?? baseURL);
  const { origin } = new URL(api);
  await context.route(
    (url) => url.origin === origin,
    (route) => route.fallback({ headers: { ...route.request().headers(), 'x-sandbox': id } }),
  );
}

async function setCookie(context: BrowserContextLike, id: string, app: string | undefined): Promise<void> {
  if (app === undefined) {
    throw new Error(
      'The address of the app is unknown, which the cookie needs. Pass `app` to storefrontFixtures, or set `use.baseURL` in the Playwright configuration.',
    );
  }
  await context.addCookies([{ name: 'sandbox', value: id, url: new URL('/', app).href, sameSite: 'Lax' }]);
}

/** The maximum number of characters from the title in an id. */
const MAX_TITLE_LENGTH = 40;

/** Creates an id that shows the title of the test, and that is unique among all runs on the same server. */
function createId({ title, workerIndex }: TestInfoLike): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ['test'];
  const name = words.join('-').slice(0, MAX_TITLE_LENGTH).replace(/-$/, '');
  return `${name}-${workerIndex}-${crypto.randomUUID().slice(0, 8)}`;
}
