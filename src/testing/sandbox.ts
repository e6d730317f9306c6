import { type ControlRequest, sendControlRequest, toQuery } from '../client/client.ts';
import type {
  ControlId,
  ControlResponse,
  Fault,
  FaultDefinition,
  JournalEntry,
  JournalQuery,
  RequestFilter,
} from '../control/operation.ts';
import type { State } from '../shop/api-types.ts';
import type { State as ReadonlyState } from '../shop/state.ts';
import { SANDBOX_ID, SANDBOX_ID_REMEDY } from '../util/sandbox-id.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { type RequestExpectation, VerificationError } from './verification-error.ts';

/** A filter of journal entries: `after` an id, at most `limit` entries, of one operation or several. */
export type JournalFilter = Omit<JournalQuery, 'operation'> & Pick<RequestFilter, 'operation'>;
/** A snapshot in a list. */
export type Snapshot = ControlResponse<'saveSnapshot'>;

/** A sandbox of a running server. Methods reject with a `ControlError` if the control API declines the request. */
export interface TestSandbox {
  readonly id: string;
  /** Base URL of the sandbox for an app or a client, without a trailing slash. */
  readonly url: string;
  /** The header that selects the sandbox in requests to the address of the server. */
  readonly headers: { readonly 'X-Sandbox': string };
  /** Sends a request to a path of the sandbox. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Restores the default data. Clock, ids, faults, journal and snapshots stay. */
  reset(): Promise<void>;
  /** Returns the state. */
  state(): Promise<State>;
  /** Replaces the state, or some of its lists. */
  setState(change: Partial<ReadonlyState>): Promise<void>;
  readonly clock: TestClock;
  /** Sets the seed of new ids: the same seed gives the same ids in the same order. */
  ids(seed: number): Promise<void>;
  /** Makes new ids random again. */
  randomIds(): Promise<void>;
  /** Saves the state as a snapshot. */
  snapshot(name: string): Promise<Snapshot>;
  /** Restores a snapshot of this sandbox or a built-in one. */
  restore(name: string): Promise<void>;
  /** Returns the snapshots of this sandbox and the built-in ones. */
  snapshots(): Promise<readonly Snapshot[]>;
  /** Deletes a snapshot of this sandbox. */
  deleteSnapshot(name: string): Promise<void>;
  /** Adds a fault. */
  fault(definition: FaultDefinition): Promise<Fault>;
  /** Replaces all faults. */
  replaceFaults(definitions: readonly FaultDefinition[]): Promise<readonly Fault[]>;
  /** Returns the faults, with how often each one matched and applied. */
  faults(): Promise<readonly Fault[]>;
  /** Removes the fault with this `id`. */
  removeFault(id: string): Promise<void>;
  /** Removes all faults. */
  clearFaults(): Promise<void>;
  /** Returns the recorded requests and responses, the oldest first. */
  requests(filter?: JournalFilter): Promise<readonly JournalEntry[]>;
  /** Clears the journal. */
  clearRequests(): Promise<void>;
  /** Counts the recorded requests that match. */
  count(filter?: RequestFilter): Promise<number>;
  /** Rejects with a `VerificationError` unless the expected number of requests matches, by default at least one. */
  verify(expectation: RequestExpectation): Promise<void>;
  /** Recreates the sandbox from the default data or a snapshot, without clock, ids, faults and journal. Only `default` keeps its snapshots. */
  recreate(options?: { readonly from?: string | undefined }): Promise<void>;
  /** Removes the sandbox. */
  remove(): Promise<void>;
}

/** What `sandboxAt` needs beside the address of the server. */
export interface SandboxAccess {
  /** Bearer token of the control API. Default: none. */
  readonly token?: string | undefined;
}

/** Returns the sandbox `id` of a running server. Sends no request: the server creates the sandbox on first use. Throws for an invalid id. */
export function sandboxAt(server: string, id: string, { token }: SandboxAccess = {}): TestSandbox {
  if (!SANDBOX_ID.test(id)) throw new Error(`Invalid sandbox id ${JSON.stringify(id)}: ${SANDBOX_ID_REMEDY}`);
  const controlServer = { url: server.replace(/\/+$/, ''), token };
  const url = `${controlServer.url}/_sandbox/${id}`;
  const send = <Id extends ControlId>(method: ControlRequest['method'], subpath: string, body?: unknown) =>
    sendControlRequest<Id>(controlServer, { method, path: `${id}${subpath}`, body });
  return {
    id,
    url,
    headers: { 'X-Sandbox': id },
    fetch: async (path, init) => fetch(path.startsWith('/') ? url + path : `${url}/${path}`, init),
    reset: () => send<'resetSandbox'>('POST', '/reset'),
    // The contract of the control API leaves the type of the state to the contract of the shop.
    state: async () => (await send<'getState'>('GET', '/state')) as unknown as State,
    setState: (change) => send<'putState'>('PUT', '/state', change),
    clock: createTestClock(controlServer, id),
    ids: async (seed) => void (await send<'seedIds'>('PUT', '/ids', { seed })),
    randomIds: () => send<'randomIds'>('DELETE', '/ids'),
    snapshot: (name) => send<'saveSnapshot'>('PUT', `/snapshots/${encodeURIComponent(name)}`),
    restore: (name) => send<'restoreSnapshot'>('POST', `/snapshots/${encodeURIComponent(name)}/restore`),
    snapshots: () => send<'listSnapshots'>('GET', '/snapshots'),
    deleteSnapshot: (name) => send<'deleteSnapshot'>('DELETE', `/snapshots/${encodeURIComponent(name)}`),
    fault: (definition) => send<'addFault'>('POST', '/faults', definition),
    replaceFaults: (definitions) => send<'replaceFaults'>('PUT', '/faults', definitions),
    faults: () => send<'listFaults'>('GET', '/faults'),
    removeFault: (fault) => send<'removeFault'>('DELETE', `/faults/${encodeURIComponent(fault)}`),
    clearFaults: () => send<'clearFaults'>('DELETE', '/faults'),
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
