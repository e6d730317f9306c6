import http, { type RequestOptions } from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { SANDBOX_HEADER } from '../util/carried-sandbox.ts';
import type { Targets } from './targets.ts';

/** The arguments of `http.request`: a URL, options, and a callback, of which each can be missing. */
type Arguments = unknown[];

/**
 * Makes `http.request`, `http.get` and their `https` counterparts add the sandbox to requests to the server.
 * Node 20 has no diagnostics channel for a request whose headers can still be changed.
 */
export function patchHttp(targets: Targets, getSandboxId: () => string | undefined): void {
  for (const [module, protocol] of [
    [http, 'http:'],
    [https, 'https:'],
  ] as const)
    for (const name of ['request', 'get'] as const) {
      const apply = (original: (...args: Arguments) => unknown, receiver: unknown, args: Arguments) => {
        const sandboxId = getSandboxId();
        return Reflect.apply(original, receiver, sandboxId ? addSandbox(args, sandboxId, protocol, targets) : args);
      };
      Object.assign(module, { [name]: new Proxy(module[name] as never, { apply }) });
    }
  syncBuiltinESMExports();
}

/** Returns the arguments with the sandbox. Returns them unchanged if the request is to another server. */
function addSandbox(args: Arguments, sandboxId: string, protocol: string, targets: Targets): Arguments {
  try {
    const [first] = args;
    const isUrl = typeof first === 'string' || first instanceof URL;
    const given = isUrl ? args[1] : first;
    const options: RequestOptions = typeof given === 'object' && given !== null ? given : {};
    if (!targets.has(getUrl(isUrl ? String(first) : undefined, options, protocol))) return args;
    const rest = args.slice((isUrl ? 1 : 0) + (typeof given === 'object' ? 1 : 0));
    const changed = { ...options, headers: addHeader(options.headers, sandboxId) };
    return isUrl ? [first, changed, ...rest] : [changed, ...rest];
  } catch {
    // Node reports the invalid argument.
    return args;
  }
}

/** Returns the origin of a request. `url`: the first argument; the options have priority over it. */
function getUrl(url: string | undefined, options: RequestOptions, protocol: string): string {
  const base = url === undefined ? undefined : new URL(url);
  const scheme = options.protocol ?? base?.protocol ?? protocol;
  const host = options.hostname ?? options.host ?? base?.hostname ?? 'localhost';
  const port = options.port ?? base?.port ?? options.defaultPort ?? '';
  return `${scheme}//${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}${port === '' ? '' : `:${port}`}`;
}

/** Adds the header to the headers of the options, unless the app has set it. */
function addHeader(headers: RequestOptions['headers'], sandboxId: string): RequestOptions['headers'] {
  if (Array.isArray(headers)) {
    const isPairs = Array.isArray(headers[0]);
    const names = isPairs ? headers.map(([name]) => name) : headers.filter((_, index) => index % 2 === 0);
    if (names.some(isSandboxHeader)) return headers;
    return isPairs ? [...headers, [SANDBOX_HEADER, sandboxId] as never] : [...headers, SANDBOX_HEADER, sandboxId];
  }
  if (Object.keys(headers ?? {}).some(isSandboxHeader)) return headers;
  return { ...headers, [SANDBOX_HEADER]: sandboxId };
}

function isSandboxHeader(name: unknown): boolean {
  return String(name).toLowerCase() === SANDBOX_HEADER;
}
