import { createHash } from 'node:crypto';
import { isJsonType } from '../../openapi/media-types.ts';
import type { Claim, StoredResponse } from '../../sandbox/idempotency/idempotency-keys.ts';
import type { Store } from '../../store/store.ts';
import { JSON_TYPE } from '../../util/request-target.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import { quote } from '../access-policy.ts';
import type { AppParts } from '../parts.ts';
import { type HttpProblem, HttpProblemError, toHttpProblem } from '../problem.ts';
import type { ProblemCode } from '../problem-kinds.ts';
import { addProblem } from './add-problem.ts';
import { respondWithFault } from './handle.ts';
import type { HandlerResult, Outcome, ResponseData } from './outcome.ts';
import type { HttpRequest } from './request.ts';
import { toContent } from './response.ts';
import type { OperationCall } from './values.ts';

const HEADER = 'idempotency-key';

/** The methods that are not idempotent (RFC 9110, section 9.2.2). Requests with other methods need no idempotency key. */
const METHODS = ['POST', 'PATCH'];

/** Matches a valid idempotency key. Quotes count as part of the key: draft-ietf-httpapi-idempotency-key-header requires them, but most clients send none. */
const VALID_KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the value of the header `Idempotency-Key`. Returns undefined if the request does not have the header, or if its method is not POST or PATCH. Throws
 * an `HttpProblemError` if the value is invalid.
 */
export function getIdempotencyKey({ method, headers }: HttpRequest): string | undefined {
  const key = headers[HEADER]?.toString();
  if (key === undefined || !METHODS.includes(method)) return undefined;
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

/** What `handleOnce` needs to handle a request. */
interface HandleOnceOptions {
  /** The outcome (response, and values for the log and the journal) before the handler runs. */
  readonly outcome: Outcome;
  /** Runs the handler or the mock. */
  readonly runHandler: (call: OperationCall) => Promise<HandlerResult>;
  /** Converts the result or the error of the handler to an outcome with a response. Never rejects. */
  readonly toOutcome: (handling: Promise<HandlerResult>) => Promise<Outcome>;
}

/**
 * Handles a request with an idempotency key. The first request with a key runs the handler, and its response is stored. A repetition of the first request gets
 * the stored response. Responds with 409 while the first request is in progress, and with 422 to a different request with the same key.
 */
export async function handleOnce(parts: AppParts, call: OperationCall, handling: HandleOnceOptions): Promise<Outcome> {
  const { outcome, runHandler, toOutcome } = handling;
  const { idempotencyKey = '', selection } = call;
  // The handler does not run, so the request changes nothing and needs no idempotency.
  if (call.preferences.isMockRequired || call.applied.effect?.response?.phase === 'before')
    return toOutcome(runHandler(call));
  const claimed = await selection.sandbox.idempotencyKeys.claim(idempotencyKey, getFingerprint(call));
  if (claimed.kind === 'stored') return toOutcome(repeatResponse(parts, call, claimed.response));
  if (claimed.kind !== 'claimed') return addProblem(call, outcome, createKeyProblem(claimed.kind, idempotencyKey));
  const { transact } = claimed.claim;
  const handle = (store: Store) => {
    const sandbox = { ...selection.sandbox, store };
    return runHandler({ ...call, selection: { ...selection, sandbox } });
  };
  const running = transact
    ? transact(selection.sandbox.store, handle, (result) => getStoredResponse(call, result))
    : runHandler(call);
  const handled = await toOutcome(running);
  await settleClaim(parts, claimed.claim, call, { running, sent: handled.response });
  return handled;
}

/** Returns a hash of the method, the path, the query and the body. A request is a repetition if it has the same key and the same hash as an earlier request. */
function getFingerprint({ request, target }: OperationCall): string {
  const parts = [request.method, target.location.target, request.body.text ?? ''];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}

const REPLAY = { source: 'replay' } as const;

/** Returns the response to a repeated request: the response of a fault if one applies, otherwise the stored response of the first request. */
async function repeatResponse(parts: AppParts, call: OperationCall, stored: StoredResponse): Promise<HandlerResult> {
  const injected = call.applied.effect?.response;
  return injected ? respondWithFault(parts, call, injected) : { response: toReplay(stored), decision: REPLAY };
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

/** The codes of the problems (error responses) that mean that a change was not stored. A repeated request then runs the handler again. */
const TEMPORARY_PROBLEMS: readonly ProblemCode[] = ['unavailable', 'insufficient-storage'];

/**
 * Stores the handler's response, which repeated requests get. Stores it even if the first request got the response of a fault or no response. If the state
 * change could not be stored, releases the key, so that a repeated request runs the handler again.
 */
async function settleClaim(
  { application }: AppParts,
  claim: Claim,
  call: OperationCall,
  { running, sent }: { readonly running: Promise<HandlerResult>; readonly sent: ResponseData | undefined },
): Promise<void> {
  const stored = await running.then(
    (result) => getStoredResponse(call, result),
    (error) => {
      const problem = toHttpProblem(error, application.problems);
      const isTemporary = problem && TEMPORARY_PROBLEMS.some((code) => code === problem.code);
      return isTemporary || !sent ? undefined : tryOrUndefined(() => toStored(sent));
    },
  );
  await (stored ? claim.complete(stored) : claim.release());
}

/**
 * Returns the handler's response in the format of the key store, even if the client got the response of a fault. Returns undefined if the response can't be
 * converted to text.
 */
function getStoredResponse(
  { applied }: OperationCall,
  { replaced, response: sent }: HandlerResult,
): StoredResponse | undefined {
  const response = applied.effect?.response ? replaced : sent;
  return response && tryOrUndefined(() => toStored(response));
}

function toStored({ status, headers, body }: ResponseData): StoredResponse {
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
