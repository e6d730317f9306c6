import type { ChangeSequence, CommittedChange, Entry, State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { createIdentity } from '../util/entry-identity.ts';
import { MEGABYTE } from '../util/limits.ts';
import { HttpProblemError } from '../util/problem.ts';
import { compareAllStates, type ListChange } from './journal/change-history.ts';
import { JournalMemory } from './journal/journal.ts';
import { measureValue } from './journal/recorded-request.ts';

/** The maximum number of changes that a log keeps for clients that connect again, and of changes of one commit. */
const MAX_CHANGES = 1_000;

/** The maximum memory of the changes of all logs of a server, in bytes. */
const MAX_BYTES = 16 * MEGABYTE;

/** The time for which a log is kept after its last stream has ended, in ms. */
const KEPT_MS = 600_000;

/** Options of a change log. */
interface LogOptions {
  readonly store: Pick<Store, 'follow' | 'nowMs'>;
  /** The start of the ids of this log, which differs from those of other logs. */
  readonly name: string;
  readonly memory: JournalMemory;
  /** Returns the property that identifies the entries of a collection. */
  readonly getKey: (collection: string) => string | undefined;
  /** Called when the log has ended. */
  readonly onEnd: () => void;
}

/** The latest changes of the entries of a sandbox, in a list with a limit. */
class ChangeLog {
  /** The approximate memory of the changes, in bytes. */
  usedBytes = 0;
  readonly #options: LogOptions;
  readonly #unfollow: () => void;
  #changes: { readonly change: CommittedChange; readonly bytes: number }[] = [];
  /** The number of changes that are no longer in the list. */
  #dropped = 0;
  readonly #waiting = new Set<() => void>();
  #readers = 0;
  #ending: NodeJS.Timeout | undefined;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#unfollow = options.store.follow((before, after) => this.#add(before, after));
  }

  /**
   * Returns the changes after the one with an id.
   * Without an id, returns the changes from now on.
   * Throws an `HttpProblemError` if the log no longer has all of them.
   * `signal`: ends the changes.
   */
  after(id: string | undefined, signal: AbortSignal): ChangeSequence {
    const position = id === undefined ? this.#last : this.#find(id);
    if (position === undefined) {
      const detail = `the changes after the event ${JSON.stringify(id?.slice(0, 100))} are no longer known: read the current entries, and connect again without Last-Event-ID`;
      throw new HttpProblemError({ code: 'events-gone', detail });
    }
    this.#keep();
    return { startId: this.#toId(position), [Symbol.asyncIterator]: () => this.#read(position, signal) };
  }

  /** Deletes the older half of the changes. */
  dropOlderHalf(): void {
    this.#drop(Math.ceil(this.#changes.length / 2));
  }

  /** The number of the latest change, counted from 1. */
  get #last(): number {
    return this.#dropped + this.#changes.length;
  }

  #toId(position: number): string {
    return `${this.#options.name}-${position}`;
  }

  #find(id: string): number | undefined {
    const { name } = this.#options;
    const number = id.startsWith(`${name}-`) ? id.slice(name.length + 1) : '';
    const position = /^\d{1,15}$/.test(number) ? Number(number) : -1;
    return position >= this.#dropped && position <= this.#last ? position : undefined;
  }

  /** Yields changes until `signal` is aborted. Ends if the reader is so slow that changes were dropped before it. */
  async *#read(start: number, signal: AbortSignal): AsyncGenerator<CommittedChange> {
    let position = start;
    this.#readers++;
    clearTimeout(this.#ending);
    try {
      while (position >= this.#dropped && !signal.aborted) {
        const next = this.#changes[position - this.#dropped];
        if (next) {
          position++;
          yield next.change;
        } else await this.#waitForChange(signal);
      }
    } finally {
      this.#readers--;
      this.#keep();
    }
  }

  #waitForChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#waiting.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#waiting.add(end);
      signal.addEventListener('abort', end);
    });
  }

  /** Ends the log later, unless a stream reads it. */
  #keep(): void {
    clearTimeout(this.#ending);
    if (this.#readers === 0) this.#ending = setTimeout(() => this.#end(), KEPT_MS).unref();
  }

  #end(): void {
    this.#unfollow();
    this.#drop(this.#changes.length);
    this.#options.onEnd();
  }

  #add(before: State, after: State): void {
    const { store, getKey, memory } = this.#options;
    const atMs = store.nowMs();
    // Internal lists have no entries that clients know.
    const lists = compareAllStates([{ before, after }]).filter(({ collection }) => !collection.startsWith('$'));
    const changed = lists.reduce((sum, list) => sum + Math.max(list.before.length, list.after.length), 0);
    // The clients can't get that many changes, so they read the entries again.
    if (changed > MAX_CHANGES) this.#drop(this.#changes.length + 1);
    else
      for (const list of lists)
        for (const pair of pairEntries(list, createIdentity(getKey(list.collection)))) this.#push(pair, atMs);
    if (this.#changes.length > MAX_CHANGES) this.#drop(this.#changes.length - MAX_CHANGES);
    memory.enforceLimit();
    for (const resume of [...this.#waiting]) resume();
  }

  #push({ collection, before, after }: EntryPair, atMs: number): void {
    const bytes = measureValue(before) + measureValue(after);
    this.#options.memory.add(this, bytes);
    this.#changes.push({ change: { id: this.#toId(this.#last + 1), collection, before, after, atMs }, bytes });
  }

  /** Deletes the first changes. If `count` is greater than their number, the ids of missing changes are skipped. */
  #drop(count: number): void {
    for (const { bytes } of this.#changes.slice(0, count)) this.#options.memory.add(this, -bytes);
    this.#changes = this.#changes.slice(count);
    this.#dropped += count;
  }
}

/** The change logs of the sandboxes of a server. A log begins with the first stream of its sandbox. */
export class ChangeLogs {
  readonly #logs = new Map<object, ChangeLog>();
  readonly #memory = new JournalMemory(MAX_BYTES);
  readonly #newName: () => string;

  /** `newName`: returns a text that differs from those of other logs, also of other servers. */
  constructor(newName: () => string) {
    this.#newName = newName;
  }

  /**
   * Returns the change log of a sandbox.
   * `getKey`: returns the property that identifies the entries of a collection.
   */
  get(store: LogOptions['store'], getKey: LogOptions['getKey']): ChangeLog {
    const known = this.#logs.get(store);
    if (known) return known;
    const onEnd = () => this.#logs.delete(store);
    const log = new ChangeLog({ store, name: this.#newName(), memory: this.#memory, getKey, onEnd });
    this.#logs.set(store, log);
    return log;
  }
}

/** An entry before and after a change, and its position in the list after the change. */
interface EntryPair {
  readonly collection: string;
  readonly position?: number;
  readonly before?: Entry;
  readonly after?: Entry;
}

/**
 * Compares a list before and after a change.
 * Returns the entries that were added or changed, and then the entries that were removed.
 * If an entry before and an entry after the change have the same id, the entry was changed.
 * An entry without an id is identified by its index.
 */
export function pairEntries(
  { collection, start, before, after }: ListChange,
  getId: (entry: Entry) => string | undefined,
): EntryPair[] {
  const removed = new Map<string, Entry>();
  for (const [index, entry] of before.entries()) removed.set(getId(entry) ?? `#${index}`, entry);
  const changes: EntryPair[] = [];
  for (const [index, entry] of after.entries()) {
    const id = getId(entry) ?? `#${index}`;
    const old = removed.get(id);
    removed.delete(id);
    const place = { collection, position: start + index };
    if (old === undefined) changes.push({ ...place, after: entry });
    // An entry that is only at another position has not changed.
    else if (old !== entry) changes.push({ ...place, before: old, after: entry });
  }
  return [...changes, ...Array.from(removed.values(), (entry) => ({ collection, before: entry }))];
}
