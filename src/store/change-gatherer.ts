/**
 * A commit is delayed only if the previous commit had at least this number of changes.
 * With fewer clients, the delay would cost more time than it saves.
 */
const MIN_COMMIT_SIZE = 8;

/**
 * Delays a commit for a moment, so that it includes the changes of all active clients.
 * PostgreSQL does the same with `commit_delay` and `commit_siblings`.
 * Without the delay, two groups of clients alternate: one group sends changes while the changes of the other group are
 * committed.
 * There is no delay after a small commit, so a single client never waits.
 */
export class ChangeGatherer {
  /**
   * The number of changes for which the next commit waits: those in the last commit, plus those that arrived during the
   * last commit.
   */
  #expected = 0;
  #finish: () => void = doNothing;

  /** `maxMs`: the maximum delay, in ms; 0 for no delay. */
  constructor(private readonly maxMs: number) {}

  /**
   * Resolves when enough changes are pending, or after the maximum delay.
   * `pending`: the number of changes that are already pending.
   */
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
   * Ends the delay of `gather` if enough changes are pending.
   * Must be called for each new change.
   * `pending`: the number of pending changes, including the new change.
   */
  count(pending: number): void {
    if (pending >= this.#expected) this.#finish();
  }

  /**
   * Computes for how many changes the next commit waits.
   * Must be called after each commit.
   * `size`: the number of changes in the commit.
   * `pending`: the number of changes that arrived during the commit.
   */
  recordCommit(size: number, pending: number): void {
    this.#expected = this.maxMs > 0 && size >= MIN_COMMIT_SIZE ? size + pending : 0;
  }
}

function doNothing(): void {}
