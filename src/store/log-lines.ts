import { crc32 } from 'node:zlib';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { State } from './state.ts';
import { applyChanges, type StateChange } from './state-change.ts';

/** The first line of a write-ahead log. `base`: the hash of the data file to which the changes of the log apply. */
interface LogHeader {
  readonly base: string;
}

/** A line of a write-ahead log with the change of one commit. */
export interface LogChange {
  readonly change: StateChange;
}

/**
 * A line of the write-ahead log that says: the data file is about to get new content.
 * `file`: the hash of the new content.
 * `changes`: how many changes of the log are part of the new content.
 * `text`: the new content itself, only if the server must overwrite the data file in place.
 */
export interface LogCheckpoint {
  readonly file: string;
  readonly changes: number;
  readonly text?: string;
}

/** A line of a write-ahead log, as parsed from its JSON. */
export type LogLine = LogHeader | LogChange | LogCheckpoint;

/**
 * A formatted line of a write-ahead log, and its checksum.
 * The checksum of the next line is computed from this checksum.
 */
export interface FormattedLine {
  readonly text: string;
  readonly checksum: number;
}

/** The previous checksum for the first line of a write-ahead log, which has no previous line. */
export const NO_CHECKSUM = 0;

const CHECKSUM_LENGTH = 8;

/**
 * Formats a line of a write-ahead log: a checksum in hexadecimal, a space, and the line as JSON.
 * The checksum is the CRC-32 of the JSON.
 * The CRC-32 starts from the checksum of the previous line, so that a line from another log is detected.
 */
export function formatLine(line: LogLine, previousChecksum: number): FormattedLine {
  const json = JSON.stringify(line);
  const checksum = crc32(json, previousChecksum);
  return { text: `${checksum.toString(16).padStart(CHECKSUM_LENGTH, '0')} ${json}\n`, checksum };
}

/** The result of parsing a write-ahead log: the valid lines at its start. */
export interface ParsedLog {
  readonly lines: readonly LogLine[];
  /** The total size of the valid lines, in bytes. */
  readonly bytes: number;
  /** The checksum of the last valid line. */
  readonly checksum: number;
  /**
   * Whether a complete line of the log is invalid.
   * An incomplete last line is not damage, because an interrupted write leaves such a line.
   */
  readonly isDamaged: boolean;
}

/** Parses a write-ahead log up to the first invalid line. Never throws. */
export function parseLog(content: Buffer): ParsedLog {
  const lines: LogLine[] = [];
  let [bytes, checksum] = [0, NO_CHECKSUM];
  for (;;) {
    const end = content.indexOf('\n', bytes);
    const parsed = end === -1 ? undefined : parseLine(content.toString('utf8', bytes, end), checksum);
    if (!parsed) return { lines, bytes, checksum, isDamaged: end !== -1 };
    lines.push(parsed.line);
    [bytes, checksum] = [end + 1, parsed.checksum];
  }
}

function parseLine(text: string, previousChecksum: number) {
  const json = text.slice(CHECKSUM_LENGTH + 1);
  const checksum = crc32(json, previousChecksum);
  if (Number.parseInt(text.slice(0, CHECKSUM_LENGTH), 16) !== checksum) return undefined;
  const line = tryOrUndefined(() => JSON.parse(json) as LogLine);
  return line && { line, checksum };
}

/**
 * Applies the changes of a write-ahead log to the state of its data file.
 * Returns the new state, or undefined if the log belongs to another data file.
 * Skips the changes that the data file already contains.
 * `hash`: the hash of the data file.
 * `state`: the state in the data file.
 */
export function replayLog(
  lines: readonly LogLine[],
  { hash, state }: { readonly hash: string; readonly state: State },
): State | undefined {
  const contained = countContainedChanges(lines, hash);
  if (contained === undefined) return undefined;
  const changes = lines.flatMap((line) => ('change' in line ? [line.change] : []));
  return applyChanges(state, changes.slice(contained));
}

/**
 * Returns how many changes of a write-ahead log a data file already contains.
 * Returns undefined if the log belongs to another data file.
 * `hash`: the hash of the data file.
 */
function countContainedChanges(lines: readonly LogLine[], hash: string): number | undefined {
  const counts = lines.flatMap((line) => {
    if ('file' in line) return line.file === hash ? [line.changes] : [];
    return 'base' in line && line.base === hash ? [0] : [];
  });
  return counts.at(-1);
}
