import { sendControlRequest, toQuery } from '../client/client.ts';
import type * as control from '../control/operation.ts';
import type { ControlInput, ControlResponse, Fault, JournalEntry, Verification } from '../control/operation.ts';
import type { ShopApi, StateOf } from '../server/api-types.ts';
import type { operations } from '../shop/api-types.ts';
import type { DeepReadonly } from '../shop/types.ts';
import { SANDBOX_ID, SANDBOX_ID_REMEDY } from '../util/ids.ts';
import { createTestClock, type SendRequest, type TestClock } from './clock.ts';

/** A delivery of a webhook or a callback: a request that the server sends until the receiver accepts it. */
export type Delivery = ControlResponse<'retryDelivery'>;

/** The name of a snapshot, whether it is built-in, and the number of entries in each collection. */
export type Snapshot = ControlResponse<'saveSnapshot'>;

/**
 * A sandbox of a running server: isolated data with its own clock, ids, faults and request journal.
 * `Api`: the types of the contract.
 * Methods reject with a `ControlError` if the server declines the request.
 */
export interface TestSandbox<Api extends object = ShopApi> {
  readonly id: string;
  /** The URL of the sandbox, without a slash at the end. An app or an API client can use it as the base URL. */
  readonly url: string;
  /** The header that selects the sandbox in requests to the normal address of the server. */
  readonly headers: { readonly 'X-Sandbox': string };
  /** Sends a request to a path in the sandbox, such as `/api/items`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Restores the default data. Does not change the clock, ids, faults, journal and snapshots. */
  reset(): Promise<void>;
  /** Returns the data of the sandbox. */
  state(): Promise<StateOf<Api>>;
  /** Replaces the given collections of the data. Other collections stay the same. */
  setState(change: DeepReadonly<Partial<StateOf<Api>>>): Promise<void>;
  readonly clock: TestClock;
  /** Sets the seed of the id generator. The same seed gives the same ids in the same order. */
  ids(seed: number): Promise<void>;
  /** Makes the generated ids random again. */
  randomIds(): Promise<void>;
  /** Saves the current data as a snapshot. Replaces an earlier snapshot with the same name. */
  snapshot(name: string): Promise<Snapshot>;
  /** Replaces the data with a snapshot. The snapshot can be saved in this sandbox or built-in. */
  restore(name: string): Promise<void>;
  /** Returns the snapshots that were saved in this sandbox, and the built-in snapshots. */
  snapshots(): Promise<readonly Snapshot[]>;
  /** Deletes a snapshot that was saved in this sandbox. */
  deleteSnapshot(name: string): Promise<void>;
  /** Adds a fault, such as an error or a delay for matching requests. */
  fault(definition: FaultDefinition): Promise<Fault>;
  /**
   * Replaces all faults.
   * Accepts definitions, or faults that `faults()` returned.
   * The counters of the new faults start at 0.
   */
  replaceFaults(definitions: readonly (FaultDefinition | Fault)[]): Promise<readonly Fault[]>;
  /** Returns the faults. Each fault counts the requests that match it and the requests that it was applied to. */
  faults(): Promise<readonly Fault[]>;
  /** Removes the fault with the given `id`. */
  removeFault(id: string): Promise<void>;
  /**
   * Releases the requests that faults with `hold` hold at this moment, and returns their number.
   * The faults hold later requests again: remove a fault to end it.
   * `id`: the id of the fault; by default, all faults.
   */
  release(id?: string): Promise<number>;
  /** Removes all faults. The requests that they hold are released. */
  clearFaults(): Promise<void>;
  /** Mocks an operation: the server generates its responses from the contract, and it changes no data. */
  mock(operation: OperationName): Promise<void>;
  /** Stops mocking an operation: its handler creates the responses again. */
  unmock(operation: OperationName): Promise<void>;
  /** Returns the recorded requests and responses, the oldest request first. */
  requests(filter?: JournalFilter): Promise<readonly JournalEntry[]>;
  /** Deletes all recorded requests and responses. */
  clearRequests(): Promise<void>;
  /** Returns the number of recorded requests that match the filter. */
  count(filter?: RequestFilter): Promise<number>;
  /** Returns the deliveries of webhooks and callbacks, the oldest first. */
  deliveries(filter?: control.DeliveryQuery): Promise<readonly Delivery[]>;
  /**
   * Sends a webhook or a callback, and returns its deliveries after the first attempt.
   * `data`: the payload; by default, the newest entry, or the example of the contract.
   * `url`: the URL of the receiver; by default, the URLs of the sandbox.
   */
  sendWebhook(name: string, options?: { readonly data?: unknown; readonly url?: string }): Promise<readonly Delivery[]>;
  /** Sends a delivery again, and returns it after the attempt. */
  retryDelivery(id: string): Promise<Delivery>;
  /** Sets the URLs to which the sandbox sends webhooks. With null, it uses those of the server. */
  setWebhookUrls(urls: readonly string[] | null): Promise<void>;
  /**
   * Checks the number of recorded requests that match the filter in `expectation`.
   * Rejects with a `VerificationError` if it is not the expected number.
   * By default, expects at least one request.
   */
  verify(expectation: RequestExpectation): Promise<void>;
  /**
   * Replaces the sandbox with a new one.
   * `from`: the snapshot with the initial data; by default, the default data.
   * Resets the clock, ids, faults and journal.
   * Deletes the snapshots, except in the sandbox `default`.
   */
  recreate(options?: { readonly from?: string | undefined }): Promise<void>;
  /** Removes the sandbox. */
  remove(): Promise<void>;
}

/** Options of `sandboxAt`. */
export interface SandboxAccess {
  /** Bearer token of the control API. Default: none. */
  readonly token?: string | undefined;
}

/**
 * Returns an object that controls the sandbox with the given `id` on a running server.
 * Sends no request: the server creates the sandbox when it is first used.
 * Throws an error if the id is invalid.
 */
export function sandboxAt<Api extends object = ShopApi>(
  server: string,
  id: string,
  { token }: SandboxAccess = {},
): TestSandbox<Api> {
  if (!SANDBOX_ID.test(id)) throw new Error(`Invalid sandbox id ${JSON.stringify(id)}: ${SANDBOX_ID_REMEDY}`);
  const controlServer = { url: server.replace(/\/+$/, ''), token };
  const url = `${controlServer.url}/_sandbox/${id}`;
  const send: SendRequest = (method, path, body) =>
    sendControlRequest(controlServer, { method, path: `sandboxes/${id}${path}`, body });
  const setOperation = async (operation: OperationName, setting: ControlInput<'setOperation'>['body']) =>
    void (await send<'setOperation'>('PUT', `/operations/${encodeURIComponent(operation)}`, setting));
  return {
    id,
    url,
    headers: { 'X-Sandbox': id },
    fetch: async (path, init) => fetch(path.startsWith('/') ? url + path : `${url}/${path}`, init),
    reset: () => send<'resetSandbox'>('POST', '/reset'),
    // The contract of the control API does not define the type of the state.
    state: async () => (await send<'getState'>('GET', '/state')) as unknown as StateOf<Api>,
    setState: (change) => send<'putState'>('PUT', '/state', change),
    clock: createTestClock(send),
    ids: async (seed) => void (await send<'seedIds'>('PUT', '/ids', { seed })),
    randomIds: () => send<'randomIds'>('DELETE', '/ids'),
    snapshot: (name) => send<'saveSnapshot'>('PUT', `/snapshots/${encodeURIComponent(name)}`),
    restore: (name) => send<'restoreSnapshot'>('POST', `/snapshots/${encodeURIComponent(name)}/restore`),
    snapshots: () => send<'listSnapshots'>('GET', '/snapshots'),
    deleteSnapshot: (name) => send<'deleteSnapshot'>('DELETE', `/snapshots/${encodeURIComponent(name)}`),
    fault: (definition) => send<'addFault'>('POST', '/faults', definition),
    replaceFaults: (definitions) => send<'replaceFaults'>('PUT', '/faults', definitions.map(toDefinition)),
    faults: () => send<'listFaults'>('GET', '/faults'),
    removeFault: (fault) => send<'removeFault'>('DELETE', `/faults/${encodeURIComponent(fault)}`),
    async release(fault) {
      const path = fault === undefined ? '/faults' : `/faults/${encodeURIComponent(fault)}`;
      return (await send<'releaseFault'>('POST', `${path}/release`)).released;
    },
    clearFaults: () => send<'clearFaults'>('DELETE', '/faults'),
    mock: (operation) => setOperation(operation, { mocked: true }),
    unmock: (operation) => setOperation(operation, { mocked: false }),
    requests: (filter = {}) => send<'listRequests'>('GET', `/requests${toQuery(filter)}`),
    clearRequests: () => send<'clearRequests'>('DELETE', '/requests'),
    deliveries: (filter = {}) => send<'listDeliveries'>('GET', `/deliveries${toQuery(filter)}`),
    sendWebhook: (name, options = {}) =>
      send<'sendWebhook'>('POST', `/webhooks/${encodeURIComponent(name)}/send`, options),
    retryDelivery: (delivery) => send<'retryDelivery'>('POST', `/deliveries/${encodeURIComponent(delivery)}/retry`),
    setWebhookUrls: async (urls) => void (await send<'setWebhookUrls'>('PUT', '/webhooks', { urls })),
    count: async (filter = {}) => (await send<'countRequests'>('POST', '/requests/count', filter)).count,
    async verify(expectation) {
      const verification = await send<'verifyRequests'>('POST', '/requests/verify', expectation);
      if (!verification.verified) throw new VerificationError(verification, expectation);
    },
    recreate: async ({ from } = {}) => void (await send<'putSandbox'>('PUT', '', { from })),
    remove: () => send<'removeSandbox'>('DELETE', ''),
  };
}

/** Returns the definition of a fault, without the properties that the server adds, such as its id and its counters. */
function toDefinition(fault: FaultDefinition | Fault): FaultDefinition {
  const { id, matched, applied, expired, held, warnings, ...definition } = fault as Fault;
  return definition as FaultDefinition;
}

/**
 * Thrown if the recorded requests are not the expected ones.
 * The message contains the number of matching requests, the filter, and the closest requests that do not match.
 */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  /** The response of the control API, with the result of the verification. */
  readonly verdict: Verification;

  constructor(verdict: Verification, { times, atLeast, atMost, withinMs, ...filter }: RequestExpectation) {
    const nearMisses = verdict.nearMisses.map((nearMiss) => `Near miss: ${formatNearMiss(nearMiss)}`);
    super([verdict.message, `Filter: ${JSON.stringify(filter)}`, ...nearMisses].join('\n  '));
    this.verdict = verdict;
  }
}

function formatNearMiss({
  request: { id, request, response, state },
  reasons,
}: Verification['nearMisses'][number]): string {
  const status = response === null ? (state ?? 'no response') : String(response.status);
  const details = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return `#${id} ${request.method} ${request.path} → ${status}${details}`;
}

/**
 * An operationId.
 * Editors suggest the operations of the shop, but the type allows any string, because other contracts have other
 * operations.
 */
export type OperationName = keyof operations | (string & {});

type WithOperation<T> = Omit<T, 'operation'> & { readonly operation?: OperationName | readonly OperationName[] };

/** A fault to inject: the requests that it applies to, and its effects on them. */
export type FaultDefinition = WithOperation<control.FaultDefinition>;
/** A filter for recorded requests. */
export type RequestFilter = WithOperation<control.RequestFilter>;
/**
 * A filter for entries of the request journal.
 * `after`: only entries with a higher id.
 * `limit`: the maximum number of entries.
 */
export type JournalFilter = WithOperation<control.JournalQuery>;
/** The requests that a test expects: a filter, the expected number, and the maximum time to wait for them. */
export type RequestExpectation = WithOperation<control.ControlInput<'verifyRequests'>['body']>;
