import { findExampleNames } from '../mock/choose-response.ts';
import type { ResponseViolation } from '../openapi/responses.ts';
import { MAX_BODY_BYTES } from '../util/limits.ts';
import { createMethodNotAllowed, createUnknownPath, type HttpProblem, HttpProblemError } from '../util/problem.ts';
import { hasTooManyParameters, MAX_PARAMETERS, parseQuery } from '../util/request-target.ts';
import { receiveBody, refuseForms } from './body.ts';
import { complete } from './complete.ts';
import { createUnknownControlPath, handleControl } from './control-api.ts';
import { PROBLEM_HEADERS, setHeaders } from './cors.ts';
import type { Exchange, OperationExchange, ResponseData } from './exchange.ts';
import { applyImageFaults, applyOperationFaults, delayResponse } from './faults.ts';
import { addFaults, describeError, handleOrMock } from './handle.ts';
import { getIdempotencyKey, handleOnce } from './idempotency.ts';
import { serializeList } from './long-list.ts';
import { parsePreferences } from './preferences.ts';
import { refuse, refuseWithError } from './problem.ts';
import { record } from './record.ts';
import { createProblemResponse, createResponse, findUnacceptable, writeResponse } from './response.ts';
import { acceptPendingConnections } from './retry-detector.ts';
import { enterSandbox, route } from './route.ts';

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
  await verify(exchange);
  await write(exchange);
  record(exchange);
}

/**
 * Receives the whole request, and validates it against the contract.
 * Then waits for the delay of the server option `delay`.
 */
async function validate(exchange: Exchange): Promise<void> {
  if (exchange.kind === 'page' || exchange.kind === 'image') return;
  if (!isOperation(exchange)) return respondWithoutOperation(exchange);
  const { app, api } = exchange;
  exchange.serverDelayMs = api === 'contract' ? app.getDelayMs() : 0;
  if (exchange.serverDelayMs > 0) exchange.effects = { delayMs: exchange.serverDelayMs };
  if (api === 'control') refuseForms(exchange);
  try {
    const problem = await validateOperation(exchange);
    if (problem) refuse(exchange, problem);
  } finally {
    if (exchange.serverDelayMs > 0) await delayResponse(exchange, exchange.serverDelayMs);
  }
  exchange.isDone ||= exchange.socket.destroyed;
}

function isOperation(exchange: Exchange): exchange is OperationExchange {
  return exchange.route !== undefined;
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

/** Finds the faults and preferences that apply, and waits for the delays before the handler. */
async function applyFaults(exchange: Exchange): Promise<void> {
  if (exchange.isDone || exchange.api !== 'contract') return;
  if (exchange.app.retries.detectRetry(exchange)) {
    // A client's automatic retry after a fault has reset the connection is reset too.
    // The journal has only the first attempt.
    exchange.transport = { connection: { kind: 'reset', phase: 'before' } };
    exchange.isRecorded = false;
    exchange.isDone = true;
    return;
  }
  if (exchange.kind === 'image') await applyImageFaults(exchange);
  else if (isOperation(exchange)) await applyOperationFaults(exchange);
  exchange.isDone ||= !(await delayResponse(exchange, exchange.delayMs.before));
}

/**
 * Calls the handler of the operation, or generates a response.
 * Pages and files, and images without a fault, are sent by the next middlewares.
 */
async function handle(exchange: Exchange, next: () => Promise<unknown>): Promise<void> {
  if (exchange.isDone) return;
  if (!isOperation(exchange)) return callNext(exchange, next);
  const unacceptable = exchange.api === 'contract' ? findUnacceptable(exchange) : undefined;
  if (unacceptable) return refuse(exchange, unacceptable);
  try {
    if (exchange.api === 'control') await handleControl(exchange);
    else if (exchange.idempotencyKey === undefined) await handleOrMock(exchange, exchange.sandbox.store);
    else await handleOnce(exchange);
  } catch (error) {
    refuseWithError(exchange, error, describeError(exchange, error));
  }
  exchange.decision = addFaults(exchange.decision, exchange.effect);
  await delayResponse(exchange, exchange.delayMs.after);
}

/** Calls the next middleware. Throws an `HttpProblemError` if the path does not exist. */
async function callNext(
  { ctx, kind, location, sandboxHeaders }: Exchange,
  next: () => Promise<unknown>,
): Promise<void> {
  // The next middlewares expect a URL without the prefix that names a sandbox, such as /_sandbox/w3.
  if (kind === 'image') ctx.url = location.target;
  setHeaders(ctx.res, sandboxHeaders);
  await next();
  if (ctx.respond !== false && ctx.status === 404) throw new HttpProblemError(createUnknownPath(ctx.path));
}

/**
 * Validates the response against the contract.
 * With `verify: 'strict'`, replaces an invalid response with a problem document.
 */
async function verify(exchange: Exchange): Promise<void> {
  try {
    if (exchange.response && isOperation(exchange)) await verifyResponse(exchange, exchange.response);
  } catch (error) {
    refuseWithError(exchange, error);
  }
}

/** Sends the response, unless Koa sends it. */
async function write(exchange: Exchange): Promise<void> {
  const { ctx, response, transport, isDone } = exchange;
  if (!response && !isDone && !transport?.connection) return;
  ctx.respond = false;
  if (transport?.connection) await acceptPendingConnections();
  exchange.sent = writeResponse(exchange);
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
  if (hasTooManyParameters(location.querystring)) return TOO_MANY_PARAMETERS;
  exchange.query = parseQuery(location.querystring);
  if (isContractApi) {
    const result = app.authenticate(route.security, { headers, query: exchange.query });
    if (typeof result === 'object') return result;
    exchange.user = result;
    Object.assign(exchange, parsePreferences(headers, exchange.query));
  }
  const received = await receiveBody(exchange);
  const isLarge = (exchange.bodyText?.length ?? 0) > MAX_BODY_BYTES;
  const sent = { path: location.path, query: exchange.query, headers, ...received, isLarge };
  const result = contract.validateRequest(route, sent);
  if (isContractApi) exchange.idempotencyKey = getIdempotencyKey(exchange);
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

/**
 * Validates the response of an operation against the contract, and logs violations.
 * Skips responses of injected faults and error responses of the engine.
 * With `verify: 'strict'`, replaces an invalid response with a problem document (RFC 9457).
 * Converts a long list to JSON.
 */
async function verifyResponse(exchange: OperationExchange, response: ResponseData): Promise<void> {
  const { list } = response;
  const violations = isVerified(exchange, response) ? await findViolations(exchange, response) : [];
  if (violations.length > 0) addViolations(exchange, response.status, violations);
  // A fault that cuts or slows the body needs the body as one text, and not in pieces.
  if (list && exchange.response === response && !exchange.transport)
    exchange.response = { ...response, pieces: await serializeList(list) };
}

/** Returns whether the response of an exchange must be validated against the contract. */
function isVerified({ app, effects, isRefusal }: Exchange, { stream }: ResponseData): boolean {
  const isInjected = effects?.faults !== undefined && (effects.status ?? effects.example) !== undefined;
  return app.options.verify !== 'off' && !stream && !isInjected && !isRefusal;
}

function findViolations(exchange: OperationExchange, response: ResponseData) {
  const { app, api, contract, route } = exchange;
  // A problem document can have more properties than the contract documents (RFC 9457, section 3.2).
  const isProblem = response.headers['Content-Type'] === PROBLEM_HEADERS['Content-Type'];
  const closed = (api === 'control' || app.isClosed(route)) && !isProblem;
  // The server has reported invalid examples at the start.
  const options = { closed, allowsExamples: app.options.verify !== 'strict' };
  const { list } = response;
  if (!list) return contract.verifyResponse(route, response, options);
  return contract.verifyListInSlices(route, { ...response, body: list }, options);
}

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
