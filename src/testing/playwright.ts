/** `storefront/playwright`: fixtures for Playwright, of which nothing is imported. */
import { type BrowserClock, withPages } from './page-clock.ts';
import { sandboxAt, type TestSandbox } from './sandbox.ts';

export * from './exports.ts';
export type { BrowserClock } from './page-clock.ts';

/** How an app's pages come to be in the sandbox of their test. */
export interface StorefrontWish {
  /** The address of the storefront that runs. */
  readonly server: string;
  /**
   * `cookie`: a cookie on the app's host, for an app that reaches the shop by its own origin: through a proxy, or served by `--static`. `header`: the
   * header `X-Sandbox` on requests for the shop's origin, and on no others, for an app that reaches the shop there.
   */
  readonly by: 'cookie' | 'header';
  /** The app's address, for its cookie; by default Playwright's `baseURL`. */
  readonly app?: string | undefined;
  /** The address by which pages reach the shop, for the header; by default that of the server. */
  readonly api?: string | undefined;
  /** The snapshot that each test begins with, in place of the default data. */
  readonly from?: string | undefined;
  /** What control wants as a bearer token, where it wants one. */
  readonly token?: string | undefined;
}

/** The shop of one test: its clock takes the pages along. */
export interface TestShop extends TestSandbox {
  /** Has the pages of another context be in this shop too, as of a second user. */
  enter(context: BrowserContextLike): Promise<void>;
}

/** What of Playwright's `BrowserContext` is used. */
export interface BrowserContextLike {
  readonly clock: BrowserClock;
  addCookies(cookies: { name: string; value: string; url: string; sameSite: 'Lax' }[]): Promise<unknown>;
  route(url: (url: URL) => boolean, handler: (route: RouteLike) => Promise<void>): Promise<unknown>;
}

/** What of Playwright's `Route` is used. */
export interface RouteLike {
  request(): { headers(): Record<string, string> };
  fallback(options: { headers: Record<string, string> }): Promise<void>;
}

/** What of Playwright's own fixtures is used. */
export interface FixturesUsed {
  context: BrowserContextLike;
  baseURL: string | undefined;
}

/** What of Playwright's `TestInfo` is used. */
export interface TestInfoLike {
  readonly title: string;
  readonly workerIndex: number;
}

/** What the fixtures give to a test. */
export interface StorefrontFixtures {
  /** A shop of the test's own. */
  shop: TestShop;
}

/** A fixture that each test has, whether it names it or not. */
type AutoFixture<T> = [
  (used: FixturesUsed, use: (value: T) => Promise<void>, testInfo: TestInfoLike) => Promise<void>,
  { auto: true },
];

/**
 * Fixtures for `test.extend<StorefrontFixtures>`: `shop`, a sandbox of its own for every test, which the pages of the test's context are in. It is made before the test and
 * removed after it.
 */
export function storefrontFixtures(wish: StorefrontWish): { shop: AutoFixture<StorefrontFixtures['shop']> } {
  if (!['cookie', 'header'].includes(wish?.by))
    throw new Error("storefrontFixtures wants { server, by: 'cookie' | 'header' }");
  return {
    shop: [
      // Playwright reads from these braces what the fixture uses.
      async ({ context, baseURL }, use, testInfo) => {
        const sandbox = sandboxAt(wish.server, idFor(testInfo), wish);
        await sandbox.renew(wish);
        const enter = (other: BrowserContextLike) => enterShop(other, sandbox.id, wish, baseURL);
        await enter(context);
        await use({ ...sandbox, enter, clock: withPages(sandbox.clock, context.clock) });
        await sandbox.remove();
      },
      { auto: true },
    ],
  };
}

async function enterShop(
  context: BrowserContextLike,
  id: string,
  { server, by, app, api = server }: StorefrontWish,
  baseURL: string | undefined,
): Promise<void> {
  if (by === 'cookie') return setCookie(context, id, app ?? baseURL);
  const { origin } = new URL(api);
  await context.route(
    (url) => url.origin === origin,
    (route) => route.fallback({ headers: { ...route.request().headers(), 'x-sandbox': id } }),
  );
}

/** Sets the cookie for the app's host alone. */
async function setCookie(context: BrowserContextLike, id: string, app: string | undefined): Promise<void> {
  if (app === undefined) {
    throw new Error(
      "the app's host is not known, which the cookie is for: give `app`, or `use.baseURL` in Playwright's",
    );
  }
  await context.addCookies([{ name: 'sandbox', value: id, url: new URL('/', app).href, sameSite: 'Lax' }]);
}

/** How much of a title an id holds. */
const TITLE_LETTERS = 40;

/** An id that tells the test, and that no other run on the same server has. */
function idFor({ title, workerIndex }: TestInfoLike): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ['test'];
  const name = words.join('-').slice(0, TITLE_LETTERS).replace(/-$/, '');
  return `${name}-${workerIndex}-${crypto.randomUUID().slice(0, 8)}`;
}
