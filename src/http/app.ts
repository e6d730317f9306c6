import cors from '@koa/cors';
import Koa, { type Context, type Middleware } from 'koa';
import type { Verify } from '../contract/answers.ts';
import type { Problem } from '../contract/operation.ts';
import type { Route } from '../contract/routes.ts';
import { type ControlDoorParts, controlDoor, isOfControl } from './control-door.ts';
import { type DispatchParts, dispatch } from './dispatch.ts';
import { answerWith, exchangeOf, type JsonAnswer, problemAnswer, write } from './exchange.ts';
import { frontEnd, historyFallback, pictures } from './files.ts';
import { breakConnection } from './forcing.ts';
import { type FrontDoorParts, frontDoor } from './front-door.ts';
import { inSandbox } from './in-sandbox.ts';
import { recordOnce, sentAnswer } from './journaling.ts';
import { type Log, logRequest } from './log.ts';
import { FaultError, faultOf, internalError, unknownPath } from './problem.ts';
import type { ReadyAnswers } from './ready-answers.ts';

/** What the app is made of. */
export interface AppParts extends DispatchParts, FrontDoorParts, ControlDoorParts {
  readonly ready: ReadyAnswers;
  readonly log: Log;
  /** What is done with an answer that breaks the contract: told of in the log, refused as a fault of the server, or let through unseen. */
  readonly verify: Verify;
  /** Whether an operation is the shop's own: no properties are allowed in its answers but those of the contract. */
  readonly isOurs: (route: Route) => boolean;
  /** The folder of the pictures. */
  readonly images: string;
}

/**
 * The Koa app. A request passes, in this order:
 * 1. a line of log, and the fixed headers, which every answer carries
 * 2. CORS: answers preflights, lets any origin read everything else, errors too
 * 3. answering: writes the answer that was settled below, keeps its bytes where they stay right until the state changes, and puts all of it into the journal
 * 4. verifying: holds the answer of an operation against the contract
 * 5. problems: turns what is thrown below into problem documents
 * 6. control, what QA steers by
 * 7. the sandbox that it names, which is said back
 * 8. the operations of the contract, and all else below /api
 * 9. the front door: the page at /, the contract, readiness, the pages of problems
 * 10. files: a built front end, the pictures, the front end's own routes
 */
export function createApp(parts: AppParts): Koa {
  const { log } = parts;
  const app = new Koa();
  app.on('error', (err) => {
    // A client that breaks off is told of in its line.
    if (!GONE.includes(err.code)) log.error({ err });
  });
  app.use(logging(parts));
  app.use(fixedHeaders);
  app.use(openToAll());
  app.use(answering(parts));
  app.use(verifying(parts));
  app.use(problems(parts));
  app.use(controlDoor(parts));
  app.use(inSandbox(parts));
  app.use(dispatch(parts));
  app.use(frontDoor(parts));
  if (parts.static !== undefined) app.use(frontEnd(parts.static));
  app.use(pictures(parts.images));
  if (parts.static !== undefined) app.use(historyFallback(parts.static));
  return app;
}

/** What a connection ends with whose client has broken off. */
const GONE = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

function logging({ log }: AppParts): Middleware {
  return (ctx, next) => {
    logRequest(log, ctx.req, ctx.res, () => {
      const { route, sandbox, notes, wire, forced } = exchangeOf(ctx);
      return {
        operation: route?.operationId,
        sandbox: sandbox?.id,
        notes: forced?.faults ? [...notes, `forced by ${forced.faults.join(', ')}`] : notes,
        isCut: wire?.connection !== undefined,
      };
    });
    return next();
  };
}

const fixedHeaders: Middleware = (ctx, next) => {
  ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
  ctx.res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  return next();
};

/** How long a browser may remember a preflight, in seconds; browsers cap it at 2 to 24 hours. */
const PREFLIGHT_SECONDS = 86_400;

/** Methods that a preflight allows, beside the one that it asks for. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Headers that scripts of other origins may read. */
const EXPOSED = ['Location', 'Allow', 'Retry-After', 'Preference-Applied', 'X-Mocked', 'X-Sandbox'];

/** Ours: every origin may ask. It is named rather than `*`, since front ends that send credentials would be refused with that; the shop has none to protect. */
function openToAll(): Middleware {
  const answerTo = cors({
    origin: (ctx) => ctx.get('Origin'),
    credentials: true,
    exposeHeaders: EXPOSED,
    maxAge: PREFLIGHT_SECONDS,
  });
  return async (ctx, next) => {
    // No page of another origin may steer.
    if (isOfControl(ctx.path)) return next();
    await answerTo(ctx, next);
    const method = ctx.get('Access-Control-Request-Method');
    if (ctx.method !== 'OPTIONS' || method === '') return;
    // A preflight: what it asks for is allowed, whatever it is. The answer to it depends on that.
    ctx.vary(['Access-Control-Request-Headers', 'Access-Control-Request-Method']);
    const methods = METHODS.includes(method) ? METHODS : [...METHODS, method];
    ctx.set({ 'Access-Control-Allow-Methods': methods.join(), 'Cache-Control': 'no-store' });
  };
}

function answering({ ready, log, sandboxes }: AppParts): Middleware {
  return async (ctx, next) => {
    const exchange = exchangeOf(ctx);
    await next();
    const { answer, sandbox = sandboxes.default, isOfShop, wire } = exchange;
    if (answer) ctx.respond = false;
    const isReset = wire?.connection?.kind === 'reset';
    if (isReset) breakConnection(ctx.res);
    // Who has gone meanwhile gets nothing either.
    const text = isReset || ctx.req.socket.destroyed ? undefined : answer && written(ctx, answer, log);
    if (isOfShop) recordOnce(sandbox.journal, ctx, text);
    if (text !== undefined) keep(ctx, ready, text);
  };
}

/** Keeps an answer's bytes, where the next request would be answered the same. */
function keep(ctx: Context, ready: ReadyAnswers, text: string): void {
  const { answer, route, revision, notes } = exchangeOf(ctx);
  // What was noted of a request is to be noted of the next one too.
  if (!answer || route === undefined || revision === undefined || answer.status !== 200 || notes.length > 0) return;
  ready.keep(ctx.req, revision, () => ({
    operationId: route.operationId,
    // As a list, which Node writes out faster.
    headers: Object.entries(ctx.res.getHeaders()).flatMap(([name, value = '']) => [name, value]),
    bytes: Buffer.from(text),
    sent: sentAnswer(answer, text),
  }));
}

/** Writes an answer; one that can't be written, as a team's own handler may give, is a fault of the server. */
function written(ctx: Context, answer: JsonAnswer, log: Log): string | undefined {
  try {
    return write(ctx, answer);
  } catch (err) {
    log.error({ err, method: ctx.method, path: ctx.path });
    for (const name of Object.keys(answer.headers)) ctx.res.removeHeader(name);
    const problem = problemAnswer(internalError, ctx.path);
    answerWith(ctx, problem);
    return write(ctx, problem);
  }
}

function verifying({ contract, verify, isOurs, log }: AppParts): Middleware {
  if (verify === 'off') return (_ctx, next) => next();
  return async (ctx, next) => {
    await next();
    const { route, answer, contract: other } = exchangeOf(ctx);
    if (!route || !answer) return;
    const breaches = (other ?? contract).verify(route, answer, { closed: other !== undefined || isOurs(route) });
    if (breaches.length === 0) return;
    // It is told of each time.
    const exchange = exchangeOf(ctx);
    exchange.revision = undefined;
    exchange.breaches = breaches.map(({ said }) => said);
    const { operationId } = route;
    log.error({ operation: operationId, status: answer.status, breaches }, 'an answer breaks the contract');
    // A fault of ours has said what it is.
    if (verify === 'strict' && !isInternalError(answer)) {
      const said = exchange.breaches.join('; ');
      const detail = `the answer to ${operationId} with status ${answer.status} breaks the contract: ${said}`;
      answerWith(ctx, problemAnswer({ code: 'internal-error', detail }, ctx.path));
    }
  };
}

function isInternalError({ status, body }: JsonAnswer): boolean {
  return status === 500 && (body as Partial<Problem> | undefined)?.type === `/problems/${internalError.code}`;
}

function problems({ log }: AppParts): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.respond !== false && ctx.status === 404 && !exchangeOf(ctx).answer)
        throw new FaultError(unknownPath(ctx.path));
    } catch (thrown) {
      const fault = faultOf(thrown);
      if (!fault || fault.code === 'unavailable') log.error({ err: thrown, method: ctx.method, path: ctx.path });
      const exchange = exchangeOf(ctx);
      exchange.notes = [...exchange.notes, (fault ?? internalError).detail];
      exchange.violations = fault?.violations;
      answerWith(ctx, problemAnswer(fault ?? internalError, exchange.prefix + ctx.path));
    }
  };
}
