import type { ProblemKind } from '../application.ts';
import type { Denial } from '../control/access.ts';
import type { ControlCode } from '../control/refusal.ts';

/** The status, title and explanation of each problem of the engine: codes inside, statuses outside. */
export const problemKinds = {
  'invalid-request': {
    status: 400,
    title: 'Invalid request',
    explanation:
      'The parameters or the body violate openapi.yaml. Each entry of `violations` has the part of the request, a JSON Pointer into it, the rule, the value, and how to fix it.',
  },
  'malformed-json': {
    status: 400,
    title: 'Malformed JSON',
    explanation:
      'The request has a JSON content type, but its body is not valid JSON. `detail` has the position of the syntax error.',
  },
  'malformed-request': {
    status: 400,
    title: 'Malformed request',
    explanation:
      'The request is not valid HTTP (RFC 9112), has no Host header, or its body is incomplete or cannot be decompressed.',
  },
  'unknown-path': {
    status: 404,
    title: 'Path not found',
    explanation: 'The contract has no such path. /openapi.yaml lists the paths.',
  },
  'unknown-sandbox': {
    status: 404,
    title: 'Sandbox not found',
    explanation:
      'The sandbox does not exist, and the server runs with --sandboxes declared. Create it with PUT /_control/sandboxes/ID.',
  },
  'unknown-snapshot': {
    status: 404,
    title: 'Snapshot not found',
    explanation: 'The sandbox has no saved snapshot of this name, and there is no built-in one.',
  },
  'unknown-fault': {
    status: 404,
    title: 'Fault not found',
    explanation: 'The sandbox has no fault with this id.',
  },
  'unknown-operation': {
    status: 404,
    title: 'Operation not found',
    explanation:
      'The contract has no operation with this operationId. `violations` lists the operations of the contract.',
  },
  'contract-conflict': {
    status: 409,
    title: 'Conflict with the contract',
    explanation:
      'The contract does not document the status or the example of the fault for its operations, or the body or the headers of the fault violate it. `violations` lists the errors.',
  },
  'invalid-fault': {
    status: 400,
    title: 'Invalid fault',
    explanation:
      'The fault has a header that only the server can set, or repeats a header. `violations` lists the errors.',
  },
  'invalid-matcher': {
    status: 400,
    title: 'Invalid matcher',
    explanation: 'The matcher has an unknown operator or an invalid value. `violations` lists the errors.',
  },
  'default-sandbox': {
    status: 409,
    title: 'The default sandbox cannot be deleted',
    explanation: 'Requests that select no sandbox use the sandbox default. It can be reset, but not deleted.',
  },
  'invalid-state': {
    status: 409,
    title: 'Invalid state',
    explanation:
      'The new state violates the contract, or an entry refers to an entry that does not exist. `violations` lists the errors. Nothing was changed.',
  },
  'state-too-large': {
    status: 413,
    title: 'The state is too large',
    explanation:
      'With this state, the data file would exceed 90 MB, or the sandbox its memory limit. Nothing was changed. Send a smaller state.',
  },
  'built-in-snapshot': {
    status: 409,
    title: 'Built-in snapshots cannot be deleted',
    explanation: 'Snapshots that ship with the server, or are files in the folder of --snapshots, cannot be deleted.',
  },
  'limit-reached': {
    status: 409,
    title: 'Limit reached',
    explanation: 'The sandbox cannot hold more of these. Delete some first.',
  },
  'control-disabled': {
    status: 403,
    title: 'The control API is disabled',
    explanation:
      'The server runs with --no-control, or it listens on other addresses than loopback without a --control-token.',
  },
  'token-required': {
    status: 401,
    title: 'Token required',
    explanation: 'The server runs with --control-token. Send the header Authorization: Bearer TOKEN.',
  },
  'host-not-allowed': {
    status: 403,
    title: 'Host not allowed',
    explanation:
      'The Host header is neither localhost, nor an IP address, nor a name allowed with --allow-host. This protects against DNS rebinding.',
  },
  'origin-not-allowed': {
    status: 403,
    title: 'Origin not allowed',
    explanation:
      "A web page of another origin sent the request. Pages of loopback origins (localhost, 127.0.0.1, [::1]) and of the server's host name are allowed to change data; --allow-origin ORIGIN allows others (* allows all). Only pages of the server's own origin can use the control API.",
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    explanation: 'The path does not support this method. The Allow header lists the supported methods.',
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
      'After decompression, a body has at most 100 kB (102,400 bytes), and the state in PUT /_control/sandboxes/ID/state at most 16 MB. A body that the operation ignores has at most 10 MB.',
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
    explanation: 'The request line and the headers have more than 64 kB in all.',
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
      'The data could not be stored, for example because the disk is full, and nothing was changed; or the server is shutting down.',
  },
  'insufficient-storage': {
    status: 507,
    title: 'Storage limit reached',
    explanation:
      'With this change, the data file would exceed 90 MB, or the sandbox its memory limit. Nothing was changed. Delete data, restore the default data with POST /_control/sandboxes/ID/reset, or edit the data file. Changes that make the state smaller are stored.',
  },
} satisfies Record<ControlCode | Denial['code'], ProblemKind> & Record<string, ProblemKind>;

/** The codes of the engine's problems. An application has its own beside them. */
export type ProblemCode = keyof typeof problemKinds;
