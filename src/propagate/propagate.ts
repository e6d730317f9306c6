/**
 * The entry point `storefront/propagate`: passes the sandbox of each incoming request on to the storefront server.
 * Load it before the app: `NODE_OPTIONS='--import storefront/propagate'`.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { env } from 'node:process';
import { findBaggageSandbox, findCookieSandbox, findVisitor, SANDBOX_HEADER } from '../util/carried-sandbox.ts';
import { SANDBOX_ID } from '../util/ids.ts';
import { type CurrentRequest, getPropagation, warnOnce } from './current-request.ts';
import { patchHttp } from './patch-http.ts';
import { readTargets, type Targets } from './targets.ts';
import { addToUndici, type UndiciRequest } from './undici.ts';

/** Returns the sandbox that an incoming request names. `ports`: the ports of the storefront servers. */
function findSandbox({ headers }: IncomingMessage, ports: readonly string[]): string | undefined {
  const header = headers[SANDBOX_HEADER]?.toString();
  if (header !== undefined) return SANDBOX_ID.test(header) ? header : undefined;
  const baggage = headers.baggage?.toString();
  return findBaggageSandbox(baggage) ?? findCookieSandbox(headers.cookie, ports) ?? findVisitor(headers.cookie);
}

/** Starts to pass sandboxes on. Does nothing if the module was loaded before, for example with `require`. */
function start(): void {
  const propagation = getPropagation();
  if (propagation.isStarted) return;
  propagation.isStarted = true;
  const targets = readTargets(env.STOREFRONT_URL);
  const ports = env.STOREFRONT_URL?.match(/(?<=:)\d+/g) ?? [];
  const { storage } = propagation;
  let isUsed = false;
  subscribe('http.server.request.start', (message) => {
    const sandboxId = findSandbox((message as { request: IncomingMessage }).request, ports);
    if (sandboxId === undefined && !isUsed) return;
    if (sandboxId !== undefined && targets.isEmpty)
      warnOnce(
        'address',
        'A request names a sandbox, but STOREFRONT_URL is not set: set it to the address of the storefront server.',
      );
    isUsed = true;
    // The next request of the same connection has the same asynchronous context.
    storage.enterWith(sandboxId === undefined ? undefined : { sandboxId });
  });
  subscribe('undici:request:create', (message) => {
    if (isUsed) addToUndici((message as { request: UndiciRequest }).request, () => storage.getStore(), targets);
  });
  patchHttp(targets, () => storage.getStore()?.sandboxId);
  patchFetch(targets, storage.run.bind(storage), () => storage.getStore());
}

/**
 * Adds the sandbox to requests of `fetch`, also if a framework replaces `fetch` later.
 * A cache of the framework, such as the one of Next.js, then stores the responses of each sandbox separately.
 */
function patchFetch(
  targets: Targets,
  run: <Result>(current: CurrentRequest, call: () => Result) => Result,
  getCurrent: () => CurrentRequest | undefined,
): void {
  const apply = (called: typeof fetch, receiver: unknown, args: Parameters<typeof fetch>): ReturnType<typeof fetch> => {
    const current = getCurrent();
    const call = (sent: readonly unknown[]) => Reflect.apply(called, receiver, sent) as ReturnType<typeof fetch>;
    const added = current && !current.isInFetch ? addToFetch(args, current.sandboxId, targets) : undefined;
    if (!current || !added) return call(args);
    return run({ ...current, isInFetch: true }, () => call(added)).then((response) => {
      checkResponse(response, added[1].headers.get(SANDBOX_HEADER));
      return response;
    });
  };
  let outer = new Proxy(globalThis.fetch, { apply });
  Object.defineProperty(globalThis, 'fetch', {
    configurable: true,
    enumerable: true,
    get: () => outer,
    set: (next: typeof fetch) => {
      // A framework can restore the function that it has read before.
      if (next === outer) return;
      outer = typeof next === 'function' ? new Proxy(next, { apply }) : next;
    },
  });
}

/** Returns the arguments of a `fetch` to the server with the sandbox. Returns undefined for other servers. */
function addToFetch(
  [input, init]: Parameters<typeof fetch>,
  sandboxId: string,
  targets: Targets,
): [Parameters<typeof fetch>[0], RequestInit & { headers: Headers }] | undefined {
  try {
    const isRequest = typeof input === 'object' && 'url' in input;
    if (!targets.has(isRequest ? input.url : String(input))) return undefined;
    const headers = new Headers(init?.headers ?? (isRequest ? input.headers : undefined));
    if (!headers.has(SANDBOX_HEADER)) headers.set(SANDBOX_HEADER, sandboxId);
    return [input, { ...init, headers }];
  } catch {
    // `fetch` reports the invalid argument.
    return undefined;
  }
}

/** Warns if a response is of another sandbox than the one of the request. */
function checkResponse(response: Response, sandboxId: string | null): void {
  const other = response?.headers?.get(SANDBOX_HEADER);
  if (other == null || other === sandboxId) return;
  warnOnce(
    'cache',
    `A response for the sandbox ${sandboxId} came from the sandbox ${other}, probably from a cache of fetch. Turn the cache off for tests, with Next.js by fetch(url, { cache: 'no-store' }).`,
  );
}

start();
