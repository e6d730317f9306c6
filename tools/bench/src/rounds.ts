/** Calls `work` for each contestant in each round, one call after the other. Returns the results of each contestant, in the order of the rounds. */
export async function interleave<Contestant, Result>(
  rounds: number,
  contestants: readonly Contestant[],
  work: (contestant: Contestant) => Promise<Result>,
): Promise<Map<Contestant, Result[]>> {
  const results = new Map(contestants.map((contestant): [Contestant, Result[]] => [contestant, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const contestant of rotated(contestants, round)) results.get(contestant)?.push(await work(contestant));
  }
  return results;
}

/** Rotates a list, so that another contestant is the first in each round. */
export function rotated<Contestant>(contestants: readonly Contestant[], round: number): Contestant[] {
  const first = round % contestants.length;
  return [...contestants.slice(first), ...contestants.slice(0, first)];
}
