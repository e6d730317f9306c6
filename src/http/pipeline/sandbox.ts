import type { Context, Middleware } from 'koa';
import type { Contract } from '../../openapi/contract.ts';
import type { Sandboxes } from '../../sandbox/registry.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { getPathname, IMAGES_PATH, toDecodablePath } from '../../util/request-target.ts';
import { createUnknownPath, HttpProblemError } from '../problem.ts';
import { hasBody, readBody } from './body.ts';
import { getNamedSandbox, mayNameSandbox } from './named-sandbox.ts';
import { getExchange } from './response.ts';

/** What lies below the path of a sandbox: the shop, and its images. */
const OF_IMAGES = new RegExp(`^${IMAGES_PATH}(/|\\?|$)`);
const OF_SHOP = /^\/+api(\/|\?|$)/;

/** What a request may be sent to. */
export interface SandboxParts {
  readonly sandboxes: Sandboxes;
  readonly contract: Contract;
}

/** Has a request be one of the sandbox that it names, where it is one of the shop. */
export function selectSandbox({ sandboxes, contract }: SandboxParts): Middleware {
  const isOfShop = (method: string, url: string) =>
    OF_SHOP.test(url) || contract.route(method, toDecodablePath(getPathname(url))).kind !== 'unknown-path';
  return (ctx, next) => {
    const exchange = getExchange(ctx);
    const named = mayNameSandbox(ctx.req) ? getNamedSandbox(ctx.req) : undefined;
    if (!named) return next();
    const { id, prefix, url } = named;
    const isOwn = isOfShop(ctx.method, url);
    // Faults apply to images of a sandbox that is there; an image makes none.
    if (!isOwn && prefix === '' && OF_IMAGES.test(url)) exchange.sandbox = sandboxes.find(id);
    if (prefix !== '' && !isOwn && !OF_IMAGES.test(url)) throw new HttpProblemError(createUnknownPath(ctx.path));
    // What is the same in all sandboxes is nobody's: a stale cookie doesn't close the page at /.
    if (prefix === '' && !isOwn) return next();
    exchange.prefix = prefix;
    ctx.url = url;
    const enter = () => {
      tellExpired(ctx, sandboxes, id);
      return sandboxes.use(id, (sandbox) => {
        exchange.sandbox = sandbox;
        ctx.res.setHeader('X-Sandbox', id);
        return next();
      });
    };
    return hasBody(ctx.req.headers) ? whole(ctx, contract).then(enter) : enter();
  };
}

/** Says in a header when the sandbox of an id expired, if there is no other one of this id yet. */
export function tellExpired({ res }: Context, sandboxes: Sandboxes, id: string): void {
  const atMs = sandboxes.expiredAtMs(id);
  if (atMs !== undefined) res.setHeader('X-Sandbox-Expired', toIsoTime(atMs));
}

/** Receives a request to its end: one that breaks off makes no sandbox. Whether its body is as it has to be is for the operation to find out. */
async function whole(ctx: Context, contract: Contract): Promise<void> {
  const routed = contract.route(ctx.method, toDecodablePath(getPathname(ctx.path)));
  const mediaTypes = routed.kind === 'operation' ? Object.keys(routed.route.bodyMedia) : [];
  await readBody(ctx, mediaTypes).catch((error) => {
    const { req, res } = ctx;
    if (!req.complete && (req.destroyed || res.headersSent)) throw error;
  });
}
