/**
 * The entry point `storefront/playwright`: fixtures for Playwright.
 * It does not import Playwright, so the package does not depend on it.
 */
import type { ShopApi } from '../server/api-types.ts';
import { type BrowserClock, withPages } from './clock.ts';
import { sandboxAt, type TestSandbox } from './sandbox.ts';

export type { BrowserClock } from './clock.ts';
export * from './exports.ts';

/** Options of `storefrontFixtures`. */
export interface StorefrontFixtureOptions {
  /** Address of the running storefront server. */
  readonly server: string;
  /**
   * How the requests of a page select the sandbox of the test.
   * `cookie` sets a cookie for the host of the app.
   * Use it if the app and the API have the same origin, for example through a proxy or with `--static`.
   * `header` adds the header `X-Sandbox` to requests to the API.
   * Use it if the API has another origin.
   */
  readonly by: 'cookie' | 'header';
  /** Address of the app, which `by: 'cookie'` needs. Default: Playwright's `baseURL`. */
  readonly app?: string | undefined;
  /** Address to which pages send API requests, which `by: 'header'` needs. Default: `server`. */
  readonly api?: string | undefined;
  /** Name of the snapshot with the initial data of each test. Default: the default data. */
  readonly from?: string | undefined;
  /** Bearer token of the control API. Default: none. */
  readonly token?: string | undefined;
}

/** The sandbox of a test. Changes of its clock also apply to the pages of the test. */
export interface TestShop<Api extends object = ShopApi> extends TestSandbox<Api> {
  /** Makes the pages of another browser context use this sandbox, for example the pages of a second user. */
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

/** The fixtures that `storefrontFixtures` creates. */
export interface StorefrontFixtures<Api extends object = ShopApi> {
  /** The sandbox of the test. */
  shop: TestShop<Api>;
}

/**
 * A Playwright fixture that is set up for every test, even if the test does not use it.
 * `used`: the built-in fixtures that it needs.
 */
type AutoFixture<Api extends object> = [
  (
    used: { context: BrowserContextLike; baseURL: string | undefined },
    use: (shop: TestShop<Api>) => Promise<void>,
    testInfo: { readonly title: string; readonly workerIndex: number },
  ) => Promise<void>,
  { auto: true },
];

/**
 * Creates fixtures for `test.extend<StorefrontFixtures>`.
 * The fixture `shop` creates a sandbox for each test and removes it afterwards.
 * The pages of the test use this sandbox.
 * Throws an error if an option is invalid.
 */
export function storefrontFixtures<Api extends object = ShopApi>(
  options: StorefrontFixtureOptions,
): { shop: AutoFixture<Api> } {
  rejectInvalidOption(options ?? {});
  return {
    shop: [
      // Playwright reads the names of the fixtures from this object pattern.
      async ({ context, baseURL }, use, { title, workerIndex }) => {
        const sandbox = sandboxAt<Api>(options.server, createId(title, workerIndex), options);
        await sandbox.recreate(options);
        const enter = (other: BrowserContextLike) => enterSandbox(other, sandbox.id, options, baseURL);
        const clock = withPages(sandbox.clock, context.clock);
        const recreate: TestShop['recreate'] = async (source) => {
          await sandbox.recreate(source);
          // The new sandbox has the system time, so the pages get the system time too.
          await clock.follow();
        };
        await enter(context);
        await use({ ...sandbox, enter, clock, recreate });
        await sandbox.remove();
      },
      { auto: true },
    ],
  };
}

/** Throws an error with the name and the value of the first invalid option. Does nothing if all options are valid. */
function rejectInvalidOption({ server = '', by, app = server, api = server }: Partial<StorefrontFixtureOptions>): void {
  const reject = (name: string, value: unknown, remedy: string) => {
    throw new Error(`Invalid option ${name} of storefrontFixtures. It is ${JSON.stringify(value)}: use ${remedy}.`);
  };
  for (const [name, address] of Object.entries({ server, app, api }))
    if (!/^https?:/i.test(address) || !URL.canParse(address))
      reject(name, address, `the address of the ${name}, such as http://localhost:3000`);
  if (by !== 'cookie' && by !== 'header') reject('by', by, "'cookie' or 'header'");
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
      'The sandbox cookie needs the address of the app. Pass `app` to storefrontFixtures, or set `use.baseURL` in the Playwright configuration.',
    );
  }
  await context.addCookies([{ name: 'sandbox', value: id, url: new URL('/', app).href, sameSite: 'Lax' }]);
}

/** The maximum number of characters from the title of a test in a sandbox id. */
const MAX_TITLE_LENGTH = 40;

/**
 * Creates a sandbox id from the title of a test and the number of the worker.
 * A random part makes it unique on the server.
 */
function createId(title: string, workerIndex: number): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ['test'];
  const name = words.join('-').slice(0, MAX_TITLE_LENGTH).replace(/-$/, '');
  return `${name}-${workerIndex}-${crypto.randomUUID().slice(0, 8)}`;
}
