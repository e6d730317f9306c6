import type * as FastCheck from 'fast-check';
import { isReportable, reproduceFinding } from './confirm-findings.ts';
import { type Finding, getFindingKey, type Ledger } from './findings.ts';

/** The module fast-check, which is loaded only for checks since it takes time to load. */
export type FastCheckModule = typeof FastCheck;

/** The parameters of a search for failures. */
export interface Exploration<Case> {
  readonly fc: FastCheckModule;
  readonly ledger: Ledger;
  readonly cases: FastCheck.Arbitrary<Case>;
  readonly seed: number;
  readonly runs: number;
  /** Returns the findings of a case. */
  readonly examine: (one: Case) => Promise<readonly Finding[]>;
  /** The same for a repetition; `examine` by default. */
  readonly examineAgain?: (one: Case) => Promise<readonly Finding[]>;
  /** Returns the finding to report for the smallest and the first failing case. */
  readonly describe?: (smallest: Failure<Case>, first: Failure<Case>) => Promise<Finding>;
}

/** A case that failed, with its finding. */
export interface Failure<Case> {
  readonly one: Case;
  readonly finding: Finding;
}

/** The maximum number of shrink attempts for a failure, and of searches after a failure. */
const MAX_SHRINKS = 150;
const MAX_ROUNDS = 6;

/** The distance between the seeds of two searches. */
const SEED_STEP = 104_729;

/** The error of a failed case; it does not leave this file. */
class ExampleFailedError extends Error {}

/**
 * Searches for failing cases with fast-check and adds each failure to the ledger in its smallest form; known findings are ignored. A case, also a
 * smaller one, counts as failed only if it fails again: a single failure may be caused by the cases before it.
 */
export async function explore<Case>(exploration: Exploration<Case>): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (!(await exploreOnce(exploration, exploration.seed + round * SEED_STEP))) return;
  }
}

/** Runs one search. Returns whether it found a failure. */
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
  // Findings are kept, whatever stopped the search.
  const left = smallest?.finding ?? pending;
  if (left && isReportable(left, errorInstance)) ledger.add(left);
  if (isEnded) throw errorInstance;
  return false;
}
