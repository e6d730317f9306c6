import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { ContractImplementation, HandlerResponse } from '../application.ts';
import type { FaultEffect } from '../faults/fault-list.ts';
import type { Contract } from '../openapi/contract.ts';
import { normalizeEscapes, type Route } from '../openapi/routes.ts';
import type { OperationInput } from '../openapi/validate-request.ts';
import {
  type RecordedRequest,
  type RecordedResponse,
  type Remarks,
  type StateChange,
  truncateText,
} from '../sandbox/journal/recorded-request.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { State } from '../store/state.ts';
import type { InexactInteger } from '../util/limits.ts';
import { HttpProblemError } from '../util/problem.ts';
import { getPathname, toDecodablePath } from '../util/request-target.ts';
import type { Items } from '../util/streams.ts';
import { type Headers, NO_HEADERS } from './access-policy.ts';
import type { Authenticate } from './credentials.ts';
import type { LargeBodies } from './large-bodies.ts';
import type { ListPieces } from './long-list.ts';
import { NO_PREFERENCES, type Preferences } from './preferences.ts';
import type { RetryDetector } from './retries.ts';
import type { ServedContract, Server } from './served.ts';

/** The body of a request. */
export interface ReceivedBody {
  /**
   * The parsed value.
   * Undefined if the body is empty, or if it is neither JSON nor a form nor XML that the schema describes.
   */
  readonly body: unknown;
  /** The media type in the contract that matches the `Content-Type` of the request. */
  readonly contentType?: string | undefined;
  /** The integers in a JSON body that JavaScript can't represent. */
  readonly inexact?: readonly InexactInteger[];
}

/** A response before it is written. */
export interface ResponseData {
  readonly status: number;
  readonly headers: Headers;
  /**
   * The body: a value to send as JSON, or a string or a Buffer if the content type is not JSON.
   * Undefined if there is no body.
   */
  readonly body?: unknown;
  /**
   * The body, if it is a long list with entries that never change.
   * The server validates this list and converts it to JSON in slices, between which it handles other requests.
   */
  readonly list?: readonly unknown[];
  /** The body, if it is a state with a long list. The server converts it to JSON in slices. */
  readonly state?: State;
  /** The JSON text of `list` or `state`. If `pieces` is present, the server sends it instead of `body`. */
  readonly pieces?: ListPieces;
  /** The name of the contract's example that is the body. Undefined if the body is not an example. */
  readonly example?: string | undefined;
  /**
   * The items of a stream, such as server-sent events.
   * If `body` is also present, it is the text of all items.
   */
  readonly items?: Items | undefined;
  /**
   * Writes the whole response: the status, the headers and the body.
   * If `stream` is present, all other properties are ignored.
   */
  readonly stream?: (res: ServerResponse) => void;
}

/** A response that was sent, and its body. */
export interface SentResponse {
  readonly response: ResponseData;
  /**
   * The text of the body, or the start of a long list.
   * For a HEAD request, this is the text that a GET request would receive.
   */
  readonly text: string;
  /** The length of the whole body, in bytes. */
  readonly bytes: number;
}

/**
 * What a handler (of the application or of the user), the mock or a fault has returned.
 * `complete` makes a response of it.
 */
export interface Returned extends HandlerResponse {
  readonly by: 'application' | 'user' | 'mock';
  /** The name of the contract's example that is the body. */
  readonly example?: string | undefined;
  /** The items of a stream, whose text is the body. */
  readonly items?: Items | undefined;
  /** The request of a user's handler, and the state after it. */
  readonly request?: Parameters<NonNullable<ContractImplementation['completeResponse']>>[2] | undefined;
}

/**
 * The origin of a response, for the journal.
 * `source` is, for example, `handler`, `mock`, `fault`, `cache` or `refusal`.
 */
export type Decision = NonNullable<RecordedRequest['decision']>;

/** The id of the sandbox that a request names, and the request target without the path prefix of the sandbox. */
export interface SandboxTarget {
  /** The id of the sandbox; undefined if the request names none. */
  readonly sandboxId: string | undefined;
  /** The path prefix that names the sandbox, such as `/_sandbox/w3`. Empty if the path does not name a sandbox. */
  readonly prefix: string;
  /** The path and the query without `prefix`, such as `/items?page=2`. */
  readonly target: string;
  /** Whether a cookie names the sandbox. */
  readonly isByCookie?: boolean;
}

/** The parts of a request target, without the path prefix that names a sandbox. */
export interface Location extends SandboxTarget {
  /** The path as the client sent it, without `prefix`. */
  readonly pathname: string;
  /**
   * The base path with which `pathname` begins, such as `/v1`: the path in a `servers` URL of the contract.
   * Empty if there is none.
   */
  readonly basePath: string;
  /**
   * The path that the router uses: without `basePath`, with valid percent-encodings, and with exactly one slash at the
   * start.
   */
  readonly path: string;
  /** The query without the question mark. */
  readonly querystring: string;
}

const NO_LOCATION: Location = {
  sandboxId: undefined,
  prefix: '',
  target: '/',
  pathname: '/',
  basePath: '',
  path: '/',
  querystring: '',
};

/**
 * A request and its response.
 * `app.ts` creates one for each request that Koa receives. The comment above a group of properties names the step that
 * sets them first. A refusal, a fault or a mock can replace the response.
 */
export class Exchange {
  readonly method: string;
  /** The path and the query, such as `/items?page=2`. */
  readonly url: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** The headers as they were sent: a list of alternating names and values. */
  readonly rawHeaders: readonly string[];
  /** The connection to the client. */
  readonly socket: ServerResponse['req']['socket'];
  readonly res: ServerResponse;
  /** The time when the request arrived, in ms of `performance.now()`. */
  readonly startMs = performance.now();

  // Set by `route`.
  /**
   * The API to which the request belongs: that of the user's contract, or the control API (`/_control`).
   * Preferences, faults, delays and the journal apply only to the contract's API.
   * Undefined for a page or a file.
   */
  api: 'contract' | 'control' | undefined;
  /** The contract of this API. */
  contract: Contract;
  /**
   * `unknown-method`: the path does not support the method.
   * `asset`: an image below `/images`, or an uploaded file below `/_files`.
   * `page`: a page, a document or a file.
   */
  kind: 'operation' | 'unknown-method' | 'unknown-path' | 'asset' | 'page' = 'page';
  /** The operation. Undefined if `kind` is not `operation`. */
  route: Route | undefined;
  /** The methods that the path supports, if `kind` is `unknown-method`; otherwise empty. */
  allow: readonly string[] = [];
  location: Location = NO_LOCATION;

  // Set by `enterSandbox`.
  /** The sandbox that handles the request: `default` until another one is selected. */
  sandbox: Sandbox;
  /** Whether a sandbox was selected. False if the request was refused before. */
  hasSandbox = false;
  /**
   * Whether the request names the sandbox.
   * False for the sandbox `default`, which handles requests that name no sandbox.
   */
  isNamed = false;
  /** Headers about the sandbox to add to the response, such as `X-Sandbox`. */
  sandboxHeaders: Headers = NO_HEADERS;
  /** Whether the journal records the request. */
  isRecorded = false;
  /** The id of the request in the journal, if it has waited for a delay or a fault. */
  waitingId: number | undefined;

  // Set by `validate`.
  /** The body, as soon as a step has started to receive it. */
  received: Promise<ReceivedBody> | undefined;
  /** The received text of the body; undefined if no text was received. */
  bodyText: string | undefined;
  input: OperationInput = NO_INPUT;
  /** The query as the client sent it, without preferences such as `__code`. */
  query: OperationInput['query'] = NO_INPUT.query;
  preferences: Preferences = NO_PREFERENCES;
  idempotencyKey: string | undefined;
  /** The id or the login of the user that the option `auth` names for the token of the request. */
  user: string | undefined;
  /** Sentences for the log and the journal: errors in the request, and parts of the request that were ignored. */
  notes: readonly string[] = [];
  /** The violations of the contract by the request. */
  violations: Remarks['violations'];
  /** The delay that the server option `delay` has caused, in ms. */
  serverDelayMs = 0;

  // Set by `applyFaults`.
  /** The combined effect of all faults that apply to the request; undefined if no fault applies. */
  effect: FaultEffect | undefined;
  /** The description of the applied faults, preferences and delays, for the journal; undefined if there are none. */
  forced: Remarks['forced'];
  /** The delays before and after the handler runs, in ms. */
  delayMs: FaultEffect['delayMs'] = NO_DELAYS;
  /** The ids of the faults that hold the request before and after the handler runs. */
  holds: NonNullable<FaultEffect['holds']> = NO_HOLDS;
  transport: FaultEffect['transport'];
  /** Headers of the response that name the preferences that were applied to it. */
  preferenceHeaders: Headers = NO_HEADERS;

  // Set by `handle`.
  /** What the handler, the mock or a fault has returned. */
  returned: Returned | undefined;
  /** The origin of `returned`. Undefined if the path is unknown, or if no response is sent. */
  decision: Decision | undefined;
  /** The revision of the state on which the response depends. Undefined if the response can't be cached. */
  revision: number | undefined;
  /** The changes that the handler made to the state. Undefined if the handler changed nothing. */
  changes: readonly StateChange[] | undefined;

  // Set by `complete`, or by an earlier step that refuses the request.
  /**
   * The response.
   * Undefined if no response is sent, because the client has disconnected or a fault resets the connection.
   */
  response: ResponseData | undefined;
  /** Whether the steps up to `complete` have nothing more to do. */
  isDone = false;
  /** The handler's response if a fault has replaced it. */
  replaced: ResponseData | undefined;
  /**
   * Whether the response is an error response of the server itself, such as a validation error.
   * The contract may not document this response, so the server does not verify it.
   */
  isRefusal = false;

  // Set by `verify`.
  responseViolations: readonly string[] | undefined;

  // Set by `write`.
  sent: SentResponse | undefined;
  /** Whether the response is a stream that is still being sent. The journal gets it at its end. */
  isStreaming = false;
  #streamEnd: AbortController | undefined;

  /** Functions that leave the sandbox and free the memory of a large body, called at the end in reverse order. */
  readonly releases: (() => void)[] = [];

  constructor(
    readonly app: App,
    readonly ctx: Context,
  ) {
    const { req, res } = ctx;
    this.method = req.method ?? 'GET';
    this.url = req.url ?? '/';
    this.headers = req.headers;
    this.rawHeaders = req.rawHeaders;
    this.socket = req.socket;
    this.res = res;
    this.contract = app.contract;
    this.sandbox = app.sandboxes.default;
  }

  /**
   * The path of the request, including the prefix that names a sandbox: `/_sandbox/w3/items`.
   * The log and the property `instance` of problem documents contain this path.
   */
  get path(): string {
    if (this.api) return this.location.prefix + this.location.pathname;
    const [path = ''] = this.url.split('?', 1);
    return path;
  }

  /** Ends the stream that is the response, and its source. */
  get streamEnd(): AbortController {
    this.#streamEnd ??= new AbortController();
    return this.#streamEnd;
  }

  /**
   * Whether the mock must create the response even if the operation has a handler, because of a preference or a setting
   * of the sandbox.
   */
  get isMocked(): boolean {
    return this.preferences.isMockRequired || this.sandbox.mockedOperations.ids.has(this.route?.operationId ?? '');
  }
}

const NO_DELAYS = { before: 0, after: 0 };

const NO_HOLDS: NonNullable<FaultEffect['holds']> = { before: [], after: [] };

const NO_INPUT: OperationInput = { path: {}, query: {}, body: undefined };

/** An exchange for which `route` has found an operation. */
export type OperationExchange = Exchange & { readonly route: Route };

/** Returns whether the request is for an operation. */
export function hasRoute(exchange: Exchange): exchange is OperationExchange {
  return exchange.route !== undefined;
}

/**
 * Stores the bytes of responses to GET requests, and sends the stored bytes again until the state changes.
 * Stores only responses of the sandbox `default`, which handles the requests that name no sandbox.
 * A response depends only on the request target, the `Origin` header and the headers with credentials.
 * These three parts form the cache key.
 */
export interface ResponseCache {
  /**
   * Sends the stored response to a GET request, and records the request in the journal.
   * Returns the operationId of the request.
   * Returns undefined if no response is stored.
   */
  send(req: IncomingMessage, res: ServerResponse): string | undefined;
  /** Stores the response of an exchange if an identical request would get the same response. */
  store(exchange: Exchange): void;
}

/**
 * A server and the contract that it serves: what the middlewares and the steps of an exchange use.
 * A reload replaces the whole object.
 */
export interface App extends Server, ServedContract {
  /** Checks the credentials of requests to the contract's API. */
  readonly authenticate: Authenticate;
  /**
   * The base paths of the contract's API, such as `/api`.
   * A request for an unknown path below a base path gets a 404 response of this API.
   */
  readonly basePaths: readonly string[];
  readonly cache: ResponseCache;
  readonly retries: RetryDetector;
  /** Receives large bodies: forms with files, and states. */
  readonly largeBodies: LargeBodies;
}

/** Converts a response to the format of the journal. */
export function toRecordedResponse({ response: { status, headers }, text, bytes }: SentResponse): RecordedResponse {
  return { status, headers, bytes, text: truncateText(text) };
}

/**
 * The maximum length of a path, in characters.
 * Other servers have a similar limit for the whole URL, and decoding a longer path would delay other requests.
 */
export const MAX_PATH_LENGTH = 8_000;

/** Throws an `HttpProblemError` if the path in a request target is too long. */
export function refuseLongPath(target: string): void {
  const { length } = getPathname(target);
  if (length <= MAX_PATH_LENGTH) return;
  const detail = `the path has ${length} characters: send a path of at most ${MAX_PATH_LENGTH} characters`;
  throw new HttpProblemError({ code: 'malformed-request', detail });
}

/** Splits a request target into its parts. */
export function createLocation({ sandboxId, prefix, target, isByCookie = false }: SandboxTarget): Location {
  const end = target.indexOf('?');
  const [pathname, querystring] = end === -1 ? [target, ''] : [target.slice(0, end), target.slice(end + 1)];
  const path = getPathname(target);
  return {
    sandboxId,
    prefix,
    basePath: '',
    target,
    isByCookie,
    pathname,
    path: target.includes('%') ? normalizeEscapes(toDecodablePath(path)) : path,
    querystring,
  };
}
