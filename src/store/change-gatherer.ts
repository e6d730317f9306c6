/** The minimum number of changes in a commit after which the next commit is delayed. With fewer clients, the delay would take longer than it saves. */
const MIN_COMMIT_SIZE = 8;

/**
 * Delays a commit until the changes of all active clients are pending, so that one commit stores all of them. PostgreSQL does the same with `commit_delay`
 * and `commit_siblings`. Without the delay, two groups of clients alternate: one group sends its changes while the changes of the other group are committed.
 * A commit that follows a small commit is not delayed, so a single client never waits.
 */
export class ChangeGatherer {
  /** The number of changes that the next commit waits for: the changes of the last commit, and the changes that arrived during the last commit. */
  #expected = 0;
  #finish: () => void = doNothing;

  /** `maxMs`: the maximum delay, in ms; 0 for no delay. */
  constructor(private readonly maxMs: number) {}

  /** Resolves when as many changes are pending as expected, or when the maximum delay has passed. `pending`: the current number of pending changes. */
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

  /**
   * Ends the delay of `gather` if enough changes are pending. Must be called for each new change. `pending`: the number of pending changes, including the
   * new change.
   */
  count(pending: number): void {
    if (pending >= this.#expected) this.#finish();
  }

  /**
   * Computes how many changes the next commit waits for. Must be called after each commit. `size`: the number of changes in the commit. `pending`: the
   * number of changes that arrived during the commit.
   */
  recordCommit(size: number, pending: number): void {
    this.#expected = this.maxMs > 0 && size >= MIN_COMMIT_SIZE ? size + pending : 0;
  }
}

function doNothing(): void {}
