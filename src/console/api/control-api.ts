import type { ControlId, ControlInput, ControlResponse, ControlViolation } from '../../control/operation.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import type { SentRequest } from '../model/code.ts';
import type { Session } from './session.ts';

/** The control API operations that the console uses: their methods and paths, by operationId. */
const ROUTES = {
  getServer: 'GET /_control/server',
  getCoverage: 'GET /_control/coverage',
  resetCoverage: 'DELETE /_control/coverage',
  listSandboxes: 'GET /_control/sandboxes',
  getSandbox: 'GET /_control/sandboxes/{id}',
  putSandbox: 'PUT /_control/sandboxes/{id}',
  removeSandbox: 'DELETE /_control/sandboxes/{id}',
  resetSandbox: 'POST /_control/sandboxes/{id}/reset',
  getState: 'GET /_control/sandboxes/{id}/state',
  putState: 'PUT /_control/sandboxes/{id}/state',
  patchState: 'PATCH /_control/sandboxes/{id}/state',
  addEntry: 'POST /_control/sandboxes/{id}/state/{collection}',
  listEntries: 'GET /_control/sandboxes/{id}/state/{collection}',
  explainSearch: 'GET /_control/sandboxes/{id}/state/{collection}/search',
  setClock: 'PUT /_control/sandboxes/{id}/clock',
  followClock: 'DELETE /_control/sandboxes/{id}/clock',
  advanceClock: 'POST /_control/sandboxes/{id}/clock/advance',
  seedIds: 'PUT /_control/sandboxes/{id}/ids',
  randomIds: 'DELETE /_control/sandboxes/{id}/ids',
  listSnapshots: 'GET /_control/sandboxes/{id}/snapshots',
  getSnapshot: 'GET /_control/sandboxes/{id}/snapshots/{name}',
  saveSnapshot: 'PUT /_control/sandboxes/{id}/snapshots/{name}',
  deleteSnapshot: 'DELETE /_control/sandboxes/{id}/snapshots/{name}',
  restoreSnapshot: 'POST /_control/sandboxes/{id}/snapshots/{name}/restore',
  listFaults: 'GET /_control/sandboxes/{id}/faults',
  addFault: 'POST /_control/sandboxes/{id}/faults',
  clearFaults: 'DELETE /_control/sandboxes/{id}/faults',
  releaseFault: 'POST /_control/sandboxes/{id}/faults/{fault}/release',
  removeFault: 'DELETE /_control/sandboxes/{id}/faults/{fault}',
  listOperations: 'GET /_control/sandboxes/{id}/operations',
  setOperation: 'PUT /_control/sandboxes/{id}/operations/{operation}',
  listWebhooks: 'GET /_control/sandboxes/{id}/webhooks',
  sendWebhook: 'POST /_control/sandboxes/{id}/webhooks/{webhook}/send',
  listDeliveries: 'GET /_control/sandboxes/{id}/deliveries',
  retryDelivery: 'POST /_control/sandboxes/{id}/deliveries/{delivery}/retry',
  listRequests: 'GET /_control/sandboxes/{id}/requests',
  clearRequests: 'DELETE /_control/sandboxes/{id}/requests',
  getRequest: 'GET /_control/sandboxes/{id}/requests/{request}',
  getUnredactedRequest: 'GET /_control/sandboxes/{id}/requests/{request}/unredacted',
} as const satisfies Partial<Record<ControlId, string>>;

/** The operationId of a control API operation that the console uses, such as `getServer`. */
export type UsedId = keyof typeof ROUTES;

type Part<Name extends string, Value> = [Value] extends [never]
  ? { readonly [Key in Name]?: undefined }
  : undefined extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

/** The path parameters, the query parameters and the body of a request to an operation. */
export type RequestParts<Id extends UsedId> = Part<'path', ControlInput<Id>['path']> &
  Part<'body', ControlInput<Id>['body']> & { readonly query?: Readonly<Record<string, string | number | undefined>> };

/** The `cause` of the error of a request to the control API. The message says what is wrong and how to fix it. */
interface FailedRequest {
  /** The HTTP status of the response, or 0 if there was no response. */
  readonly status: number;
  /** The invalid values in the request. */
  readonly violations: readonly ControlViolation[];
}

function createRequestError(message: string, cause: FailedRequest): Error {
  return new Error(message, { cause });
}

/** Returns the status of a failed request and the invalid values in it. An error of another kind has the status 0. */
export function getFailedRequest(error: unknown): FailedRequest {
  const { cause } = error as { readonly cause?: Partial<FailedRequest> };
  return { status: cause?.status ?? 0, violations: cause?.violations ?? [] };
}

/** A client of the server's control API. */
export interface ControlApi {
  /** Sends a request. Resolves to the body of the response. Rejects if the request fails: see `getFailedRequest`. */
  send<Id extends UsedId>(id: Id, parts: RequestParts<Id>): Promise<ControlResponse<Id>>;
}

/**
 * Creates a client of the control API.
 * The client reports to `session` whether the server requires a token, and whether the control API is disabled.
 */
export function createControlApi(session: Session): ControlApi {
  return {
    async send<Id extends UsedId>(id: Id, parts: RequestParts<Id>) {
      const [method = '', template = ''] = ROUTES[id].split(' ');
      const body = parts.body as unknown;
      const hasContent = ['POST', 'PUT', 'PATCH'].includes(method);
      const response = await fetch(toUrl(template, parts), {
        method,
        headers: { ...session.headers(), ...(hasContent && { 'Content-Type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }).catch(() => {
        throw createRequestError('The server does not respond. Check that it is running.', {
          status: 0,
          violations: [],
        });
      });
      return (await readResponse(response, session)) as ControlResponse<Id>;
    },
  };
}

/**
 * Returns the path and the query string of a request.
 * `template`: a path such as `/sandboxes/{id}`.
 * Omits query parameters that are undefined.
 */
function toUrl(
  template: string,
  { path, query = {} }: { readonly path?: unknown; readonly query?: Readonly<Record<string, unknown>> },
): string {
  const values = (path ?? {}) as Readonly<Record<string, unknown>>;
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** Returns the parsed body of a response. Throws an error if the request failed. */
async function readResponse(response: Response, session: Session): Promise<unknown> {
  const text = await response.text();
  const body = tryOrUndefined(() => JSON.parse(text)) as Readonly<Record<string, unknown>> | undefined;
  if (response.ok) {
    session.confirm();
    return body;
  }
  throw createError(response.status, body, session);
}

/**
 * Creates the error for a failed request, and reports the failure to the `session`.
 * `body`: the problem document in the response.
 */
export function createError(
  status: number,
  body: Readonly<Record<string, unknown>> | undefined,
  session: Session,
): Error {
  const detail = typeof body?.detail === 'string' ? body.detail : `The server responded with ${status}.`;
  session.report(status, String(body?.type ?? ''), detail);
  const violations = (body?.violations ?? []) as readonly ControlViolation[];
  return createRequestError(detail, { status, violations });
}

/**
 * Sends a request to the application and selects a sandbox with `X-Sandbox`.
 * Resolves to the status of the response.
 * Rejects if there is no response.
 */
export async function sendRequest({ method, target, headers, body }: SentRequest, sandbox: string): Promise<number> {
  const response = await fetch(target, {
    method,
    headers: { ...headers, 'X-Sandbox': sandbox },
    ...(body !== undefined && { body }),
  }).catch(() => {
    throw new Error('The server sent no response. Select the request in the list to see the reason.');
  });
  await response.arrayBuffer().catch(() => undefined);
  return response.status;
}
