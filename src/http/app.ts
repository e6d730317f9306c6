import Koa, { type Context, type Middleware } from 'koa';
import type { Route } from '../openapi/routes.ts';
import type { VerifyMode } from '../openapi/verify-response.ts';
import type { Problem } from '../shop/types.ts';
import { type ControlApiParts, serveControlApi } from './control/control-api.ts';
import { type AccessParts, cors, refuseForeign } from './cors.ts';
import { serveFrontEnd, serveHistoryFallback, serveImages } from './files.ts';
import { type PagesParts, servePages } from './pages.ts';
import { resetConnection } from './pipeline/faults.ts';
import { applyImageFaults } from './pipeline/image-faults.ts';
import { type DispatchParts, dispatch } from './pipeline/pipeline.ts';
import { recordRequest, toJournalResponse } from './pipeline/record.ts';
import { ResentRequests } from './pipeline/resent-requests.ts';
import {
  createProblemResponse,
  getExchange,
  type ResponseData,
  setResponse,
  writeResponse,
} from './pipeline/response.ts';
import { selectSandbox } from './pipeline/sandbox.ts';
import { createUnknownPath, HttpProblemError, internalError, toHttpProblem } from './problem.ts';
import { type Log, logRequest } from './request-log.ts';
import type { ResponseCache } from './response-cache.ts';

/** What the app is made of. */
export interface AppParts extends Omit<DispatchParts, 'resends'>, PagesParts, ControlApiParts, AccessParts {
  readonly ready: ResponseCache;
  readonly log: Log;
  /** What is done with an answer that breaks the contract: told of in the log, refused as a fault of the server, or let through unseen. */
  readonly verify: VerifyMode;
  /** Whether an operation is the shop's own: no properties are allowed in its answers but those of the contract. */
  readonly isOurs: (route: Route) => boolean;
  /** The folder of the images. */
  readonly images: string;
}

/**
 * The Koa app. A request passes, in this order:
 * 1. a line of log, and the fixed headers, which every answer carries
 * 2. CORS: answers preflights, lets pages of allowed origins read everything else, errors too
 * 3. answering: writes the answer that was settled below, keeps its bytes where they stay right until the state changes, and puts all of it into the journal
 * 4. verifying: holds the answer of an operation against the contract
 * 5. problems: turns what is thrown below into problem documents
 * 6. access: refuses unknown hosts, and changes by pages of foreign origins
 * 7. control, what QA steers by
 * 8. sandbox: selects the sandbox that the request names, and names it in the response
 * 9. the operations of the contract, and all else below /api
 * 10. the front door: the page at /, the contract, readiness, the pages of problems
 * 11. the faults of images
 * 12. files: a built front end, the images, the front end's own routes
 */
export function createApp(parts: AppParts): Koa {
  const { log } = parts;
  const resends = new ResentRequests();
  const app = new Koa();
  app.on('error', (err) => {
    // A client that breaks off is told of in its line.
    if (!GONE.includes(err.code)) log.error({ err });
  });
  app.use(logging(parts));
  app.use(fixedHeaders);
  app.use(cors(parts));
  app.use(answering(parts, resends));
  app.use(verifying(parts));
  app.use(problems(parts));
  app.use(refuseForeign(parts));
  app.use(serveControlApi(parts));
  app.use(selectSandbox(parts));
  app.use(dispatch({ ...parts, resends }));
  app.use(servePages(parts));
  app.use(applyImageFaults({ ...parts, resends }));
  if (parts.static !== undefined) app.use(serveFrontEnd(parts.static));
  app.use(serveImages(parts.images));
  if (parts.static !== undefined) app.use(serveHistoryFallback(parts.static));
  return app;
}

/** What a connection ends with whose client has broken off. */
const GONE = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

function logging({ log }: AppParts): Middleware {
  return (ctx, next) => {
    logRequest(log, ctx.req, ctx.res, () => {
      const { route, sandbox, notes, wire, forced } = getExchange(ctx);
      return {
        operation: route?.operationId,
        sandbox: sandbox?.id,
        notes: forced?.faults ? [...notes, `forced by ${forced.faults.join(', ')}`] : notes,
        isTruncated: wire?.connection !== undefined,
      };
    });
    return next();
  };
}

const fixedHeaders: Middleware = (ctx, next) => {
  ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
  // Pages of other origins read responses through CORS alone; images are opened to them where they are sent.
  ctx.res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  return next();
};

function answering({ ready, log, sandboxes }: AppParts, resends: ResentRequests): Middleware {
  return async (ctx, next) => {
    const exchange = getExchange(ctx);
    await next();
    const { answer, sandbox = sandboxes.default, isOfShop, wire } = exchange;
    if (answer) ctx.respond = false;
    const isReset = wire?.connection?.kind === 'reset';
    const isEmpty = answer?.body === undefined || ctx.method === 'HEAD';
    // A response without a body can't be cut: it doesn't come.
    if (isReset || (wire?.connection && isEmpty)) resends.remember(ctx);
    if (isReset) resetConnection(ctx.res);
    // Who has gone meanwhile gets nothing either.
    const text = isReset || ctx.req.socket.destroyed ? undefined : answer && written(ctx, answer, log);
    if (isOfShop) recordRequest(sandbox.journal, ctx, text);
    if (text !== undefined) keep(ctx, ready, text);
  };
}

/** Keeps an answer's bytes, where the next request would be answered the same. */
function keep(ctx: Context, ready: ResponseCache, text: string): void {
  const { answer, route, revision, notes } = getExchange(ctx);
  // What was noted of a request is to be noted of the next one too.
  if (!answer || route === undefined || revision === undefined || answer.status !== 200 || notes.length > 0) return;
  ready.keep(ctx.req, revision, () => ({
    operationId: route.operationId,
    // As a list, which Node writes out faster.
    headers: Object.entries(ctx.res.getHeaders()).flatMap(([name, value = '']) => [name, value]),
    bytes: Buffer.from(text),
    sent: toJournalResponse(answer, text),
  }));
}

/** Writes an answer; one that can't be written, as a team's own handler may give, is a fault of the server. */
function written(ctx: Context, answer: ResponseData, log: Log): string | undefined {
  try {
    return writeResponse(ctx, answer);
  } catch (err) {
    log.error({ err, method: ctx.method, path: ctx.path });
    for (const name of Object.keys(answer.headers)) ctx.res.removeHeader(name);
    const problem = createProblemResponse(internalError, ctx.path);
    setResponse(ctx, problem);
    return writeResponse(ctx, problem);
  }
}

function verifying({ contract, verify, isOurs, log }: AppParts): Middleware {
  if (verify === 'off') return (_ctx, next) => next();
  return async (ctx, next) => {
    await next();
    const { route, answer, contract: other, forced } = getExchange(ctx);
    // A response that a fault injects is none of the handler's.
    const isInjected = forced?.faults !== undefined && (forced.status ?? forced.example) !== undefined;
    if (!route || !answer || isInjected) return;
    const responseViolations = (other ?? contract).verify(route, answer, {
      closed: other !== undefined || isOurs(route),
    });
    if (responseViolations.length === 0) return;
    // It is told of each time.
    const exchange = getExchange(ctx);
    exchange.revision = undefined;
    exchange.responseViolations = responseViolations.map(({ message: said }) => said);
    const { operationId } = route;
    log.error({ operation: operationId, status: answer.status, responseViolations }, 'an answer breaks the contract');
    // A fault of ours has said what it is.
    if (verify === 'strict' && !isInternalError(answer)) {
      const said = exchange.responseViolations.join('; ');
      const detail = `the answer to ${operationId} with status ${answer.status} breaks the contract: ${said}`;
      setResponse(ctx, createProblemResponse({ code: 'internal-error', detail }, ctx.path));
    }
  };
}

function isInternalError({ status, body }: ResponseData): boolean {
  return status === 500 && (body as Partial<Problem> | undefined)?.type === `/problems/${internalError.code}`;
}

function problems({ log }: AppParts): Middleware {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.respond !== false && ctx.status === 404 && !getExchange(ctx).answer)
        throw new HttpProblemError(createUnknownPath(ctx.path));
    } catch (thrown) {
      const fault = toHttpProblem(thrown);
      // A disk that fails would fail with each request: the store logs it once.
      if (!fault || fault.code === internalError.code)
        log.error({ err: thrown, method: ctx.method, path: ctx.path }, fault?.detail);
      const exchange = getExchange(ctx);
      exchange.notes = [...exchange.notes, (fault ?? internalError).detail];
      exchange.violations = fault?.violations;
      setResponse(ctx, createProblemResponse(fault ?? internalError, exchange.prefix + ctx.path));
    }
  };
}
