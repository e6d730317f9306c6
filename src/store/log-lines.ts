import { crc32 } from 'node:zlib';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { State } from './state.ts';
import { applyChanges, type StateChange } from './state-change.ts';

/** The first line of a log. `base`: the hash of the data file to which the first change applies. */
interface LogHeader {
  readonly base: string;
}

/** A line with the change of one commit. */
export interface LogChange {
  readonly change: StateChange;
}

/**
 * A line that is appended before a new data file replaces the old one. `file`: the hash of the new data file. `changes`: the number of changes in the log
 * that the new data file contains. `text`: the text of the new data file, if the file can't be replaced atomically.
 */
export interface LogCheckpoint {
  readonly file: string;
  readonly changes: number;
  readonly text?: string;
}

export type LogLine = LogHeader | LogChange | LogCheckpoint;

/** A line of a log and its checksum, which the checksum of the next line depends on. */
export interface FormattedLine {
  readonly text: string;
  readonly checksum: number;
}

/** The initial checksum, before the first line. */
export const NO_CHECKSUM = 0;

const CHECKSUM_LENGTH = 8;

/**
 * Formats a line of a log: a checksum in hexadecimal, a space and JSON. The checksum is the CRC-32 of the JSON with the checksum of the previous line as the
 * initial value, so that lines of different logs can't be mixed.
 */
export function formatLine(line: LogLine, previousChecksum: number): FormattedLine {
  const json = JSON.stringify(line);
  const checksum = crc32(json, previousChecksum);
  return { text: `${checksum.toString(16).padStart(CHECKSUM_LENGTH, '0')} ${json}\n`, checksum };
}

/** The valid lines at the start of a log. */
export interface ParsedLog {
  readonly lines: readonly LogLine[];
  /** The number of bytes of the valid lines. */
  readonly bytes: number;
  /** The checksum of the last valid line. */
  readonly checksum: number;
  /** Whether the invalid part after the valid lines contains a line break. A write that a crash interrupted leaves one line without a line break at most. */
  readonly isDamaged: boolean;
}

/** Parses a log up to the first invalid line. */
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

/** Returns the state after the changes of a log; undefined if the log belongs to another data file. `hash` and `state`: the data file and the state in it. */
export function replayLog(
  lines: readonly LogLine[],
  { hash, state }: { readonly hash: string; readonly state: State },
): State | undefined {
  const contained = countContainedChanges(lines, hash);
  if (contained === undefined) return undefined;
  const changes = lines.flatMap((line) => ('change' in line ? [line.change] : []));
  return applyChanges(state, changes.slice(contained));
}

/** Returns the number of changes in a log that the data file with a hash contains; undefined if the log belongs to another data file. */
export function countContainedChanges(lines: readonly LogLine[], hash: string): number | undefined {
  const counts = lines.flatMap((line) => {
    if ('file' in line) return line.file === hash ? [line.changes] : [];
    return 'base' in line && line.base === hash ? [0] : [];
  });
  return counts.at(-1);
}
