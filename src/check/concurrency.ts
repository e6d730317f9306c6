/** Runs `work` for each entry, at most `maxConcurrent` at once. After a failure it starts no others, waits for the pending ones, and rejects with the error. */
export async function forEachConcurrently<Entry>(
  entries: readonly Entry[],
  maxConcurrent: number,
  work: (entry: Entry) => Promise<void>,
): Promise<void> {
  const left = entries.values();
  const errors: unknown[] = [];
  const worker = async () => {
    for (const entry of left) {
      if (errors.length > 0) return;
      await work(entry).catch((error) => void errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, maxConcurrent) }, worker));
  if (errors.length > 0) throw errors[0];
}
