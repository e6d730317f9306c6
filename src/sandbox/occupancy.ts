import type { Account } from './memory/memory.ts';
import type { Sandbox } from './sandbox.ts';

/** A sandbox in the list, beside the default one. */
export interface Entry {
  readonly sandbox: Sandbox;
  readonly account: Account;
  /** How many requests are handled in the sandbox now; one and the same object for a sandbox that is created anew. */
  readonly requests: { count: number };
  /** Whether a client has created it on purpose, or changed anything in it. */
  isWritten: boolean;
  /** When it was last used, in ms. */
  usedMs: number;
}

/** The sandboxes of a server by their ids, the least recently used first. All costs are constant, but for sandboxes in use. */
export class Occupancy {
  readonly #entries = new Map<string, Entry>();
  /** Those that were never written to, the least recently used first. */
  readonly #unwritten = new Map<string, Entry>();
  readonly #elapsedMs: () => number;
  readonly #idleMs: number;

  /** `elapsedMs`: a clock that nobody sets; `idleMs`: how long an unused sandbox is kept. */
  constructor(elapsedMs: () => number, idleMs: number) {
    this.#elapsedMs = elapsedMs;
    this.#idleMs = idleMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  entries(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  set(id: string, entry: Entry): void {
    this.delete(id);
    this.#entries.set(id, entry);
    if (!entry.isWritten) this.#unwritten.set(id, entry);
  }

  delete(id: string): void {
    this.#entries.delete(id);
    this.#unwritten.delete(id);
  }

  /** Records that a sandbox is used now. */
  use(id: string, entry: Entry): void {
    entry.usedMs = this.#elapsedMs();
    this.set(id, entry);
  }

  /** Records that a sandbox was written to: from now on it is not removed before its time. */
  markWritten(entry: Entry): void {
    if (entry.isWritten) return;
    entry.isWritten = true;
    const { id } = entry.sandbox;
    // Another sandbox may have the id by now.
    if (this.#unwritten.get(id) === entry) this.#unwritten.delete(id);
  }

  /** How long a sandbox has not been used, in ms. */
  unusedMs(entry: Entry): number {
    return isInUse(entry) ? 0 : this.#elapsedMs() - entry.usedMs;
  }

  isExpired(entry: Entry): boolean {
    return this.unusedMs(entry) >= this.#idleMs;
  }

  /** The ids of the sandboxes whose time is over. */
  expired(): readonly string[] {
    const ids: string[] = [];
    for (const [id, entry] of this.#entries) {
      if (this.#elapsedMs() - entry.usedMs < this.#idleMs) break;
      if (isInUse(entry)) this.use(id, entry);
      else ids.push(id);
    }
    return ids;
  }

  /** The least recently used sandbox that can be removed without loss: it is not in use and was never written to. */
  evictable(): string | undefined {
    for (const [id, entry] of this.#unwritten) if (!isInUse(entry)) return id;
    return undefined;
  }

  /** In how many ms the next sandbox expires, if nothing uses it until then. */
  nextExpiryMs(): number {
    for (const entry of this.#entries.values()) if (!isInUse(entry)) return this.#idleMs - this.unusedMs(entry);
    return this.#idleMs;
  }
}

/** Whether a request is handled in a sandbox, or a client follows its journal. */
function isInUse({ requests, sandbox }: Entry): boolean {
  return requests.count > 0 || sandbox.journal.isFollowed;
}
