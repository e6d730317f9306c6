import { accessSync, constants, existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Contract } from '../openapi/contract.ts';
import { requiresCredentials } from '../openapi/security.ts';
import { UserError } from '../util/issue.ts';
import { applyBaseline, type Baseline, formatBaseline, parseBaseline } from './baseline.ts';
import { type CheckCommand, isRecorded } from './options.ts';
import { type Report, toRelativePath } from './report/report.ts';
import { toCount } from './report/text.ts';

/**
 * Removes the reports of an earlier check: they must not stay if this check cannot start.
 * Returns the baseline; undefined if the command has none.
 * Throws a `UserError` if a file of the command cannot be written, or if the baseline cannot be read.
 */
export function prepareFiles(command: CheckCommand): Baseline | undefined {
  const { report = [], summary, baseline, updateBaseline } = command;
  refuseSameFiles(command);
  for (const file of [...report, summary]) writeText(file, '', 'a');
  if (updateBaseline && baseline !== undefined) requireWritable(baseline);
  // A report can also be a device or a pipe, such as /dev/stdout.
  for (const file of report) if (lstatSync(file).isFile()) rmSync(file);
  return readBaseline(command);
}

/** Throws a `UserError` if a baseline cannot be written. A new one is written at the end of the check. */
function requireWritable(path: string): void {
  try {
    if (existsSync(path)) writeFileSync(path, '', { flag: 'a' });
    else accessSync(dirname(path), constants.W_OK);
  } catch (cause) {
    throw new UserError(`Cannot write the baseline to ${path}: ${(cause as Error).message}`, { cause });
  }
}

/** Throws a `UserError` if a report would replace another file of the command. */
function refuseSameFiles({ contract, baseline, har, pact, report = [] }: CheckCommand): void {
  const files = [contract, baseline, har, pact].flatMap((path) => (path === undefined ? [] : toRelativePath(path)));
  for (const path of report.map(toRelativePath)) {
    if (files.includes(path))
      throw new UserError(`--report ${path} would replace another file of the command: use another name.`, {
        reason: 'usage',
      });
    files.push(path);
  }
}

/**
 * Reads the baseline of a command. Returns undefined if the command has none.
 * Throws `UserError` if the file is invalid or can't be read, or if it does not exist and can't be created.
 */
function readBaseline({ baseline, updateBaseline, strictBaseline }: CheckCommand): Baseline | undefined {
  if (baseline === undefined) {
    if (!updateBaseline && !strictBaseline) return undefined;
    const message = '--update-baseline and --strict-baseline need a baseline: add --baseline FILE';
    throw new UserError(message, { reason: 'usage' });
  }
  if (!existsSync(baseline)) {
    if (updateBaseline) return { entries: [] };
    throw new UserError(`The baseline ${baseline} does not exist. To create it, add --update-baseline.`);
  }
  return parseBaseline(baseline, readText(baseline, 'baseline'));
}

/** Reads a file. Throws a `UserError` if it can't be read. `what`: what the file is, for the message. */
export function readText(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UserError(`Cannot read the ${what} ${path}: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Writes a text to a file (flag `w`) or appends it (flag `a`).
 * Does nothing if the path is undefined.
 * Throws `UserError` if the file can't be written.
 */
export function writeText(path: string | undefined, text: string, flag: 'w' | 'a', what = 'report'): void {
  if (path === undefined) return;
  try {
    writeFileSync(path, text, { flag });
  } catch (cause) {
    throw new UserError(`Cannot write the ${what} to ${path}: ${(cause as Error).message}`, { cause });
  }
}

/** What a report is compared with. */
interface Comparison {
  readonly command: CheckCommand;
  readonly baseline: Baseline;
  readonly contract: Contract;
  readonly run: { readonly seed: number; readonly nowMs: number };
}

/** Compares a report with the baseline of the command. With `--update-baseline`, writes the new baseline first. */
export function compareWithBaseline(report: Report, { command, baseline, contract, run }: Comparison): Report {
  const { baseline: path = '', strictBaseline: isStrict = false, updateBaseline } = command;
  const { routes, document } = contract;
  const { entries } = baseline;
  const options = { path, entries, routes, document, isStrict, isRecorded: isRecorded(command), nowMs: run.nowMs };
  if (!updateBaseline) return applyBaseline(report, options);
  if (isUnauthorized(report, contract)) {
    const note = `The baseline ${path} was not updated: no operation that needs credentials has succeeded. Send valid credentials with --header, or with check.credentials of the configuration`;
    return applyBaseline({ ...report, notes: [...report.notes, note] }, options);
  }
  return withLock(path, () => {
    // Another check can have updated the baseline since the start of this one.
    const { seed, entries: current } = readBaseline(command) ?? { entries: [] };
    const { baseline: compared } = applyBaseline(report, { ...options, entries: current });
    const { entries: updated = [], fixed = [] } = compared ?? {};
    const next = { seed: isRecorded(command) ? seed : run.seed, entries: updated };
    writeText(path, formatBaseline(next), 'w', 'baseline');
    const added = updated.length - (current.length - fixed.length);
    const note = `The baseline ${path} was updated: ${toCount(added, 'failure')} added, ${fixed.length} removed`;
    const notes = [...report.notes, note, ...fixed.map((text) => `Removed from the baseline: ${text}`)];
    return applyBaseline({ ...report, notes }, { ...options, entries: updated });
  });
}

/** Returns whether a check has sent requests to operations that need credentials, and none of them has succeeded. */
function isUnauthorized({ coverage }: Report, { routes }: Contract): boolean {
  const secured = new Set(routes.filter(requiresCredentials).map(({ operationId }) => operationId));
  const tried = coverage.operations.filter(({ operationId, requests }) => requests > 0 && secured.has(operationId));
  return tried.length > 0 && tried.every(({ accepted }) => accepted === 0);
}

/** The time after which a lock is that of a process that was killed, in ms. An update takes a few ms. */
const STALE_LOCK_MS = 5_000;

/** The pause between two attempts to get a lock, in ms. */
const LOCK_PAUSE_MS = 20;

/** Calls a function while no other process updates the file at `path`. */
function withLock<Result>(path: string, update: () => Result): Result {
  const lock = `${path}.lock`;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; ; waitedMs += LOCK_PAUSE_MS) {
    try {
      writeFileSync(lock, '', { flag: 'wx' });
      break;
    } catch (cause) {
      const isTaken = (cause as NodeJS.ErrnoException).code === 'EEXIST';
      if (!isTaken) throw new UserError(`Cannot write the baseline to ${path}: ${(cause as Error).message}`, { cause });
      if (waitedMs >= STALE_LOCK_MS) break;
      Atomics.wait(pause, 0, 0, LOCK_PAUSE_MS);
    }
  }
  try {
    return update();
  } finally {
    rmSync(lock, { force: true });
  }
}
