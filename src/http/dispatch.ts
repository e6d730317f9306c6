import { setTimeout as wait } from 'node:timers/promises';
import type { Context, Middleware } from 'koa';
import type { Contract } from '../contract/contract.ts';
import type { Route } from '../contract/routes.ts';
import type { Asked } from '../sandboxes/condition.ts';
import type { Sandboxes } from '../sandboxes/registry.ts';
import { decodable, isForm, pathIn, queryOf } from '../target.ts';
import { readBody } from './body.ts';
import { answerWith, type Exchange, exchangeOf, success } from './exchange.ts';
import { type Forcing, forcingOf } from './forcing.ts';
import { preferencesOf } from './preferences.ts';
import { FaultError, methodNotAllowed, unknownPath } from './problem.ts';
import { type SettlingParts, settle } from './settling.ts';

/** What requests to the contract's operations are answered with. */
export interface DispatchParts extends SettlingParts {
  readonly sandboxes: Sandboxes;
  readonly contract: Contract;
  /** How long each answer waits, in ms; undefined where none does. */
  readonly delayMs: (() => number) | undefined;
  /** Ends what waits once the server stops. */
  readonly stopping: AbortSignal;
}

/** Answers what the contract has a path for, and refuses what lies below /api beside it. */
export function dispatch(parts: DispatchParts): Middleware {
  return (ctx, next) => {
    const path = decodable(pathIn(ctx.path));
    const routed = parts.contract.route(ctx.method, path);
    const isBelowApi = path === '/api' || path.startsWith('/api/');
    exchangeOf(ctx).isOfShop = routed.kind !== 'unknown-path' || isBelowApi;
    switch (routed.kind) {
      case 'operation':
        return answer(ctx, parts, routed.route, path);
      case 'unknown-method':
        if (ctx.method !== 'OPTIONS') throw new FaultError(methodNotAllowed(ctx.method, ctx.path, routed.allow));
        // Ours: OPTIONS names the contract's methods.
        return answerWith(ctx, success({ status: 204, headers: { Allow: routed.allow.join(', ') } }));
      case 'unknown-path':
        if (isBelowApi) throw new FaultError(unknownPath(ctx.path));
        return next();
    }
  };
}

/** Has the contract make a call of the request, and the operation's handler or the mock an answer, as it is forced to be. */
async function answer(ctx: Context, parts: DispatchParts, route: Route, path: string): Promise<void> {
  const exchange = exchangeOf(ctx);
  exchange.route = route;
  const waitedMs = parts.delayMs?.() ?? 0;
  if (waitedMs > 0) exchange.forced = { delayMs: waitedMs };
  const understood = understand(ctx, parts.contract, route, path);
  if (waitedMs > 0) await understood.catch(() => {}).then(() => held(ctx, waitedMs, parts.stopping));
  const { preferences, query, received } = await understood;
  if (ctx.req.socket.destroyed) return leave(ctx);
  if (received.kind === 'violations') {
    throw new FaultError({ code: 'invalid-request', detail: received.detail, violations: received.violations });
  }
  exchange.notes = received.notes;
  const sandbox = exchange.sandbox ?? parts.sandboxes.default;
  const { input } = received;
  const asked = () => askedBy(ctx, { route, query, body: input.body });
  const forcing = forcingOf(sandbox, asked, { route, preferences, waitedMs });
  const call = { route, sandbox, input, preferences, forcing };
  if (!forcing.told) {
    await settle(ctx, parts, call);
    return;
  }
  force(exchange, forcing);
  // Who has gone meanwhile is answered nothing, and nothing is done for them.
  if (!(await held(ctx, forcing.delayMs.before, parts.stopping))) return;
  if (forcing.isLost) return leave(ctx);
  try {
    await settle(ctx, parts, call);
  } finally {
    await held(ctx, forcing.delayMs.after, parts.stopping);
  }
}

/** What a request prefers, and what the contract makes of it. */
async function understand(ctx: Context, contract: Contract, route: Route, path: string) {
  const { preferences, query } = preferencesOf(ctx.get('Prefer') || undefined, queryOf(ctx.querystring));
  const { body, contentType } = await readBody(ctx, Object.keys(route.bodyMedia));
  const received = contract.receive(route, { path, query, headers: ctx.headers, body, contentType });
  return { preferences, query, received };
}

/** What of a request conditions look at; a form as the texts that it is of, as the journal has it. */
function askedBy(
  ctx: Context,
  { route, query, body }: Pick<Asked, 'query' | 'body'> & { readonly route: Route },
): Asked {
  const { method, url, headers } = ctx;
  const { sent = '' } = exchangeOf(ctx);
  const isOfTexts = isForm(headers['content-type']);
  const seen = { body: isOfTexts ? queryOf(sent) : body, isForm: isOfTexts };
  return { operationId: route.operationId, method, path: pathIn(url), query, headers, ...seen };
}

function force(exchange: Exchange, { forced, told }: Forcing): void {
  if (told) exchange.forced = told;
  if (!forced) return;
  const { connection, slowMs } = forced;
  if (connection) exchange.wire = { connection };
  else if (slowMs !== undefined) exchange.wire = { slowMs };
}

/** Answers nothing. */
function leave(ctx: Context): void {
  ctx.respond = false;
}

/** Waits so many ms, no longer than the server runs; whether the client is there still. */
async function held(ctx: Context, delayMs: number, stopping: AbortSignal): Promise<boolean> {
  if (delayMs === 0) return true;
  const { req, res } = ctx;
  const over = new AbortController();
  const end = () => over.abort();
  res.once('close', end);
  stopping.addEventListener('abort', end);
  if (stopping.aborted) end();
  await wait(delayMs, undefined, { signal: over.signal, ref: false }).catch(() => {});
  stopping.removeEventListener('abort', end);
  if (!req.socket.destroyed) return true;
  leave(ctx);
  return false;
}
