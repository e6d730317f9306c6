import { isDeepStrictEqual } from 'node:util';
import type { ChangeSequence, CommittedChange, CommittedState, Entry } from '../store/state.ts';
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

/** The length of the start of an id that differs from those of other logs, in characters. */
const NAME_LENGTH = 8;

/** Options of a change log. */
interface LogOptions {
  readonly store: Pick<Store, 'follow' | 'nowMs' | 'read' | 'loadHistory'>;
  /** The start of the ids of this log, which differs from those of other logs. Servers with the same state share it. */
  readonly name: string;
  readonly memory: JournalMemory;
  /** Returns the property that identifies the entries of a collection. */
  readonly getKey: (collection: string) => string | undefined;
  /** Called when the log has ended. */
  readonly onEnd: () => void;
}

/** A place between changes: after a number of changes of a commit. `index`: infinite for the end of the commit. */
interface Position {
  readonly revision: number;
  readonly index: number;
}

/** A change in a log, and the position after it. */
interface LoggedChange extends Position {
  readonly change: CommittedChange;
  readonly bytes: number;
}

const END = Number.POSITIVE_INFINITY;

function isBefore(one: Position, other: Position): boolean {
  return one.revision === other.revision ? one.index < other.index : one.revision < other.revision;
}

/** The latest changes of the entries of a sandbox, in a list with a limit. */
class ChangeLog {
  /** The approximate memory of the changes, in bytes. */
  usedBytes = 0;
  readonly #options: LogOptions;
  readonly #unfollow: () => void;
  #changes: readonly LoggedChange[] = [];
  /** The number of changes that are no longer in the list. */
  #dropped = 0;
  /** The position from which the log has all changes, and the last revision that it knows. */
  #start: Position;
  #last: number;
  readonly #waiting = new Set<() => void>();
  #readers = 0;
  #ending: NodeJS.Timeout | undefined;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#last = options.store.read().revision;
    this.#start = { revision: this.#last, index: END };
    this.#unfollow = options.store.follow((before, after) => this.#follow(before, after));
  }

  /**
   * Returns the changes after the one with an id.
   * Without an id, returns the changes from now on.
   * Throws an `HttpProblemError` if the log no longer has all of them.
   * `signal`: ends the changes.
   */
  after(id: string | undefined, signal: AbortSignal): ChangeSequence {
    const position = id === undefined ? this.#now : this.#parse(id);
    if (!position || isBefore(position, this.#start) || isBefore(this.#now, position)) {
      const detail = `the changes after the event ${JSON.stringify(id?.slice(0, 100))} are no longer known: read the current entries, and connect again without Last-Event-ID`;
      throw new HttpProblemError({ code: 'events-gone', detail });
    }
    const known = this.#changes.filter((change) => !isBefore(position, change)).length;
    this.#keep();
    const startId = this.#toId(position);
    return { startId, [Symbol.asyncIterator]: () => this.#read(this.#dropped + known, signal) };
  }

  /** Loads the changes after the one with an id, if this server had no stream at that time. */
  async load(id: string): Promise<void> {
    const position = this.#parse(id);
    this.#keep();
    if (!position || !isBefore(position, this.#start)) return;
    const { revision, index } = position;
    const states = (await this.#options.store.loadHistory(index === END ? revision : revision - 1)) ?? [];
    // Another request may have loaded them in the meantime, or the log may have dropped changes.
    const isNeeded = isBefore(position, this.#start);
    if (!isNeeded || (states.at(-1)?.revision ?? 0) < this.#start.revision) return;
    const older = states
      .slice(1)
      .flatMap((after, previous) => this.#compare(states[previous] as CommittedState, after) ?? [])
      .filter((change) => isBefore(position, change) && !isBefore(this.#start, change));
    this.#start = position;
    this.#dropped -= older.length;
    this.#setChanges([...older, ...this.#changes], older);
  }

  /** Deletes the older half of the changes. */
  dropOlderHalf(): void {
    this.#drop(Math.ceil(this.#changes.length / 2));
  }

  get #now(): Position {
    return { revision: this.#last, index: END };
  }

  #toId({ revision, index }: Position): string {
    return `${this.#options.name}-${revision}${index === END ? '' : `.${index}`}`;
  }

  #parse(id: string): Position | undefined {
    const { name } = this.#options;
    const [, revision, index = END] =
      /^(\d{1,15})(?:\.(\d{1,9}))?$/.exec(id.startsWith(`${name}-`) ? id.slice(name.length + 1) : '') ?? [];
    return revision === undefined ? undefined : { revision: Number(revision), index: Number(index) };
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

  #follow(before: CommittedState, after: CommittedState): void {
    this.#last = after.revision;
    const added = this.#compare(before, after);
    if (added) this.#setChanges([...this.#changes, ...added], added);
    else {
      this.#drop(this.#changes.length + 1);
      this.#start = this.#now;
    }
    if (before.generation !== after.generation) this.#end();
    for (const resume of [...this.#waiting]) resume();
  }

  #setChanges(changes: readonly LoggedChange[], added: readonly LoggedChange[]): void {
    this.#changes = changes;
    for (const { bytes } of added) this.#options.memory.add(this, bytes);
    if (changes.length > MAX_CHANGES) this.#drop(changes.length - MAX_CHANGES);
    this.#options.memory.enforceLimit();
  }

  /**
   * Returns the changes between two committed states.
   * Returns undefined if clients can't get them, and must read the entries again: they are too many, or the later state
   * does not follow the earlier one, because the database has lost commits.
   */
  #compare(before: CommittedState, after: CommittedState): readonly LoggedChange[] | undefined {
    // Internal lists have no entries that clients know.
    const lists = compareAllStates([{ before: before.state, after: after.state }]).filter(
      ({ collection }) => !collection.startsWith('$'),
    );
    const changed = lists.reduce((sum, list) => sum + Math.max(list.before.length, list.after.length), 0);
    if (changed > MAX_CHANGES || after.revision <= before.revision || after.generation !== before.generation)
      return undefined;
    const atMs = this.#options.store.nowMs();
    const pairs = lists
      .flatMap((list) => pairEntries(list, createIdentity(this.#options.getKey(list.collection))))
      // A server that loads a commit can get copies of entries that have not changed.
      .filter((pair) => !isDeepStrictEqual(pair.before, pair.after));
    // A client that has not received all changes of several merged commits continues before them.
    const isMerged = after.revision !== before.revision + 1;
    return pairs.map(({ collection, before: old, after: now }, index): LoggedChange => {
      const isLast = index === pairs.length - 1;
      const position = { revision: after.revision, index: isLast || isMerged ? END : index + 1 };
      const id = this.#toId(isMerged && !isLast ? { revision: before.revision, index: END } : position);
      const change = { id, collection, before: old, after: now, atMs };
      return { ...position, change, bytes: measureValue(old) + measureValue(now) };
    });
  }

  /** Deletes the first changes. If `count` is greater than their number, streams that read the log end. */
  #drop(count: number): void {
    const dropped = this.#changes.slice(0, count);
    for (const { bytes } of dropped) this.#options.memory.add(this, -bytes);
    const last = dropped.at(-1);
    if (last) this.#start = last;
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
    const onEnd = () => {
      if (this.#logs.get(store) === log) this.#logs.delete(store);
    };
    const name = getSharedName(store) ?? this.#newName();
    const log = new ChangeLog({ store, name, memory: this.#memory, getKey, onEnd });
    this.#logs.set(store, log);
    return log;
  }

  /** Loads the changes after the one with an id, which another server with the same state may have sent. */
  async load(store: LogOptions['store'], getKey: LogOptions['getKey'], id: string): Promise<void> {
    const name = getSharedName(store);
    if (name !== undefined && id.startsWith(`${name}-`)) await this.get(store, getKey).load(id);
  }
}

/** Returns the name of the logs of all servers with the same state; undefined if only one server has the state. */
function getSharedName(store: LogOptions['store']): string | undefined {
  return store.read().generation?.slice(0, NAME_LENGTH);
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
