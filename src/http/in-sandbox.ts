import type { Middleware } from 'koa';
import type { Contract } from '../contract/contract.ts';
import type { Sandboxes } from '../sandboxes/registry.ts';
import { decodable, pathIn } from '../target.ts';
import { exchangeOf } from './exchange.ts';
import { mayNameSandbox, namedSandbox } from './named-sandbox.ts';
import { FaultError, unknownPath } from './problem.ts';

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
    OF_SHOP.test(url) || contract.route(method, decodable(pathIn(url))).kind !== 'unknown-path';
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
