import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import type { Contract } from '../contract/contract.ts';
import type { Sandboxes } from '../sandboxes/registry.ts';
import { decodable } from '../target.ts';
import { exchangeOf } from './exchange.ts';
import { FaultError, unknownPath } from './problem.ts';

/** The sandbox that a request names, and what of its URL is left without it. */
export interface NamedSandbox {
  readonly id: string;
  /** What stands before the rest of the path, `/_sandbox/w3`; empty where the path names none. */
  readonly prefix: string;
  /** The URL without the prefix. */
  readonly url: string;
}

/** An id of a sandbox. */
const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

const HEADER = 'x-sandbox';
const IN_PATH = /^(\/_sandbox\/([^/?]*))(\/[^?]*)?(\?.*)?$/;
const IN_HOST = /^([^.]+)\.localhost(?::\d+)?$/i;
const IN_COOKIE = /(?:^|;\s*)sandbox=([^;]*)/;

/** Whether a request may name a sandbox in any way: a look that costs next to nothing. */
export function mayNameSandbox({ url = '', headers }: IncomingMessage): boolean {
  return (
    headers[HEADER] !== undefined ||
    url.startsWith('/_sandbox/') ||
    (headers.cookie?.includes('sandbox=') ?? false) ||
    /\.localhost(:|$)/i.test(headers.host ?? '')
  );
}

/**
 * The sandbox that a request names by header, path, host or cookie, in this order; undefined where it names none. Throws a `FaultError` for an id that is
 * none, and where header and path disagree. A host or a cookie that has no id is taken for one that means something else.
 */
export function namedSandbox({ url = '/', headers }: IncomingMessage): NamedSandbox | undefined {
  const header = headers[HEADER];
  const [, prefix = '', inPath, rest = '/', query = ''] = IN_PATH.exec(url) ?? [];
  if (header !== undefined && !ID.test(String(header))) throw refusal('header', String(header), NO_ID);
  if (inPath !== undefined && !ID.test(inPath)) throw refusal('path', inPath, NO_ID);
  if (header !== undefined && inPath !== undefined && header !== inPath) {
    throw refusal('header', String(header), `the path names ${inPath}: name one sandbox, or the same twice`);
  }
  const left = prefix === '' ? url : rest + query;
  const id = header ?? inPath ?? idIn(IN_HOST, headers.host?.toLowerCase()) ?? idIn(IN_COOKIE, headers.cookie);
  return id === undefined ? undefined : { id: String(id), prefix, url: left };
}

const NO_ID = 'use up to 63 small letters, digits and hyphens, the first no hyphen';

function idIn(pattern: RegExp, text: string | undefined): string | undefined {
  const id = pattern.exec(text ?? '')?.[1]?.trim();
  return id !== undefined && ID.test(id) ? id : undefined;
}

function refusal(place: 'header' | 'path', value: string, remedy: string): FaultError {
  const shown = value.slice(0, 100);
  return new FaultError({
    code: 'invalid-request',
    detail: `the sandbox ${JSON.stringify(shown)} that the ${place} names can't be used: ${remedy}`,
    violations: [
      { in: place, pointer: place === 'header' ? '/X-Sandbox' : '/sandbox', rule: 'sandbox', value: shown, remedy },
    ],
  });
}

/** What lies below the path of a sandbox: the shop, and its pictures. */
const PICTURES = /^\/images(\/|\?|$)/;
const OF_SHOP = /^\/+api(\/|\?|$)/;

/** What a request may be sent to. */
export interface SandboxParts {
  readonly sandboxes: Sandboxes;
  readonly contract: Contract;
}

/** Has a request be one of the sandbox that it names, where it is one of the shop. */
export function inSandbox({ sandboxes, contract }: SandboxParts): Middleware {
  const isOfShop = (method: string, url: string) =>
    OF_SHOP.test(url) || contract.route(method, decodable(url.split('?')[0] ?? '')).kind !== 'unknown-path';
  return (ctx, next) => {
    const exchange = exchangeOf(ctx);
    const named = mayNameSandbox(ctx.req) ? namedSandbox(ctx.req) : undefined;
    if (!named) return next();
    const { id, prefix, url } = named;
    const isOwn = isOfShop(ctx.method, url);
    if (prefix !== '' && !isOwn && !PICTURES.test(url)) throw new FaultError(unknownPath(ctx.path));
    // What is the same in all sandboxes is nobody's: a stale cookie doesn't close the page at /.
    if (prefix === '' && !isOwn) return next();
    exchange.prefix = prefix;
    ctx.url = url;
    exchange.sandbox = sandboxes.get(id);
    ctx.res.setHeader('X-Sandbox', id);
    return next();
  };
}
