import type { Context, Middleware } from 'koa';
import { type ControlAccess, checkAccess } from '../control/access.ts';
import type { ControlParts } from '../control/handler.ts';
import { controlFollowed, controlHandlers } from '../control/handlers.ts';
import type { FollowedRequests } from '../control/journal-handlers.ts';
import type { ControlId } from '../control/operation.ts';
import { ControlProblemError } from '../control/refusal.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import { parseQuery, toDecodablePath } from '../util/request-target.ts';
import { createBodyOptions, hasBody, MAX_BODY_BYTES, readBody, receiveText } from './body.ts';
import { createResponse, getExchange, setResponse } from './exchange.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from './gate.ts';
import { acceptsEventStream, getLastEventId, streamJournal } from './journal-stream.ts';
import { yamlTypeFor } from './pages.ts';
import { createMethodNotAllowed, HttpProblemError } from './problem.ts';
import { tellExpired } from './select-sandbox.ts';

/** What control is answered with. */
export interface ControlApiParts {
  readonly control: ControlParts;
  /** The contract of control, which refuses what it doesn't know. */
  readonly controlContract: Contract;
  readonly controlAccess: ControlAccess;
}

const ROOT = '/_control';
const BELOW = `${ROOT}/`;
const DOCUMENT = '/_control/openapi.yaml';

/** How long a state may be that is sent, in bytes: parsing 16 MB takes about 100 ms, in which nothing else is handled. */
const LARGEST_STATE_BYTES = 16 * 1024 * 1024;
const STATES = createBodyOptions(LARGEST_STATE_BYTES);
const OTHERS = createBodyOptions(MAX_BODY_BYTES);

/** How many large bodies are received at once: together they take up to 256 MB. A slow client holds one place for up to 30 s. */
const LARGE_BODIES_RECEIVED = 16;

/** How many requests with large bodies are handled at once, once they are received: each takes some 100 MB meanwhile. */
const LARGE_BODIES_HANDLED = 2;

const JSON_ONLY = 'application/json';

/** What stands below the path of control without being its business. */
const BESIDE = '/_control/health';

/** Whether a path is one of control, which pages of other origins may not read. */
export function isControlPath(path: string): boolean {
  return (path === ROOT || path.startsWith(BELOW)) && path !== BESIDE;
}

/** How many large bodies are received, and how many handled, at once. */
interface LargeBodyLimits {
  readonly receive: ConcurrencyLimit;
  readonly handle: ConcurrencyLimit;
}

/** Answers what QA steers by, to those who may. */
export function serveControlApi(parts: ControlApiParts): Middleware {
  const limits: LargeBodyLimits = {
    receive: createConcurrencyLimit(LARGE_BODIES_RECEIVED),
    handle: createConcurrencyLimit(LARGE_BODIES_HANDLED),
  };
  return (ctx, next) => {
    if (!isControlPath(ctx.path)) return next();
    const { host, origin, authorization } = ctx.headers;
    const denied = checkAccess(parts.controlAccess, { host, origin, authorization });
    if (denied)
      throw new HttpProblemError({
        ...denied,
        ...(denied.code === 'token-required' ? { headers: { 'WWW-Authenticate': 'Bearer' } } : {}),
      });
    if (ctx.path === DOCUMENT) return sendDocument(ctx, parts.controlContract);
    return answer(ctx, parts, limits);
  };
}

function sendDocument(ctx: Context, { text }: Contract): void {
  setResponse(ctx, createResponse({ status: 200, headers: { 'Content-Type': yamlTypeFor(ctx) }, body: text }));
}

/** Who does an operation, whichever it is: its input has passed. */
type Handle<Given> = (input: unknown, parts: ControlParts) => Given;

async function answer(
  ctx: Context,
  { control, controlContract }: ControlApiParts,
  limits: LargeBodyLimits,
): Promise<void> {
  const path = toDecodablePath(ctx.path);
  const routed = controlContract.route(ctx.method, path);
  if (routed.kind === 'unknown-path')
    throw new HttpProblemError({
      code: 'unknown-path',
      detail: `there is nothing at ${ctx.path}: control has ${pathsOf(controlContract)}`,
    });
  if (routed.kind === 'unknown-method') {
    if (ctx.method !== 'OPTIONS')
      throw new HttpProblemError(createMethodNotAllowed(ctx.method, ctx.path, routed.allow));
    return setResponse(ctx, createResponse({ status: 204, headers: { Allow: routed.allow.join(', ') } }));
  }
  const { route } = routed;
  const exchange = getExchange(ctx);
  exchange.route = route;
  exchange.contract = controlContract;
  refuseForms(ctx);
  const handling = () => handled(ctx, { control, controlContract }, route, path);
  if (!takesState(route) || !isLarge(ctx)) return handling();
  await limits.receive(() => receiveLarge(ctx));
  await limits.handle(handling);
}

function takesState({ operationId }: Route): boolean {
  return operationId === ('putState' satisfies ControlId);
}

/** Whether a request has, or may have, a larger body than most. */
function isLarge({ headers }: Context): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;
}

/** Receives the text of a large body, unless the client has gone while the request waited. */
async function receiveLarge(ctx: Context): Promise<void> {
  if (!ctx.req.destroyed) await receiveText(ctx, STATES);
}

/** Handles a request for an operation. */
async function handled(
  ctx: Context,
  { control, controlContract }: Pick<ControlApiParts, 'control' | 'controlContract'>,
  route: Route,
  path: string,
): Promise<void> {
  // The client may have gone while the request waited.
  if (ctx.req.socket.destroyed) {
    ctx.respond = false;
    return;
  }
  const exchange = getExchange(ctx);
  const reading = takesState(route) ? STATES : OTHERS;
  const { body, contentType } = await readBody(ctx, Object.keys(route.bodyMedia), reading);
  const query = parseQuery(ctx.querystring);
  const received = controlContract.receive(route, {
    path,
    query,
    headers: ctx.headers,
    body,
    contentType,
    isLarge: (exchange.sent?.length ?? 0) > MAX_BODY_BYTES,
  });
  if (received.kind === 'violations') {
    throw new HttpProblemError({ code: 'invalid-request', detail: received.detail, violations: received.violations });
  }
  const { id: sandboxId } = received.input.path;
  if (sandboxId !== undefined) tellExpired(ctx, control.sandboxes, sandboxId);
  const id = route.operationId as ControlId;
  const followed = controlFollowed[id] as Handle<FollowedRequests> | undefined;
  if (followed && acceptsEventStream(ctx)) {
    return follow(ctx, await declining(() => followed(received.input, control)), control);
  }
  const handle = controlHandlers[id] as Handle<unknown>;
  const given = await declining(() => handle(received.input, control));
  exchange.notes = received.notes;
  setResponse(ctx, createResponse({ status: route.successStatus, body: given }));
}

/** Has a client follow a journal. */
function follow(ctx: Context, { journal, after, isMeant }: FollowedRequests, { stopping }: ControlParts): void {
  streamJournal(ctx, journal, { after: getLastEventId(ctx) ?? after, isMeant, stopping });
}

/** A page of any site can send a form; JSON it can't. A request without a body has its `Origin` alone to tell where it comes from. */
function refuseForms({ method, headers }: Context): void {
  const contentType = headers['content-type'];
  if (!['PUT', 'POST'].includes(method) || !hasBody(headers)) return;
  if (/^application\/json\b/i.test(contentType ?? '')) return;
  const seen =
    contentType === undefined ? 'the body has no content type' : `the content type is ${JSON.stringify(contentType)}`;
  throw new HttpProblemError({
    code: 'unsupported-media-type',
    detail: `${seen}: send JSON with Content-Type ${JSON_ONLY}`,
  });
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
  if (!(error instanceof ControlProblemError)) throw error;
  const violations = error.flaws.map(
    ({ pointer, trouble }) => ({ in: 'body', pointer, rule: 'state', remedy: trouble }) as const,
  );
  throw new HttpProblemError({
    code: error.code,
    detail: error.message,
    ...(violations.length > 0 ? { violations } : {}),
  });
}
