/**
 * The entry point `storefront/playwright-reporter`: a reporter for Playwright that prints the coverage of the contract.
 * It does not import Playwright, so the package does not depend on it.
 */
import { execFileSync } from 'node:child_process';
import type { CoverageLimits } from '../coverage/limits.ts';
import {
  type Coverage,
  hasLimits,
  readCoverage,
  rejectInvalidLimit,
  reportCoverages,
  resetCoverage,
} from './coverage-line.ts';

/** Options of the reporter in `playwright.config.ts`. */
export interface CoverageReporterOptions extends CoverageLimits {
  /** Address of the running storefront server. */
  readonly server: string;
  /** Bearer token of the control API. Default: none. */
  readonly token?: string | undefined;
  /** Whether the coverage starts at 0 at the start of the run. Default: true. Set it to false to add several runs. */
  readonly reset?: boolean | undefined;
}

/**
 * Prints at the end of a run, in one line, which parts of the contract the tests of all workers have used.
 * Fails the run if the coverage is too low.
 * Reads the coverage after each test, because Playwright stops the servers of `webServer` before the end of the run.
 */
// biome-ignore lint/style/noDefaultExport: Playwright loads the default export of a reporter.
export default class CoverageReporter {
  readonly #options: CoverageReporterOptions;
  #coverage: Coverage | undefined;
  #error: Error | undefined;
  #reset: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #isOutdated = false;
  /** The ids of the tests that have not ended. */
  readonly #remaining = new Set<string>();
  /** The coverage after the last test. */
  #last: Coverage | undefined;

  constructor(options: CoverageReporterOptions) {
    const { server = '' } = options ?? {};
    if (!/^https?:/i.test(server) || !URL.canParse(server))
      throw new Error(
        `Invalid option server of storefront/playwright-reporter. It is ${JSON.stringify(server)}: use the address of the server, such as http://localhost:3000.`,
      );
    rejectInvalidLimit(options, 'storefront/playwright-reporter');
    this.#options = options;
  }

  /** Resets the coverage. Playwright starts the servers of `webServer` before. */
  onBegin(_config: unknown, suite: { allTests(): readonly { readonly id: string }[] }): void {
    for (const { id } of suite.allTests()) this.#remaining.add(id);
    if (this.#options.reset === false) return;
    // The error of the next read says what is wrong.
    this.#reset = resetCoverage(this.#options).catch(() => {});
  }

  /**
   * Reads the coverage. Tests that end during a read share the next one.
   * After the last test, blocks the process during the read, so that Playwright does not stop the server before.
   */
  onTestEnd({ id }: { readonly id: string }): void {
    this.#remaining.delete(id);
    this.#last = this.#remaining.size === 0 ? readAtOnce(this.#options) : undefined;
    if (this.#last) return;
    this.#isOutdated = true;
    this.#reading ??= this.#read();
  }

  /** Prints the coverage. Returns the status of the run if the tests have passed, but the coverage is too low. */
  async onEnd(result: { readonly status: string }): Promise<{ status: 'failed' } | undefined> {
    if (this.#last === undefined) await this.#reading;
    const isTooLow = this.#print();
    return isTooLow && result.status === 'passed' ? { status: 'failed' } : undefined;
  }

  /** Tells Playwright that another reporter prints the results of the tests. */
  printsToStdio(): boolean {
    return false;
  }

  /** Prints the coverage. Returns whether it is too low, or unknown although it has limits. */
  #print(): boolean {
    const coverage = this.#last ?? this.#coverage;
    const failure = this.#last ? undefined : this.#error;
    const { text, isTooLow } = coverage
      ? reportCoverages([coverage], this.#options)
      : { text: '\n', isTooLow: failure !== undefined && hasLimits(this.#options) };
    const error = failure ? `The coverage of the contract could not be read: ${failure.message}\n` : '';
    if (coverage || failure) process.stdout.write(`${text}${error}`);
    return isTooLow;
  }

  async #read(): Promise<void> {
    await this.#reset;
    while (this.#isOutdated) {
      this.#isOutdated = false;
      await readCoverage(this.#options).then(
        (coverage) => {
          this.#coverage = coverage;
          this.#error = undefined;
        },
        (error) => {
          this.#error = error;
        },
      );
    }
    this.#reading = undefined;
  }
}

/** The maximum duration of a read that blocks the process, in ms. */
const READ_MS = 5_000;

/** The program that reads the coverage for `readAtOnce`. Its input is the address and the headers as JSON. */
const READER = `
  let input = '';
  for await (const chunk of process.stdin) input += chunk;
  const { url, headers } = JSON.parse(input);
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(String(response.status));
  process.stdout.write(await response.text());
`;

/** Reads the coverage while this process waits. Returns undefined if the server sends none in time. */
function readAtOnce({ server, token }: CoverageReporterOptions): Coverage | undefined {
  const url = `${server.replace(/\/+$/, '')}/_control/coverage`;
  const input = JSON.stringify({ url, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  try {
    const text = execFileSync(process.execPath, ['--input-type=module', '--eval', READER], {
      input,
      encoding: 'utf8',
      timeout: READ_MS,
      maxBuffer: Number.POSITIVE_INFINITY,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    return JSON.parse(text) as Coverage;
  } catch {
    // The error of the read that does not block says what is wrong.
    return undefined;
  }
}
