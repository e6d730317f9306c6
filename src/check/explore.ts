import type * as FastCheck from 'fast-check';
import { isReportable, reproduceFinding } from './confirm-findings.ts';
import { type Finding, getFindingKey, type Ledger } from './findings.ts';

/** fast-check, which is loaded only where a server is judged: nobody else is to wait for it. */
export type FastCheckModule = typeof FastCheck;

/** How a search for failures goes. */
export interface Exploration<Case> {
  readonly fc: FastCheckModule;
  readonly ledger: Ledger;
  readonly cases: FastCheck.Arbitrary<Case>;
  readonly seed: number;
  readonly runs: number;
  /** What is wrong in one case. */
  readonly examine: (one: Case) => Promise<readonly Finding[]>;
  /** The same where it is looked for a second time, `examine` unless given. */
  readonly examineAgain?: (one: Case) => Promise<readonly Finding[]>;
  /** What is told of a failure in the end, by its smallest case and by the one that was found. */
  readonly describe?: (smallest: Failure<Case>, first: Failure<Case>) => Promise<Finding>;
}

/** A case that failed, and how. */
export interface Failure<Case> {
  readonly one: Case;
  readonly finding: Finding;
}

/** How many smaller cases are tried of one that failed, and how often a search begins anew after a failure. */
const MAX_SHRINKS = 150;
const MAX_ROUNDS = 6;

/** How far the seeds of two rounds are apart. */
const SEED_STEP = 104_729;

/** A case that failed; it goes no further than this file. */
class ExampleFailedError extends Error {}

/**
 * Looks for cases that fail, and takes each failure into the ledger in its smallest form; what the ledger knows already is passed over. A case, also a
 * smaller one, has failed where it does so again: what fails once may come of the cases before.
 */
export async function explore<Case>(exploration: Exploration<Case>): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (!(await exploreOnce(exploration, exploration.seed + round * SEED_STEP))) return;
  }
}

/** Whether a failure was found. */
async function exploreOnce<Case>(exploration: Exploration<Case>, seed: number): Promise<boolean> {
  const { fc, ledger, cases, runs, examine, examineAgain = examine, describe } = exploration;
  let pending: Finding | undefined;
  let first: Failure<Case> | undefined;
  let smallest: Failure<Case> | undefined;
  let shrinks = 0;
  const property = fc.asyncProperty(cases, async (one) => {
    if (smallest && ++shrinks > MAX_SHRINKS) return;
    const known = smallest?.finding;
    const isRelevant = (found: Finding) => (known ? getFindingKey(found) === getFindingKey(known) : !ledger.has(found));
    const found = (await examine(one)).find(isRelevant);
    if (!found) return;
    pending ??= found;
    shrinks++;
    const finding = await reproduceFinding(found, () => examineAgain(one), known ? 1 : undefined);
    if (!finding && !known) {
      ledger.addUnreproduced(found);
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
    if (describe) ledger.replace(await describe(smallest, first));
    return true;
  }
  // What was found is kept, whatever ended the search.
  const left = smallest?.finding ?? pending;
  if (left && isReportable(left, errorInstance)) ledger.add(left);
  if (isEnded) throw errorInstance;
  return false;
}
