import type * as FastCheck from 'fast-check';
import { addUnconfirmed, MAX_REPETITIONS, reproduceFinding } from './confirm-findings.ts';
import { type CheckResults, type Finding, getFindingKey } from './findings.ts';

/** The module fast-check. It is imported only when a check runs, because it loads slowly. */
export type FastCheckModule = typeof FastCheck;

/** A test case that failed, with its finding. */
export interface FailedCase<Case> {
  readonly value: Case;
  readonly finding: Finding;
}

/** Options of `explore`. */
interface ExploreOptions<Case> {
  readonly fc: FastCheckModule;
  readonly results: CheckResults;
  /** Generates the test cases. */
  readonly cases: FastCheck.Arbitrary<Case>;
  readonly seed: number;
  readonly runs: number;
  /**
   * Runs a test case.
   * Returns its findings.
   * `target`: the finding to reproduce, which other test cases may have added to the results.
   */
  readonly examine: (value: Case, target?: Finding) => Promise<readonly Finding[]>;
  /** Runs a failed test case again. Default: `examine`. */
  readonly examineAgain?: (value: Case, target?: Finding) => Promise<readonly Finding[]>;
  /**
   * Creates the finding to report. fast-check shrinks a failed test case: `first` is the original case, and `smallest`
   * is the smallest case that fails.
   * Default: the finding of `smallest`.
   */
  readonly describe?: (smallest: FailedCase<Case>, first: FailedCase<Case>) => Promise<Finding>;
}

/** The maximum number of runs to shrink (simplify) a failed test case. */
const MAX_SHRINK_RUNS = 150;

/** The maximum number of searches for failed test cases. Each search ends at its first failure. */
const MAX_SEARCHES = 6;

/** The difference between the seeds of two searches for a failed test case. */
const SEED_STEP = 104_729;

/**
 * Generates test cases with fast-check.
 * Shrinks each failed case, and adds its finding to the results.
 * Ignores findings that the results already contain.
 * A case fails only if its finding occurs again when the case is repeated.
 * A finding that occurs only once may be an effect of earlier cases.
 */
export async function explore<Case>(options: ExploreOptions<Case>): Promise<void> {
  for (let search = 0; search < MAX_SEARCHES; search++) {
    if (!(await findFailure({ ...options, seed: options.seed + search * SEED_STEP }))) return;
  }
}

/** Searches for one failed test case. Returns whether a case failed. */
async function findFailure<Case>(options: ExploreOptions<Case>): Promise<boolean> {
  const { fc, results, cases, seed, runs, examine, examineAgain = examine, describe } = options;
  let first: FailedCase<Case> | undefined;
  let smallest: FailedCase<Case> | undefined;
  let unconfirmed: Finding | undefined;
  let shrinkRuns = 0;
  const isPassed = async (value: Case): Promise<boolean> => {
    if (smallest && ++shrinkRuns > MAX_SHRINK_RUNS) return true;
    const target = smallest?.finding;
    // While fast-check shrinks a failed test case, a smaller case fails only if it has the same finding.
    const isRelevant = (one: Finding) => (target ? getFindingKey(one) === getFindingKey(target) : !results.has(one));
    const found = (await examine(value, target)).find(isRelevant);
    if (!found) return true;
    unconfirmed ??= found;
    shrinkRuns++;
    const { rateLimitedCount } = results;
    const finding = await reproduceFinding(found, () => examineAgain(value, found), target ? 1 : MAX_REPETITIONS);
    if (finding) {
      smallest = { value, finding };
      first ??= smallest;
      return false;
    }
    if (target) return true;
    // A request that only exceeded a rate limit shows nothing about the finding.
    if (results.rateLimitedCount > rateLimitedCount) results.add(found);
    else results.addUnreproduced(found);
    unconfirmed = undefined;
    return true;
  };
  let thrown: unknown;
  const property = fc.asyncProperty(cases, (value) =>
    isPassed(value).catch((error: unknown) => {
      thrown = error;
      throw error;
    }),
  );
  await fc.check(property, { seed, numRuns: runs });
  if (thrown !== undefined) {
    // The check stops because of this error.
    // Report the last finding, although its test case may be neither shrunk nor repeated.
    const last = smallest?.finding ?? unconfirmed;
    if (last) addUnconfirmed(results, [last], thrown);
    throw thrown;
  }
  if (!smallest || !first) return false;
  // A test case in another sandbox may have added the finding in the meantime. Then its requests are in the results.
  const isNew = !results.has(smallest.finding);
  results.add(smallest.finding);
  if (describe && isNew) results.replace(await describe(smallest, first));
  return true;
}
