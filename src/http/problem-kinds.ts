import type { ProblemKind } from '../application.ts';
import type { ControlCode } from '../control/refusal.ts';

/** The status and the title of each problem (error response) of the engine, by code. The engine is the part of the server that works with any contract. */
const kinds = {
  'invalid-request': { status: 400, title: 'Invalid request' },
  'malformed-json': { status: 400, title: 'Malformed JSON' },
  'malformed-request': { status: 400, title: 'Malformed HTTP request' },
  'unknown-path': { status: 404, title: 'Path not found' },
  'unknown-sandbox': { status: 404, title: 'Sandbox not found' },
  'unknown-snapshot': { status: 404, title: 'Snapshot not found' },
  'unknown-fault': { status: 404, title: 'Fault not found' },
  'unknown-operation': { status: 404, title: 'Operation not found' },
  'contract-conflict': { status: 409, title: 'Fault conflicts with the contract' },
  'invalid-fault': { status: 400, title: 'Invalid fault' },
  'invalid-matcher': { status: 400, title: 'Invalid matcher' },
  'default-sandbox': { status: 409, title: 'The default sandbox cannot be deleted' },
  'invalid-state': { status: 409, title: 'The state is invalid' },
  'state-too-large': { status: 413, title: 'The state is too large' },
  'built-in-snapshot': { status: 409, title: 'Built-in snapshots cannot be deleted' },
  'limit-reached': { status: 409, title: 'Too many faults or snapshots' },
  'unknown-collection': { status: 404, title: 'Collection not found' },
  'no-search': { status: 404, title: 'The collection does not support search' },
  'no-handler': { status: 409, title: 'The operation has no handler' },
  'invalid-patch': { status: 400, title: 'Invalid patch' },
  'patch-conflict': { status: 409, title: 'The patch cannot be applied' },
  'unknown-journal-entry': { status: 404, title: 'Journal entry not found' },
  'control-disabled': { status: 403, title: 'The control API is disabled' },
  'token-required': { status: 401, title: 'Control API token required' },
  'credentials-required': { status: 401, title: 'Credentials required' },
  'scope-required': { status: 403, title: 'Insufficient scope' },
  'host-not-allowed': { status: 403, title: 'Host not allowed' },
  'origin-not-allowed': { status: 403, title: 'Origin not allowed' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'request-timeout': { status: 408, title: 'Request timeout' },
  'body-too-large': { status: 413, title: 'Request body too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'expectation-failed': { status: 417, title: 'Expectation failed' },
  'headers-too-large': { status: 431, title: 'Request headers too large' },
  'idempotency-key-in-use': { status: 409, title: 'A request with this idempotency key is in progress' },
  'idempotency-key-reused': { status: 422, title: 'The idempotency key belongs to another request' },
  'internal-error': { status: 500, title: 'Internal server error' },
  unavailable: { status: 503, title: 'Service unavailable' },
  'insufficient-storage': { status: 507, title: 'Storage limit reached' },
} satisfies Record<ControlCode, object> & Record<string, Pick<ProblemKind, 'status' | 'title'>>;

/** The codes of the problems (error responses) of the engine. An application, such as the shop, defines additional codes. */
export type ProblemCode = keyof typeof kinds;

/** The texts of the HTML pages that explain the problems: `/problems/CODE`. */
const explanations: Readonly<Record<ProblemCode, string>> = {
  'invalid-request':
    'The parameters or the body of the request violate the contract (/openapi.yaml). Each entry of `violations` names the part of the request, the JSON Pointer to the invalid value, the value, the rule and the remedy.',
  'malformed-json':
    'The request has a JSON content type, but its body is not valid JSON. `detail` has the position of the syntax error.',
  'malformed-request':
    'The request is not valid HTTP (RFC 9112). For example, it has no Host header, or its body is incomplete or cannot be decompressed.',
  'unknown-path': 'The contract does not define this path. /openapi.yaml lists the paths.',
  'unknown-sandbox':
    'The sandbox does not exist. The server was started with the option --sandboxes declared, so only the control API can create sandboxes: send PUT /_control/sandboxes/ID.',
  'unknown-snapshot': 'There is neither a saved nor a built-in snapshot with this name.',
  'unknown-fault': 'The sandbox has no fault with this id.',
  'unknown-operation':
    'The contract has no operation with this operationId. `violations` lists the operations of the contract.',
  'contract-conflict':
    'The response of the fault violates the contract: the contract does not document its status or its example, or does not allow its body or its headers. `violations` lists the errors.',
  'invalid-fault':
    'A header of the fault is not allowed. The header can be set only by the server, or the fault sets it more than once. `violations` lists the errors.',
  'invalid-matcher': 'The matcher has an unknown operator or an invalid value. `violations` lists the errors.',
  'default-sandbox': 'The sandbox `default` can be reset, but not deleted. Requests that name no sandbox use it.',
  'invalid-state':
    'The new state is invalid, so nothing was changed. The new state violates the contract, or one of its entries refers to an entry that does not exist. `violations` lists the errors.',
  'state-too-large':
    'With this state, the data file would exceed 90 MB, or the sandbox would exceed its memory limit. Nothing was changed. Send a smaller state.',
  'built-in-snapshot':
    'Built-in snapshots cannot be deleted. A built-in snapshot is part of the server, or a file in the folder of the option --snapshots.',
  'limit-reached': 'The sandbox has the maximum number of faults or saved snapshots. Delete some of them first.',
  'unknown-collection': 'The state has no such collection. `detail` lists the collections.',
  'no-search':
    'Clients cannot search this collection, so there is no search to explain. `detail` lists the collections that clients can search.',
  'no-handler':
    'The operation has no handler, so the server can only generate its responses from the contract. Add a handler with --handlers, or start the server without --mock.',
  'invalid-patch': 'An operation of the patch lacks `value` or `from`. `violations` lists the errors.',
  'patch-conflict':
    'An operation of the patch cannot be applied, so nothing was changed. Its path does not exist in the state, or its `test` found another value. Read the state again, and correct the patch.',
  'unknown-journal-entry':
    'The journal contains no request with this id. The journal of the sandbox `default` has the last 1,000 requests, and the journal of any other sandbox has the last 100 requests.',
  'control-disabled':
    'The control API is disabled because the server runs with --no-control, or because it runs without --control-token although other machines can reach it: with --host, with a public name in --allow-host, or through the proxy that sent this request. Start the server without --no-control, or with --control-token TOKEN.',
  'token-required': 'The server runs with --control-token. Send the header Authorization: Bearer TOKEN.',
  'credentials-required':
    'The `security` of the contract requires credentials. By default, the server accepts all credentials in the correct format. With --auth TOKENS, it accepts only these tokens. With --auth off, it requires no credentials.',
  'scope-required':
    'The `security` of the contract requires a scope that the token does not have. The option --auth TOKEN=SCOPE+SCOPE defines the scopes of a token.',
  'host-not-allowed':
    'The host name in the Host header is not allowed. Allowed are localhost and its subdomains, IP addresses, and the names in --allow-host. This rule protects against DNS rebinding attacks.',
  'origin-not-allowed':
    "A web page of another origin sent the request. Pages of loopback origins (localhost, 127.0.0.1, [::1]) and of the server's host name can change data. --allow-origin ORIGIN allows another origin, and --allow-origin * allows all. Only pages of the server's own origin can use the control API.",
  'method-not-allowed': 'The path does not support this method. The Allow header lists the supported methods.',
  'request-timeout': 'The complete request did not arrive in time. The limit is 30 seconds by default.',
  'body-too-large':
    'The maximum size of a decompressed body is 100 kB (102,400 bytes). For PUT and PATCH /_control/sandboxes/ID/state, the maximum is 16 MB. For a form with files, and for a body that the operation ignores, the maximum is 10 MB.',
  'unsupported-media-type':
    'Send JSON with Content-Type: application/json, in UTF-8, uncompressed or compressed with gzip, deflate or br.',
  'expectation-failed': 'The only supported value of the Expect header is 100-continue.',
  'headers-too-large': 'The request line and the headers together have more than 64 kB.',
  'idempotency-key-in-use':
    'An earlier request with the same Idempotency-Key is still in progress. Repeat the request later to get the response of the earlier request.',
  'idempotency-key-reused':
    'An earlier request in the same sandbox has the same Idempotency-Key, but another method, path, query or body. Use a new key for each new request. Send the same key again only to repeat a request.',
  'internal-error': "The server failed to handle the request. The error is in the server's log.",
  unavailable:
    'The server cannot handle the request at the moment. For example, the disk is full, the database is not available, or the server is shutting down. Nothing was changed, with one exception: if the connection to the database was lost during a commit, the database may contain the change. `detail` then says that the outcome is unknown.',
  'insufficient-storage':
    'With this change, the data file would exceed 90 MB, or the sandbox would exceed its memory limit. Nothing was changed. Delete some data, restore the default data with POST /_control/sandboxes/ID/reset, or edit the data file. Changes that make the state smaller are stored.',
};

/** The status, title and explanation of each problem (error response) of the engine, by code. */
export const problemKinds = Object.fromEntries(
  Object.entries(kinds).map(([code, kind]) => [code, { ...kind, explanation: explanations[code as ProblemCode] }]),
) as Readonly<Record<ProblemCode, ProblemKind>>;
