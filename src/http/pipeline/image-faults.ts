import type { Context, Middleware } from 'koa';
import type { FaultWish } from '../../control/operation.ts';
import { errorAnswer, statusProblem } from '../../mock/status-problem.ts';
import { findImageFaultIssue } from '../../mock/unmatched-faults.ts';
import { withOwn } from '../../mock/validate-fault.ts';
import type { Contract } from '../../openapi/contract.ts';
import type { ForcedResponse } from '../../sandbox/faults/combine-faults.ts';
import type { Sandboxes } from '../../sandbox/registry.ts';
import { getPathname, isImagePath, parseQuery } from '../../util/request-target.ts';
import { uriReference } from '../problem.ts';
import { held, leave } from './delay.ts';
import { describeForced } from './faults.ts';
import { respondToFault } from './handle.ts';
import { type ResentRequests, resetResentRequest } from './resent-requests.ts';
import { getExchange } from './response.ts';

/** The parts that apply faults to images. */
export interface ImageFaultParts {
  readonly sandboxes: Sandboxes;
  readonly contract: Contract;
  readonly stopping: AbortSignal;
  readonly resends: ResentRequests;
}

/** The methods that images have. */
const METHODS = ['GET', 'HEAD'];

/** Applies the faults of the sandbox to requests for images, before any folder is looked at. */
export function applyImageFaults(parts: ImageFaultParts): Middleware {
  return async (ctx, next) => {
    if (!METHODS.includes(ctx.method) || !isImagePath(ctx.path)) return next();
    if (resetResentRequest(ctx, parts.resends)) return;
    if (!(await applyFaults(ctx, parts))) await next();
  };
}

/** Applies the faults that match. Returns whether the response is settled, or lost. */
async function applyFaults(ctx: Context, { sandboxes, contract, stopping }: ImageFaultParts): Promise<boolean> {
  const exchange = getExchange(ctx);
  const { faults } = exchange.sandbox ?? sandboxes.default;
  if (!faults.isActive) return false;
  const { method, url, headers } = ctx;
  const asked = { operationId: undefined, method, path: getPathname(url), query: parseQuery(ctx.querystring), headers };
  const forced = faults.meet({ ...asked, body: undefined }, { isChosen: false, canMeet });
  if (!forced) return false;
  const delayMs = forced.delayMs.before + forced.delayMs.after;
  exchange.isOfShop = true;
  exchange.forced = describeForced(undefined, { forced }, delayMs);
  if (!(await held(ctx, delayMs, stopping))) return true;
  const { answer, connection } = forced;
  if (connection) {
    exchange.wire = { connection };
    leave(ctx);
  } else if (answer?.status !== undefined) respondWith(ctx, contract, answer.status, answer);
  return connection !== undefined || answer !== undefined;
}

/** Whether a fault applies to images: it has a path, no operation, and an effect that images can have. */
function canMeet(wish: FaultWish): boolean {
  return wish.operation === undefined && wish.where?.path !== undefined && findImageFaultIssue(wish) === undefined;
}

function respondWith(ctx: Context, contract: Contract, status: number, forced: ForcedResponse): void {
  const instance = uriReference(getExchange(ctx).prefix + ctx.path);
  const { headers } = errorAnswer(contract, METHODS, status);
  const problem = { status, headers, body: { ...statusProblem(status), instance } };
  respondToFault(ctx, withOwn({ responses: [] }, problem, forced), forced);
}
