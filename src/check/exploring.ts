import type * as FastCheck from 'fast-check';
import { type Finding, keyOf, type Ledger } from './findings.ts';

/** fast-check, which is loaded only where a server is judged: nobody else is to wait for it. */
export type Chance = typeof FastCheck;

/** How a search for failures goes. */
export interface Exploring<Case> {
  readonly fc: Chance;
  readonly ledger: Ledger;
  readonly cases: FastCheck.Arbitrary<Case>;
  readonly seed: number;
  readonly runs: number;
  /** What is wrong in one case. */
  readonly examine: (one: Case) => Promise<readonly Finding[]>;
}

/** How many smaller cases are tried of one that failed, and how often a search begins anew after a failure. */
const SMALLER = 150;
const ROUNDS = 6;

/** How far the seeds of two rounds are apart. */
const FURTHER = 104_729;

/** A case that failed; it goes no further than this file. */
class Failed extends Error {}

/** Looks for cases that fail, and takes each failure into the ledger in its smallest form; what the ledger knows already is passed over. */
export async function explore<Case>({ fc, ledger, cases, seed, runs, examine }: Exploring<Case>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    let smallest: Finding | undefined;
    let tried = 0;
    const property = fc.asyncProperty(cases, async (one) => {
      if (smallest && ++tried > SMALLER) return;
      const fresh = (await examine(one)).find((finding) =>
        smallest ? keyOf(finding) === keyOf(smallest) : !ledger.knows(finding),
      );
      if (!fresh) return;
      smallest = fresh;
      throw new Failed();
    });
    const { errorInstance } = await fc.check(property, { seed: seed + round * FURTHER, numRuns: runs });
    // What was found is kept, whatever ended the search.
    if (smallest) ledger.add(smallest);
    if (errorInstance && !(errorInstance instanceof Failed)) throw errorInstance;
    if (!smallest) return;
  }
}
