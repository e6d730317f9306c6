/** The maximum number of ids. */
const MAX_IDS = 10_000;

/** The ids of the sandboxes that expired or were evicted most recently. */
export interface ExpiredIds {
  add(id: string, atMs: number): void;
  /** Returns when the sandbox of an id expired, in ms since 1970; undefined if none did, or if a new sandbox has the id. */
  at(id: string): number | undefined;
  /** Removes an id when a new sandbox has it. */
  delete(id: string): void;
}

/** Creates an empty list that keeps the last 10,000 ids. */
export function createExpiredIds(): ExpiredIds {
  const ids = new Map<string, number>();
  return {
    add(id, atMs) {
      ids.delete(id);
      ids.set(id, atMs);
      const [oldest] = ids.keys();
      if (ids.size > MAX_IDS && oldest !== undefined) ids.delete(oldest);
    },
    at: (id) => ids.get(id),
    delete: (id) => void ids.delete(id),
  };
}
