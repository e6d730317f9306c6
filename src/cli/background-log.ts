import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../util/issue.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createUnknownServer, formatName, getPaths, isRunning } from './background-state.ts';

/** The interval at which a log is read again while it is followed, in ms. */
const POLL_MS = 50;

/** The time after which a server counts as ended while its log exists, in ms. */
const ENDED_MS = 1_000;

/** The maximum time until a running server has restored its log, in ms. */
const RESTORE_MS = 5_000;

/** The part of a log that is copied at a time, in bytes. */
const COPY_BYTES = 1_048_576;

/** How the log of a server is read. `lines`: the number of last lines; undefined for all. */
interface LogReading {
  readonly lines: number | undefined;
  /** Whether new lines are printed until the server ends. */
  readonly follows: boolean;
}

/** Prints the log of a server. Throws a `UserError` if there is none. */
export async function printLog(
  name: string,
  { lines, follows }: LogReading,
  print: (text: string) => void,
): Promise<void> {
  const { logFile } = getPaths(name);
  const text = await readLog(name, logFile);
  const all = text.split('\n');
  print(lines === undefined ? text : all.slice(-lines - 1).join('\n'));
  let position = Buffer.byteLength(text);
  for (let lastMs = Date.now(); follows; await sleep(POLL_MS)) {
    const runs = await isRunning(name);
    position = printNewText(logFile, position, print);
    if (runs) lastMs = Date.now();
    // If its files are being deleted, a running server is not found until it has restored them.
    if (!runs && Date.now() - lastMs > (existsSync(logFile) ? ENDED_MS : RESTORE_MS)) return;
  }
}

/** Returns the log of a server. A running server restores a log that was deleted. */
async function readLog(name: string, logFile: string): Promise<string> {
  for (const endMs = Date.now() + RESTORE_MS; ; await sleep(POLL_MS)) {
    const text = tryOrUndefined(() => readFileSync(logFile, 'utf8'));
    if (text !== undefined) return text;
    if (!(await isRunning(name))) throw await createUnknownServer(name);
    if (Date.now() > endMs)
      throw new UserError(`The log ${logFile} was deleted. Begin a new one: storefront restart${formatName(name)}`);
  }
}

/** Prints what was added to a file after a position in bytes. Returns the new position. */
function printNewText(file: string, position: number, print: (text: string) => void): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? position;
  // A restart begins the file again.
  const from = size < position ? 0 : position;
  if (size === from) return from;
  const bytes = Buffer.alloc(size - from);
  const descriptor = openSync(file, 'r');
  try {
    // A line can still be incomplete, so only whole ones are printed.
    const read = readSync(descriptor, bytes, 0, bytes.length, from);
    const end = bytes.subarray(0, read).lastIndexOf('\n') + 1;
    print(bytes.toString('utf8', 0, end));
    return from + end;
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the last lines of a file; an empty text if it cannot be read. */
export function readLastLines(file: string, count: number): string {
  const lines = (tryOrUndefined(() => readFileSync(file, 'utf8')) ?? '').trimEnd().split('\n');
  return lines.slice(-count).join('\n');
}

/**
 * Restores the log of this process if its file was deleted: copies what the file lacks.
 * The standard output of the process still has the whole log, because an open file keeps its content.
 */
export function restoreLog(logFile: string): void {
  const log = fstatSync(process.stdout.fd);
  const existing = statSync(logFile, { throwIfNoEntry: false });
  if (existing?.ino === log.ino) return;
  // A new file gets its name when it is complete, so that no reader finds an empty log.
  const file = existing ? logFile : `${logFile}.new`;
  const copy = openSync(file, existing ? 'a' : 'w', 0o600);
  try {
    const bytes = Buffer.alloc(Math.min(log.size, COPY_BYTES));
    for (let position = fstatSync(copy).size; position < log.size; ) {
      const length = readSync(process.stdout.fd, bytes, 0, bytes.length, position);
      if (length === 0) break;
      position += writeSync(copy, bytes, 0, length);
    }
  } finally {
    closeSync(copy);
  }
  if (!existing) renameSync(file, logFile);
}
