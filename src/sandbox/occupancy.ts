import type { State } from '../store/state.ts';
import type { MemoryQuota } from './memory/memory.ts';
import type { Sandbox } from './sandbox.ts';

/** A sandbox other than `default`, with its use. */
export interface Entry<S extends State = State> {
  readonly sandbox: Sandbox<S>;
  readonly quota: MemoryQuota;
  /** The number of requests in progress. A sandbox that replaces another keeps this object. */
  readonly requests: { count: number };
  /** Whether a client has created it with the control API, or has changed anything in it. */
  isWritten: boolean;
  /** When it was last used, in ms of the monotonic clock. */
  usedMs: number;
}

/** How long an unused sandbox is kept, in ms. */
const IDLE_MS = 3_600_000;

/** The sandboxes of a server by id, least recently used first. The cost of each method is constant, apart from sandboxes in use. */
export class Occupancy<S extends State = State> {
  private readonly byId = new Map<string, Entry<S>>();
  readonly entries: ReadonlyMap<string, Entry<S>> = this.byId;
  /** The sandboxes that were never written to, least recently used first. */
  private readonly unwritten = new Map<string, Entry<S>>();

  /** `elapsedMs` is a monotonic clock in ms. */
  constructor(private readonly elapsedMs: () => number) {}

  set(id: string, entry: Entry<S>): void {
    this.delete(id);
    this.byId.set(id, entry);
    if (!entry.isWritten) this.unwritten.set(id, entry);
  }

  delete(id: string): void {
    this.byId.delete(id);
    this.unwritten.delete(id);
  }

  /** Records that a sandbox is used now. */
  use(id: string, entry: Entry<S>): void {
    entry.usedMs = this.elapsedMs();
    this.set(id, entry);
  }

  /** Records that a sandbox was written to: it is not evicted any more. */
  markWritten(entry: Entry<S>): void {
    entry.isWritten = true;
    const { id } = entry.sandbox;
    // Another sandbox may have the id by now.
    if (this.unwritten.get(id) === entry) this.unwritten.delete(id);
  }

  /** Returns the time since the last use of a sandbox, in ms. */
  unusedMs(entry: Entry<S>): number {
    return isInUse(entry) ? 0 : this.elapsedMs() - entry.usedMs;
  }

  isExpired(entry: Entry<S>): boolean {
    return this.unusedMs(entry) >= IDLE_MS;
  }

  /** Returns the ids of the expired sandboxes. */
  expired(): readonly string[] {
    const ids: string[] = [];
    for (const [id, entry] of this.byId) {
      if (this.elapsedMs() - entry.usedMs < IDLE_MS) break;
      if (isInUse(entry)) this.use(id, entry);
      else ids.push(id);
    }
    return ids;
  }

  /** Returns the id of the least recently used sandbox that is not in use and was never written to. */
  evictable(): string | undefined {
    for (const [id, entry] of this.unwritten) if (!isInUse(entry)) return id;
    return undefined;
  }

  /** Returns the time until the next sandbox expires, in ms. */
  nextExpiryMs(): number {
    for (const entry of this.byId.values()) if (!isInUse(entry)) return IDLE_MS - this.unusedMs(entry);
    return IDLE_MS;
  }
}

/** Returns whether a request is in progress in a sandbox, or a client follows its journal. */
function isInUse<S extends State>({ requests, sandbox }: Entry<S>): boolean {
  return requests.count > 0 || sandbox.journal.isFollowed;
}
