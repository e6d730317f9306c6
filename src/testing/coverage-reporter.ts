/**
 * The entry point `storefront/coverage-reporter`: a reporter for Vitest and Jest.
 * It imports neither of them, so the package does not depend on them.
 */
import type { CoverageLimits } from '../coverage/limits.ts';
import { createCoverageFolder, takeCoverages } from './coverage-files.ts';
import { hasLimits, mergeCoverages, rejectInvalidLimit, reportCoverages } from './coverage-line.ts';

/** Options of the reporter in the configuration of Vitest or Jest. */
export type CoverageReporterOptions = CoverageLimits;

/**
 * Prints at the end of a run, in one line for each contract, what the tests of all workers have used.
 * Counts the requests to the servers of `startStorefront` that the tests close.
 * Fails the run if the coverage of a contract is too low.
 */
// biome-ignore lint/style/noDefaultExport: Vitest and Jest load the default export of a reporter.
export default class CoverageReporter {
  readonly #options: CoverageReporterOptions;
  #folder: string | undefined;
  #isTooLow = false;

  /** Vitest passes the options. Jest passes its configuration first. */
  constructor(...[first, second]: readonly (CoverageReporterOptions | undefined)[]) {
    this.#options = second ?? first ?? {};
    rejectInvalidLimit(this.#options, 'storefront/coverage-reporter');
  }

  /** Is called by Vitest at the start. */
  onInit(): void {
    this.#start();
  }

  /** Is called by Vitest at the start of each run, also if it watches files. */
  onTestRunStart(): void {
    this.#start();
  }

  /** Is called by Vitest at the end of each run. */
  onTestRunEnd(): void {
    this.#print();
  }

  /** Is called by Jest at the start of each run. */
  onRunStart(): void {
    this.#start();
  }

  /** Is called by Jest at the end of each run. */
  onRunComplete(): void {
    this.#print();
  }

  /** Is called by Jest at the end: an error fails the run, also with `--forceExit`. */
  getLastError(): Error | undefined {
    return this.#isTooLow ? new Error('The coverage of the contract is too low.') : undefined;
  }

  #start(): void {
    this.#folder ??= createCoverageFolder();
  }

  #print(): void {
    if (this.#folder === undefined) return;
    const coverages = mergeCoverages(takeCoverages(this.#folder));
    this.#folder = undefined;
    const { text, isTooLow } =
      coverages.length > 0
        ? reportCoverages(coverages, this.#options)
        : { text: hasLimits(this.#options) ? UNKNOWN : '', isTooLow: hasLimits(this.#options) };
    if (text !== '') process.stdout.write(text);
    this.#isTooLow = isTooLow;
    if (isTooLow) process.exitCode = 1;
  }
}

const UNKNOWN =
  '\nThe coverage of the contract is unknown: close the servers that the tests start with startStorefront.\n';
