import { findInexactIntegers, MAX_JSON_DEPTH } from '../util/limits.ts';
import { type Steps, splitList } from '../util/slices.ts';
import {
  addRemedy,
  createDataFileError,
  createJsonSyntaxError,
  decode,
  findDuplicateName,
  getReadableSize,
  type JsonSyntaxError,
  locate,
  parse,
  refuseFileSize,
  refuseUnreadable,
  requireValid,
} from './data-file.ts';
import type { Disk } from './disk.ts';
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

const [QUOTE, BACKSLASH, COLON, COMMA, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [...Buffer.from('"\\:,[]{}')];
const SPACES: readonly unknown[] = [...Buffer.from(' \n\r\t')];
const ENDS: readonly unknown[] = [undefined, COMMA, CLOSE_LIST, CLOSE, ...SPACES];

/** The byte order mark in UTF-8. */
const MARK = Buffer.from('\uFEFF');

/**
 * The minimum size of the text that is parsed at once, in bytes.
 * From this size, V8 allocates the parsed objects in the old generation, so it does not copy them.
 */
const BATCH_BYTES = 128 * 1024;

/**
 * Parses the JSON text of an object whose values are long lists.
 * `JSON.parse` would block the server for seconds.
 * `parse` yields between list entries instead, so that the caller can pause.
 * Throws `SyntaxError` if the text is invalid.
 */
export class JsonParser {
  #at: number;
  /**
   * The number of colons outside strings in the text that was skipped, but is not parsed yet.
   * It equals the number of properties in this text.
   */
  #colons = 0;
  #valid = { validBytes: 0, context: '' };

  constructor(private readonly bytes: Buffer) {
    this.#at = bytes.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;
  }

  /**
   * What is valid after `parse` has thrown a `SyntaxError`.
   * `validBytes`: how many bytes at the start of the text are valid.
   * `context`: a short JSON text, such as `{"":[`, that can replace the valid bytes.
   * A parser then finds the same first error in the rest of the text.
   */
  get valid(): { readonly validBytes: number; readonly context: string } {
    return this.#valid;
  }

  *parse(): Steps<unknown> {
    const properties = new Map<string, unknown>();
    this.#expect(OPEN);
    let hasMore = this.#peek() !== CLOSE;
    while (hasMore) {
      this.#setValid(properties.size === 0 ? '{' : '{"":0,');
      const name = this.#parseName();
      if (properties.has(name)) this.#fail();
      properties.set(name, this.#peek() === OPEN_LIST ? yield* this.#parseList() : this.#parseValue());
      hasMore = this.#accept(COMMA);
    }
    this.#expect(CLOSE);
    if (this.#peek() !== undefined) this.#fail();
    return Object.fromEntries(properties);
  }

  #parseName(): string {
    if (this.#peek() !== QUOTE) this.#fail();
    const name = this.#parseValue() as string;
    this.#expect(COLON);
    this.#setValid('{"":');
    return name;
  }

  /** Parses a list that is the value of a property. */
  *#parseList(): Steps<readonly unknown[]> {
    const list: unknown[] = [];
    this.#expect(OPEN_LIST);
    let hasMore = this.#peek() !== CLOSE_LIST;
    while (hasMore) {
      this.#setValid(list.length === 0 ? '{"":[' : '{"":[0,');
      const start = this.#at;
      let end: number;
      do {
        this.#skipValue();
        end = this.#at;
        hasMore = this.#accept(COMMA);
      } while (hasMore && this.#at - start < BATCH_BYTES);
      for (const entry of this.#parseEntries(start, end)) list.push(entry);
      yield;
    }
    this.#expect(CLOSE_LIST);
    return list;
  }

  #parseValue(): unknown {
    this.#peek();
    const start = this.#at;
    this.#skipValue();
    return this.#parseEntries(start, this.#at)[0];
  }

  /**
   * Parses the values between two offsets of the text, which are separated by commas.
   * Throws `SyntaxError` if an integer can't be represented, or if an object has the same property name twice: the
   * parsed objects then have fewer properties than the text has colons.
   */
  #parseEntries(start: number, end: number): readonly unknown[] {
    const colons = this.#colons;
    this.#colons = 0;
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.bytes.subarray(start, end));
      const entries: readonly unknown[] = JSON.parse(`[${text}]`);
      if (countProperties(entries, 1) === colons && findInexactIntegers(text).length === 0) return entries;
    } catch (cause) {
      this.#fail(cause);
    }
    return this.#fail();
  }

  #skipValue(): void {
    const first = this.#peek();
    if (first === OPEN || first === OPEN_LIST) this.#skipNested();
    else if (first === QUOTE) this.#skipString();
    else if (ENDS.includes(first)) this.#fail();
    else while (!ENDS.includes(this.bytes[this.#at])) this.#at++;
  }

  /** Skips an object or a list. Does not check which kind of bracket closes it. */
  #skipNested(): void {
    const { bytes } = this;
    let depth = 0;
    do {
      const byte = bytes[this.#at];
      if (byte === undefined) this.#fail();
      if (byte === QUOTE) this.#skipString();
      else {
        if (byte === OPEN || byte === OPEN_LIST) depth++;
        else if (byte === CLOSE || byte === CLOSE_LIST) depth--;
        else if (byte === COLON) this.#colons++;
        this.#at++;
      }
    } while (depth > 0);
  }

  #skipString(): void {
    const { bytes } = this;
    let at = this.#at + 1;
    for (; bytes[at] !== QUOTE; at++) {
      if (at >= bytes.length) this.#fail();
      if (bytes[at] === BACKSLASH) at++;
    }
    this.#at = at + 1;
  }

  /** Skips white space. Returns the next byte; undefined at the end. */
  #peek(): number | undefined {
    while (SPACES.includes(this.bytes[this.#at])) this.#at++;
    return this.bytes[this.#at];
  }

  #accept(byte: number | undefined): boolean {
    if (this.#peek() !== byte) return false;
    this.#at++;
    return true;
  }

  #expect(byte: number | undefined): void {
    if (!this.#accept(byte)) this.#fail();
  }

  #setValid(context: string): void {
    this.#valid = { validBytes: this.#at, context };
  }

  #fail(cause?: unknown): never {
    throw new SyntaxError('invalid JSON', { cause });
  }
}

/** Counts the properties of all objects in a value. Returns NaN if the value is nested too deeply. */
function countProperties(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth >= MAX_JSON_DEPTH) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) for (const inner of value) count += countProperties(inner, depth + 1);
  else
    for (const name in value)
      count += 1 + countProperties((value as Readonly<Record<string, unknown>>)[name], depth + 1);
  return count;
}
