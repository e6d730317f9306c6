import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../openapi/contract.ts';
import { getNode } from '../openapi/document.ts';
import {
  findMediaType,
  findResponse,
  isJsonType,
  type ResponseViolation,
  removeTypeParameters,
} from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { CheckStoppedError, ServerGoneError, ServerSilentError } from './check-stopped-error.ts';
import { type Client, TOO_MANY_REQUESTS } from './client.ts';
import type { Exchange, ReceivedResponse, RequestToSend } from './exchange.ts';
import type { CheckName, Finding, FindingKind, Ledger } from './findings.ts';
import { findRepeatedName } from './repeated-names.ts';
import { NoResponseError } from './transport.ts';
import { UnansweredRequests } from './unanswered-requests.ts';
import { canBeUndocumented } from './undocumented-responses.ts';

/** A rule for responses that their schemas can't express. */
export type Rule = (route: Route, exchange: Exchange) => readonly FindingKind[];

/** What a session needs. */
export interface SessionParts {
  readonly contract: Contract;
  readonly client: Client;
  readonly ledger: Ledger;
  /** Whether the contract is the shop's: its responses have only documented properties, and its rules go beyond its schemas. */
  readonly isShop: boolean;
  readonly rules: readonly Rule[];
  /** The maximum number of concurrent independent requests. */
  readonly maxConcurrent: number;
  /** Stops the check when it is aborted; its reason is a `CheckStoppedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** The exchange of a request, undefined without a response other than 429, and the findings in it. */
export interface SendResult {
  readonly exchange: Exchange | undefined;
  readonly findings: readonly Finding[];
}

/** Sends the requests of a check to a server. */
export interface Session extends SessionParts {
  /** Whether data may have changed since this was last set to false. */
  mayHaveChanged: boolean;
  /** The number of requests that received 429 at each attempt. */
  rateLimitedCount: number;
  /** Sends a request to an operation, counts its response, and validates it by the contract. Returns the findings without adding them. */
  send(check: CheckName, route: Route, request: RequestToSend): Promise<SendResult>;
}

/** The number of rounds without a response, and of consecutive requests with 429, that stop the check. */
const MAX_UNANSWERED_ROUNDS = 5;
const MAX_RATE_LIMITED = 20;

/** The number of connection attempts, and the pause between two, in ms: the server may be restarting. */
const MAX_CONNECTION_ATTEMPTS = 5;
const PAUSE_MS = 200;

/** Creates a session with a server. */
export function createSession(parts: SessionParts): Session {
  const { ledger, signal } = parts;
  const unanswered = new UnansweredRequests();
  let consecutiveRateLimits = 0;

  function recordResponse(check: CheckName, route: Route, exchange: Exchange): SendResult {
    const { request, response } = exchange;
    unanswered.recordResponse();
    session.mayHaveChanged ||=
      !SAFE_METHODS.includes(request.method) && (response.status < 400 || response.status >= 500);
    if (response.status === TOO_MANY_REQUESTS) return recordRateLimit(response);
    consecutiveRateLimits = 0;
    // OPTIONS is sent to a path: no operation documents its response.
    if (request.method !== 'OPTIONS' || route.method === 'OPTIONS')
      ledger.count(check, route.operationId, getResponseName(route, response.status));
    return { exchange, findings: findFindings(parts, check, { route, exchange }) };
  }

  function recordRateLimit({ headers }: ReceivedResponse): SendResult {
    session.rateLimitedCount++;
    if (++consecutiveRateLimits >= MAX_RATE_LIMITED)
      throw new CheckStoppedError(
        `${consecutiveRateLimits} consecutive requests received 429 (Retry-After: ${headers['retry-after']})`,
      );
    return { exchange: undefined, findings: [] };
  }

  const session: Session = {
    ...parts,
    mayHaveChanged: true,
    rateLimitedCount: 0,
    async send(check, route, request) {
      if (signal?.aborted) throw signal.reason;
      const requestNumber = unanswered.recordRequest();
      try {
        return recordResponse(check, route, { request, response: await sendWithRetries(parts, request) });
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!(error instanceof NoResponseError)) throw error;
        const rounds = unanswered.recordFailure(requestNumber);
        if (rounds >= MAX_UNANSWERED_ROUNDS)
          throw new ServerSilentError(`no response in ${rounds} rounds of requests: ${error.message}`);
        session.mayHaveChanged = true;
        return { exchange: undefined, findings: [createNoResponseFinding(check, route, { request, error })] };
      }
    },
  };
  return session;
}

function findFindings(
  parts: SessionParts,
  check: CheckName,
  { route, exchange }: { readonly route: Route; readonly exchange: Exchange },
): readonly Finding[] {
  const { operationId } = route;
  const violations = [
    ...findViolations(parts, route, exchange),
    ...parts.rules.flatMap((rule) => rule(route, exchange)),
  ];
  return violations.map((violation) => ({ ...violation, check, operationId, exchanges: [exchange] }));
}

function createNoResponseFinding(
  check: CheckName,
  { operationId, pointer }: Route,
  { request, error }: { readonly request: RequestToSend; readonly error: NoResponseError },
): Finding {
  const violation = { status: 'none', rule: 'responds', message: error.message, pointer };
  return { ...violation, check, operationId, exchanges: [{ request, response: NO_RESPONSE }] };
}

/** Returns the response to a request. Throws `ServerGoneError` if all connection attempts are refused. */
async function sendWithRetries({ client, signal }: SessionParts, request: RequestToSend): Promise<ReceivedResponse> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.send(request);
    } catch (error) {
      if (signal?.aborted || !(error instanceof NoResponseError && error.isRefused)) throw error;
      if (attempt === MAX_CONNECTION_ATTEMPTS) throw new ServerGoneError(`the server is gone: ${error.message}`);
      await sleep(PAUSE_MS);
    }
  }
}

/** Safe methods (RFC 9110, section 9.2.1). */
export const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'];

const NO_RESPONSE: ReceivedResponse = { status: 0, headers: {}, text: '', body: undefined, jsonError: undefined };

/** Creates a finding for an exchange with an operation. */
export function createFinding(
  check: CheckName,
  route: Route,
  exchange: Exchange,
  violation: Omit<FindingKind, 'status'>,
): Finding {
  const status = getResponseName(route, exchange.response.status);
  return { ...violation, status, check, operationId: route.operationId, exchanges: [exchange] };
}

/** Returns the name of the response that documents a status; the status itself if none does. */
export function getResponseName({ responses }: Route, status: number): string {
  return findResponse(responses, status)?.name ?? String(status);
}

/** Returns the violations of a response by the contract. */
function findViolations(
  { contract, isShop }: SessionParts,
  route: Route,
  { request, response }: Exchange,
): readonly FindingKind[] {
  const status = getResponseName(route, response.status);
  const pointer = findResponse(route.responses, response.status)?.pointer ?? `${route.pointer}/responses`;
  const createViolation = (rule: string, message: string, place = pointer): FindingKind => ({
    status,
    rule,
    message,
    pointer: place,
  });
  if (response.httpError !== undefined) return [createViolation('HTTP', response.httpError)];
  if (response.status >= 500)
    return [createViolation('no server error', `The server responds with ${response.status}`)];
  if (!isShop && canBeUndocumented(contract, route, request, response)) return [];
  if (response.jsonError !== undefined) {
    return [
      createViolation(
        'JSON',
        `The content type is ${response.headers['content-type']}, but the body is not valid JSON: ${response.jsonError}`,
      ),
    ];
  }
  const repeated = isJsonType(response.headers['content-type'] ?? '') ? findRepeatedName(response.text) : undefined;
  // A response to HEAD has no body, and need not have its content type (RFC 9110, section 9.3.2).
  const responseViolations = contract
    .verifyResponse(
      route,
      { status: response.status, headers: response.headers, body: response.body },
      { closed: isShop },
    )
    .filter(({ where }) => request.method !== 'HEAD' || !/^(body|content type)/.test(where))
    // OpenAPI does not define whether a response without `content` may have a body; the shop's contract does.
    .filter(({ where, rule }) => isShop || where !== 'body' || rule !== 'documented');
  return [
    ...responseViolations.map((violation) =>
      createViolation(
        toRuleName(violation),
        violation.message,
        findPointer(contract, route, response, pointer, violation),
      ),
    ),
    ...findProblemViolations(response).map((message) => createViolation('problem status', message)),
    ...(repeated === undefined
      ? []
      : [createViolation('unique names', `An object in the body has the name ${JSON.stringify(repeated)} twice`)]),
  ];
}

/** Returns the rule and its place without list indexes, so that the same violation in several entries counts once. */
function toRuleName({ where, rule }: ResponseViolation): string {
  return `${where.replaceAll(/\/\d+(?=\/|$)/g, '/*')} ${rule}`;
}

/** Returns the place in the contract that a violation refers to. */
function findPointer(
  { normalized: plain }: Contract,
  route: Route,
  { status, headers }: ReceivedResponse,
  pointer: string,
  { where }: ResponseViolation,
): string {
  const response = findResponse(route.responses, status);
  if (!response) return pointer;
  const [, header] = /^header (.*)$/.exec(where) ?? [];
  if (header !== undefined) return response.headers.find(({ name }) => name === header)?.schema ?? pointer;
  const type = findMediaType(Object.keys(response.media), headers['content-type'] ?? '');
  const schema = type === undefined ? undefined : response.media[type]?.schema;
  return where.startsWith('body') && schema !== undefined && getNode(plain, schema) !== undefined ? schema : pointer;
}

/** Returns a violation if the status in a problem document differs from that of the response (RFC 9457, section 3.1.2). */
function findProblemViolations({ status, headers, body }: ReceivedResponse): readonly string[] {
  if (removeTypeParameters(headers['content-type'] ?? '') !== 'application/problem+json') return [];
  const reported = (body as { status?: unknown } | null)?.status;
  return reported === undefined || reported === status
    ? []
    : [`The status of the problem document is ${reported}, that of the response ${status}`];
}
