import { type ControlRequest, sendControlRequest } from '../client/client.ts';
import type {
  ControlAnswer,
  ControlId,
  Fault,
  FaultWish,
  JournalEntry,
  JournalQuery,
  RequestsWanted,
} from '../control/operation.ts';
import type { State } from '../shop/api-types.ts';
import type { State as ReadonlyState } from '../store/state.ts';
import { createTestClock, type TestClock } from './clock.ts';
import { type RequestsExpected, VerificationError } from './verification-error.ts';

/** Which part of the journal is read; an operation is named as everywhere else, alone or in a list. */
export type JournalPart = Omit<JournalQuery, 'operation'> & Pick<RequestsWanted, 'operation'>;
/** A state under a name. */
export type Snapshot = ControlAnswer<'saveSnapshot'>;

/** A shop of one's own on a running server. What control refuses rejects with a `ControlError`. */
export interface TestSandbox {
  readonly id: string;
  /** Where the shop is in it, without a slash at the end: the base URL of an app or a client. */
  readonly url: string;
  /** What names it in requests to the server's own address. */
  readonly headers: { readonly 'X-Sandbox': string };
  /** Asks the shop in it for a path. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Restores the default data; clock, ids, faults, journal and snapshots stay. */
  reset(): Promise<void>;
  /** All that the shop holds. */
  state(): Promise<State>;
  /** Replaces all that the shop holds, or those of its lists that are given. */
  setState(change: Partial<ReadonlyState>): Promise<void>;
  readonly clock: TestClock;
  /** Has ids be made of a seed: the same seed, the same ids in the same order. */
  ids(seed: number): Promise<void>;
  /** Has ids be random again. */
  randomIds(): Promise<void>;
  /** Saves the state under a name. */
  snapshot(name: string): Promise<Snapshot>;
  /** Restores a snapshot, one that was saved in it or a built-in one. */
  restore(name: string): Promise<void>;
  /** Those that were saved in it, and the built-in ones. */
  snapshots(): Promise<readonly Snapshot[]>;
  /** Deletes a snapshot that was saved in it. */
  deleteSnapshot(name: string): Promise<void>;
  /** Has something fail, beside the faults that there are. */
  fault(wish: FaultWish): Promise<Fault>;
  /** Replaces all faults by those that are given. */
  replaceFaults(wishes: readonly FaultWish[]): Promise<readonly Fault[]>;
  /** The faults, with how often each was met. */
  faults(): Promise<readonly Fault[]>;
  /** Ends the fault of this id, `fault` of what `fault()` gives back. */
  removeFault(fault: string): Promise<void>;
  /** Has nothing fail any more. */
  clearFaults(): Promise<void>;
  /** What was asked and how it was answered, the oldest first. */
  requests(part?: JournalPart): Promise<readonly JournalEntry[]>;
  /** Forgets what was asked. */
  clearRequests(): Promise<void>;
  /** How many requests in the journal are as described. */
  count(wanted?: RequestsWanted): Promise<number>;
  /** Rejects with a `VerificationError` unless requests came as described: at least one where no number is given. */
  verify(expected: RequestsExpected): Promise<void>;
  /** Makes it anew, from the default data or a snapshot; clock, ids, faults and journal begin anew too. */
  renew(wish?: { readonly from?: string | undefined }): Promise<void>;
  /** Removes it, with all that it holds. */
  remove(): Promise<void>;
}

/** How a server is asked beside its address. */
export interface ServerAccess {
  /** What its control wants as a bearer token, where it wants one. */
  readonly token?: string | undefined;
}

const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The sandbox `id` of the storefront at `server`. Throws for what is no id. Nothing is asked yet: what first names the sandbox makes it. */
export function sandboxAt(server: string, id: string, { token }: ServerAccess = {}): TestSandbox {
  if (!ID.test(id))
    throw new Error(
      `${JSON.stringify(id)} is no id of a sandbox: use up to 63 small letters, digits and hyphens, the first no hyphen`,
    );
  const place = { url: server.replace(/\/+$/, ''), token };
  const url = `${place.url}/_sandbox/${id}`;
  const ask = <Id extends ControlId>(method: ControlRequest['method'], below: string, body?: unknown) =>
    sendControlRequest<Id>(place, { method, path: `${id}${below}`, body });
  return {
    id,
    url,
    headers: { 'X-Sandbox': id },
    fetch: async (path, init) => fetch(path.startsWith('/') ? url + path : `${url}/${path}`, init),
    reset: () => ask<'resetSandbox'>('POST', '/reset'),
    // It holds by the schemas of the shop's contract, which control's contract leaves to it.
    state: async () => (await ask<'getState'>('GET', '/state')) as unknown as State,
    setState: (change) => ask<'putState'>('PUT', '/state', change),
    clock: createTestClock(place, id),
    ids: async (seed) => void (await ask<'seedIds'>('PUT', '/ids', { seed })),
    randomIds: () => ask<'randomIds'>('DELETE', '/ids'),
    snapshot: (name) => ask<'saveSnapshot'>('PUT', `/snapshots/${encodeURIComponent(name)}`),
    restore: (name) => ask<'restoreSnapshot'>('POST', `/snapshots/${encodeURIComponent(name)}/restore`),
    snapshots: () => ask<'listSnapshots'>('GET', '/snapshots'),
    deleteSnapshot: (name) => ask<'deleteSnapshot'>('DELETE', `/snapshots/${encodeURIComponent(name)}`),
    fault: (wish) => ask<'addFault'>('POST', '/faults', wish),
    replaceFaults: (wishes) => ask<'replaceFaults'>('PUT', '/faults', wishes),
    faults: () => ask<'listFaults'>('GET', '/faults'),
    removeFault: (fault) => ask<'removeFault'>('DELETE', `/faults/${encodeURIComponent(fault)}`),
    clearFaults: () => ask<'clearFaults'>('DELETE', '/faults'),
    requests: (part = {}) => ask<'listRequests'>('GET', `/requests${queryOf(part)}`),
    clearRequests: () => ask<'clearRequests'>('DELETE', '/requests'),
    count: async (wanted = {}) => (await ask<'countRequests'>('POST', '/requests/count', wanted)).count,
    async verify(expected) {
      const verdict = await ask<'verifyRequests'>('POST', '/requests/verify', expected);
      if (!verdict.verified) throw new VerificationError(verdict, expected);
    },
    renew: async ({ from } = {}) => void (await ask<'putSandbox'>('PUT', '', { from })),
    remove: () => ask<'removeSandbox'>('DELETE', ''),
  };
}

function queryOf(part: JournalPart): string {
  const given = Object.entries(part).filter(([, value]) => value !== undefined);
  const pairs = given.map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
