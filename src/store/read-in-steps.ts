import type { Steps } from '../util/slices.ts';
import {
  addRemedy,
  createDataFileError,
  createJsonSyntaxError,
  decode,
  findDuplicateName,
  getPrintedSize,
  getReadableSize,
  type JsonSyntaxError,
  locate,
  parse,
  refuseFileSize,
  refuseUnreadable,
  requireValid,
} from './data-file.ts';
import type { Disk } from './disk.ts';
import { JsonParser } from './json-parser.ts';
import type { State } from './state.ts';
import type { StateValidator } from './validate-state.ts';

/** A state and the bytes of the file that contains it. */
interface StateBytes {
  readonly state: State;
  readonly bytes: Buffer;
  /** The size of the JSON text that the server would write for the state, in bytes. */
  readonly printedBytes: number;
}

/** Options for `readStateInSteps`. */
interface ReadOptions {
  readonly path: string;
  readonly disk: Disk;
  readonly checkInSteps: StateValidator['validateInSteps'];
  /** How to fix an invalid file: one or more sentences, without the final period. */
  readonly remedy: string;
}

/** The number of bytes that one step reads from the file. */
const PART_BYTES = 512 * 1024;

/**
 * Reads a state from a file and validates it.
 * Like `readState`, but yields often, so that the server can handle other requests while it reads a large file.
 */
export function* readStateInSteps({ path, disk, checkInSteps, remedy }: ReadOptions): Steps<StateBytes | undefined> {
  try {
    const bytes = yield* readBytes(disk, path);
    if (!bytes) return undefined;
    const data = yield* parseBytes(path, bytes);
    requireValid(path, yield* checkInSteps(data));
    const printedBytes = refuseFileSize(path, yield* getPrintedSize(data as State));
    return { state: data as State, bytes, printedBytes };
  } catch (error) {
    throw addRemedy(error, { remedy });
  }
}

function* readBytes(disk: Disk, path: string): Steps<Buffer | undefined> {
  try {
    const size = getReadableSize(disk, path);
    if (size === undefined) return undefined;
    const file = disk.open(path);
    try {
      return yield* readParts(disk, file, Buffer.allocUnsafe(size));
    } finally {
      disk.close(file);
    }
  } catch (error) {
    return refuseUnreadable(path, error);
  }
}

/**
 * Reads an open file into `bytes`.
 * Returns the part of `bytes` that was read: less than `bytes` if the file has become shorter.
 */
function* readParts(disk: Disk, file: number, bytes: Buffer): Steps<Buffer> {
  let at = 0;
  while (at < bytes.length) {
    const count = disk.readAt(file, bytes.subarray(at, at + PART_BYTES), at);
    if (count === 0) break;
    at += count;
    yield;
  }
  return bytes.subarray(0, at);
}

/** The size of the text that is searched first for a syntax error, in bytes. */
const ERROR_BYTES = 256 * 1024;

/**
 * Parses the bytes of a JSON file, and yields often so that the caller can pause.
 * Throws a `UserError` as `parse` does.
 */
function* parseBytes(path: string, bytes: Buffer): Steps<unknown> {
  const parser = new JsonParser(bytes);
  try {
    return yield* parser.parse();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { validBytes, context } = parser.valid;
    const found = findError(context, bytes.subarray(validBytes));
    // The error is not in the first 256 kB, so `parse` searches the whole text.
    // This takes about a second for a large file.
    if (!found) return parse(path, decode(path, bytes));
    const line = (yield* countLines(bytes, validBytes)) + found.line;
    throw createDataFileError(locate(path, { ...found, line }), { cause: error });
  }
}

/**
 * Returns the first syntax error in a text; undefined if there is none.
 * The text consists of `context` and the first 256 kB of `rest`.
 */
function findError(context: string, rest: Buffer): JsonSyntaxError | undefined {
  const text = context + rest.toString('utf8', 0, ERROR_BYTES);
  // Without text, and for bytes that are not UTF-8, `parse` reports the error.
  if (text === '' || text.includes('\uFFFD')) return undefined;
  const syntaxError = createJsonSyntaxError(text, new Error());
  const { offset = Number.POSITIVE_INFINITY } = syntaxError;
  // The 256 kB can end inside a value. An error near the end can be caused by this.
  const end = rest.length > ERROR_BYTES ? text.length / 2 : text.length;
  return offset <= end ? syntaxError : findDuplicateName(text);
}

/** Returns the number of line breaks in the bytes before the offset `end`. */
function* countLines(bytes: Buffer, end: number): Steps<number> {
  let lines = 0;
  for (let at = 0; at < end; at++) {
    if (bytes[at] === 0x0a) lines++;
    if (at % PART_BYTES === 0) yield;
  }
  return lines;
}
