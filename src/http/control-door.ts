import type { Context, Middleware } from 'koa';
import type { Contract } from '../contract/contract.ts';
import { type ControlAccess, denial } from '../control/access.ts';
import type { ControlParts } from '../control/handler.ts';
import { controlFollowed, controlHandlers } from '../control/handlers.ts';
import type { Followed } from '../control/journal-handlers.ts';
import type { ControlId } from '../control/operation.ts';
import { ControlRefusal } from '../control/refusal.ts';
import { LARGEST_FILE_BYTES } from '../store/new-file.ts';
import { decodable, queryOf } from '../target.ts';
import { readBody, readingUpTo } from './body.ts';
import { answerWith, exchangeOf, success } from './exchange.ts';
import { lastSeen, streamJournal, wantsStream } from './journal-stream.ts';
import { FaultError, methodNotAllowed } from './problem.ts';

/** What control is answered with. */
export interface ControlDoorParts {
  readonly control: ControlParts;
  /** The contract of control, which refuses what it doesn't know. */
  readonly controlContract: Contract;
  readonly controlAccess: ControlAccess;
}

const ROOT = '/_control';
const BELOW = `${ROOT}/`;
const DOCUMENT = '/_control/openapi.yaml';
/** A whole state may be sent. */
const STATES = readingUpTo(LARGEST_FILE_BYTES);
const JSON_ONLY = ['application/json'];

/** What stands below the path of control without being its business. */
const BESIDE = '/_control/health';

/** Whether a path is one of control, which pages of other origins may not read. */
export function isOfControl(path: string): boolean {
  return (path === ROOT || path.startsWith(BELOW)) && path !== BESIDE;
}

/** Answers what QA steers by, to those who may. */
export function controlDoor(parts: ControlDoorParts): Middleware {
  return (ctx, next) => {
    if (!isOfControl(ctx.path)) return next();
    ctx.res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    const { host, origin, authorization } = ctx.headers;
    const denied = denial(parts.controlAccess, { host, origin, authorization });
    if (denied)
      throw new FaultError({
        ...denied,
        ...(denied.code === 'token-wanted' ? { headers: { 'WWW-Authenticate': 'Bearer' } } : {}),
      });
    if (ctx.path === DOCUMENT) return sendDocument(ctx, parts.controlContract);
    return answer(ctx, parts);
  };
}

function sendDocument(ctx: Context, { text }: Contract): void {
  answerWith(ctx, success({ status: 200, headers: { 'Content-Type': 'application/yaml' }, body: text }));
}

/** Who does an operation, whichever it is: its input has passed. */
type Handle<Given> = (input: unknown, parts: ControlParts) => Given;

async function answer(ctx: Context, { control, controlContract }: ControlDoorParts): Promise<void> {
  const path = decodable(ctx.path);
  const routed = controlContract.route(ctx.method, path);
  if (routed.kind === 'unknown-path')
    throw new FaultError({
      code: 'unknown-path',
      detail: `there is nothing at ${ctx.path}: control has ${pathsOf(controlContract)}`,
    });
  if (routed.kind === 'unknown-method') {
    if (ctx.method !== 'OPTIONS') throw new FaultError(methodNotAllowed(ctx.method, ctx.path, routed.allow));
    return answerWith(ctx, success({ status: 204, headers: { Allow: routed.allow.join(', ') } }));
  }
  const { route } = routed;
  const exchange = exchangeOf(ctx);
  exchange.route = route;
  exchange.contract = controlContract;
  refuseForms(ctx);
  const { body, contentType } = await readBody(ctx, Object.keys(route.bodyMedia), STATES);
  const query = queryOf(ctx.querystring);
  const received = controlContract.receive(route, { path, query, headers: ctx.headers, body, contentType });
  if (received.kind === 'violations') {
    throw new FaultError({ code: 'invalid-request', detail: received.detail, violations: received.violations });
  }
  const id = route.operationId as ControlId;
  const followed = controlFollowed[id] as Handle<Followed> | undefined;
  if (followed && wantsStream(ctx)) {
    return follow(ctx, await declining(() => followed(received.input, control)), control);
  }
  const handle = controlHandlers[id] as Handle<unknown>;
  const given = await declining(() => handle(received.input, control));
  exchange.notes = received.notes;
  answerWith(ctx, success({ status: route.successStatus, body: given }));
}

/** Has a client follow a journal. */
function follow(ctx: Context, { journal, after, isMeant }: Followed, { stopping }: ControlParts): void {
  streamJournal(ctx, journal, { after: lastSeen(ctx) ?? after, isMeant, stopping });
}

/** A page of any site can send a form without being asked; JSON it can't. */
function refuseForms({ method, headers }: Context): void {
  if (!['PUT', 'POST'].includes(method) || /^application\/json\b/i.test(headers['content-type'] ?? '')) return;
  const detail = `${method} wants Content-Type: ${JSON_ONLY[0]}, even where nothing is sent: a page of another site can't send that`;
  throw new FaultError({ code: 'unsupported-media-type', detail });
}

function pathsOf({ routes }: Contract): string {
  return [...new Set(routes.map(({ path }) => path)), DOCUMENT].join(', ');
}

/** What is given back, where control doesn't decline. */
async function declining<Given>(task: () => Given): Promise<Awaited<Given>> {
  try {
    return await task();
  } catch (error) {
    throw thrown(error);
  }
}

function thrown(error: unknown): never {
  if (!(error instanceof ControlRefusal)) throw error;
  const violations = error.flaws.map(
    ({ pointer, trouble }) => ({ in: 'body', pointer, rule: 'state', remedy: trouble }) as const,
  );
  throw new FaultError({ code: error.code, detail: error.message, ...(violations.length > 0 ? { violations } : {}) });
}
