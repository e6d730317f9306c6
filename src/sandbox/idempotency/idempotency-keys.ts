import type { Store } from '../../store/store.ts';
import { MEGABYTE } from '../../util/limits.ts';

/**
 * The stored response of a request with an idempotency key.
 * If a client repeats the request, the client gets this response.
 */
export interface StoredResponse {
  readonly status: number;
  /** The headers of the response, except the headers that the server adds to every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it is sent: text, or bytes if the media type is binary. Undefined if there is no body. */
  readonly content: string | Buffer | undefined;
}

/**
 * A claimed idempotency key.
 * Only the first request that sends a key gets a claim.
 * At its end, the request must call `complete` or `release`.
 */
export interface Claim {
  /**
   * Stores the response of the request, for repeated requests.
   * Does nothing if the keys were cleared while the request was in progress.
   */
  complete(response: StoredResponse): Promise<void>;
  /**
   * Runs a handler, and commits its changes and its response in one transaction.
   * `toResponse`: returns the response to store, or undefined to store none.
   * `transact` is undefined if the keys and the state are not stored in the same database.
   */
  readonly transact?: <Result>(
    store: Store,
    handle: (store: Store) => Promise<Result>,
    toResponse: (result: Result) => StoredResponse | undefined,
  ) => Promise<Result>;
  /** Releases the key, because the request has changed nothing. A repeated request runs the handler again. */
  release(): Promise<void>;
}

/**
 * The result of claiming a key for a request.
 * `claimed`: no earlier request has the key.
 * `stored`: the request repeats an earlier request, whose response is stored.
 * `in-progress`: an earlier request with the key is still in progress.
 * `other-request`: an earlier request with the key was different.
 */
export type ClaimResult =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'stored'; readonly response: StoredResponse }
  | { readonly kind: 'in-progress' }
  | { readonly kind: 'other-request' };

/** The idempotency keys of a sandbox. The methods are asynchronous, because a database can store the keys. */
export interface IdempotencyKeys {
  /**
   * Claims a key for a request.
   * `fingerprint`: a hash of the request.
   * A repeated request has the same hash.
   * A different request with the same key has a different hash.
   */
  claim(key: string, fingerprint: string): Promise<ClaimResult>;
  /**
   * Replaces the state with `replace`, and deletes all keys.
   * Requests that are in progress then store no response.
   * `replace` must call `onApply` when it applies the change.
   * If the keys are in a database, one commit stores the change and deletes the keys.
   */
  clearWith<Result>(replace: (onApply: () => void) => Promise<Result>): Promise<Result>;
  /** Frees the memory of all keys, because the sandbox is removed from memory. */
  dispose(): void;
}

/** How long a response is stored, in ms. */
const STORED_MS = 3_600_000;

/** The maximum number of stored responses of a server. */
const MAX_RESPONSES = 10_000;

/** The maximum memory of all stored responses of a server, in bytes. */
const MAX_BYTES = 16 * MEGABYTE;

/** The memory that a stored response needs in addition to its key, its headers and its content, in bytes. */
const ENTRY_BYTES = 500;

/** An idempotency key that a request has sent. `response` is undefined while the request is in progress. */
interface ClaimedKey {
  readonly key: string;
  readonly fingerprint: string;
  response?: StoredResponse;
}

/** The idempotency keys of a sandbox, in memory. */
export class MemoryKeys implements IdempotencyKeys {
  readonly #entries = new Map<string, ClaimedKey>();

  /** `memory`: the stored responses of all sandboxes of the server. */
  constructor(private readonly memory: ResponseMemory) {}

  async claim(key: string, fingerprint: string): Promise<ClaimResult> {
    this.memory.removeExpired();
    const found = this.#entries.get(key);
    if (!found) return this.#add({ key, fingerprint });
    if (found.fingerprint !== fingerprint) return { kind: 'other-request' };
    return found.response ? { kind: 'stored', response: found.response } : { kind: 'in-progress' };
  }

  async clearWith<Result>(replace: (onApply: () => void) => Promise<Result>): Promise<Result> {
    let earlier: readonly ClaimedKey[] = [];
    const result = await replace(() => {
      earlier = [...this.#entries.values()];
    });
    for (const entry of earlier) this.#remove(entry);
    return result;
  }

  dispose(): void {
    for (const entry of this.#entries.values()) this.#remove(entry);
  }

  #remove(entry: ClaimedKey): void {
    this.memory.remove(entry);
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
  }

  #add(entry: ClaimedKey): ClaimResult {
    const { key } = entry;
    const entries = this.#entries;
    entries.set(key, entry);
    const complete = async (response: StoredResponse) => {
      // The keys may have been cleared in the meantime, and another request may have claimed the same key.
      if (entries.get(key) !== entry) return;
      entry.response = response;
      this.memory.add(entry, () => entries.delete(key));
    };
    const release = async () => {
      if (entries.get(key) === entry) entries.delete(key);
    };
    return { kind: 'claimed', claim: { complete, release } };
  }
}

/**
 * The time when a response was stored, its memory in bytes, and a function to call when the response is removed.
 * `storedMs`: in ms of a monotonic clock.
 */
interface RetainedResponse {
  readonly storedMs: number;
  readonly bytes: number;
  readonly onRemove: () => void;
}

/**
 * The stored responses of all sandboxes of a server, oldest first.
 * Removes each response after an hour.
 * If a limit is exceeded, removes the oldest responses earlier.
 */
export class ResponseMemory {
  readonly #stored = new Map<ClaimedKey, RetainedResponse>();
  #bytes = 0;

  /** `elapsedMs`: returns the time of a monotonic clock, in ms. */
  constructor(private readonly elapsedMs: () => number) {}

  /**
   * Stores the response of `entry`.
   * `onRemove`: called when the response is removed after an hour, or earlier because of a limit.
   */
  add(entry: ClaimedKey, onRemove: () => void): void {
    const bytes = measure(entry);
    this.#stored.set(entry, { storedMs: this.elapsedMs(), bytes, onRemove });
    this.#bytes += bytes;
    for (const [oldest, { onRemove: remove }] of this.#stored) {
      if (this.#stored.size <= MAX_RESPONSES && this.#bytes <= MAX_BYTES) return;
      this.remove(oldest);
      remove();
    }
  }

  /** Removes an entry without calling `onRemove`. Does nothing if the entry is not stored. */
  remove(entry: ClaimedKey): void {
    this.#bytes -= this.#stored.get(entry)?.bytes ?? 0;
    this.#stored.delete(entry);
  }

  /** Removes the responses that were stored an hour ago or earlier. */
  removeExpired(): void {
    for (const [entry, { storedMs, onRemove }] of this.#stored) {
      if (this.elapsedMs() - storedMs < STORED_MS) return;
      this.remove(entry);
      onRemove();
    }
  }
}

function measure({ key, fingerprint, response }: ClaimedKey): number {
  const headers = Object.entries(response?.headers ?? {}).flat();
  return [key, fingerprint, ...headers, response?.content ?? ''].reduce(
    (bytes, { length }) => bytes + length,
    ENTRY_BYTES,
  );
}
