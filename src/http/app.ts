import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import Koa, { type Middleware } from 'koa';
import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import { describeDecision } from '../util/describe-decision.ts';
import { getTraceId } from '../util/ids.ts';
import {
  type CredentialNames,
  listPathSecrets,
  NO_NAMES,
  redactNamedProperties,
  redactText,
  redactTexts,
  redactUrl,
} from '../util/redact-secrets.ts';
import { getPathname, IMAGES_PATH, isPackagePage } from '../util/request-target.ts';
import { cors, getOriginNotes, isControlPath, isMonitored } from './access-policy.ts';
import { createAuthentication } from './credentials.ts';
import { type App, Exchange } from './exchange.ts';
import { readOnly, serveFrontEnd, serveHistoryFallback } from './files.ts';
import { LargeBodies } from './large-bodies.ts';
import { CACHED_DECISION, createResponseCache } from './response-cache.ts';
import { RetryDetector } from './retries.ts';
import { createRoutes } from './routes.ts';
import type { Log, ServedContract, Server } from './served.ts';
import { serveExchange } from './steps.ts';

/**
 * Creates the request listener of a Node server for one version of the contract: the response cache, and the Koa app
 * for all other requests.
 */
export function createRequestListener(server: Server, served: ServedContract): RequestListener {
  const { contract } = served;
  const cache = createResponseCache(server, contract.credentialNames);
  const { implementation, implementations } = served;
  // A user's handler of a login can return any token.
  const isBuiltIn = (route: Route) => implementations.get(route)?.source === 'application';
  const { logins = [] } = implementation;
  const app: App = {
    ...server,
    ...served,
    authenticate: createAuthentication(server.options.auth, {
      realm: String(contract.document.info.title),
      isIssued: (token) => implementation.isIssuedToken?.(token) === true,
      hasLogin: logins.length > 0 && logins.every(isBuiltIn),
    }),
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

/** Values for the log line of a request that are not in Node's request and response objects. */
interface RequestDetails {
  readonly operation?: string | undefined;
  /** What determined the response to an operation of the contract. */
  readonly decision?: Exchange['decision'];
  /** The id of the sandbox, if the request names one. */
  readonly sandbox?: string | undefined;
  /** Sentences about errors in the request, and about parts of the request that were ignored. */
  readonly notes?: readonly string[];
  /** The names of the parameters whose values are secret by the contract. */
  readonly credentialNames?: CredentialNames | undefined;
  /** Whether an injected fault closes the connection before the end of the response. */
  readonly isTruncated?: boolean;
}

/** Matches the path of an image, with or without the prefix that names a sandbox. */
const IMAGE = new RegExp(`^(/_sandbox/[^/?]*)?${IMAGES_PATH}/`);

/** The lowest status of an error response. */
const FIRST_ERROR = 400;

/**
 * Logs a request when its response is sent or its connection is closed.
 * Calls `getDetails` at that time.
 * The log level is `info`.
 * It is `debug` for successful requests that no user starts: requests for images, and the repeated requests of the
 * console and of monitoring systems.
 */
export function logRequest(log: Log, res: ServerResponse, getDetails: () => RequestDetails): void {
  if (!log.isLevelEnabled('info')) return;
  const startMs = performance.now();
  // The app later removes the prefix that names a sandbox from `req.url`.
  const { method, url = '', headers } = res.req;
  res.once('close', () => {
    const { operation, decision, sandbox, notes = [], isTruncated = false, credentialNames = NO_NAMES } = getDetails();
    const allNotes = res.writableFinished || isTruncated ? notes : [...notes, 'the client closed the connection'];
    // The console often closes an event stream and opens another one.
    // So the note about a closed connection is not important.
    const isLoaded = IMAGE.test(url) ? allNotes.length === 0 : isReadAgain(method, url, headers) && notes.length === 0;
    log[isLoaded && res.statusCode < FIRST_ERROR ? 'debug' : 'info']({
      method,
      path: url.includes('?') || credentialNames.paths.length > 0 ? redactUrl(url, credentialNames) : url,
      operation,
      decision: decision && describeDecision(decision),
      sandbox,
      status: res.writableFinished ? res.statusCode : undefined,
      ms: Math.round((performance.now() - startMs) * 10) / 10,
      traceId: getTraceId(headers.traceparent),
      notes: allNotes.length > 0 ? allNotes.map((note) => redactNote(note, url, credentialNames)) : undefined,
    });
  });
}

/** Replaces secrets in a note, which can contain a part of the path or of the body. */
function redactNote(note: string, url: string, { properties, paths }: CredentialNames): string {
  const secrets = listPathSecrets(getPathname(url), paths);
  return redactText(String(redactNamedProperties(redactTexts(secrets, note), properties)));
}

/**
 * Returns whether a request comes from monitoring, the console or the API reference, which repeat their requests.
 * A request counts as one of the console if it reads the control API and comes from a page of this server
 * (`Sec-Fetch-Site: same-origin`).
 * A front end on the same server has no reason to read the control API.
 */
function isReadAgain(method: string | undefined, url: string, headers: IncomingHttpHeaders): boolean {
  const path = getPathname(url);
  if (isPackagePage(path) || isMonitored(path)) return true;
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && headers['sec-fetch-site'] === 'same-origin' && isControlPath(url);
}

/** Returns the values of an exchange for the log line. */
function getLogDetails(exchange: Exchange): RequestDetails {
  const { app, api, ctx, route, decision, sandbox, isNamed, forced, transport, notes } = exchange;
  const all = [...notes, ...getOriginNotes(app.access, ctx.req)];
  return {
    operation: route?.operationId,
    decision: api === 'contract' ? decision : undefined,
    sandbox: isNamed ? sandbox.id : undefined,
    notes: forced?.faults ? [...all, `faults applied: ${forced.faults.join(', ')}`] : all,
    credentialNames: api && exchange.contract.credentialNames,
    isTruncated: transport?.connection !== undefined,
  };
}
