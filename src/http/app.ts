import Koa, { type Context, type Middleware } from 'koa';
import { cors, getOriginNotes } from './access-policy.ts';
import { createControlApi } from './control/control-api.ts';
import { readOnly, serveFrontEnd, serveHistoryFallback } from './files.ts';
import type { AppParts, PipelineParts } from './parts.ts';
import { createContractApi } from './pipeline/handle.ts';
import { finishExchange, refuse, runPipeline, startExchange } from './pipeline/pipeline.ts';
import { createHttpRequest } from './pipeline/request.ts';
import { acceptPendingConnections, ResentRequests } from './pipeline/resent-requests.ts';
import { COMMON_HEADERS, setHeaders } from './pipeline/response.ts';
import { getBasePath } from './pipeline/route.ts';
import type { Exchange } from './pipeline/values.ts';
import { createUnknownPath, HttpProblemError } from './problem.ts';
import { logRequest } from './request-log.ts';
import { createRoutes } from './routes.ts';

/** The state of a Koa context. */
interface AppState {
  /** What is known of the request, for its line in the log; undefined for a preflight. */
  exchange?: Exchange;
}

/**
 * Returns the Koa app. A request passes these middlewares, in this order:
 * 1. logging: one line for each request
 * 2. the headers of every response
 * 3. CORS: answers preflights, and lets pages of allowed origins read the responses
 * 4. the APIs: the pipeline (pipeline.ts) handles what the contract or the control API has; errors below become problem documents
 * 5. the fixed routes: page, documents, readiness, problems, images (routes.ts)
 * 6. the files of a built front end, and its own routes
 */
export function createApp(parts: AppParts): Koa<AppState> {
  const { log, static: frontEnd } = parts;
  const basePath = getBasePath(parts.contract);
  const app = new Koa<AppState>();
  app.on('error', (err) => {
    // A client that closes its connection has its line in the log.
    if (!GONE.includes(err.code)) log.error({ err });
  });
  app.use(logging(parts));
  app.use(addHeaders);
  app.use(cors(parts.access));
  app.use(serveApis(parts, basePath));
  app.use(createRoutes(parts));
  if (frontEnd !== undefined)
    app.use(readOnly).use(serveFrontEnd(frontEnd)).use(serveHistoryFallback(frontEnd, basePath));
  return app;
}

/** The errors of a connection that the client has closed. */
const GONE = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

function logging({ log, access }: AppParts): Middleware<AppState> {
  return (ctx, next) => {
    logRequest(log, ctx.req, ctx.res, () => {
      const details = ctx.state.exchange ? toDetails(ctx.state.exchange) : { notes: [] };
      return { ...details, notes: [...details.notes, ...getOriginNotes(access, ctx.req)] };
    });
    return next();
  };
}

const addHeaders: Middleware = (ctx, next) => {
  setHeaders(ctx.res, COMMON_HEADERS);
  return next();
};

/** Serves the contract's API and the control API. What belongs to neither goes on to the next middleware. */
function serveApis(parts: AppParts, basePath: string | undefined): Middleware<AppState> {
  const pipeline: PipelineParts = {
    ...parts,
    basePath,
    apis: { contract: createContractApi(parts), control: createControlApi(parts) },
    resends: new ResentRequests(),
  };
  return async (ctx, next) => {
    const routed = startExchange(pipeline, createHttpRequest(ctx));
    ctx.state.exchange = routed;
    const outcome = await runPipeline(pipeline, routed);
    const exchange = outcome.isPassed ? await passOn(pipeline, ctx, next, outcome) : outcome;
    ctx.state.exchange = exchange;
    if (!exchange.isPassed) ctx.respond = false;
    if (exchange.draft.transport?.connection) await acceptPendingConnections();
    finishExchange(pipeline, exchange, ctx.res);
  };
}

/** Has the next middleware respond to a request. Returns its exchange, with a problem document if nothing is found, or an error occurs. */
async function passOn(
  parts: PipelineParts,
  ctx: Context,
  next: () => Promise<unknown>,
  passed: Exchange,
): Promise<Exchange> {
  const { target, scope } = passed;
  // Without the prefix that names a sandbox.
  if (target) ctx.url = target.location.target;
  if (scope) setHeaders(ctx.res, scope.headers);
  try {
    await next();
    if (ctx.respond === false || ctx.status !== 404) return passed;
    return refuse(parts, passed, new HttpProblemError(createUnknownPath(ctx.path)));
  } catch (error) {
    return refuse(parts, passed, error);
  }
}

function toDetails({ target, scope, draft }: Exchange) {
  const { notes, forced, transport } = draft;
  return {
    operation: target?.route?.operationId,
    sandbox: scope?.isNamed ? scope.sandbox.id : undefined,
    notes: forced?.faults ? [...notes, `faults applied: ${forced.faults.join(', ')}`] : notes,
    isTruncated: transport?.connection !== undefined,
  };
}
