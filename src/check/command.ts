import { writeFileSync } from 'node:fs';
import { type Contract, loadContract } from '../openapi/contract.ts';
import { UserError } from '../util/issue.ts';
import { joinList, quoteShellIfNeeded } from '../util/text.ts';
import type { BehaviourModel } from './behaviour-model.ts';
import { checkServer } from './check.ts';
import type { CheckOptions } from './check-options.ts';
import { type CheckCommand, DEFAULT_TIMEOUT_SECONDS } from './options.ts';
import { toJunit } from './report/junit.ts';
import { toMarkdown } from './report/markdown.ts';
import { createReport, getCounting, type Report } from './report/report.ts';
import { toText } from './report/text.ts';
import {
  getAllowedRoutes,
  getCheckedRoutes,
  isWriteOperation,
  MAX_LISTED_OPERATIONS,
  type Selection,
} from './selection.ts';

/** Formats a report as JSON. */
export function toJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

function isJsonFile(path = ''): boolean {
  return /\.json$/i.test(path);
}

/** A started server. It runs until `close` is called. */
export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The settings and functions that the command line program provides to `storefront check`. */
export interface CheckEnvironment extends Pick<CheckOptions, 'onProgress' | 'signal'> {
  /** The path of the default contract. */
  readonly contract: string;
  readonly model: BehaviourModel;
  /** Starts the built-in shop with its default data. */
  readonly start: () => Promise<RunningServer>;
  readonly print: (text: string) => void;
  /**
   * The seed for a command without `--seed`.
   * Each check needs a different seed, because the ids of the sandboxes contain the seed.
   */
  readonly seed: number;
}

/**
 * Checks the server at the URL of the command.
 * Without a URL, starts and checks the built-in shop.
 * Throws `UserError` if the check can't run.
 */
export async function runCheck(command: CheckCommand, environment: CheckEnvironment): Promise<Report> {
  const { model, onProgress, signal } = environment;
  for (const file of [command.report, command.summary]) writeText(file, '', 'a');
  const contract = await loadContract({
    path: command.contract ?? environment.contract,
    strict: command.strict === true,
    allowRefs: command.allowRefs,
  });
  const options = { ...command, contract, model, mayWrite: command.url === undefined || command.allowWrites };
  if (command.url !== undefined && !command.isFresh) warnOfChanges(options, command.url, environment);
  if (command.url !== undefined && command.contract === undefined && !command.isFresh)
    environment.print(`Without --contract, the check uses the contract of ${model.subject}.\n`);
  const running = command.url === undefined ? await startServer(contract, environment) : undefined;
  try {
    const verdict = await checkServer({
      ...options,
      url: running?.url ?? command.url ?? '',
      seed: command.seed ?? environment.seed,
      isFresh: running !== undefined || command.isFresh === true,
      waitSeconds: command.wait,
      timeoutSeconds: command.timeout,
      usesDefaultContract: command.contract === undefined,
      onProgress,
      signal,
    });
    const report = createReport(verdict, contract, (operationId) => formatCommand(command, operationId, verdict.seed));
    return { ...report, minConfidence: command.confidence };
  } finally {
    await running?.close();
  }
}

/**
 * The exit codes of `storefront check`.
 * `misuse`: the command line is invalid.
 * `incomplete`: there are no findings, but the check did not run completely.
 */
export const EXIT_CODES = { passed: 0, failed: 1, misuse: 2, incomplete: 3 } as const;

/** Prints a report and writes the report files of the command. Returns the exit code. */
export function writeReports(report: Report, command: CheckCommand, print: (text: string) => void): number {
  print(`${toText(report)}\n`);
  writeText(command.report, isJsonFile(command.report) ? toJson(report) : toJunit(report), 'w');
  writeText(command.summary, toMarkdown(report), 'a');
  if (getCounting(report).length > 0) return EXIT_CODES.failed;
  return report.unchecked.length > 0 ? EXIT_CODES.incomplete : EXIT_CODES.passed;
}

/**
 * Returns the command line that repeats the check of an operation.
 * Omits the values of headers and query parameters, because they can be secrets.
 */
function formatCommand(command: CheckCommand, operationId: string, seed: number): string {
  const { url, contract, exclude, headers, query = {}, runs, isFresh, timeout = DEFAULT_TIMEOUT_SECONDS } = command;
  const headerNames = Object.keys(headers).filter((name) => !isFresh || name !== 'x-sandbox');
  const words = [
    'storefront',
    'check',
    ...(url === undefined ? [] : [url, ...(command.allowWrites && !isFresh ? ['--allow-writes'] : [])]),
    ...(contract === undefined ? [] : ['--contract', contract]),
    ...(timeout === DEFAULT_TIMEOUT_SECONDS ? [] : ['--timeout', String(timeout)]),
    ...headerNames.flatMap((name) => ['-H', `${name}: …`]),
    ...Object.keys(query).flatMap((name) => ['--query', `${name}=…`]),
    ...['--only', operationId],
    ...(exclude ? ['--exclude', exclude.join(',')] : []),
    ...['--seed', String(seed), '--runs', String(runs)],
  ];
  return words.map(quoteShellIfNeeded).join(' ');
}

/**
 * Writes a text to a file (flag `w`) or appends it (flag `a`).
 * Does nothing if the path is undefined.
 * Throws `UserError` if the file can't be written.
 */
function writeText(path: string | undefined, text: string, flag: 'w' | 'a'): void {
  if (path === undefined) return;
  try {
    writeFileSync(path, text, { flag });
  } catch (cause) {
    throw new UserError(`Cannot write the report to ${path}: ${(cause as Error).message}`, { cause });
  }
}

async function startServer(contract: Contract, { model, start }: CheckEnvironment): Promise<RunningServer> {
  if (!model.applies(contract))
    throw new UserError(
      `Without a URL, storefront check checks ${model.subject}, but ${contract.path} is not the contract of ${model.subject}. Use the URL of the server: storefront check URL --contract FILE`,
      { reason: 'usage' },
    );
  return start();
}

/**
 * Prints a warning that lists the requests that can change data, such as `DELETE /pets/{id}`.
 * Throws `UserError` if the check needs these requests, but the command has no --allow-writes.
 */
function warnOfChanges(selection: Selection, url: string, { model, print }: CheckEnvironment): void {
  const { mayWrite, contract } = selection;
  if (!mayWrite && !getCheckedRoutes(selection).some(isWriteOperation)) return;
  const writing = getAllowedRoutes({ ...selection, mayWrite: true }).filter(isWriteOperation);
  if (writing.length === 0) return;
  const resets = model.applies(contract) && writing.some(({ operationId }) => operationId === model.resetOperationId);
  const requests = joinList(
    writing.map(({ method, path }) => `${method} ${path}`),
    MAX_LISTED_OPERATIONS,
  );
  const warning = `The check changes data on ${url}: it sends ${requests} many times${resets ? ', and resets the data repeatedly' : ''}`;
  if (!mayWrite) throw new UserError(`${warning}. To allow this, add --allow-writes.`, { reason: 'usage' });
  print(`${warning}\n`);
}
