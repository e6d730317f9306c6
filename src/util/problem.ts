import type { Issue } from './issue.ts';

/**
 * A type of error response (a problem, RFC 9457): the status and the title of these responses, and their documentation.
 */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** The text of the HTML page `/problems/CODE`, which documents the problem. */
  readonly explanation: string;
  /** Statuses that documents use instead, the best first. The first documented one is used if `status` is not. */
  readonly alternatives?: readonly number[];
}

/** A value in a request that violates the contract, or a missing value. */
export interface Violation {
  /** The part of the request. */
  readonly in: 'body' | 'path' | 'query' | 'header' | 'cookie';
  /** The JSON Pointer of the value in this part of the request, such as `/price`; empty for the whole body. */
  readonly pointer: string;
  /** The JSON Schema keyword that failed. */
  readonly rule: string;
  /** The invalid value, shortened. Absent if the value is missing in the request. */
  readonly value?: unknown;
  /** The remedy: a clause such as "use an integer from 1 to 10". */
  readonly remedy: string;
}

/**
 * The status, the title and the explanation of each problem (error response) of the engine, by code.
 * The engine is the part of the server that works with any contract.
 */
export const problemKinds = {
  'invalid-request': {
    status: 400,
    title: 'Invalid request',
    explanation:
      'The parameters or the body of the request violate the contract (/openapi.yaml). Each entry of `violations` names the part of the request, the JSON Pointer to the invalid value, the value, the rule and the remedy.',
  },
  'malformed-json': {
    status: 400,
    title: 'Malformed JSON',
    explanation:
      'The request has a JSON content type, but its body is not valid JSON. `detail` has the position of the syntax error.',
  },
  'malformed-request': {
    status: 400,
    title: 'Malformed HTTP request',
    explanation:
      'The request is not valid HTTP (RFC 9112). For example, it has no Host header, or its body is incomplete or cannot be decompressed.',
  },
  'unknown-path': {
    status: 404,
    title: 'Path not found',
    explanation: 'The contract does not define this path. /openapi.yaml lists the paths.',
  },
  'unknown-sandbox': {
    status: 404,
    title: 'Sandbox not found',
    explanation:
      'The sandbox does not exist. The server was started with the option --sandboxes declared, so only the control API can create sandboxes: send PUT /_control/sandboxes/ID. With --sandboxes required, the request names no sandbox: send the header X-Sandbox.',
  },
  'unknown-snapshot': {
    status: 404,
    title: 'Snapshot not found',
    explanation:
      'There is neither a saved nor a built-in snapshot with this name. GET /_control/sandboxes/ID/snapshots lists the snapshots.',
  },
  'unknown-fault': {
    status: 404,
    title: 'Fault not found',
    explanation: 'The sandbox has no fault with this id. GET /_control/sandboxes/ID/faults lists the faults.',
  },
  'unknown-operation': {
    status: 404,
    title: 'Operation not found',
    explanation:
      'The contract has no operation with this operationId. `violations` lists the operations of the contract.',
  },
  'unknown-webhook': {
    status: 404,
    title: 'Webhook not found',
    explanation:
      'The contract has no webhook and no callback with this name. GET /_control/sandboxes/ID/webhooks lists them.',
  },
  'unknown-delivery': {
    status: 404,
    title: 'Delivery not found',
    explanation:
      'The sandbox has no delivery with this id. GET /_control/sandboxes/ID/deliveries lists the deliveries.',
  },
  'invalid-target': {
    status: 400,
    title: 'Invalid target of a webhook',
    explanation:
      'The server sends webhooks and callbacks only to absolute http and https URLs without credentials, whose host is a loopback address, or a host of --allow-callback.',
  },
  'contract-conflict': {
    status: 409,
    title: 'Fault conflicts with the contract',
    explanation:
      'The response of the fault violates the contract: the contract does not document its status or its example, or does not allow its body or its headers. `violations` lists the errors.',
  },
  'invalid-fault': {
    status: 400,
    title: 'Invalid fault',
    explanation:
      'A header of the fault is not allowed. The header can be set only by the server, or the fault sets it more than once. `violations` lists the errors.',
  },
  'invalid-matcher': {
    status: 400,
    title: 'Invalid matcher',
    explanation: 'The matcher has an unknown operator or an invalid value. `violations` lists the errors.',
  },
  'default-sandbox': {
    status: 409,
    title: 'The default sandbox cannot be deleted',
    explanation: 'The sandbox `default` can be reset, but not deleted. Requests that name no sandbox use it.',
  },
  'invalid-state': {
    status: 409,
    title: 'The state is invalid',
    explanation:
      'The new state is invalid, so nothing was changed. The new state violates the contract, or one of its entries refers to an entry that does not exist. `violations` lists the errors.',
  },
  'state-too-large': {
    status: 413,
    title: 'The state is too large',
    explanation:
      'With this state, the data file would exceed 90 MB, or the sandbox would exceed its memory limit. Nothing was changed. Send a smaller state.',
  },
  'built-in-snapshot': {
    status: 409,
    title: 'Built-in snapshots cannot be deleted',
    explanation:
      'Built-in snapshots cannot be deleted. A built-in snapshot is part of the server, or a file in the folder of the option --snapshots.',
  },
  'limit-reached': {
    status: 409,
    title: 'Too many faults or snapshots',
    explanation: 'The sandbox has the maximum number of faults or saved snapshots. Delete some of them first.',
  },
  'events-gone': {
    status: 410,
    title: 'Events are no longer available',
    explanation:
      'The header Last-Event-ID names an event that the server does not know, because the server was restarted or the sandbox was replaced, or after which it no longer has all events. Read the current entries, and connect again without this header.',
  },
  'unknown-collection': {
    status: 404,
    title: 'Collection not found',
    explanation: 'The state has no such collection. `detail` lists the collections.',
  },
  'no-search': {
    status: 404,
    title: 'The collection does not support search',
    explanation:
      'Clients cannot search this collection, so there is no search to explain. `detail` lists the collections that clients can search.',
  },
  'no-handler': {
    status: 409,
    title: 'The operation has no handler',
    explanation:
      'The operation has no handler, so the server can only generate its responses from the contract. Add a handler with --handlers, or start the server without --mock.',
  },
  'invalid-patch': {
    status: 400,
    title: 'Invalid patch',
    explanation: 'An operation of the patch lacks `value` or `from`. `violations` lists the errors.',
  },
  'patch-conflict': {
    status: 409,
    title: 'The patch cannot be applied',
    explanation:
      'An operation of the patch cannot be applied, so nothing was changed. Its path does not exist in the state, or its `test` found another value. Read the state again, and correct the patch.',
  },
  'unknown-journal-entry': {
    status: 404,
    title: 'Journal entry not found',
    explanation:
      'The journal contains no request with this id. The journal of the sandbox `default` has the last 1,000 requests, and the journal of any other sandbox has the last 100 requests.',
  },
  'control-disabled': {
    status: 403,
    title: 'The control API is disabled',
    explanation:
      'The control API is disabled because the server runs with --no-control, or because it runs without --control-token although other machines can reach it: with --host or the variable HOST, with a public name in --allow-host, or through the proxy that sent this request. Start the server without --no-control, or with --control-token TOKEN.',
  },
  'token-required': {
    status: 401,
    title: 'Control API token required',
    explanation: 'The server runs with --control-token. Send the header Authorization: Bearer TOKEN.',
  },
  'credentials-required': {
    status: 401,
    title: 'Credentials required',
    explanation:
      'The `security` of the contract requires credentials. By default, the server accepts all credentials in the correct format. With --auth TOKENS, it accepts only these tokens. With --auth off, it requires no credentials.',
  },
  'scope-required': {
    status: 403,
    title: 'Insufficient scope',
    explanation:
      'The `security` of the contract requires a scope that the token does not have. The option --auth TOKEN=SCOPE+SCOPE defines the scopes of a token.',
  },
  'host-not-allowed': {
    status: 403,
    title: 'Host not allowed',
    explanation:
      'The host name in the Host header is not allowed. Allowed are localhost and its subdomains, IP addresses, and the names in --allow-host. This rule protects against DNS rebinding attacks.',
  },
  'origin-not-allowed': {
    status: 403,
    title: 'Origin not allowed',
    explanation:
      "A web page of another origin sent the request. Pages of loopback origins (localhost, 127.0.0.1, [::1]) and of the server's host name can change data. --allow-origin ORIGIN allows another origin, and --allow-origin * allows all. Only pages of the server's own origin can use the control API.",
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    explanation: 'The path does not support this method. The Allow header lists the supported methods.',
  },
  'not-acceptable': {
    status: 406,
    title: 'Media type not acceptable',
    explanation:
      'The contract documents several media types for the response, and the header Accept includes none of them. `detail` lists the types that the server can send.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request timeout',
    explanation: 'The complete request did not arrive in time. The limit is 30 seconds by default.',
  },
  'body-too-large': {
    status: 413,
    title: 'Request body too large',
    explanation:
      'The maximum size of a decompressed body is 100 kB (102,400 bytes). For PUT and PATCH /_control/sandboxes/ID/state, the maximum is 16 MB. For a form with files, and for a body that the operation ignores, the maximum is 10 MB.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    explanation:
      'Send JSON with Content-Type: application/json, in UTF-8, uncompressed or compressed with gzip, deflate or br.',
  },
  'expectation-failed': {
    status: 417,
    title: 'Expectation failed',
    explanation: 'The only supported value of the Expect header is 100-continue.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Request headers too large',
    explanation: 'The request line and the headers together have more than 64 kB.',
  },
  'idempotency-key-in-use': {
    status: 409,
    title: 'A request with this idempotency key is in progress',
    explanation:
      'An earlier request with the same Idempotency-Key is still in progress. Repeat the request later to get the response of the earlier request.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The idempotency key belongs to another request',
    explanation:
      'An earlier request in the same sandbox has the same Idempotency-Key, but another method, path, query or body. Use a new key for each new request. Send the same key again only to repeat a request.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal server error',
    explanation: "The server failed to handle the request. The error is in the server's log.",
  },
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    explanation:
      'The server cannot handle the request at the moment. For example, the disk is full, the database is not available, or the server is shutting down. Nothing was changed, with one exception: if the connection to the database was lost during a commit, the database may contain the change. `detail` then says that the outcome is unknown.',
  },
  'insufficient-storage': {
    status: 507,
    title: 'Storage limit reached',
    explanation:
      'With this change, the data file would exceed 90 MB, or the sandbox would exceed its memory limit. Nothing was changed. Delete some data, restore the default data with POST /_control/sandboxes/ID/reset, or edit the data file. Changes that make the state smaller are stored.',
  },
} as const satisfies Readonly<Record<string, ProblemKind>>;

/** The codes of the problems (error responses) of the engine. An application defines additional codes. */
export type ProblemCode = keyof typeof problemKinds;

/**
 * An error response (RFC 9457).
 * `kind`: the status, title and explanation of a problem that the application defines.
 * Undefined for problems of the engine, whose status and title depend on `code`.
 */
export type HttpProblem = ProblemDetails &
  ({ readonly code: ProblemCode; readonly kind?: undefined } | { readonly code: string; readonly kind: ProblemKind });

interface ProblemDetails {
  /** A sentence that says what is wrong and how to fix it. */
  readonly detail: string;
  readonly violations?: readonly Violation[];
  /** Returns the names of the request examples in the contract that equal the refused request. */
  readonly getExampleNames?: (() => readonly string[]) | undefined;
  /** Headers that the status requires, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that becomes a response with a problem document. */
export class HttpProblemError extends Error {
  override readonly name: string = 'HttpProblemError';

  constructor(
    readonly problem: HttpProblem,
    options?: ErrorOptions,
  ) {
    super(problem.detail, options);
  }
}

/**
 * Converts issues to the violations of a problem.
 * An issue without a rule gets the rule `state`, because only the validation of a state creates such issues.
 * `part`: the part of the request that contains the values.
 */
export function toViolations(issues: readonly Issue[], part: Violation['in'] = 'body'): readonly Violation[] {
  return issues.map(({ pointer, message, rule = 'state', remedy = message }) => ({ in: part, pointer, rule, remedy }));
}

/** The default value of the `Retry-After` header, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** Creates a problem with status 503: the server is temporarily unavailable. */
export function unavailable(detail: string, retryAfterSeconds = RETRY_AFTER_SECONDS): HttpProblem {
  return { code: 'unavailable', detail, headers: { 'Retry-After': String(retryAfterSeconds) } };
}

/**
 * Creates a problem with status 405: the path does not support the method.
 * `allow`: the methods that the path supports.
 */
export function createMethodNotAllowed(method: string, path: string, allow: readonly string[]): HttpProblem {
  const methods = allow.join(', ');
  return {
    code: 'method-not-allowed',
    detail: `${path} does not support ${method}: use ${methods}`,
    headers: { Allow: methods },
  };
}

/** Creates a problem with status 404: the path does not exist. */
export function createUnknownPath(path: string): HttpProblem {
  const remedy = path.startsWith('/_sandbox/')
    ? 'use the prefix /_sandbox/ID before a path of /openapi.yaml, or use the host ID.localhost'
    : '/openapi.yaml lists the paths';
  return { code: 'unknown-path', detail: `the path ${path} does not exist: ${remedy}` };
}

/**
 * The problem for an unexpected error (status 500).
 * The response does not contain the cause, which is only in the log.
 */
export const internalError: HttpProblem = {
  code: 'internal-error',
  detail: "the server failed to handle the request: the error is in the server's log",
};

/** Returns the status, title and explanation of a problem. */
export function getProblemKind(problem: HttpProblem): ProblemKind {
  return problem.kind === undefined ? problemKinds[problem.code] : problem.kind;
}
