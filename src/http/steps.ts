import { findExampleNames } from '../mock/choose-response.ts';
import type { Contract } from '../openapi/contract.ts';
import { readQuery } from '../openapi/parameters.ts';
import type { ResponseViolation } from '../openapi/responses.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { MAX_BODY_BYTES } from '../util/limits.ts';
import { createMethodNotAllowed, createUnknownPath, type HttpProblem, HttpProblemError } from '../util/problem.ts';
import {
  hasTooManyParameters,
  isBelow,
  isImagePath,
  isPackagePage,
  MAX_PARAMETERS,
  parseQuery,
  SAFE_METHODS,
} from '../util/request-target.ts';
import {
  createHostError,
  createOriginError,
  type Headers,
  isControlDocument,
  isControlPath,
  isHostAllowed,
  isOriginAllowed,
  isRestricted,
  NO_HEADERS,
  PROBLEM_HEADERS,
  setHeaders,
} from './access-policy.ts';
import { receiveBody, refuseForms } from './body.ts';
import {
  createUnknownControlPath,
  getUsedId,
  handleControl,
  logForwarding,
  refuseControlAccess,
} from './control-api.ts';
import { handleAndDeliver } from './deliveries.ts';
import {
  createLocation,
  type Exchange,
  hasRoute,
  type Location,
  MAX_PATH_LENGTH,
  type OperationExchange,
  refuseLongPath,
} from './exchange.ts';
import { applyImageFaults, applyOperationFaults, delayResponse, waitForFaults } from './faults.ts';
import { hasIndexPage, hasOnlyData, isClientRoute, isNavigation, isUploadedFile, READ_METHODS } from './files.ts';
import { addFaults, checkToken, describeError, handleOrMock } from './handle.ts';
import { getIdempotencyKey, handleOnce } from './idempotency.ts';
import { serializeList, serializeState } from './long-list.ts';
import { getNamedSandbox, mayNameSandbox, selectSandbox, warnOfCookie } from './named-sandbox.ts';
import { parsePreferences, splitPreferences } from './preferences.ts';
import { refuse, refuseWithError, toHttpProblem } from './problem.ts';
import { addToJournal, addWaiting, countCoverage } from './recording.ts';
import { complete, createProblemResponse, createResponse, findUnacceptable, write } from './response.ts';

/**
 * Responds to a request.
 * The contract's API, the control API, images and pages pass the same nine steps.
 * A step that refuses a request, or decides that no response is sent, sets `isDone`; then the next steps up to
 * `complete` do nothing.
 * `next`: the Koa middlewares for pages and files.
 */
export async function serveExchange(exchange: Exchange, next: () => Promise<unknown>): Promise<void> {
  try {
    route(exchange);
    await enterSandbox(exchange);
    await validate(exchange);
    await applyFaults(exchange);
    await handle(exchange, next);
    await complete(exchange);
  } catch (error) {
    refuseWithError(exchange, error);
  }
  try {
    await verify(exchange);
    await write(exchange);
    record(exchange);
  } catch (error) {
    if (exchange.waitingId !== undefined) addToJournal(exchange, undefined);
    throw error;
  } finally {
    for (const release of exchange.releases.splice(0).reverse()) release();
  }
}

/**
 * Finds the target of a request: an operation of the contract's API or of the control API, an image, or an uploaded
 * file.
 * Other requests, such as requests for pages, have none.
 * Throws an `HttpProblemError` if the host or the origin is not allowed, if access to the control API is denied, or if
 * the sandbox id is invalid.
 */
function route(exchange: Exchange): void {
  const { app, method, url, headers } = exchange;
  if (url.length > MAX_PATH_LENGTH) refuseLongPath(url);
  const location = createLocation({ sandboxId: undefined, prefix: '', target: url });
  if (!isHostAllowed(app.access, headers.host)) throw createHostError(headers.host);
  if (isControlPath(location.pathname)) {
    if (isRestricted(location.pathname)) {
      logForwarding(app, headers);
      refuseControlAccess(app.access.control, headers);
    }
    if (!isControlDocument(location.pathname)) setTarget(exchange, 'control', location);
    return;
  }
  // A page whose origin is not allowed can't change data.
  if (!SAFE_METHODS.includes(method) && !isOriginAllowed(app.access, headers)) throw createOriginError(headers.origin);
  if (isPackagePage(location.pathname)) return;
  const inner = mayNameSandbox(url, headers)
    ? createLocation(getNamedSandbox(url, headers, exchange.socket.localPort))
    : location;
  setTarget(exchange, 'contract', inner);
  // At /_sandbox/ID/, the console shows the sandbox ID.
  const isConsole = inner.path === '/' && app.options.static === undefined;
  if (exchange.kind === 'page' && inner.prefix !== '' && !isConsole)
    throw new HttpProblemError(createUnknownPath(location.pathname));
}

/**
 * Sets the target of a request, unless the path neither is in the contract, nor starts with a base path of the
 * contract, nor belongs to an image or an uploaded file.
 * Also sets none if the request is for a page of the front end.
 */
function setTarget(exchange: Exchange, api: 'contract' | 'control', location: Location): void {
  const { app, method } = exchange;
  const contract = api === 'control' ? app.controlContract : app.contract;
  const routed = contract.route(method, location.path);
  if (api === 'contract' && isFrontEndPage(exchange, location, routed)) return;
  const isFile = api === 'contract' && isUploadedFile(app.basePaths, location.path, routed);
  if (api === 'contract' && (isFile || routed.kind === 'unknown-path')) {
    const isAsset = isFile || isImagePath(location.pathname);
    if (!isAsset && !app.basePaths.some((basePath) => isBelow(location.path, basePath))) return;
    exchange.kind = isAsset ? 'asset' : 'unknown-path';
  } else exchange.kind = routed.kind;
  const { basePath = '' } = routed;
  exchange.api = api;
  exchange.contract = contract;
  exchange.location =
    basePath === '' ? location : { ...location, basePath, path: location.path.slice(basePath.length) || '/' };
  if (isFile) return;
  if (routed.kind === 'operation') exchange.route = routed.route;
  if (routed.kind === 'unknown-method') exchange.allow = routed.allow;
}

/**
 * Returns whether a browser loads a page of the front end whose path, such as `/projects`, is also that of an
 * operation.
 * Decision: outside of the base paths, a page has priority over an operation that only has data for scripts.
 */
function isFrontEndPage(
  { app, method, headers }: Exchange,
  { path, prefix }: Location,
  routed: ReturnType<Contract['route']>,
): boolean {
  if (app.options.static === undefined || prefix !== '' || !READ_METHODS.includes(method)) return false;
  if (!isNavigation(headers) || !isClientRoute(path, app.basePaths)) return false;
  if (!hasIndexPage(app.options.static)) return false;
  return routed.kind === 'operation' ? hasOnlyData(routed.route) : routed.kind === 'unknown-method';
}

/**
 * Selects the sandbox that a request names.
 * If it names none, selects the sandbox `default`, or what the option `sandboxes` says.
 * Creates the sandbox if it does not exist.
 */
async function enterSandbox(exchange: Exchange): Promise<void> {
  const { app, api, kind, location } = exchange;
  const sandboxId = location.sandboxId ?? selectSandbox(exchange);
  if (kind === 'page') return;
  const { sandboxes } = app;
  if (sandboxId !== undefined && kind === 'asset' && location.prefix === '') {
    // Requests for images and files create no sandboxes.
    const sandbox = sandboxes.find(sandboxId);
    exchange.sandbox = sandbox ?? sandboxes.default;
    exchange.isNamed = sandbox !== undefined;
  } else if (sandboxId !== undefined) await useNamedSandbox(exchange, sandboxId);
  else if (api === 'control' || sandboxes.isShared) await loadUsedSandbox(exchange);
  exchange.hasSandbox = true;
  exchange.isRecorded = api === 'contract' && kind !== 'asset';
}

/**
 * Loads the sandbox of a request that does not select one: `default`, or the sandbox in the path of the control API.
 * If it has expired, the response of the control API says so.
 */
async function loadUsedSandbox(exchange: Exchange): Promise<void> {
  const { api, app } = exchange;
  const usedId = getUsedId(exchange);
  if (app.sandboxes.isShared && usedId !== undefined) await app.sandboxes.load(usedId);
  if (api === 'control' && usedId !== undefined)
    exchange.sandboxHeaders = toExpiryHeaders(app.sandboxes.expiredAtMs(usedId));
}

/**
 * Uses the sandbox that a request names, until the end of the exchange.
 * Receives the body of the request first, so that an incomplete request creates no sandbox.
 * If the sandbox has expired, the response has the header `X-Sandbox-Expired`.
 */
async function useNamedSandbox(exchange: Exchange, id: string): Promise<void> {
  const { sandboxes, application } = exchange.app;
  // The validation reports other errors later.
  exchange.received ??= receiveBody(exchange);
  await exchange.received.catch((error) => {
    const { socket, res } = exchange;
    if (!res.req.complete && (socket.destroyed || res.headersSent)) throw error;
  });
  let expiredAtMs: number | undefined;
  try {
    const used = await sandboxes.use(id);
    expiredAtMs = used.expiredAtMs;
    exchange.releases.push(used.leave);
    exchange.sandbox = used.sandbox;
    exchange.isNamed = true;
    if (used.isNew) warnOfCookie(exchange);
    exchange.sandboxHeaders = { ...exchange.sandboxHeaders, ...toExpiryHeaders(expiredAtMs), 'X-Sandbox': id };
  } catch (error) {
    const problem = toHttpProblem(error, application.problems);
    if (!problem) throw error;
    const headers = { ...problem.headers, ...toExpiryHeaders(sandboxes.expiredAtMs(id)) };
    throw new HttpProblemError({ ...problem, headers });
  }
}

/**
 * Returns the header `X-Sandbox-Expired` with the time when a sandbox expired.
 * `atMs`: this time in ms since 1970.
 * If `atMs` is undefined, returns no headers, because the sandbox has not expired or was created again.
 */
function toExpiryHeaders(atMs: number | undefined): Headers {
  return atMs === undefined ? NO_HEADERS : { 'X-Sandbox-Expired': toIsoTime(atMs) };
}

/**
 * Receives the whole request, and validates it against the contract.
 * Then waits for the delay of the server option `delay`.
 */
async function validate(exchange: Exchange): Promise<void> {
  if (exchange.kind === 'page' || exchange.kind === 'asset') return;
  if (!hasRoute(exchange)) return respondWithoutOperation(exchange);
  const { app, api } = exchange;
  if (api === 'contract' && app.options.delay !== undefined) exchange.serverDelayMs = app.getDelayMs();
  if (exchange.serverDelayMs > 0) exchange.forced = { delayMs: exchange.serverDelayMs };
  if (api === 'control') refuseForms(exchange);
  try {
    const problem = await validateOperation(exchange);
    if (problem) refuse(exchange, problem);
  } finally {
    if (exchange.serverDelayMs > 0) await delayResponse(exchange, exchange.serverDelayMs);
  }
  exchange.isDone ||= exchange.socket.destroyed;
}

/** Responds to a request for a path that does not exist or does not support the method. */
function respondWithoutOperation(exchange: Exchange): void {
  const { api, kind, method, allow, location, contract } = exchange;
  // Decision: the response to OPTIONS lists the methods that the contract has for the path.
  if (kind === 'unknown-method' && method === 'OPTIONS') {
    exchange.response = createResponse(204, undefined, { Allow: allow.join(', ') });
    exchange.isDone = true;
  } else if (kind === 'unknown-method') refuse(exchange, createMethodNotAllowed(method, location.pathname, allow));
  else if (api === 'control') refuse(exchange, createUnknownControlPath(location.pathname, contract));
  else refuse(exchange, createUnknownPath(location.pathname));
}

/** Finds the faults and preferences that apply, and waits for the delays and releases before the handler. */
async function applyFaults(exchange: Exchange): Promise<void> {
  const { app } = exchange;
  if (exchange.isDone || exchange.api !== 'contract') return;
  if (app.retries.resetsMs.size > 0 && app.retries.detectRetry(exchange)) {
    // A client's automatic retry after a fault has reset the connection is reset too.
    // The journal has only the first attempt.
    exchange.transport = { connection: 'reset', phase: 'before' };
    exchange.isRecorded = false;
    exchange.isDone = true;
    return;
  }
  if (exchange.kind === 'asset') await applyImageFaults(exchange);
  else if (hasRoute(exchange)) await applyOperationFaults(exchange);
  if (!(await waitForFaults(exchange, 'before'))) exchange.isDone = true;
}

/**
 * Calls the handler of the operation, or generates a response.
 * Pages and files, and images without a fault, are sent by the next middlewares.
 */
async function handle(exchange: Exchange, next: () => Promise<unknown>): Promise<void> {
  if (exchange.isDone) return;
  if (!hasRoute(exchange)) return callNext(exchange, next);
  const isNegotiated = exchange.api === 'contract' && exchange.route.hasOtherTypes;
  const unacceptable = isNegotiated ? findUnacceptable(exchange) : undefined;
  if (unacceptable) return refuse(exchange, unacceptable);
  try {
    if (exchange.api === 'control') await handleControl(exchange);
    else if (exchange.idempotencyKey !== undefined) await handleOnce(exchange);
    else if (exchange.app.webhooks.list.length > 0) await handleAndDeliver(exchange);
    else await handleOrMock(exchange, exchange.sandbox.store);
  } catch (error) {
    refuseWithError(exchange, error, describeError(exchange, error));
  }
  const { effect, decision } = exchange;
  if (effect) exchange.decision = addFaults(decision, effect);
  try {
    await waitForFaults(exchange, 'after');
  } catch (error) {
    // The operation has run: too many held requests must not replace its response.
    if (!(error instanceof HttpProblemError)) throw error;
    exchange.notes = [...exchange.notes, error.problem.detail];
  }
}

/** Calls the next middleware. Throws an `HttpProblemError` if the path does not exist. */
async function callNext(
  { ctx, kind, location, sandboxHeaders }: Exchange,
  next: () => Promise<unknown>,
): Promise<void> {
  // The next middlewares expect a URL without the prefix that names a sandbox, such as /_sandbox/w3.
  if (kind === 'asset') ctx.url = location.target;
  setHeaders(ctx.res, sandboxHeaders);
  await next();
  if (ctx.respond !== false && ctx.status === 404) throw new HttpProblemError(createUnknownPath(ctx.path));
}

/**
 * Validates the response against the contract, and logs violations.
 * With `verify: 'strict'`, replaces an invalid response with a problem document (RFC 9457).
 * Skips responses of injected faults and error responses of the engine.
 * Converts a long list or a state to JSON.
 */
async function verify(exchange: Exchange): Promise<void> {
  const { app, api, contract, response, forced, isRefusal } = exchange;
  if (!response || !hasRoute(exchange)) return;
  const { route } = exchange;
  const { list, state } = response;
  const isInjected = forced?.faults !== undefined && (forced.status ?? forced.example) !== undefined;
  try {
    // The items of a stream are verified when they are sent.
    const isStream = response.stream !== undefined || (response.items !== undefined && response.body === undefined);
    if (app.options.verify !== 'off' && !isStream && !isInjected && !isRefusal) {
      // A problem document can have more properties than the contract documents (RFC 9457, section 3.2).
      const isProblem = response.headers['Content-Type'] === PROBLEM_HEADERS['Content-Type'];
      const closed = (api === 'control' || app.closedRoutes.has(route)) && !isProblem;
      // The server has reported invalid examples at the start.
      const options = { closed, allowsExamples: app.options.verify !== 'strict' };
      const violations = list
        ? await contract.verifyListInSlices(route, { ...response, body: list }, options)
        : contract.verifyResponse(route, response, options);
      if (violations.length > 0) addViolations(exchange, response.status, violations);
    }
    // A fault that cuts or slows the body needs the body as one text, and not in pieces.
    if ((list ?? state) && exchange.response === response && !exchange.transport)
      exchange.response = { ...response, pieces: await (state ? serializeState(state) : serializeList(list ?? [])) };
  } catch (error) {
    refuseWithError(exchange, error);
  }
}

/**
 * Receives a whole request and validates it.
 * Returns a problem (error response) if the credentials, a parameter or the body are invalid.
 * The problem is not thrown, because creating an `Error` takes as long as the validation.
 * Throws an `HttpProblemError` if a preference or the idempotency key is invalid, or if the body can't be read.
 */
async function validateOperation(exchange: OperationExchange): Promise<HttpProblem | undefined> {
  const { app, api, contract, route, location, headers } = exchange;
  const isContractApi = api === 'contract';
  if (location.querystring !== '') {
    if (hasTooManyParameters(location.querystring)) return TOO_MANY_PARAMETERS;
    const [preferences, rest] = splitPreferences(location.querystring);
    const query = readQuery(route, rest);
    exchange.query = preferences === '' ? query : { ...query, ...parseQuery(preferences) };
  }
  if (isContractApi) {
    if (route.security.length > 0) {
      const result = app.authenticate(route.security, { headers, query: exchange.query });
      if (typeof result === 'object') return result;
      exchange.user = result;
      checkToken(exchange);
    }
    if (headers.prefer !== undefined || location.querystring !== '')
      Object.assign(exchange, parsePreferences(headers, exchange.query));
  }
  exchange.received ??= receiveBody(exchange);
  const received = await exchange.received;
  const isLarge = (exchange.bodyText?.length ?? 0) > MAX_BODY_BYTES;
  const sent = { path: location.path, query: exchange.query, headers, ...received, isLarge };
  const result = contract.validateRequest(route, sent);
  if (isContractApi && headers['idempotency-key'] !== undefined) exchange.idempotencyKey = getIdempotencyKey(exchange);
  exchange.input = result.input;
  if (result.kind === 'call') {
    exchange.notes = result.notes;
    return undefined;
  }
  const { detail, violations } = result;
  const getExampleNames = isContractApi ? () => findExampleNames(route, result.input) : undefined;
  return { code: 'invalid-request', detail, violations, getExampleNames };
}

const TOO_MANY_PARAMETERS: HttpProblem = {
  code: 'invalid-request',
  detail: `the query has more than ${MAX_PARAMETERS} parameters: send fewer parameters`,
  violations: [{ in: 'query', pointer: '', rule: 'maxProperties', remedy: 'send fewer parameters' }],
};

function describeViolation({ message, findExample }: ResponseViolation): string {
  const example = findExample?.();
  return example === undefined ? message : `${message}, as in the example at ${example}: correct the example`;
}

/** Logs the violations of a response. With `verify: 'strict'`, replaces the response with a problem document. */
function addViolations(exchange: OperationExchange, status: number, violations: readonly ResponseViolation[]): void {
  const { app, route } = exchange;
  const isStrict = app.options.verify === 'strict';
  // The server has reported invalid examples at the start.
  const unknown = isStrict ? violations : violations.filter((violation) => !violation.findExample?.());
  const { operationId } = route;
  if (unknown.length > 0)
    app.log.error({ operation: operationId, status, responseViolations: unknown }, 'response violates the contract');
  exchange.responseViolations = violations.map(describeViolation);
  exchange.revision = undefined;
  if (!isStrict) return;
  const detail = `the response of ${operationId} with status ${status} violates the contract: ${exchange.responseViolations.join('; ')}`;
  exchange.response = createProblemResponse({ code: 'internal-error', detail }, exchange.path);
}

/**
 * Adds a request and its response to the journal of its sandbox, to the coverage, to the metrics and to the response
 * cache.
 * If a fault sends the body slowly, the journal waits until the response is complete or the connection is closed.
 */
function record(exchange: Exchange): void {
  const { app, res, isRecorded, transport, sent } = exchange;
  const isSlow = transport?.bodyDurationMs !== undefined && sent !== undefined && !exchange.isStreaming;
  if (isRecorded && !isSlow && !exchange.isStreaming) addToJournal(exchange, sent);
  if (isRecorded && isSlow) addWaiting(exchange);
  if (isRecorded && isSlow) res.once('close', () => addToJournal(exchange, res.writableFinished ? sent : undefined));
  countCoverage(exchange);
  if (app.metrics.isOn) measure(exchange);
  if (exchange.revision !== undefined) app.cache.store(exchange);
}

/**
 * Adds a response of the contract's API to the metrics.
 * They also have a request whose sandbox could not be used, for example because the database is not available, and
 * which is in no journal.
 */
function measure(exchange: Exchange): void {
  const { app, api, kind, hasSandbox, isRecorded, route, sent, startMs } = exchange;
  if (!isRecorded && (api !== 'contract' || kind !== 'operation' || hasSandbox)) return;
  app.metrics.recordResponse({
    operationId: route?.operationId,
    status: sent?.response.status,
    durationMs: performance.now() - startMs,
    isInvalid: exchange.violations !== undefined,
    isInvalidResponse: exchange.responseViolations !== undefined,
  });
}
