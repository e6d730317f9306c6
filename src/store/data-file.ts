import type { Issue } from '../util/issue.ts';
import { findJsonIssues, TOO_DEEP, TOO_DEEP_REMEDY } from '../util/json-limits.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { limitList } from '../util/limit-list.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { UserError } from '../util/user-error.ts';
import { type Disk, describeDiskError } from './disk.ts';
import { createJsonSyntaxError, findDuplicateName, type JsonSyntaxError } from './json-syntax-error.ts';
import type { State } from './state.ts';
import { OTHER_CONTRACT, type StateValidator } from './validate-state.ts';

/** The maximum size of a data file, in bytes. The server reads the whole file at the start, and writes the whole file in the background. */
export const MAX_FILE_BYTES = 90_000_000;

/** Thrown if a data file can't be used. `message` contains the path of the file, the line or JSON Pointer, the problem, and the remedy. */
export class DataFileError extends UserError {
  override readonly name = 'DataFileError';
}

/** Thrown if a file is empty or not JSON, for example after an interrupted write. */
class TruncatedFileError extends DataFileError {}

/** Thrown if a file contains the state of another contract. */
export class OtherContractError extends DataFileError {}

/** A state and its JSON text. */
export interface StateText {
  readonly state: State;
  readonly text: string;
  /** The size of the text that the server writes for the state, in bytes. */
  readonly printedBytes: number;
}

/** A file that contains a state. */
export interface StateFile {
  readonly path: string;
  readonly disk: Disk;
  readonly check: StateValidator['validate'];
}

/** Options for reading a state from a file. */
interface ReadOptions extends StateFile {
  /** What the user can do if the file is invalid: one or more sentences, without the final period. */
  readonly remedy: string;
  /** A possible cause of a file that is empty or not JSON: a sentence, without the final period. */
  readonly truncationCause?: string;
  /** What the user can do if the file contains the state of another contract. Default: `remedy`. */
  readonly otherContractRemedy?: string;
}

/**
 * Reads a state from a file and validates it. Returns undefined if the file does not exist. Throws `DataFileError` with the remedy if the content is
 * not a valid state.
 */
export function readState({ path, disk, check, ...remedies }: ReadOptions): StateText | undefined {
  try {
    const bytes = readBytes(disk, path);
    if (!bytes) return undefined;
    const text = decode(path, bytes);
    const data = parse(path, text);
    requireValid(path, check(data));
    // The validation has added the default values of the contract, so the server can write more bytes than the file has.
    return { state: data as State, text, printedBytes: requireFileSize(path, data) };
  } catch (error) {
    throw addRemedy(error, remedies);
  }
}

/** Returns a `DataFileError` with the remedy in its message. Returns other errors unchanged. */
export function addRemedy(
  error: unknown,
  { remedy, truncationCause, otherContractRemedy }: Omit<ReadOptions, keyof StateFile>,
): unknown {
  if (!(error instanceof DataFileError)) return error;
  if (error instanceof OtherContractError)
    return new OtherContractError(`${error.message}. ${otherContractRemedy ?? remedy}.`);
  const cause = error instanceof TruncatedFileError && truncationCause ? `${truncationCause}. ` : '';
  return new DataFileError(`${error.message}. ${cause}${remedy}.`, { cause: error.cause });
}

/** Reads a file with some lists of a state. Throws `DataFileError` if the default data with these lists is not a valid state. */
export function readStateOverrides({ path, disk, check }: StateFile, defaults: State): Partial<State> {
  const bytes = readBytes(disk, path);
  if (!bytes) throw new DataFileError(`${path} does not exist`);
  const change = parse(path, decode(path, bytes));
  const isObject = typeof change === 'object' && change !== null && !Array.isArray(change);
  requireValid(path, check(isObject ? { ...structuredClone(defaults), ...change } : change));
  requireFileSize(path, change);
  return change as Partial<State>;
}

function readBytes(disk: Disk, path: string): Buffer | undefined {
  try {
    return getReadableSize(disk, path) === undefined ? undefined : disk.read(path);
  } catch (error) {
    return refuseUnreadable(path, error);
  }
}

/** Returns the size of a file; undefined if it does not exist. Throws `DataFileError` if it can't be a data file. */
export function getReadableSize(disk: Disk, path: string): number | undefined {
  const stats = disk.stats(path);
  if (!stats) return undefined;
  if (stats.isDirectory()) throw new DataFileError(`${path} is a folder, not a file`);
  // Reading a pipe or a device could block.
  if (!stats.isFile()) throw new DataFileError(`${path} is not a regular file`);
  if (stats.size > MAX_FILE_BYTES)
    throw new DataFileError(`${path} has ${stats.size} bytes, which exceeds the limit of ${MAX_FILE_BYTES} bytes`);
  return Number(stats.size);
}

/** Returns undefined if a file does not exist. Throws a `DataFileError` with the reason if the file can't be read. */
export function refuseUnreadable(path: string, cause: unknown): undefined {
  if (cause instanceof DataFileError) throw cause;
  if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw new DataFileError(`${path} can't be read (${describeDiskError(cause)})`, { cause });
}

/** Returns the text of UTF-8 bytes. Throws `DataFileError` if there are none, or if they are not UTF-8. */
export function decode(path: string, bytes: Buffer): string {
  if (bytes.length === 0) throw new TruncatedFileError(`${path} is empty`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new TruncatedFileError(`${path} is not UTF-8 text`, { cause });
  }
}

/**
 * Parses JSON, with or without a byte order mark. Throws `DataFileError` for invalid JSON, for deep nesting, and for a property name that occurs twice
 * in an object.
 */
export function parse(path: string, textWithMark: string): unknown {
  const text = textWithMark.replace(/^\uFEFF/, '');
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new TruncatedFileError(locate(path, createJsonSyntaxError(text, cause as Error)), { cause });
  }
  const issue = findJsonIssues(data).find(({ rule }) => rule === 'depth');
  if (issue)
    requireValid(path, [{ pointer: formatPointer(...issue.path), message: `${TOO_DEEP}: ${TOO_DEEP_REMEDY}` }]);
  const printed = print(data);
  const duplicate = printed === undefined || text === printed ? undefined : findDuplicateName(text);
  if (duplicate) throw new DataFileError(locate(path, duplicate));
  return data;
}

/** Returns the size of the JSON text of the data, in bytes. Throws `DataFileError` if it exceeds the maximum size of a data file. */
export function requireFileSize(path: string, data: unknown): number {
  const printed = print(data);
  return refuseFileSize(path, printed === undefined ? Number.POSITIVE_INFINITY : Buffer.byteLength(printed));
}

/** Returns the size. Throws `DataFileError` if it exceeds the maximum size of a data file. */
export function refuseFileSize(path: string, bytes: number): number {
  if (bytes <= MAX_FILE_BYTES) return bytes;
  throw new DataFileError(`${path} would exceed the limit of ${MAX_FILE_BYTES} bytes when the server writes it`);
}

/** Returns the JSON text that the server writes; undefined if the text would exceed the maximum length of a JavaScript string. */
export function print(data: unknown): string | undefined {
  return tryOrUndefined(() => `${JSON.stringify(data, null, 2)}\n`);
}

/** Returns a message with the path of a file and the line of an error. */
export function locate(path: string, { line, message }: JsonSyntaxError): string {
  return `${path}:${line} ${printable(message)}`;
}

/** The maximum length of a text from a file in a message, in characters. */
const MAX_SHOWN_LENGTH = 400;

/** Truncates a text from a file and escapes its control characters, because a terminal would interpret them. */
function printable(text: string): string {
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return shown.replaceAll(/[\p{Control}\u2028\u2029]/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/** The maximum number of issues that a message describes. For the other issues, the message contains only their number. */
const MAX_SHOWN_ISSUES = 3;

/** Throws a `DataFileError` that describes the first issues of a state. */
export function requireValid(path: string, issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const foreign = issues.find(({ rule }) => rule === OTHER_CONTRACT);
  if (foreign) throw new OtherContractError(`${path} ${printable(foreign.message)}`);
  const shown = limitList(
    issues,
    MAX_SHOWN_ISSUES,
    ({ pointer, message }) => `${printable(pointer) || 'its content'} ${printable(message)}`,
  );
  throw new DataFileError(`${path} is not a valid state: ${shown.join('; ')}`);
}
