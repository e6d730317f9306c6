import type { Contract } from '../openapi/contract.ts';
import { findMediaType, isJsonType, removeTypeParameters } from '../openapi/media-types.ts';
import type { ResponseViolation } from '../openapi/responses.ts';
import { type DocumentedResponse, findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { SAFE_METHODS } from '../util/request-target.ts';
import { findRepeatedName } from './ambiguity.ts';
import { findPlacePointer, generalizePlace } from './body-places.ts';
import { type Client, isRateLimit, MAX_WAIT_MS, TOO_MANY_REQUESTS } from './client.ts';
import { Connection } from './connection.ts';
import { addCredentials, getInput } from './credentials.ts';
import { EntityTags } from './entity-tags.ts';
import type { Exchange, ReceivedResponse, RequestToSend } from './exchange.ts';
import { CheckStoppedError } from './exchange.ts';
import { type CheckName, type CheckResults, describeWrongValue, type Finding, getResponseName } from './findings.ts';
import { withAccept, withCurrentVersion, withNewKey } from './request-headers.ts';
import { createViolation, type RuleName, type Violation } from './rules.ts';
import type { Suspect } from './suspects.ts';
import { NoResponseError } from './transport.ts';
import {
  canBeUndocumented,
  findUnusualKind,
  findWriteOnlyViolations,
  findXmlViolations,
} from './undocumented-responses.ts';
import { describeUnusual } from './unusual-requests.ts';

/** Checks a response against a rule that schemas can't express. Returns the violations. */
export type Rule = (route: Route, exchange: Exchange) => readonly Violation[];

/** Options of a session. */
interface SessionOptions {
  readonly contract: Contract;
  readonly client: Client;
  /** The clients of all sessions of the check. */
  readonly clients: readonly Client[];
  readonly results: CheckResults;
  /**
   * Whether a behaviour model describes the contract.
   * If true, responses must not have undocumented properties, and the check also expects behaviour that OpenAPI leaves
   * open, such as the meaning of a repeated query parameter.
   */
  readonly hasModel: boolean;
  readonly rules: readonly Rule[];
  /** The maximum number of concurrent requests. */
  readonly maxConcurrent: number;
  /** A signal that stops the check when it is aborted. Its abort reason must be a `CheckStoppedError`. */
  readonly signal?: AbortSignal | undefined;
  /** The maximum time to wait until a server that has stopped accepts connections again, in ms. Default: 5 s. */
  readonly restartMs?: number | undefined;
}

/**
 * The result of a request.
 * `exchange` is undefined if there is no response, or if the request and all its repetitions received status 429.
 */
export interface SendResult {
  readonly exchange: Exchange | undefined;
  readonly findings: readonly Finding[];
}

/** Sends the requests of `storefront check` to a server, and validates the responses. */
export interface Session extends SessionOptions {
  /**
   * Whether a request may have changed the data on the server since the check last created its data.
   * The function that creates the data sets this property to false.
   */
  mayHaveChanged: boolean;
  /**
   * Whether `send` throws a `CheckStoppedError` of the kind `unavailable` for an operation that limits the request rate
   * for more than a moment, or does not respond in time.
   * If false, `send` waits.
   * A check with a behaviour model always waits.
   */
  mayDefer: boolean;
  /**
   * When the current part of the check must not begin to test more entries, as a value of `performance.now()`.
   * Default: never.
   */
  endOfPartMs: number;
  /** Whether a part of the check tested fewer entries because of `endOfPartMs`. */
  isShortened: boolean;
  /** The number of seeds that requests with new unique values have used. */
  freshSeedCount: number;
  /** The number of consecutive requests that received only status 429, by operationId. */
  readonly rateLimits: Map<string, number>;
  /** The operations of life cycles whose responses are mocked. */
  readonly mocked: Set<string>;
  /** The ETags of the responses. */
  readonly etags: EntityTags;
  /** The operations of the sent requests. */
  readonly sentTo: WeakMap<RequestToSend, Route>;
  /** The requests that got no response since the server responded last. One of them may have stopped the server. */
  readonly lost: readonly Suspect[];
  /** The requests that were answered shortly before the server stopped, the latest first. */
  readonly answered: readonly Suspect[];
  /** Called with each response whose status is not 429. */
  onResponse?: (route: Route, exchange: Exchange) => void;
  /**
   * Sends a request, counts its response, and validates the response against the contract and `rule`.
   * Returns the findings without adding them to the results.
   * Throws `CheckStoppedError` if the check can't continue.
   */
  send(check: CheckName, route: Route, request: RequestToSend, rule?: Rule): Promise<SendResult>;
}

/** An operation gets no further request after this many consecutive requests that received only status 429. */
const MAX_RATE_LIMITED = 20;

/** The maximum time to wait because of a rate limit before the check continues with other operations, in ms. */
const MAX_WAIT_BEFORE_DEFERRAL_MS = 2_000;

/** The limits of a request after which the check continues with other operations. */
const DEFERRING_LIMITS = { maxWaitMs: MAX_WAIT_BEFORE_DEFERRAL_MS, maxTimeouts: 1 };

/** The default of `restartMs`. */
const RESTART_MS = 5_000;

/** Creates a session, which sends the requests of `storefront check` to a server. */
export function createSession(parts: SessionOptions): Session {
  const { client, contract, results, signal, hasModel, restartMs = RESTART_MS } = parts;
  const connection = new Connection({ client, restartMs, signal, onRestart: (cause) => reportStop(session, cause) });
  const commonRules: readonly Rule[] = [(...values) => findViolations(parts, ...values), ...parts.rules];

  function recordResponse(check: CheckName, route: Route, exchange: Exchange, ownRule: Rule): SendResult {
    const { request, response } = exchange;
    session.mayHaveChanged ||=
      !SAFE_METHODS.includes(request.method) && (response.status < 400 || response.status >= 500);
    // A response with status 503 that occurs again and again is an error of the operation.
    if (response.status === TOO_MANY_REQUESTS || (isRateLimit(response) && session.mayDefer))
      return recordRateLimit(session, route, response);
    observeResponse(session, route, exchange);
    // If the contract documents no OPTIONS operation for a path, it does not describe the response to OPTIONS.
    const isDocumented = request.method !== 'OPTIONS' || route.method === 'OPTIONS';
    if (isDocumented) results.count(check, route, response.status);
    const violations = [...(isDocumented ? commonRules : []), ownRule].flatMap((rule) => rule(route, exchange));
    return { exchange, findings: violations.map((violation) => createFinding(check, route, exchange, violation)) };
  }

  const session: Session = {
    ...parts,
    mayHaveChanged: true,
    mayDefer: !hasModel,
    endOfPartMs: Number.POSITIVE_INFINITY,
    isShortened: false,
    freshSeedCount: 0,
    rateLimits: new Map(),
    mocked: new Set(),
    etags: new EntityTags(),
    sentTo: new WeakMap(),
    get lost() {
      return connection.lost;
    },
    get answered() {
      return connection.answered;
    },
    async send(check, route, plainRequest, ownRule = () => []) {
      if (signal?.aborted) throw signal.reason;
      let request = completeRequest(client, route, withNewKey(plainRequest));
      const limits = session.mayDefer ? DEFERRING_LIMITS : { maxWaitMs: MAX_WAIT_MS };
      try {
        request = await withCurrentVersion(contract, route, request, (reader, read) =>
          connection.send(reader, completeRequest(client, reader, read), limits),
        );
        session.sentTo.set(request, route);
        const exchange = await sendWithCredentials(connection, route, request, { client, limits });
        session.sentTo.set(exchange.request, route);
        return recordResponse(check, route, exchange, ownRule);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!(error instanceof NoResponseError)) throw error;
        session.mayHaveChanged = true;
        return { exchange: undefined, findings: [createNoResponseFinding(check, route, request, error.message)] };
      }
    },
  };
  return session;
}

interface SendOptions {
  readonly client: Client;
  readonly limits: Parameters<Connection['send']>[2];
}

/** Sends a request. If the server no longer accepts its credentials, sends it once more with new ones. */
async function sendWithCredentials(
  connection: Connection,
  route: Route,
  request: RequestToSend,
  { client: { credentials }, limits }: SendOptions,
): Promise<Exchange> {
  const response = await connection.send(route, request, limits);
  const renewed = await credentials?.renew(route, request, response);
  if (!renewed) return { request, response };
  const second = await connection.send(route, renewed, limits);
  credentials?.recordRenewed(route, second);
  return { request: renewed, response: second };
}

/** Why rules about ETags are not checked. */
export const NO_ETAG = 'no response has an ETag';

function observeResponse(session: Session, route: Route, exchange: Exchange): void {
  session.rateLimits.delete(route.operationId);
  const { coverage } = session.results;
  session.results.hints?.observe(route, exchange);
  coverage.countPoints(session.contract, route, exchange);
  const { request, response } = exchange;
  if (request.method === route.method && !findResponse(route.responses, response.status))
    session.results.addUndocumented(route, response.status, findUnusualKind(route, request, response.status));
  if (session.etags.record(route, exchange)) coverage.countRule('etag-changes', route);
  else if (exchange.response.headers.etag === undefined)
    for (const rule of ['etag-changes', 'not-modified'] as const) coverage.skipRule(rule, route, NO_ETAG);
  session.onResponse?.(route, exchange);
}

/** Adds the credentials and the header `Accept` to a request. */
export function completeRequest(client: Client, route: Route, request: RequestToSend): RequestToSend {
  const authorized = request.isAnonymous === true ? request : addCredentials(route, client, request);
  return withAccept(route, getInput(route, client).headers, authorized);
}

/**
 * Counts a request whose operation limits the request rate.
 * Throws an error if the check must not send more requests to the operation now.
 */
function recordRateLimit(session: Session, { operationId }: Route, { status, headers }: ReceivedResponse): SendResult {
  const { mayDefer, hasModel, rateLimits, results } = session;
  const retryAfter = `Retry-After: ${headers['retry-after'] ?? 'missing'}`;
  if (mayDefer) throw new CheckStoppedError(`${operationId} responds with ${status} (${retryAfter})`, 'unavailable');
  results.rateLimitedCount++;
  const count = (rateLimits.get(operationId) ?? 0) + 1;
  rateLimits.set(operationId, count);
  const message = `${MAX_RATE_LIMITED} consecutive requests to ${operationId} received status ${status} (${retryAfter})`;
  if (count >= MAX_RATE_LIMITED) throw new CheckStoppedError(message, hasModel ? 'interrupted' : 'unavailable');
  return { exchange: undefined, findings: [] };
}

/** Adds a finding for each error status after which the server closes the connection without announcing it. */
export function reportClosedConnections({ client, results, sentTo }: Session): void {
  for (const exchange of client.closes.getExamples()) {
    const route = sentTo.get(exchange.request);
    if (route) results.add(createFinding('input', route, exchange, createCloseViolation(route, exchange)));
  }
}

function createCloseViolation({ pointer }: Route, { response: { status } }: Exchange): Violation {
  const message = `The server closes the connection after responses with status ${status}, but does not announce it with "Connection: close" (RFC 9112, section 9.6). The next request of a client gets no response`;
  return createViolation('announced-close', { message, pointer });
}

function createNoResponseFinding(check: CheckName, route: Route, request: RequestToSend, message: string): Finding {
  const violation = createViolation('responds', { message, pointer: route.pointer });
  return { ...createFinding(check, route, { request, response: NO_RESPONSE }, violation), status: 'none' };
}

/**
 * Adds the finding about the request that stopped the server.
 * `cause`: undefined if none of the repeated requests stops it again.
 */
function reportStop(session: Session, cause: Suspect | undefined): void {
  const { results } = session;
  session.mayHaveChanged = true;
  if (!cause) {
    results.addUnexplainedStop();
    return;
  }
  const { route, request, exchange } = cause;
  const { operationId, pointer } = route;
  const response = exchange ? `responds with ${exchange.response.status}, and then stops` : 'stops without a response';
  results.addCauseOfStop({
    check: 'behaviour',
    operationId,
    status: 'none',
    rule: 'responds',
    title: 'responds',
    message: `The server ${response}. It accepted no connections until it was started again, and the repeated request stopped it again`,
    pointer,
    exchanges: [exchange ?? { request, response: NO_RESPONSE }],
  });
}

/** Stands for the response to a request that got none. */
export const NO_RESPONSE: ReceivedResponse = {
  status: 0,
  headers: {},
  text: '',
  body: undefined,
  jsonError: undefined,
};

/** Creates a finding about a violation in the response of an operation. */
export function createFinding(check: CheckName, route: Route, exchange: Exchange, violation: Violation): Finding {
  const { causedBy, ...others } = violation;
  const status = causedBy
    ? getResponseName(causedBy, causedBy.successStatus)
    : getResponseName(route, exchange.response.status);
  const pointer = causedBy && violation.pointer === route.pointer ? causedBy.pointer : violation.pointer;
  const { operationId } = causedBy ?? route;
  return { ...others, pointer, status, check, operationId, exchanges: [exchange] };
}

/** The status of a server that can store nothing more, for example because of a quota (RFC 4918, section 11.5). */
const INSUFFICIENT_STORAGE = 507;

/** Returns the violations of the contract and of HTTP in a response. */
export function findViolations(
  { contract, hasModel }: Pick<SessionOptions, 'contract' | 'hasModel'>,
  route: Route,
  { request, response }: Exchange,
): readonly Violation[] {
  const { status, headers, body, httpError, jsonError } = response;
  const type = headers['content-type'] ?? '';
  const documented = findResponse(route.responses, status);
  const pointer = documented?.pointer ?? `${route.pointer}/responses`;
  const violate = (rule: RuleName, message: string, title?: string) =>
    createViolation(rule, { message, pointer, ...(title !== undefined && { title }) });
  if (httpError !== undefined) return [violate('http', httpError)];
  // An operation can document only errors, such as a 501.
  const isExpected = documented !== undefined && route.successStatus >= 400;
  if (status >= 500 && !isExpected && !(status === INSUFFICIENT_STORAGE && documented))
    return [violate('server-error', `The server responds with ${status}${describeUnusual(request)}`)];
  if (!hasModel && canBeUndocumented(contract, route, request, response)) return [];
  if (jsonError !== undefined)
    return [violate('json', `The content type is ${type}, but the body is not valid JSON: ${jsonError}`)];
  // Responses to HEAD, and responses with status 204 or 304, have no body and need no content type (RFC 9110, sections
  // 9.3.2 and 6.4.1).
  const hasBody = request.method !== 'HEAD' && status !== 204 && status !== 304;
  const responseViolations = contract
    .verifyResponse(route, { status, headers, body }, { closed: hasModel, isReceived: true })
    .filter(({ where }) => hasBody || !/^(body|content type)/.test(where))
    // OpenAPI does not define whether a response without `content` may have a body.
    // The body is a violation only if a behaviour model describes the contract.
    .filter(({ where, rule }) => hasModel || where !== 'body' || rule !== 'documented');
  return [
    ...findWriteOnlyViolations(contract, documented, response).map((place) =>
      createWriteOnlyViolation(contract, place, findViolatedSchema(documented, type, { where: 'body' }) ?? pointer),
    ),
    ...(hasBody ? findXmlViolations(contract, documented, response) : []).map(([title, message]) =>
      violate('response-schema', message, title),
    ),
    ...responseViolations.map((violation) => {
      const { where, rule, message } = violation;
      const schema = findViolatedSchema(documented, type, violation);
      return {
        rule: getResponseRule(violation),
        title: `${generalizePlace(contract.normalized, schema, where)} ${rule}`,
        message: message + describeWrongValue(response, where, contract.credentialNames),
        pointer: schema === undefined ? pointer : findPlacePointer(contract.normalized, schema, where),
      };
    }),
    ...findProblemViolations(response).map((message) => violate('problem-status', message)),
    ...findCharsetViolations(response).map((message) => violate('charset', message)),
    ...findRepeatedNames(response).map((message) => violate('unique-names', message)),
  ];
}

function createWriteOnlyViolation({ normalized }: Contract, place: string, schema: string): Violation {
  return createViolation('write-only', {
    title: `body${place} writeOnly`,
    message: `body${place} must not be in a response, because its schema is writeOnly`,
    pointer: findPlacePointer(normalized, schema, `body${place.replaceAll('*', '0')}`),
  });
}

/** Returns the rule that a response violates. */
function getResponseRule({ where }: ResponseViolation): RuleName {
  if (where === 'status') return 'response-status';
  return where === 'content type' ? 'response-type' : 'response-schema';
}

/** Returns the pointer of the violated schema; undefined if the violation concerns no schema. */
export function findViolatedSchema(
  documented: DocumentedResponse | undefined,
  type: string,
  { where }: Pick<ResponseViolation, 'where'>,
) {
  const [, header] = /^header (.*)$/.exec(where) ?? [];
  if (header !== undefined) return documented?.headers.find(({ name }) => name === header)?.schema;
  if (!documented || !where.startsWith('body')) return undefined;
  return documented.media[findMediaType(Object.keys(documented.media), type) ?? '']?.schema;
}

/**
 * Returns a message if the status in a problem document differs from the status of the response (RFC 9457, section
 * 3.1.2).
 */
function findProblemViolations({ status, headers, body }: ReceivedResponse): readonly string[] {
  if (removeTypeParameters(headers['content-type'] ?? '') !== 'application/problem+json') return [];
  const reported = (body as { status?: unknown } | null)?.status;
  if (reported === undefined || reported === status) return [];
  return [`The problem document has status ${reported}, but the response has status ${status}`];
}

/** Matches the charset in a content type. */
const CHARSET = /;\s*charset="?([^\s;"]+)/i;

/** Matches the charsets that write ASCII in another way than ASCII does. */
const OTHER_THAN_ASCII = /^(utf-?(7|16|32)|ucs-?[24]|iso-?10646|cp037|ebcdic|ibm(037|1047|500))/i;

/**
 * Returns a message if the content type of a JSON body names a charset with which clients read another text: JSON is
 * always UTF-8 (RFC 8259, section 8.1), but many clients use the charset.
 */
function findCharsetViolations({ headers, text }: ReceivedResponse): readonly string[] {
  const type = headers['content-type'] ?? '';
  const [, charset = 'utf-8'] = CHARSET.exec(type) ?? [];
  const isAscii = /^\p{ASCII}*$/u.test(text);
  if (text === '' || !isJsonType(type) || /^utf-?8$/i.test(charset)) return [];
  if (isAscii && !OTHER_THAN_ASCII.test(charset)) return [];
  return [
    `The content type is ${type}, but the body is UTF-8, which many clients then decode wrongly: send charset=utf-8, or no charset`,
  ];
}

/** Returns a message about the first name that occurs twice in an object of a JSON body. */
function findRepeatedNames({ headers, text }: ReceivedResponse): readonly string[] {
  const repeated = isJsonType(headers['content-type'] ?? '') ? findRepeatedName(text) : undefined;
  return repeated === undefined
    ? []
    : [`An object in the response body contains the name ${JSON.stringify(repeated)} twice`];
}
