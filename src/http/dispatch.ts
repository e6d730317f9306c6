import type { Context, Middleware } from 'koa';
import type { Contract, RawInput, Received } from '../contract/contract.ts';
import type { Route } from '../contract/routes.ts';
import { type Handlers, mocked, type Shop } from '../operations/handler.ts';
import { readBody } from './body.ts';
import { bindShop, type ShopParts } from './bound-shop.ts';
import { answerWith, exchangeOf, success } from './exchange.ts';
import { FaultError, methodNotAllowed, unknownPath } from './problem.ts';

/** What requests to the contract's operations are answered with. */
export interface DispatchParts extends ShopParts {
  readonly contract: Contract;
  readonly handlers: Handlers;
}

/** Answers what the contract has a path for, and refuses what lies below /api beside it. */
export function dispatch(parts: DispatchParts): Middleware {
  return async (ctx, next) => {
    const path = decodable(ctx.path.replace(/^\/{2,}/, '/'));
    const routed = parts.contract.route(ctx.method === 'HEAD' ? 'GET' : ctx.method, path); // Ours: HEAD is GET without the body.
    switch (routed.kind) {
      case 'operation':
        return answer(ctx, parts, routed.route, path);
      case 'unknown-method':
        if (ctx.method !== 'OPTIONS') throw new FaultError(methodNotAllowed(ctx.method, ctx.path, routed.allow));
        // Ours: OPTIONS names the contract's methods.
        return answerWith(ctx, success({ status: 204, headers: { Allow: routed.allow.join(', ') } }));
      case 'unknown-path':
        if (path === '/api' || path.startsWith('/api/')) throw new FaultError(unknownPath(ctx.path));
        return next();
    }
  };
}

/** Has the contract make a call of the request, and the operation's handler an answer. The status is the contract's. */
async function answer(ctx: Context, parts: DispatchParts, route: Route, path: string): Promise<void> {
  const exchange = exchangeOf(ctx);
  exchange.route = route;
  const received = await receive(ctx, parts.contract, route, path);
  if (received.kind === 'violations') {
    throw new FaultError({ code: 'invalid-request', detail: received.detail, violations: received.violations });
  }
  exchange.notes = received.notes;
  const { shop, revision } = bindShop(parts);
  const made = await handle(parts, route, received.input, shop);
  exchange.revision = revision();
  answerWith(ctx, success({ ...made, status: route.successStatus }));
}

async function receive(ctx: Context, contract: Contract, route: Route, path: string): Promise<Received> {
  const body = await readBody(ctx, route.bodyTypes);
  return contract.receive(route, { path, query: queryOf(ctx.querystring), body });
}

/** Any operation's handler; that its input is of its operation is what the contract has just made sure of. */
type AnyHandler = (input: RawInput, shop: Shop) => RawAnswer | Promise<RawAnswer>;

interface RawAnswer {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

function handle({ contract, handlers }: DispatchParts, route: Route, input: RawInput, shop: Shop) {
  const handler = handlers[route.operationId];
  return handler === mocked ? contract.example(route) : (handler as AnyHandler)(input, shop);
}

/** A path that decodes: where its escapes are broken, each `%` is taken as written, as in a query. */
function decodable(path: string): string {
  try {
    // Its result is used, since a bundler takes a call whose result isn't for one that does nothing.
    return decodeURIComponent(path) === '' ? '' : path;
  } catch {
    // The only way in which decodeURIComponent fails is a broken escape.
    return path.replaceAll('%', '%25');
  }
}

/** A query by the names in it. Ours: read as browsers do, since terms come unencoded from front ends: `+` is a space, a `%` that starts no escape is taken as written. */
function queryOf(querystring: string): Readonly<Record<string, string | string[]>> {
  if (querystring === '') return {};
  const parameters = new URLSearchParams(querystring);
  const entries = [...new Set(parameters.keys())].map((name) => {
    const values = parameters.getAll(name);
    return [name, values.length > 1 ? values : (values[0] ?? '')] as const;
  });
  return Object.fromEntries(entries);
}
