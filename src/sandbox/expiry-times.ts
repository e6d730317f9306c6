/** The maximum number of expired sandboxes whose expiry time is stored. */
const MAX_EXPIRED = 10_000;

/** The expiry times of sandboxes, in ms since 1970, by the id of the sandbox. Contains only the latest 10,000 times. */
export class ExpiryTimes {
  private readonly timesMs = new Map<string, number>();

  /** Returns the time when the sandbox expired. Returns undefined if no time is stored. */
  get(id: string): number | undefined {
    return this.timesMs.get(id);
  }

  /** Stores the time when the sandbox expired. Removes the oldest stored time if there are more than 10,000. */
  set(id: string, atMs: number): void {
    // `delete` makes the id the last key of the map.
    this.delete(id);
    this.timesMs.set(id, atMs);
    const [oldest] = this.timesMs.keys();
    if (this.timesMs.size > MAX_EXPIRED && oldest !== undefined) this.delete(oldest);
  }

  /** Removes the expiry time of a sandbox, because the sandbox was created again. */
  delete(id: string): void {
    this.timesMs.delete(id);
  }
}
