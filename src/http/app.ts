import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import Koa, { type Context, type Middleware } from 'koa';
import type { AccessPolicy } from './access-policy.ts';
import { createControlApi } from './control/control-api.ts';
import { cors, getCorsHeaders, getOriginNotes } from './cors.ts';
import { readOnly, serveFrontEnd, serveHistoryFallback } from './files.ts';
import { COMMON_HEADERS, NO_HEADERS } from './headers.ts';
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
import { createRoutes } from './routes.ts';

/**
 * Creates the request listener of a contract. The listener sends cached responses, and runs the pipeline for requests for an operation or for an unknown path of an
 * API. It passes all other requests to the Koa app, because a Koa context takes as long as half of the pipeline.
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
  return (req, res) => {
    const operation = cache.send(req, res);
    if (operation !== undefined) {
      if (isLogged) logRequest(log, res, () => ({ operation }));
      return;
    }
    const request = createHttpRequest(req, res, (types) => app.createContext(req, res).accepts(types));
    const routed = startExchange(parts, request);
    if (isForApi(routed)) void serveApiRequest(parts, routed, res);
    else handleInApp(req, res);
  };
}

/** Returns whether the pipeline alone serves a routed request. The CORS middleware responds to preflight requests, and a later middleware sends images. */
function isForApi({ request, target }: Exchange): boolean {
  return target !== undefined && target.kind !== 'image' && request.method !== 'OPTIONS';
}

/** Serves a request for an API like the middlewares 1 to 4 of the Koa app. Never rejects. */
async function serveApiRequest(parts: AppParts, routed: Exchange, res: ServerResponse): Promise<void> {
  const { log, access } = parts;
  let exchange = routed;
  logRequest(log, res, () => getLogDetails(access, res.req, exchange));
  const isContractApi = routed.target?.api.isContractApi;
  const corsHeaders = isContractApi ? getCorsHeaders(access, res.req.headers, getPath(routed)) : NO_HEADERS;
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
  /** The request and its response, for the log line; undefined for a preflight request. */
  exchange?: Exchange;
}

/**
 * Creates the Koa app. A request passes these middlewares, in this order:
 * 1. logging: writes a log line for each request
 * 2. common headers: sets the headers that every response has
 * 3. CORS: responds to preflight requests, and allows pages of allowed origins to read responses
 * 4. APIs: runs the pipeline for the contract's API and the control API (pipeline.ts). Converts errors of middlewares 5 and 6 to problem documents.
 * 5. fixed routes: serves the front page, documents, the readiness check, pages about problems, and images (routes.ts)
 * 6. files: serves a built front end (files.ts)
 */
function createApp(parts: AppParts): Koa<AppState> {
  const { log, basePaths } = parts;
  const { static: frontEnd } = parts.options;
  const app = new Koa<AppState>();
  app.on('error', (err) => {
    // The log line of the request already says that the client closed the connection.
    if (!DISCONNECTED.includes(err.code)) log.error({ err });
  });
  app.use(logging(parts));
  app.use(addCommonHeaders);
  app.use(cors(parts.access));
  app.use(serveApis(parts));
  app.use(createRoutes(parts));
  if (frontEnd !== undefined)
    app.use(readOnly).use(serveFrontEnd(frontEnd)).use(serveHistoryFallback(frontEnd, basePaths));
  return app;
}

/** The error codes of a connection that the client has closed. */
const DISCONNECTED = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

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

/** Serves the contract's API and the control API. Calls the next middleware for other requests. */
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
 * Calls the next middleware. Returns the exchange unchanged if the middleware responded. Returns an exchange with a problem document if the path does not exist
 * or the middleware threw an error.
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
