import type { Context, Middleware } from 'koa';
import type { Contract } from '../../openapi/contract.ts';
import type { Route } from '../../openapi/routes.ts';
import type { MatchableRequest } from '../../sandbox/matcher/request-matcher.ts';
import type { Sandboxes } from '../../sandbox/registry.ts';
import { getPathname, isFormType, parseQuery, toDecodablePath } from '../../util/request-target.ts';
import { createMethodNotAllowed, createUnknownPath, HttpProblemError } from '../problem.ts';
import { readBody } from './body.ts';
import { held, leave } from './delay.ts';
import { type AppliedFaults, applyFaults } from './faults.ts';
import { type RespondParts, respondToOperation } from './handle.ts';
import { parsePreferences } from './preferences.ts';
import { type ResentRequests, resetResentRequest } from './resent-requests.ts';
import { createResponse, type Exchange, getExchange, setResponse } from './response.ts';

/** What requests to the contract's operations are answered with. */
export interface DispatchParts extends RespondParts {
  readonly sandboxes: Sandboxes;
  /** How long each answer waits, in ms; undefined where none does. */
  readonly delayMs: (() => number) | undefined;
  /** Ends what waits once the server stops. */
  readonly stopping: AbortSignal;
  readonly resends: ResentRequests;
}

/** Answers what the contract has a path for, and refuses what lies below /api beside it. */
export function dispatch(parts: DispatchParts): Middleware {
  return (ctx, next) => {
    const path = toDecodablePath(getPathname(ctx.path));
    const routed = parts.contract.route(ctx.method, path);
    const isBelowApi = path === '/api' || path.startsWith('/api/');
    getExchange(ctx).isOfShop = routed.kind !== 'unknown-path' || isBelowApi;
    switch (routed.kind) {
      case 'operation':
        return answer(ctx, parts, routed.route, path);
      case 'unknown-method':
        if (ctx.method !== 'OPTIONS')
          throw new HttpProblemError(createMethodNotAllowed(ctx.method, ctx.path, routed.allow));
        // Ours: OPTIONS names the contract's methods.
        return setResponse(ctx, createResponse({ status: 204, headers: { Allow: routed.allow.join(', ') } }));
      case 'unknown-path':
        if (isBelowApi) throw new HttpProblemError(createUnknownPath(ctx.path));
        return next();
    }
  };
}

/** Has the contract make a call of the request, and the operation's handler or the mock an answer, as it is forced to be. */
async function answer(ctx: Context, parts: DispatchParts, route: Route, path: string): Promise<void> {
  const exchange = getExchange(ctx);
  exchange.route = route;
  const waitedMs = parts.delayMs?.() ?? 0;
  if (waitedMs > 0) exchange.forced = { delayMs: waitedMs };
  const understood = understand(ctx, parts.contract, route, path);
  if (waitedMs > 0) await understood.catch(() => {}).then(() => held(ctx, waitedMs, parts.stopping));
  const { preferences, query, received } = await understood;
  if (ctx.req.socket.destroyed) return leave(ctx);
  if (resetResentRequest(ctx, parts.resends)) return;
  if (received.kind === 'violations') {
    throw new HttpProblemError({ code: 'invalid-request', detail: received.detail, violations: received.violations });
  }
  exchange.notes = received.notes;
  const sandbox = exchange.sandbox ?? parts.sandboxes.default;
  const { input } = received;
  const asked = () => askedBy(ctx, { route, query, body: input.body });
  const forcing = applyFaults(sandbox, asked, { route, preferences, waitedMs });
  const call = { route, sandbox, input, preferences, forcing };
  if (!forcing.told) {
    await respondToOperation(ctx, parts, call);
    return;
  }
  force(exchange, forcing);
  // Who has gone meanwhile is answered nothing, and nothing is done for them.
  if (!(await held(ctx, forcing.delayMs.before, parts.stopping))) return;
  if (forcing.isLost) return leave(ctx);
  try {
    await respondToOperation(ctx, parts, call);
  } finally {
    await held(ctx, forcing.delayMs.after, parts.stopping);
  }
}

/** What a request prefers, and what the contract makes of it. */
async function understand(ctx: Context, contract: Contract, route: Route, path: string) {
  const { preferences, query } = parsePreferences(ctx.get('Prefer') || undefined, parseQuery(ctx.querystring));
  const { body, contentType } = await readBody(ctx, Object.keys(route.bodyMedia));
  const received = contract.receive(route, { path, query, headers: ctx.headers, body, contentType });
  return { preferences, query, received };
}

/** What of a request conditions look at; a form as the texts that it is of, as the journal has it. */
function askedBy(
  ctx: Context,
  { route, query, body }: Pick<MatchableRequest, 'query' | 'body'> & { readonly route: Route },
): MatchableRequest {
  const { method, url, headers } = ctx;
  const { sent = '' } = getExchange(ctx);
  const isOfTexts = isFormType(headers['content-type']);
  const seen = { body: isOfTexts ? parseQuery(sent) : body, isForm: isOfTexts };
  return { operationId: route.operationId, method, path: getPathname(url), query, headers, ...seen };
}

function force(exchange: Exchange, { forced, told }: AppliedFaults): void {
  if (told) exchange.forced = told;
  if (!forced) return;
  const { connection, bodyDurationMs } = forced;
  if (connection) exchange.wire = { connection };
  else if (bodyDurationMs !== undefined) exchange.wire = { bodyDurationMs };
}
