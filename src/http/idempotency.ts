import { createHash } from 'node:crypto';
import { isLoginPath } from '../openapi/login-paths.ts';
import { isJsonType } from '../openapi/media-types.ts';
import { findCookie } from '../openapi/parameters.ts';
import { SESSION_COOKIE } from '../openapi/security.ts';
import type { Claim, StoredResponse } from '../sandbox/idempotency/idempotency-keys.ts';
import type { Store } from '../store/store.ts';
import { handleInTransaction } from '../store/transaction.ts';
import type { ProblemCode } from '../util/problem.ts';
import { type HttpProblem, HttpProblemError } from '../util/problem.ts';
import { JSON_TYPE } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { quote } from './access-policy.ts';
import { canDeliver, handleWithDeliveries } from './deliveries.ts';
import type { Exchange, OperationExchange, ResponseData } from './exchange.ts';
import { describeError, handleOrMock, respondWithFault } from './handle.ts';
import { refuse, refuseWithError, toHttpProblem } from './problem.ts';
import { complete, toContent } from './response.ts';

const HEADER = 'idempotency-key';

/**
 * The methods that are not idempotent (RFC 9110, section 9.2.2).
 * Requests with other methods need no idempotency key.
 */
const METHODS = ['POST', 'PATCH'];

/**
 * Matches a valid idempotency key.
 * Quotes count as part of the key: draft-ietf-httpapi-idempotency-key-header requires them, but most clients send none.
 */
const VALID_KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the value of the header `Idempotency-Key`.
 * Returns undefined if the request does not have the header, if its method is not POST or PATCH, or for a login: a
 * repeated one returns a token that is valid, also after a logout.
 * Throws an `HttpProblemError` if the value is invalid.
 */
export function getIdempotencyKey({ method, headers, path }: Exchange): string | undefined {
  const key = headers[HEADER]?.toString();
  if (key === undefined || !METHODS.includes(method)) return undefined;
  if (VALID_KEY.test(key) && isLoginPath(path, () => false)) return undefined;
  if (VALID_KEY.test(key)) return key;
  const remedy = 'use 1 to 255 visible ASCII characters, such as a UUID';
  const detail = `the key ${quote(key)} in the Idempotency-Key header is invalid: ${remedy}`;
  const violation = {
    in: 'header',
    pointer: '/Idempotency-Key',
    rule: 'key',
    value: key.slice(0, 300),
    remedy,
  } as const;
  throw new HttpProblemError({ code: 'invalid-request', detail, violations: [violation] });
}

/**
 * Handles a request with an idempotency key.
 * The first request with a key runs the handler, and its response is stored.
 * A repetition of the first request gets the stored response.
 * Responds with 409 while the first request is in progress, and with 422 to a different request with the same key.
 */
export async function handleOnce(exchange: OperationExchange): Promise<void> {
  const { idempotencyKey = '', sandbox, preferences, effect } = exchange;
  // The handler does not run, so the request changes nothing and needs no idempotency.
  if (preferences.isMockRequired || effect?.response?.phase === 'before') return handleOrMock(exchange, sandbox.store);
  const claimed = await sandbox.idempotencyKeys.claim(getOwnKey(exchange), getFingerprint(exchange));
  if (claimed.kind === 'claimed') await handleClaimed(exchange, claimed.claim);
  else if (claimed.kind === 'stored') repeatResponse(exchange, claimed.response);
  else refuse(exchange, createKeyProblem(claimed.kind, idempotencyKey));
}

/** The places in which any request can have credentials, whatever the contract says. */
const CREDENTIALS = [
  { in: 'header', name: 'authorization' },
  { in: 'cookie', name: SESSION_COOKIE },
] as const;

/** Returns the idempotency key with a hash of the credentials of the request: two users can send the same key. */
function getOwnKey({ idempotencyKey = '', route, headers }: OperationExchange): string {
  const credentials = [...CREDENTIALS, ...route.security.flat()].flatMap(({ in: location, name }) => {
    if (location === 'query') return [];
    return (location === 'cookie' ? findCookie(headers.cookie, name) : headers[name]) ?? [];
  });
  if (credentials.length === 0) return idempotencyKey;
  return `${idempotencyKey} ${createHash('sha256').update(JSON.stringify(credentials)).digest('base64')}`;
}

/**
 * Returns a hash of the method, the path, the query and the body.
 * A request is a repetition if it has the same key and the same hash as an earlier request.
 */
function getFingerprint({ method, location, bodyText = '' }: OperationExchange): string {
  return createHash('sha256')
    .update(JSON.stringify([method, location.target, bodyText]))
    .digest('base64');
}

/**
 * Responds to a repeated request: with the response of a fault if one applies, otherwise with the stored response of
 * the first request.
 */
function repeatResponse(exchange: OperationExchange, stored: StoredResponse): void {
  if (exchange.effect?.response) respondWithFault(exchange);
  else {
    exchange.response = toReplay(stored);
    exchange.decision = { source: 'replay' };
  }
}

/**
 * Runs the handler, and stores its response, which repeated requests get.
 * Stores it even if the client gets the response of a fault or none.
 * If the change of the state could not be stored, releases the key, so that a repeated request runs the handler again.
 */
async function handleClaimed(exchange: OperationExchange, claim: Claim): Promise<void> {
  const { app, sandbox, notes } = exchange;
  const delivers = canDeliver(exchange);
  const run = async (store: Store) => {
    // A transaction can run the handler again.
    exchange.notes = notes;
    exchange.response = undefined;
    exchange.changes = undefined;
    if (delivers) await handleWithDeliveries(exchange, store);
    else await handleOrMock(exchange, store);
    await complete(exchange);
  };
  const getStored = () => tryOrUndefined(() => toStored(getHandlerResponse(exchange)));
  try {
    if (claim.transact) await claim.transact(sandbox.store, run, getStored);
    else await (delivers ? handleInTransaction(sandbox.store, run, () => {}) : run(sandbox.store));
    if (delivers) app.deliveries.wake(sandbox);
    const stored = getStored();
    // A transaction has stored the response.
    if (!claim.transact || !stored) await settle(claim, stored);
  } catch (error) {
    refuseWithError(exchange, error, describeError(exchange, error));
    const sent = exchange.response;
    await settle(claim, isTemporary(exchange, error) ? undefined : tryOrUndefined(() => toStored(sent)));
  }
}

function settle(claim: Claim, stored: StoredResponse | undefined): Promise<void> {
  return stored ? claim.complete(stored) : claim.release();
}

/** Returns the handler's response, even if the client gets the response of a fault. Undefined if there is none. */
function getHandlerResponse({ effect, replaced, response }: OperationExchange): ResponseData | undefined {
  return effect?.response ? replaced : response;
}

const KEY_PROBLEMS = {
  'in-progress': 'idempotency-key-in-use',
  'other-request': 'idempotency-key-reused',
} as const satisfies Record<string, ProblemCode>;

function createKeyProblem(kind: keyof typeof KEY_PROBLEMS, key: string): HttpProblem {
  const reason =
    kind === 'in-progress'
      ? 'is in progress: repeat the request later'
      : 'has another method, path, query or body: use a new key for a new request';
  return { code: KEY_PROBLEMS[kind], detail: `the first request with the Idempotency-Key ${quote(key)} ${reason}` };
}

/**
 * The codes of the problems (error responses) that mean that a change was not stored.
 * A repeated request then runs the handler again.
 */
const TEMPORARY_PROBLEMS: readonly ProblemCode[] = ['unavailable', 'insufficient-storage'];

/** Returns whether an error means that a change was not stored. */
function isTemporary({ app }: OperationExchange, error: unknown): boolean {
  const problem = toHttpProblem(error, app.application.problems);
  return TEMPORARY_PROBLEMS.some((code) => code === problem?.code);
}

/** Converts a response to the format of the key store. Throws an error if the body can't be converted to text. */
function toStored(response: ResponseData | undefined): StoredResponse | undefined {
  // A stream is sent again from its beginning.
  if (!response || (response.items && response.body === undefined)) return undefined;
  const { status, headers, body } = response;
  return { status, headers, content: body === undefined ? undefined : toContent(body, headers['Content-Type']) };
}

function toReplay({ status, headers, content }: StoredResponse): ResponseData {
  const isJson = typeof content === 'string' && isJsonType(headers['Content-Type'] ?? JSON_TYPE);
  return {
    status,
    headers: { ...headers, 'Idempotent-Replayed': 'true' },
    body: isJson ? JSON.parse(content) : content,
  };
}
