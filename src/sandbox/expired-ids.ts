/** How many ids are remembered. */
const MOST = 10_000;

/** The ids of sandboxes that the server removed by itself, the last ones. */
export interface ExpiredIds {
  add(id: string, atMs: number): void;
  /** When the sandbox of an id expired, in ms since 1970; undefined where none did, or another one has the id now. */
  at(id: string): number | undefined;
  /** Forgets an id, once a new sandbox has it. */
  delete(id: string): void;
}

/** Creates an empty memory of 10,000 ids. */
export function createExpiredIds(): ExpiredIds {
  const ids = new Map<string, number>();
  return {
    add(id, atMs) {
      ids.delete(id);
      ids.set(id, atMs);
      const [oldest] = ids.keys();
      if (ids.size > MOST && oldest !== undefined) ids.delete(oldest);
    },
    at: (id) => ids.get(id),
    delete: (id) => void ids.delete(id),
  };
}
