/** The smallest commit after which the store waits for further changes, in changes. With fewer clients, the wait would take longer than it saves. */
const MIN_COMMIT_SIZE = 8;

/**
 * Delays a commit until the changes of all active clients are pending, so that they share one commit. PostgreSQL does the same with `commit_delay` and
 * `commit_siblings`. Without the delay, two groups of clients alternate: while the changes of one group are committed, the other group sends its changes.
 * A commit after a small commit is not delayed, so that a single client never waits.
 */
export class ChangeGatherer {
  /** The number of changes that the next commit waits for: those of the last commit, and those that arrived during it. */
  #expected = 0;
  #finish: () => void = doNothing;

  /** `maxMs`: the maximum delay, in ms; 0 for no delay. */
  constructor(private readonly maxMs: number) {}

  /** Waits until as many changes are pending as expected, or until the maximum delay is over. `pending`: the number of pending changes now. */
  async gather(pending: number): Promise<void> {
    if (pending >= this.#expected) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.maxMs);
      this.#finish = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#finish = doNothing;
  }

  /** Called for each new change. `pending`: the number of pending changes. */
  count(pending: number): void {
    if (pending >= this.#expected) this.#finish();
  }

  /** Called after each commit. `size`: the number of its changes. `pending`: the number of changes that arrived during the commit. */
  recordCommit(size: number, pending: number): void {
    this.#expected = this.maxMs > 0 && size >= MIN_COMMIT_SIZE ? size + pending : 0;
  }
}

function doNothing(): void {}
