import { memoryBackend } from '../store/backend.ts';
import type { State } from '../store/state.ts';
import { createStore, type Store, StoreUnavailable } from '../store/store.ts';
import type { Clock } from './clock.ts';
import { createFaults } from './faults.ts';
import { createIds } from './ids.ts';
import { createJournals } from './journal.ts';
import { createSandbox, DEFAULT_ID, type Sandbox, type SandboxParts } from './sandbox.ts';
import { weightOf } from './weight.ts';

/** All sandboxes of a server. */
export interface Sandboxes {
  /** The one of those who name none, which never leaves. */
  readonly default: Sandbox;
  /** The one of this id, made from the default data where there is none yet. Throws `NoSandbox` or `StoreUnavailable`. */
  get(id: string): Sandbox;
  /** The one of this id, where there is one. */
  find(id: string): Sandbox | undefined;
  /** Makes one, or makes it anew, from a state, else from the default data. Throws `StoreUnavailable` where there are too many. */
  make(id: string, from?: State): Sandbox;
  /** Whether there was one. The default one stays. */
  remove(id: string): boolean;
  /** All, the default one first. */
  list(): readonly Sandbox[];
  /** How long it is since one was last asked for, in ms. */
  idleMs(id: string): number;
  close(): Promise<void>;
}

/** A sandbox that isn't there and isn't made by being named. */
export class NoSandbox extends Error {
  override readonly name = 'NoSandbox';
}

/** How many there may be, how long one is kept that nobody asks for, in ms, and how much their states may take together, in bytes. */
const MOST = 10_000;
const IDLE_MS = 3_600_000;
const MOST_BYTES = 512 * 1024 * 1024;

const TOO_MANY = `there are ${MOST} sandboxes already, all used within the hour: remove some with DELETE /_control/sandboxes/ID`;
const TOO_LARGE =
  'the sandboxes hold as much as they may: remove some with DELETE /_control/sandboxes/ID, or reset them';

/** How often those are looked for that nobody asks for, in ms. */
const SWEEP_MS = 60_000;

/** How many requests are kept of the default sandbox, and of any other. */
const MOST_REQUESTS = { default: 1_000, other: 100 };

/** What the sandboxes of a server are made of. */
export interface SandboxesParts extends Omit<SandboxParts, 'snapshots' | 'journal' | 'hold'> {
  readonly default: Pick<Sandbox, 'store' | 'clock'>;
  /** The default data. */
  readonly defaults: () => State;
  /** Whether only those are there that were made by control. */
  readonly areDeclared: boolean;
  /** Told of each that is made by being named, and of those that leave. */
  readonly tell: (message: string) => void;
}

interface Kept {
  readonly sandbox: Sandbox;
  readonly held: Held;
  usedMs: number;
}

/** How much a sandbox takes, in bytes. */
interface Held {
  bytes: number;
  isGone: boolean;
}

/** The sandboxes of a server, beside the default one in memory. */
export function createSandboxes(parts: SandboxesParts): Sandboxes {
  const { elapsedMs, nowMs, newId, defaults, areDeclared, tell } = parts;
  const journals = createJournals(nowMs, elapsedMs);
  // The one that was used longest ago stands first.
  const entries = new Map<string, Kept>();
  let bytes = 0;
  const sweeping = setInterval(sweep, SWEEP_MS).unref();

  function sweep(): void {
    for (const [id, { usedMs }] of entries) {
      if (elapsedMs() - usedMs < IDLE_MS) break;
      remove(id);
      tell(`sandbox ${id} was not used for an hour and is gone`);
    }
  }

  function remove(id: string): boolean {
    const entry = release(id);
    entry?.sandbox.journal.end();
    return entry !== undefined;
  }

  function release(id: string): Kept | undefined {
    const entry = entries.get(id);
    if (!entry) return undefined;
    entries.delete(id);
    bytes -= entry.held.bytes;
    entry.held.isGone = true;
    entry.sandbox.journal.clear();
    return entry;
  }

  function make(id: string, from: State = defaults()): Sandbox {
    if (!entries.has(id) && entries.size >= MOST) sweep();
    if (!entries.has(id) && entries.size >= MOST) throw new StoreUnavailable(TOO_MANY);
    const weight = weightOf(from, defaults());
    if (bytes + weight > MOST_BYTES) sweep();
    if (bytes + weight - (entries.get(id)?.held.bytes ?? 0) > MOST_BYTES) throw new StoreUnavailable(TOO_LARGE);
    // Who follows the journal of one that is made anew follows on.
    const journal = release(id)?.sandbox.journal ?? journals.create(MOST_REQUESTS.other);
    const held: Held = { bytes: 0, isGone: false };
    take(held, weight);
    const own = {
      nowMs,
      newId,
      elapsedMs,
      journal,
      hold: (more: number) => takeMore(held, more),
      tell,
      snapshots: weighed(held),
    };
    const sandbox = createSandbox(id, own, (clock) => storeOf(clock, held, from));
    entries.set(id, { sandbox, held, usedMs: elapsedMs() });
    return sandbox;
  }

  /** Lets those go that nobody asks for where so many bytes more would be too many. Throws where that doesn't help. */
  function makeRoom(more: number): void {
    if (bytes + more > MOST_BYTES) sweep();
    if (bytes + more > MOST_BYTES && more > 0) throw new StoreUnavailable(TOO_LARGE);
  }

  function takeMore(held: Held, more: number): void {
    makeRoom(more);
    take(held, more);
  }

  function take(held: Held, more: number): void {
    if (held.isGone) return;
    held.bytes += more;
    bytes += more;
  }

  /** A store in memory that takes no change by which the sandboxes would hold more than they may. */
  function storeOf({ nowMs: clockMs }: Clock, held: Held, initial: State): Store {
    // Looked up once: it is a file's, and nobody is to wait for that with each change.
    const base = defaults();
    let weight = weightOf(initial, base);
    const commit = async (next: State) => {
      const grown = weightOf(next, base) - weight;
      takeMore(held, grown);
      weight += grown;
    };
    return createStore({ backend: { ...memoryBackend(), commit }, initial, defaults, nowMs: clockMs });
  }

  /** Snapshots that count as what the sandbox holds. */
  function weighed(held: Held): Map<string, State> {
    const states = new Map<string, State>();
    const weightAt = (name: string) => {
      const state = states.get(name);
      return state ? weightOf(state, defaults()) : 0;
    };
    return Object.assign(states, {
      set(name: string, state: State) {
        const more = weightOf(state, defaults()) - weightAt(name);
        takeMore(held, more);
        return Map.prototype.set.call(states, name, state);
      },
      delete(name: string) {
        take(held, -weightAt(name));
        return Map.prototype.delete.call(states, name);
      },
    });
  }

  const main: Sandbox = {
    id: DEFAULT_ID,
    ...parts.default,
    ids: createIds(newId),
    faults: createFaults({ clock: parts.default.clock, elapsedMs, hold: () => {}, tell }),
    journal: journals.create(MOST_REQUESTS.default),
    snapshots: weighed({ bytes: 0, isGone: false }),
  };
  return {
    default: main,
    get(id) {
      if (id === DEFAULT_ID) return main;
      const entry = entries.get(id);
      if (entry) {
        entry.usedMs = elapsedMs();
        entries.delete(id);
        entries.set(id, entry);
        return entry.sandbox;
      }
      if (areDeclared)
        throw new NoSandbox(`there is no sandbox ${id}: make it first with PUT /_control/sandboxes/${id}`);
      const sandbox = make(id);
      tell(`made sandbox ${id}`);
      return sandbox;
    },
    find: (id) => (id === DEFAULT_ID ? main : entries.get(id)?.sandbox),
    make,
    remove,
    list: () => [main, ...[...entries.values()].map(({ sandbox }) => sandbox)],
    idleMs: (id) => (id === DEFAULT_ID ? 0 : Math.round(elapsedMs() - (entries.get(id)?.usedMs ?? elapsedMs()))),
    async close() {
      clearInterval(sweeping);
      await Promise.all([...entries.values()].map(({ sandbox }) => sandbox.store.close()));
    },
  };
}
