import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import Koa, { type Context, type Middleware } from 'koa';
import type { AccessPolicy } from './access-policy.ts';
import { createControlApi } from './control/control-api.ts';
import { cors, getCorsHeaders, getOriginNotes } from './cors.ts';
import { readOnly, serveFrontEnd, serveHistoryFallback } from './files.ts';
import type { MeasuredResponse } from './metrics.ts';
import type { AppParts, ServedContract, ServerParts } from './parts.ts';
import { createContractApi } from './pipeline/handle.ts';
import { finishExchange, refuse, runPipeline, startExchange } from './pipeline/pipeline.ts';
import { sendPlainResponse } from './pipeline/plain-response.ts';
import { createHttpRequest } from './pipeline/request.ts';
import { setHeaders } from './pipeline/response.ts';
import { acceptPendingConnections, RetryDetector } from './pipeline/retry-detector.ts';
import { getBasePaths } from './pipeline/route.ts';
import { type Exchange, getPath } from './pipeline/values.ts';
import { createUnknownPath, HttpProblemError } from './problem.ts';
import { logRequest } from './record.ts';
import { createResponseCache } from './response-cache.ts';
import { COMMON_HEADERS, NO_HEADERS } from './response-headers.ts';
import { createRoutes } from './routes.ts';

/**
 * Creates the request listener of a Node server for one version of the contract. The listener sends cached responses itself. It runs the pipeline (validate,
 * handle, respond, record) for requests to the contract's API and to the control API. It passes all other requests, such as requests for pages and files, to
 * the Koa app. The pipeline does not use Koa: creating a Koa context takes half as long as running the whole pipeline.
 */
export function createRequestListener(server: ServerParts, served: ServedContract): RequestListener {
  const { log } = server;
  const cache = createResponseCache(server, served.contract.credentialNames);
  const parts: AppParts = {
    ...server,
    ...served,
    apis: {
      contract: createContractApi({ ...server, ...served }),
      control: createControlApi({ ...server, ...served }),
    },
    basePaths: getBasePaths(served.contract),
    cache,
    retries: new RetryDetector(),
  };
  const isLogged = log.isLevelEnabled('info');
  const app = createApp(parts);
  const handleInApp = app.callback();
  const { metrics } = server;
  return (req, res) => {
    const startMs = metrics.isOn ? performance.now() : 0;
    const operation = cache.send(req, res);
    if (operation !== undefined) {
      if (metrics.isOn) metrics.recordResponse(createCachedMeasurement(operation, startMs));
      if (isLogged) logRequest(log, res, () => ({ operation }));
      return;
    }
    const request = createHttpRequest(req, res, (types) => app.createContext(req, res).accepts(types));
    const routed = startExchange(parts, request);
    if (isForApi(routed)) void serveApiRequest(parts, routed, res);
    else handleInApp(req, res);
  };
}

/** Returns the values that the metrics record about a cached response. */
function createCachedMeasurement(operationId: string, startMs: number): MeasuredResponse {
  return { operationId, status: 200, durationMs: performance.now() - startMs, isCached: true };
}

/** Returns whether the pipeline handles a request without the Koa app. The Koa app handles preflight requests and requests for images. */
function isForApi({ request, target }: Exchange): boolean {
  return target !== undefined && target.kind !== 'image' && request.method !== 'OPTIONS';
}

/** Handles an API request without Koa. Does the same as the middlewares 1 to 4 in `createApp`: log line, common headers, CORS and pipeline. Never rejects. */
async function serveApiRequest(parts: AppParts, routed: Exchange, res: ServerResponse): Promise<void> {
  const { log, access } = parts;
  let exchange = routed;
  logRequest(log, res, () => getLogDetails(access, res.req, exchange));
  const isContractApi = routed.target?.api.isContractApi;
  const corsHeaders = isContractApi
    ? getCorsHeaders(access, res.req.headers, getPath(routed), routed.target?.route)
    : NO_HEADERS;
  try {
    exchange = await runPipeline(parts, routed);
    if (exchange.outcome.transport?.connection) await acceptPendingConnections();
    const sent = sendPlainResponse(res, exchange, corsHeaders);
    // The server has already responded if Node's parser refused the rest of the request.
    if (!sent && !res.headersSent) setHeaders(res, { ...COMMON_HEADERS, ...corsHeaders });
    finishExchange(parts, exchange, res, sent);
  } catch (err) {
    log.error({ err });
    res.destroy();
  }
}

/** The state of a Koa context. */
interface AppState {
  /** The request and its response, which the log line describes. Undefined for a preflight request. */
  exchange?: Exchange;
}

/**
 * Creates the Koa app. A request passes these middlewares in this order, until one of them responds:
 * 1. logging: writes a log line for each request
 * 2. common headers: sets the headers that every response has
 * 3. CORS: responds to preflight requests, and allows pages of allowed origins to read responses
 * 4. APIs: runs the pipeline for the contract's API and the control API (pipeline.ts). Converts errors of middlewares 5 and 6 to problem documents.
 * 5. fixed routes: serves the console, the API reference, OpenAPI documents, the health check, the documentation of problems, and images (routes.ts)
 * 6. files: serves the files of a built front end, if the option `static` is set (files.ts)
 */
function createApp(parts: AppParts): Koa<AppState> {
  const { log, basePaths } = parts;
  const { static: frontEnd } = parts.options;
  const app = new Koa<AppState>();
  app.on('error', (err) => {
    // The log line of the request already says that the client closed the connection.
    if (!DISCONNECT_CODES.includes(err.code)) log.error({ err });
  });
  app.use(logging(parts));
  app.use(addCommonHeaders);
  app.use(cors(parts.access));
  app.use(serveApis(parts));
  app.use(createRoutes(parts));
  if (frontEnd !== undefined)
    app.use(readOnly).use(serveFrontEnd(frontEnd, parts.isStateFile)).use(serveHistoryFallback(frontEnd, basePaths));
  return app;
}

/** The error codes of a write to a connection that the client has closed. */
const DISCONNECT_CODES = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

function logging({ log, access }: AppParts): Middleware<AppState> {
  return (ctx, next) => {
    logRequest(log, ctx.res, () => {
      const { exchange } = ctx.state;
      return exchange ? getLogDetails(access, ctx.req, exchange) : { notes: getOriginNotes(access, ctx.req) };
    });
    return next();
  };
}

const addCommonHeaders: Middleware = (ctx, next) => {
  setHeaders(ctx.res, COMMON_HEADERS);
  return next();
};

/** Creates the middleware that runs the pipeline for the contract's API and the control API. The middleware calls the next one for other requests. */
function serveApis(parts: AppParts): Middleware<AppState> {
  return async (ctx, next) => {
    const routed = startExchange(
      parts,
      createHttpRequest(ctx.req, ctx.res, (types) => ctx.accepts(types)),
    );
    ctx.state.exchange = routed;
    const handled = await runPipeline(parts, routed);
    const exchange = handled.callsNext ? await callNext(parts, ctx, next, handled) : handled;
    ctx.state.exchange = exchange;
    if (!exchange.callsNext) ctx.respond = false;
    if (exchange.outcome.transport?.connection) await acceptPendingConnections();
    finishExchange(parts, exchange, ctx.res);
  };
}

/**
 * Calls the next middleware. Returns `exchange` unchanged if a middleware responds. If a middleware throws an error or the path does not exist, returns an
 * exchange with an error response (a problem document, RFC 9457).
 */
async function callNext(
  parts: AppParts,
  ctx: Context,
  next: () => Promise<unknown>,
  exchange: Exchange,
): Promise<Exchange> {
  const { target, selection } = exchange;
  // The next middlewares expect a URL without the prefix that names a sandbox, such as /_sandbox/w3.
  if (target) ctx.url = target.location.target;
  if (selection) setHeaders(ctx.res, selection.headers);
  try {
    await next();
    if (ctx.respond === false || ctx.status !== 404) return exchange;
    return refuse(parts, exchange, new HttpProblemError(createUnknownPath(ctx.path)));
  } catch (error) {
    return refuse(parts, exchange, error);
  }
}

function getLogDetails(access: AccessPolicy, req: IncomingMessage, { target, selection, outcome }: Exchange) {
  const { effects, transport } = outcome;
  const notes = [...outcome.notes, ...getOriginNotes(access, req)];
  return {
    operation: target?.route?.operationId,
    sandbox: selection?.isNamed ? selection.sandbox.id : undefined,
    notes: effects?.faults ? [...notes, `faults applied: ${effects.faults.join(', ')}`] : notes,
    isTruncated: transport?.connection !== undefined,
  };
}
