/** Does some work for each entry, for so many at once at most. Once one fails no other is begun; rejects with its error when those under way have ended. */
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
