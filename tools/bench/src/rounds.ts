/** What `work` gives for each contestant in each round, one after the other; the lists are in the order of the rounds. */
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

/** The list, begun at another place each round, so that no contestant is always first. */
export function rotated<Contestant>(contestants: readonly Contestant[], round: number): Contestant[] {
  const first = round % contestants.length;
  return [...contestants.slice(first), ...contestants.slice(0, first)];
}
