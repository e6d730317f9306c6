import type { ProblemKind } from '../application.ts';
import type { ControlCode } from '../control/refusal.ts';

/** The status and the title of each problem of the engine. */
const kinds = {
  'invalid-request': { status: 400, title: 'Invalid request' },
  'malformed-json': { status: 400, title: 'Malformed JSON' },
  'malformed-request': { status: 400, title: 'Malformed request' },
  'unknown-path': { status: 404, title: 'Path not found' },
  'unknown-sandbox': { status: 404, title: 'Sandbox not found' },
  'unknown-snapshot': { status: 404, title: 'Snapshot not found' },
  'unknown-fault': { status: 404, title: 'Fault not found' },
  'unknown-operation': { status: 404, title: 'Operation not found' },
  'contract-conflict': { status: 409, title: 'Conflict with the contract' },
  'invalid-fault': { status: 400, title: 'Invalid fault' },
  'invalid-matcher': { status: 400, title: 'Invalid matcher' },
  'default-sandbox': { status: 409, title: 'The default sandbox cannot be deleted' },
  'invalid-state': { status: 409, title: 'Invalid state' },
  'state-too-large': { status: 413, title: 'The state is too large' },
  'built-in-snapshot': { status: 409, title: 'Built-in snapshots cannot be deleted' },
  'limit-reached': { status: 409, title: 'Limit reached' },
  'control-disabled': { status: 403, title: 'The control API is disabled' },
  'token-required': { status: 401, title: 'Token required' },
  'credentials-required': { status: 401, title: 'Credentials required' },
  'scope-required': { status: 403, title: 'Scope required' },
  'host-not-allowed': { status: 403, title: 'Host not allowed' },
  'origin-not-allowed': { status: 403, title: 'Origin not allowed' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'request-timeout': { status: 408, title: 'Request timeout' },
  'body-too-large': { status: 413, title: 'Request body too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'expectation-failed': { status: 417, title: 'Expectation failed' },
  'headers-too-large': { status: 431, title: 'Request headers too large' },
  'internal-error': { status: 500, title: 'Internal server error' },
  unavailable: { status: 503, title: 'Service unavailable' },
  'insufficient-storage': { status: 507, title: 'Storage limit reached' },
} satisfies Record<ControlCode, object> & Record<string, Pick<ProblemKind, 'status' | 'title'>>;

/** The codes of the engine's problems. An application defines additional codes. */
export type ProblemCode = keyof typeof kinds;

/** The texts of the pages that explain the problems. */
const explanations: Readonly<Record<ProblemCode, string>> = {
  'invalid-request':
    'The parameters or the body of the request violate openapi.yaml. Each entry of `violations` has the part of the request, a JSON Pointer to the value, the rule, the value and the remedy.',
  'malformed-json':
    'The request has a JSON content type, but its body is not valid JSON. `detail` has the position of the syntax error.',
  'malformed-request':
    'The request is not valid HTTP (RFC 9112). For example, it has no Host header, or its body is incomplete or cannot be decompressed.',
  'unknown-path': 'The contract has no such path. /openapi.yaml lists the paths.',
  'unknown-sandbox':
    'The sandbox does not exist, and the server runs with --sandboxes declared. Create it with PUT /_control/sandboxes/ID.',
  'unknown-snapshot': 'There is neither a saved nor a built-in snapshot with this name.',
  'unknown-fault': 'The sandbox has no fault with this id.',
  'unknown-operation':
    'The contract has no operation with this operationId. `violations` lists the operations of the contract.',
  'contract-conflict':
    'The fault does not fit the contract. The contract may not document its status or its example, or may not allow its body or its headers. `violations` lists the errors.',
  'invalid-fault':
    'A header of the fault is not allowed. Either only the server can set this header, or the fault contains the header twice. `violations` lists the errors.',
  'invalid-matcher': 'The matcher has an unknown operator or an invalid value. `violations` lists the errors.',
  'default-sandbox': 'The sandbox `default` can be reset, but not deleted. Requests that name no sandbox use it.',
  'invalid-state':
    'The new state is invalid, and nothing was changed. The state violates the contract, or an entry refers to another entry that does not exist. `violations` lists the errors.',
  'state-too-large':
    'With this state, the data file would exceed 90 MB, or the sandbox would exceed its memory limit. Nothing was changed. Send a smaller state.',
  'built-in-snapshot':
    'Built-in snapshots cannot be deleted. They are part of the server, or files in the folder of --snapshots.',
  'limit-reached': 'The sandbox has the maximum number of faults or saved snapshots. Delete some of them first.',
  'control-disabled':
    'The server runs with --no-control, or other machines can reach the server (--host) and it runs without --control-token.',
  'token-required': 'The server runs with --control-token. Send the header Authorization: Bearer TOKEN.',
  'credentials-required':
    'The `security` of the contract requires credentials. By default, all credentials that have the right form are accepted. With --auth TOKENS, only these tokens are accepted. --auth off requires no credentials.',
  'scope-required':
    'The `security` of the contract requires a scope that the token does not have. --auth TOKEN=SCOPE+SCOPE has the scopes of a token.',
  'host-not-allowed':
    'The Host header is neither localhost, nor an IP address, nor a name allowed with --allow-host. This protects against DNS rebinding.',
  'origin-not-allowed':
    "A web page of another origin sent the request. Pages of loopback origins (localhost, 127.0.0.1, [::1]) and of the server's host name can change data. --allow-origin ORIGIN allows another origin, and --allow-origin * allows all. Only pages of the server's own origin can use the control API.",
  'method-not-allowed': 'The path does not support this method. The Allow header lists the supported methods.',
  'request-timeout': 'The complete request did not arrive in time. The limit is 30 seconds by default.',
  'body-too-large':
    'The maximum size of a decompressed body is 100 kB (102,400 bytes). The maximum is 16 MB for PUT /_control/sandboxes/ID/state, and 10 MB for a body that the operation ignores.',
  'unsupported-media-type':
    'Send JSON with Content-Type: application/json, in UTF-8, uncompressed or compressed with gzip, deflate or br.',
  'expectation-failed': 'The only supported value of the Expect header is 100-continue.',
  'headers-too-large': 'The request line and the headers together have more than 64 kB.',
  'internal-error': "The server failed to handle the request. The error is in the server's log.",
  unavailable:
    'The server cannot handle the request at the moment, and nothing was changed. For example, the disk is full, or the server is shutting down.',
  'insufficient-storage':
    'With this change, the data file would exceed 90 MB, or the sandbox would exceed its memory limit. Nothing was changed. Delete some data, restore the default data with POST /_control/sandboxes/ID/reset, or edit the data file. Changes that make the state smaller are stored.',
};

/** The status, title and explanation of each problem of the engine. */
export const problemKinds = Object.fromEntries(
  Object.entries(kinds).map(([code, kind]) => [code, { ...kind, explanation: explanations[code as ProblemCode] }]),
) as Readonly<Record<ProblemCode, ProblemKind>>;
