/**
 * The entry point `storefront/playwright`: fixtures for Playwright.
 * It does not import Playwright, so the package does not depend on it.
 */
import type { ShopApi } from '../server/api-types.ts';
import { getCookieName } from '../util/carried-sandbox.ts';
import { type BrowserClock, withPages } from './clock.ts';
import { collectEvidence, formatEvidence } from './evidence.ts';
import { sandboxAt, type TestSandbox } from './sandbox.ts';

export type { BrowserClock } from './clock.ts';
export * from './exports.ts';

/** Options of `storefrontFixtures`. */
export interface StorefrontFixtureOptions<Name extends string = string> {
  /** Name of the fixture. A suite with two servers needs two names. Default: `shop`. */
  readonly name?: Name | undefined;
  /** Address of the running storefront server. */
  readonly server: string;
  /**
   * How the requests of a page select the sandbox of the test.
   * `cookie` sets a cookie for the host of the app.
   * Use it if the app and the API have the same origin, for example through a proxy or with `--static`.
   * `header` adds the header `X-Sandbox` to requests to the API.
   * Use it if the API has another origin.
   * `cookie-and-header` does both.
   * Use it if a server renders the pages: it gets the cookie, and `storefront/propagate` passes the sandbox on.
   */
  readonly by: 'cookie' | 'header' | 'cookie-and-header';
  /** Address of the app, which the cookie needs. Default: Playwright's `baseURL`. */
  readonly app?: string | undefined;
  /** Address to which pages send API requests, which the header needs. Default: `server`. */
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

/** The fixtures that `storefrontFixtures` creates: the sandbox of the test. `Name`: the option `name`. */
export type StorefrontFixtures<Api extends object = ShopApi, Name extends string = 'shop'> = Record<
  Name,
  TestShop<Api>
>;

/** The part of Playwright's `TestInfo` that the fixtures use. */
export interface TestInfoLike {
  readonly title: string;
  readonly workerIndex: number;
  readonly status?: string | undefined;
  readonly expectedStatus?: string | undefined;
  attach?(name: string, content: { body: string; contentType: string }): Promise<void>;
}

/**
 * A Playwright fixture that is set up for every test, even if the test does not use it.
 * `used`: the built-in fixtures that it needs.
 */
type AutoFixture<Api extends object> = [
  (
    used: { context: BrowserContextLike; baseURL: string | undefined },
    use: (shop: TestShop<Api>) => Promise<void>,
    testInfo: TestInfoLike,
  ) => Promise<void>,
  { auto: true },
];

/**
 * Creates fixtures for `test.extend<StorefrontFixtures>`.
 * The fixture `shop`, or the one with the option `name`, creates a sandbox for each test and removes it afterwards.
 * The pages of the test use this sandbox.
 * If the test fails, what the sandbox has received and changed is attached to the test before.
 * Throws an error if an option is invalid.
 */
export function storefrontFixtures<Api extends object = ShopApi, Name extends string = string>(
  options: StorefrontFixtureOptions<Name> & { readonly name: Name },
): Record<Name, AutoFixture<Api>>;
export function storefrontFixtures<Api extends object = ShopApi>(
  options: StorefrontFixtureOptions,
): { shop: AutoFixture<Api> };
export function storefrontFixtures<Api extends object>(
  options: StorefrontFixtureOptions,
): Record<string, AutoFixture<Api>> {
  rejectInvalidOption(options ?? {});
  const { name = 'shop', server, token } = options;
  const fixture: AutoFixture<Api> = [
    // Playwright reads the names of the fixtures from this object pattern.
    async ({ context, baseURL }, use, testInfo) => {
      const sandbox = sandboxAt<Api>(server, createId(testInfo.title, testInfo.workerIndex), options);
      let { from } = options;
      await sandbox.recreate({ from });
      const enter = (other: BrowserContextLike) => enterSandbox(other, sandbox.id, options, baseURL);
      const clock = withPages(sandbox.clock, context.clock);
      const recreate: TestShop['recreate'] = async (source) => {
        await sandbox.recreate(source);
        from = source?.from;
        // The new sandbox has the system time, so the pages get the system time too.
        await clock.follow();
      };
      await enter(context);
      await use({ ...sandbox, enter, clock, recreate });
      try {
        if (testInfo.status !== testInfo.expectedStatus)
          await attachEvidence(testInfo, sandbox, { name, server, token, from });
      } finally {
        await sandbox.remove();
      }
    },
    { auto: true },
  ];
  return { [name]: fixture };
}

/** Attaches what a sandbox has received and changed to a failed test, as JSON and as a text. */
async function attachEvidence(
  testInfo: TestInfoLike,
  sandbox: TestSandbox<object>,
  { name, ...options }: { name: string; server: string; token: string | undefined; from: string | undefined },
): Promise<void> {
  try {
    const evidence = await collectEvidence(sandbox, options);
    await testInfo.attach?.(`${name}.txt`, { body: formatEvidence(evidence), contentType: 'text/plain' });
    const body = JSON.stringify(evidence, null, 2);
    await testInfo.attach?.(`${name}.json`, { body, contentType: 'application/json' });
  } catch (error) {
    // The failure of the test is more important than this one.
    const body = `The requests of the sandbox ${sandbox.id} could not be read: ${(error as Error).message}\n`;
    await testInfo.attach?.(`${name}.txt`, { body, contentType: 'text/plain' });
  }
}

/** Throws an error with the name and the value of the first invalid option. Does nothing if all options are valid. */
function rejectInvalidOption({
  name = 'shop',
  server = '',
  by,
  app = server,
  api = server,
}: Partial<StorefrontFixtureOptions>): void {
  const reject = (option: string, value: unknown, remedy: string) => {
    throw new Error(`Invalid option ${option} of storefrontFixtures. It is ${JSON.stringify(value)}: use ${remedy}.`);
  };
  if (!/^[\p{L}_$][\p{L}\d_$]*$/u.test(name)) reject('name', name, 'a name such as payments');
  for (const [option, address] of Object.entries({ server, app, api }))
    if (!/^https?:/i.test(address) || !URL.canParse(address))
      reject(option, address, `the address of the ${option}, such as http://localhost:3000`);
  if (by !== 'cookie' && by !== 'header' && by !== 'cookie-and-header')
    reject('by', by, "'cookie', 'header' or 'cookie-and-header'");
}

async function enterSandbox(
  context: BrowserContextLike,
  id: string,
  { server, by, app, api = server }: StorefrontFixtureOptions,
  baseURL: string | undefined,
): Promise<void> {
  if (by !== 'header') await setCookie(context, { id, server, app: app ?? baseURL });
  if (by === 'cookie') return;
  const { origin } = new URL(api);
  await context.route(
    (url) => url.origin === origin,
    (route) => route.fallback({ headers: { ...route.request().headers(), 'x-sandbox': id } }),
  );
}

/**
 * Sets the cookie with the name of the server's port, and the cookie `sandbox`.
 * The server reads the second one if it does not know the port, for example in a container.
 */
async function setCookie(
  context: BrowserContextLike,
  { id, server, app }: { id: string; server: string; app: string | undefined },
): Promise<void> {
  if (app === undefined) {
    throw new Error(
      'The sandbox cookie needs the address of the app. Pass `app` to storefrontFixtures, or set `use.baseURL` in the Playwright configuration.',
    );
  }
  const { port } = new URL(server);
  const names = port === '' ? ['sandbox'] : ['sandbox', getCookieName(port)];
  const url = new URL('/', app).href;
  await context.addCookies(names.map((name) => ({ name, value: id, url, sameSite: 'Lax' })));
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
