import { sendControlRequest, toQuery } from '../client/client.ts';
import type { ControlInput, ControlResponse, Fault, JournalEntry } from '../control/operation.ts';
import type { ShopApi, StateOf } from '../server/api-types.ts';
import type { DeepReadonly } from '../shop/types.ts';
import { SANDBOX_ID, SANDBOX_ID_REMEDY } from '../util/sandbox-id.ts';
import { createTestClock, type SendRequest, type TestClock } from './clock.ts';
import type {
  FaultDefinition,
  JournalFilter,
  OperationName,
  RequestExpectation,
  RequestFilter,
} from './request-filter.ts';
import { VerificationError } from './verification-error.ts';

/** The name of a snapshot, whether it is built-in, and the number of entries in its collections. */
export type Snapshot = ControlResponse<'saveSnapshot'>;

/**
 * A sandbox of a running server: an isolated state with its own clock, ids, faults and journal. `Api`: the types of the contract. Methods reject with a
 * `ControlError` if the control API declines the request.
 */
export interface TestSandbox<Api extends object = ShopApi> {
  readonly id: string;
  /** The URL of the sandbox, without a trailing slash. An app or an API client can use this URL as the base URL. */
  readonly url: string;
  /** The header that selects the sandbox in requests to the address of the server. */
  readonly headers: { readonly 'X-Sandbox': string };
  /** Sends a request to a path in the sandbox, such as `/api/items`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Restores the default data. Does not change the clock, ids, faults, journal and snapshots. */
  reset(): Promise<void>;
  /** Returns the state. */
  state(): Promise<StateOf<Api>>;
  /** Replaces collections of the state. Does not change the other collections. */
  setState(change: DeepReadonly<Partial<StateOf<Api>>>): Promise<void>;
  readonly clock: TestClock;
  /** Sets the seed of the id generator. The same seed generates the same ids in the same order. */
  ids(seed: number): Promise<void>;
  /** Makes the id generator random again. */
  randomIds(): Promise<void>;
  /** Saves the state as a snapshot. Replaces a saved snapshot of the same name. */
  snapshot(name: string): Promise<Snapshot>;
  /** Replaces the state with a snapshot of this sandbox or a built-in snapshot. */
  restore(name: string): Promise<void>;
  /** Returns the snapshots of this sandbox and the built-in snapshots. */
  snapshots(): Promise<readonly Snapshot[]>;
  /** Deletes a snapshot of this sandbox. */
  deleteSnapshot(name: string): Promise<void>;
  /** Adds a fault. */
  fault(definition: FaultDefinition): Promise<Fault>;
  /** Replaces all faults. Also accepts the result of `faults()`. The counters of the new faults start at 0. */
  replaceFaults(definitions: readonly (FaultDefinition | Fault)[]): Promise<readonly Fault[]>;
  /** Returns the faults. Each fault has the number of requests that it matched and the number of requests that it applied to. */
  faults(): Promise<readonly Fault[]>;
  /** Removes the fault with this `id`. */
  removeFault(id: string): Promise<void>;
  /** Removes all faults. */
  clearFaults(): Promise<void>;
  /** Mocks an operation: its responses are generated from the contract, and it changes nothing. */
  mock(operation: OperationName): Promise<void>;
  /** Stops mocking an operation: its handler creates the responses again. */
  unmock(operation: OperationName): Promise<void>;
  /** Returns the recorded requests and responses, the oldest request first. */
  requests(filter?: JournalFilter): Promise<readonly JournalEntry[]>;
  /** Clears the journal. */
  clearRequests(): Promise<void>;
  /** Returns the number of recorded requests that match the filter. */
  count(filter?: RequestFilter): Promise<number>;
  /** Rejects with a `VerificationError` if the number of matching requests is not the expected number. By default, expects at least one request. */
  verify(expectation: RequestExpectation): Promise<void>;
  /**
   * Replaces the sandbox with a new sandbox. `from`: the snapshot with the initial state; by default, the default data. Resets the clock, ids, faults and
   * journal. Deletes the snapshots. Only the sandbox `default` keeps its snapshots.
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
 * Returns an object for the sandbox `id` of a running server. Sends no request: the server creates the sandbox when it is first used. Throws an error if the id
 * is invalid.
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
    sendControlRequest(controlServer, { method, path: `${id}${path}`, body });
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
    clearFaults: () => send<'clearFaults'>('DELETE', '/faults'),
    mock: (operation) => setOperation(operation, { mocked: true }),
    unmock: (operation) => setOperation(operation, { mocked: false }),
    requests: (filter = {}) => send<'listRequests'>('GET', `/requests${toQuery(filter)}`),
    clearRequests: () => send<'clearRequests'>('DELETE', '/requests'),
    count: async (filter = {}) => (await send<'countRequests'>('POST', '/requests/count', filter)).count,
    async verify(expectation) {
      const verification = await send<'verifyRequests'>('POST', '/requests/verify', expectation);
      if (!verification.verified) throw new VerificationError(verification, expectation);
    },
    recreate: async ({ from } = {}) => void (await send<'putSandbox'>('PUT', '', { from })),
    remove: () => send<'removeSandbox'>('DELETE', ''),
  };
}

/** Returns the definition of a fault, without the properties that the server adds. */
function toDefinition(fault: FaultDefinition | Fault): FaultDefinition {
  const { id, matched, applied, expired, warnings, ...definition } = fault as Fault;
  return definition as FaultDefinition;
}
