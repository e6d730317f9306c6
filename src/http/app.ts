import type { RequestListener } from 'node:http';
import Koa, { type Middleware } from 'koa';
import type { Contract } from '../openapi/contract.ts';
import { RetryDetector } from './connections.ts';
import { cors, getOriginNotes } from './cors.ts';
import { createAuthentication } from './credentials.ts';
import { type App, Exchange } from './exchange.ts';
import { readOnly, serveFrontEnd, serveHistoryFallback } from './files.ts';
import { LargeBodies } from './large-bodies.ts';
import { getLogDetails, logRequest } from './request-log.ts';
import { CACHED_DECISION, createResponseCache } from './response-cache.ts';
import { createRoutes } from './routes.ts';
import type { ServedContract, Server } from './served.ts';
import { serveExchange } from './steps.ts';

/**
 * Creates the request listener of a Node server for one version of the contract: the response cache, and the Koa app
 * for all other requests.
 */
export function createRequestListener(server: Server, served: ServedContract): RequestListener {
  const { contract } = served;
  const cache = createResponseCache(server, contract.credentialNames);
  const app: App = {
    ...server,
    ...served,
    authenticate: createAuthentication(server.options.auth, String(contract.document.info.title)),
    basePaths: getBasePaths(contract),
    cache,
    retries: new RetryDetector(),
    largeBodies: new LargeBodies(),
  };
  const handleInKoa = createKoa(app).callback();
  return (req, res) => {
    const startMs = performance.now();
    const operationId = req.method === 'GET' ? cache.send(req, res) : undefined;
    if (operationId === undefined) return void handleInKoa(req, res);
    const { metrics, log } = server;
    if (metrics.isOn)
      metrics.recordResponse({ operationId, status: 200, durationMs: performance.now() - startMs, isCached: true });
    const { credentialNames } = contract;
    logRequest(log, res, () => ({ operation: operationId, decision: CACHED_DECISION, credentialNames }));
  };
}

/**
 * Returns the base paths of a contract: the paths of its `servers` URLs.
 * If the paths of all operations start with the same segment, such as `/api`, this is also a base path.
 */
export function getBasePaths({ routes, basePaths }: Pick<Contract, 'routes' | 'basePaths'>): readonly string[] {
  const segments = new Set(routes.map(({ path }) => /^\/[^/{}]+(?=\/|$)/.exec(path)?.[0]));
  const [first] = segments;
  return segments.size === 1 && first !== undefined ? [...basePaths, first] : basePaths;
}

/** The state of a Koa context. `exchange` is undefined for a preflight request. */
interface KoaState {
  exchange?: Exchange;
}

/** Creates the Koa app. A request passes these middlewares in this order, until one of them responds. */
function createKoa(app: App): Koa<KoaState> {
  const { log, basePaths, options } = app;
  const koa = new Koa<KoaState>();
  koa.on('error', (err) => {
    // The log line of the request already says that the client closed the connection.
    if (!DISCONNECT_CODES.includes(err.code)) log.error({ err });
  });
  koa.use(logging(app));
  koa.use(cors(app.access));
  // The contract's API and the control API. Errors of the next middlewares become problem documents here.
  koa.use((ctx, next) => {
    ctx.state.exchange = new Exchange(app, ctx);
    return serveExchange(ctx.state.exchange, next);
  });
  // The console, the API reference, OpenAPI documents, the health check, the documentation of problems, and images.
  koa.use(createRoutes(app));
  if (options.static !== undefined)
    koa
      .use(readOnly)
      .use(serveFrontEnd(options.static, app.isStateFile))
      .use(serveHistoryFallback(options.static, basePaths));
  return koa;
}

/** The error codes of a write to a connection that the client has closed. */
const DISCONNECT_CODES = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

/** Creates the middleware that writes a log line for each request. */
function logging({ log, access }: App): Middleware<KoaState> {
  return (ctx, next) => {
    logRequest(log, ctx.res, () => {
      const { exchange } = ctx.state;
      return exchange ? getLogDetails(exchange) : { notes: getOriginNotes(access, ctx.req) };
    });
    return next();
  };
}
