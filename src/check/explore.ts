import type * as FastCheck from 'fast-check';
import { foundAgain, isTold } from './confirm-findings.ts';
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
  /** The same where it is looked for a second time, `examine` unless given. */
  readonly examineAgain?: (one: Case) => Promise<readonly Finding[]>;
  /** What is told of a failure in the end, by its smallest case and by the one that was found. */
  readonly tell?: (smallest: Failure<Case>, first: Failure<Case>) => Promise<Finding>;
}

/** A case that failed, and how. */
export interface Failure<Case> {
  readonly one: Case;
  readonly finding: Finding;
}

/** How many smaller cases are tried of one that failed, and how often a search begins anew after a failure. */
const SMALLER = 150;
const ROUNDS = 6;

/** How far the seeds of two rounds are apart. */
const FURTHER = 104_729;

/** A case that failed; it goes no further than this file. */
class ExampleFailedError extends Error {}

/**
 * Looks for cases that fail, and takes each failure into the ledger in its smallest form; what the ledger knows already is passed over. A case, also a
 * smaller one, has failed where it does so again: what fails once may come of the cases before.
 */
export async function explore<Case>(exploring: Exploring<Case>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    if (!(await exploreOnce(exploring, exploring.seed + round * FURTHER))) return;
  }
}

/** Whether a failure was found. */
async function exploreOnce<Case>(exploring: Exploring<Case>, seed: number): Promise<boolean> {
  const { fc, ledger, cases, runs, examine, examineAgain = examine, tell } = exploring;
  let pending: Finding | undefined;
  let first: Failure<Case> | undefined;
  let smallest: Failure<Case> | undefined;
  let tried = 0;
  const property = fc.asyncProperty(cases, async (one) => {
    if (smallest && ++tried > SMALLER) return;
    const known = smallest?.finding;
    const isWanted = (found: Finding) => (known ? keyOf(found) === keyOf(known) : !ledger.knows(found));
    const found = (await examine(one)).find(isWanted);
    if (!found) return;
    pending ??= found;
    tried++;
    const finding = await foundAgain(found, () => examineAgain(one), known ? 1 : undefined);
    if (!finding && !known) {
      ledger.addUnsteady(found);
      pending = undefined;
    }
    if (!finding) return;
    smallest = { one, finding };
    first ??= smallest;
    throw new ExampleFailedError();
  });
  const { errorInstance } = await fc.check(property, { seed, numRuns: runs });
  const isEnded = errorInstance && !(errorInstance instanceof ExampleFailedError);
  if (smallest && first && !isEnded) {
    ledger.add(smallest.finding);
    if (tell) ledger.replace(await tell(smallest, first));
    return true;
  }
  // What was found is kept, whatever ended the search.
  const left = smallest?.finding ?? pending;
  if (left && isTold(left, errorInstance)) ledger.add(left);
  if (isEnded) throw errorInstance;
  return false;
}
