import type * as Jsonc from 'jsonc-parser';
import type { Issue } from '../util/issue.ts';
import { UserError } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import {
  describeInexact,
  EXACT_REMEDY,
  findInexactIntegers,
  findJsonIssues,
  TOO_DEEP,
  TOO_DEEP_REMEDY,
} from '../util/limits.ts';
import { loadPackage } from '../util/load-package.ts';
import { runAtOnce, type Steps, splitList } from '../util/slices.ts';
import { limitList } from '../util/text.ts';
import { tryOrError } from '../util/try-or-undefined.ts';
import { type Disk, describeDiskError } from './disk.ts';
import { JsonParser } from './json-parser.ts';
import type { State } from './state.ts';
import { OTHER_CONTRACT, type StateValidator } from './validate-state.ts';

/**
 * The maximum size of a data file, in bytes.
 * The server reads the whole file when it starts, and writes the whole file in the background.
 */
export const MAX_FILE_BYTES = 90_000_000;

/**
 * Creates the error of a data file that can't be used.
 * `message` contains the path of the file, the line or JSON Pointer, the problem, and how to fix it.
 */
export function createDataFileError(
  message: string,
  { reason = 'data-file', cause }: { readonly reason?: DataFileErrorReason; readonly cause?: unknown } = {},
): UserError {
  return new UserError(message, cause === undefined ? { reason } : { reason, cause });
}

type DataFileErrorReason = 'data-file' | 'truncated-file' | 'other-contract';

const REASONS: readonly unknown[] = ['data-file', 'truncated-file', 'other-contract'] satisfies DataFileErrorReason[];

/** Returns whether an error says that a data file can't be used. */
export function isDataFileError(error: unknown): error is UserError {
  return error instanceof UserError && REASONS.includes(error.reason);
}

/** A state that was read from a file, or created by the application. */
export interface StateText {
  readonly state: State;
  /** The JSON text of the state in UTF-8, for a new data file. Undefined if the state is kept in memory only. */
  readonly text: Buffer | undefined;
  /** The size of the JSON text that the server would write for the state, in bytes. */
  readonly printedBytes: number;
}

/** The path of a file that contains a state, the disk, and the function that validates the state. */
export interface StateFile {
  readonly path: string;
  readonly disk: Disk;
  readonly check: StateValidator['validate'];
}

/**
 * Options for reading a state from a file.
 * The remedies and the cause become part of the message of a `UserError`.
 */
interface ReadOptions extends StateFile {
  /** How to fix an invalid file: one or more sentences, without the final period. */
  readonly remedy: string;
  /** A possible reason why the file is empty or not JSON: a sentence without the final period. */
  readonly truncationCause?: string;
  /** What to do if the file belongs to another contract. Default: `remedy`. */
  readonly otherContractRemedy?: string;
}

/**
 * Reads a state from a file, validates it, and adds the default values of the contract.
 * Returns undefined if the file does not exist.
 * Throws a `UserError` with `remedy` in its message if the content is not a valid state.
 */
export function readState({
  path,
  disk,
  check,
  ...remedies
}: ReadOptions): (StateText & { readonly text: Buffer }) | undefined {
  try {
    const bytes = readBytes(disk, path);
    if (!bytes) return undefined;
    const data = parseBytes(path, bytes);
    requireValid(path, check(data));
    // The validation has added the default values of the contract, so the server may write more bytes than the file has
    // now.
    return { state: data as State, text: bytes, printedBytes: requireFileSize(path, data as State) };
  } catch (error) {
    throw addRemedy(error, remedies);
  }
}

/**
 * Returns a copy of a `UserError`, with the way to fix the file added to its message.
 * Returns any other error unchanged.
 */
export function addRemedy(
  error: unknown,
  { remedy, truncationCause, otherContractRemedy }: Omit<ReadOptions, keyof StateFile>,
): unknown {
  if (!isDataFileError(error)) return error;
  const { message, reason, cause } = error;
  if (reason === 'other-contract')
    return createDataFileError(`${message}. ${otherContractRemedy ?? remedy}.`, { reason });
  const explanation = reason === 'truncated-file' && truncationCause ? `${truncationCause}. ` : '';
  return createDataFileError(`${message}. ${explanation}${remedy}.`, { cause });
}

/**
 * Reads a file with some lists of a state, such as only `pets`.
 * Throws a `UserError` if `defaults`, with these lists in place of its own, is not a valid state.
 */
export function readStateOverrides({ path, disk, check }: StateFile, defaults: State): Partial<State> {
  const bytes = readBytes(disk, path);
  if (!bytes) throw createDataFileError(`${path} does not exist`);
  const change = parseBytes(path, bytes);
  const isObject = typeof change === 'object' && change !== null && !Array.isArray(change);
  requireValid(path, check(isObject ? { ...structuredClone(defaults), ...change } : change));
  requireFileSize(path, change as Partial<State>);
  return change as Partial<State>;
}

function readBytes(disk: Disk, path: string): Buffer | undefined {
  try {
    return getReadableSize(disk, path) === undefined ? undefined : disk.read(path);
  } catch (error) {
    return refuseUnreadable(path, error);
  }
}

/**
 * Returns the size of a file, in bytes; undefined if the file does not exist.
 * Throws a `UserError` if it is not a regular file, or is too large.
 */
export function getReadableSize(disk: Disk, path: string): number | undefined {
  const stats = disk.stats(path);
  if (!stats) return undefined;
  if (stats.isDirectory()) throw createDataFileError(`${path} is a folder, not a file`);
  // Reading a pipe or a device could block.
  if (!stats.isFile()) throw createDataFileError(`${path} is not a regular file`);
  if (stats.size > MAX_FILE_BYTES)
    throw createDataFileError(`${path} has ${stats.size} bytes, which exceeds the limit of ${MAX_FILE_BYTES} bytes`);
  return Number(stats.size);
}

/**
 * Handles the error `cause` of a failed read.
 * Returns undefined if the file does not exist.
 * Otherwise throws a `UserError` with the reason.
 */
export function refuseUnreadable(path: string, cause: unknown): undefined {
  if (isDataFileError(cause)) throw cause;
  if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw createDataFileError(`${path} can't be read (${describeDiskError(cause)})`, { cause });
}

/** Decodes the UTF-8 bytes of a file. Throws a `UserError` if there are no bytes, or if they are not valid UTF-8. */
export function decode(path: string, bytes: Buffer): string {
  if (bytes.length === 0) throw createDataFileError(`${path} is empty`, { reason: 'truncated-file' });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw createDataFileError(`${path} is not UTF-8 text`, { reason: 'truncated-file', cause });
  }
}

/**
 * Parses the JSON bytes of a file in parts, because a long list needs several times its memory if it is parsed at once.
 * Throws a `UserError` as `parse` does.
 */
function parseBytes(path: string, bytes: Buffer): unknown {
  const data = tryOrError(SyntaxError, () => runAtOnce(new JsonParser(bytes).parse()));
  return data instanceof SyntaxError ? parse(path, decode(path, bytes)) : data;
}

/**
 * Parses the JSON text of a file, with or without a byte order mark.
 * Throws a `UserError` if the text is not JSON, is nested too deeply, has an integer that JavaScript can't represent,
 * or has the same property name twice in one object.
 */
export function parse(path: string, textWithMark: string): unknown {
  const text = textWithMark.replace(/^\uFEFF/, '');
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw createDataFileError(locate(path, createJsonSyntaxError(text, cause as Error)), {
      reason: 'truncated-file',
      cause,
    });
  }
  const issue = findJsonIssues(data).find(({ rule }) => rule === 'depth');
  if (issue)
    requireValid(path, [{ pointer: formatPointer(...issue.path), message: `${TOO_DEEP}: ${TOO_DEEP_REMEDY}` }]);
  const inexact = findInexactIntegers(text);
  requireValid(
    path,
    inexact.map((found) => ({
      pointer: formatPointer(...found.path),
      message: `${describeInexact(found.text)}: ${EXACT_REMEDY}`,
    })),
  );
  const duplicate = findDuplicateName(text);
  if (duplicate) throw createDataFileError(locate(path, duplicate));
  return data;
}

/**
 * Returns the size of the JSON text that the server would write for a state, in bytes.
 * Throws a `UserError` if the text would exceed the maximum size of a data file.
 */
export function requireFileSize(path: string, state: Partial<State>): number {
  return refuseFileSize(path, runAtOnce(getPrintedSize(state as State)));
}

/**
 * `JSON.stringify` adds this number of bytes around the entries of a list, if the list is the property `""` of an
 * object.
 */
const AROUND_ENTRIES = Buffer.byteLength('{\n  "": [\n' + '\n  ]\n}');

/**
 * Returns the size of the JSON text that the server would write for a state, in bytes.
 * The text has an indentation of two spaces, and a line break at the end.
 * Yields often, so that the caller can pause.
 */
export function* getPrintedSize(state: State): Steps<number> {
  const withoutEntries = Object.fromEntries(Object.keys(state).map((name) => [name, []]));
  let size = Buffer.byteLength(`${JSON.stringify(withoutEntries, null, 2)}\n`);
  for (const list of Object.values(state)) {
    if (list.length > 0) size += Buffer.byteLength('\n' + '\n  ');
    for (const [part, start] of splitList(list)) {
      if (start > 0) size += Buffer.byteLength(',\n');
      size += Buffer.byteLength(JSON.stringify({ '': part }, null, 2)) - AROUND_ENTRIES;
      yield;
    }
  }
  return size;
}

/** Returns `bytes`, the size of a file. Throws a `UserError` if the size exceeds the limit for a data file. */
export function refuseFileSize(path: string, bytes: number): number {
  if (bytes <= MAX_FILE_BYTES) return bytes;
  throw createDataFileError(`${path} would exceed the limit of ${MAX_FILE_BYTES} bytes when the server writes it`);
}

/** Returns the JSON text that the server writes to a data file. `requireFileSize` has limited its size. */
export function print(state: State): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

/**
 * Returns an error message that starts with the path of a file and the line of the error:
 * `db.json:3 is not JSON: value expected`.
 */
export function locate(path: string, { line, message }: JsonSyntaxError): string {
  return `${path}:${line} ${printable(message)}`;
}

/** The maximum length of a quotation from a file in an error message, in characters. */
const MAX_SHOWN_LENGTH = 400;

/**
 * Prepares a quotation from a file for an error message.
 * Truncates it to 400 characters, and escapes control characters, which a terminal would interpret.
 */
function printable(text: string): string {
  const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
  return shown.replaceAll(/[\p{Control}\u2028\u2029]/gu, (character) => JSON.stringify(character).slice(1, -1));
}

/** The maximum number of issues that an error message describes. Further issues are only counted. */
const MAX_SHOWN_ISSUES = 3;

/** Throws a `UserError` that describes the first issues of a state. Does nothing if there are no issues. */
export function requireValid(path: string, issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const foreign = issues.find(({ rule }) => rule === OTHER_CONTRACT);
  if (foreign) throw createDataFileError(`${path} ${printable(foreign.message)}`, { reason: 'other-contract' });
  const shown = limitList(
    issues,
    MAX_SHOWN_ISSUES,
    ({ pointer, message }) => `${printable(pointer) || 'its content'} ${printable(message)}`,
  );
  throw createDataFileError(`${path} does not contain a valid state: ${shown.join('; ')}`);
}

/** An error in a JSON text. */
export interface JsonSyntaxError {
  /** The line of the error; 1 for the first line. */
  readonly line: number;
  /** The offset of the error in the text, in characters. Undefined if the offset is unknown. */
  readonly offset?: number | undefined;
  /** The end of a sentence that starts with the file and the line, for example `is not JSON: value expected`. */
  readonly message: string;
}

/**
 * Creates the error for a text that `JSON.parse` can't parse.
 * Parses the text again with another parser, because `JSON.parse` does not report the position of every error.
 */
export function createJsonSyntaxError(text: string, { message }: Error): JsonSyntaxError {
  const jsonc = loadJsonc();
  const errors: Jsonc.ParseError[] = [];
  // The parser is recursive. It throws a RangeError if the text is nested too deeply for the call stack.
  tryOrError(RangeError, () => jsonc.parse(text, errors, { disallowComments: true }));
  const [first] = errors;
  const line = text.slice(0, first?.offset).split('\n').length;
  const reason = first ? toWords(jsonc.printParseErrorCode(first.error)) : message.replaceAll(/\s+/g, ' ');
  return { line, offset: first?.offset, message: `is not JSON: ${reason}` };
}

/**
 * Returns an error if an object in a JSON text has the same property name twice, or if the text is nested too deeply.
 * Returns undefined otherwise.
 * `JSON.parse` does not report a repeated name: it uses the last value.
 */
export function findDuplicateName(text: string): JsonSyntaxError | undefined {
  const objects: Set<string>[] = [];
  let duplicate: JsonSyntaxError | undefined;
  const result = tryOrError(RangeError, () =>
    loadJsonc().visit(text, {
      onObjectBegin: () => void objects.push(new Set()),
      onObjectEnd: () => void objects.pop(),
      onObjectProperty(name, _offset, _length, line) {
        const names = objects.at(-1);
        if (names?.has(name)) {
          const message = `has ${JSON.stringify(name)} twice in one object: remove one of them`;
          duplicate ??= { line: line + 1, message };
        }
        names?.add(name);
      },
    }),
  );
  return result instanceof RangeError ? { line: 1, message: `${TOO_DEEP}: ${TOO_DEEP_REMEDY}` } : duplicate;
}

/** Loads the parser that describes errors, which only an invalid file needs. */
function loadJsonc(): typeof Jsonc {
  return loadPackage('jsonc-parser');
}

/** Converts an error code such as "ValueExpected" to "value expected". */
function toWords(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
