import { isUtf8 } from 'node:buffer';
import type { State } from 'js-yaml';
import { parsePointer } from '../util/json-pointer.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { loadYamlParser } from './document.ts';

/**
 * The values in the text of a YAML or JSON document, each before the values inside it.
 * The values inside a mapping are alternately keys and values.
 * Has no object for each value, because a large document has a million values.
 */
interface SourceTree {
  /** The offset in bytes at which the parser starts to read each value, before separators, comments, tag and anchor. */
  readonly offsets: Uint32Array;
  /** The number of the first value after each value and the values inside it. */
  readonly ends: Uint32Array;
  readonly kinds: Uint8Array;
  /** Returns the text of a key of a mapping. */
  readonly getKey: (node: number) => string | undefined;
}

/**
 * The kinds of values.
 * `wrapper`: contains only the same value again. js-yaml reads the flow mapping in `- {…}` twice.
 */
const KINDS = { other: 0, list: 1, null: 2, wrapper: 3 } as const;

/**
 * Formats the position of the value at a JSON Pointer: `FILE:LINE:COLUMN #POINTER`.
 * If there is no value, formats the position of the closest ancestor.
 */
export interface Locate {
  (pointer: string): string;
  /** Formats the position of the key of a value, such as the name of a property. */
  key(pointer: string): string;
  /** Returns the first lines of the value, beginning with the line of its key. */
  find(pointer: string): SourceLines;
  /** Like `find`, but without the text. Its cost does not depend on the length of the document. */
  findLine(pointer: string): Omit<SourceLines, 'text'>;
}

/** Lines of a file. */
interface SourceLines {
  readonly path: string;
  /** The number of the first line, counted from 1. */
  readonly line: number;
  /** The text of the first line and of up to four lines after it. */
  readonly text: string;
}

/**
 * Creates a function that finds the positions of values in a YAML or JSON text.
 * Its first call parses the text, which takes 0.2 s for 2.5 MB.
 * Keeps the text as UTF-8, because a string with characters outside Latin-1 has two bytes for each character.
 * `toSourcePointer`: converts a JSON Pointer of the document to one of the text, if the document was converted.
 */
export function createLocator(
  path: string,
  text: string | Buffer,
  toSourcePointer: (pointer: string) => string = (pointer) => pointer,
): Locate {
  const bytes = toValidBytes(text);
  let tree: SourceTree | undefined;
  let starts: Uint32Array | undefined;
  const getLine = (offset: number) => {
    starts ??= findLineStarts(bytes);
    return countStarts(starts, offset);
  };
  const find = (pointer: string) => {
    tree ??= parseJson(bytes) ?? parseYaml(bytes);
    const { node, key = node } = findNode(tree, parsePointer(toSourcePointer(pointer)));
    return { start: findStart(bytes, tree, node), keyStart: findStart(bytes, tree, key) };
  };
  const format = (start: number, pointer: string) => {
    const column = countCharacters(bytes, findLineStart(bytes, start), start) + 1;
    return `${path}:${getLine(start)}:${column} #${pointer}`;
  };
  return Object.assign((pointer: string) => format(find(pointer).start, pointer), {
    key: (pointer: string) => format(find(pointer).keyStart, pointer),
    find(pointer: string): SourceLines {
      const { keyStart } = find(pointer);
      return { path, line: getLine(keyStart), text: readLines(bytes, keyStart) };
    },
    findLine: (pointer: string) => ({ path, line: getLine(find(pointer).keyStart) }),
  });
}

/** Returns the text as valid UTF-8. */
function toValidBytes(text: string | Buffer): Buffer {
  return typeof text !== 'string' && isUtf8(text) ? text : Buffer.from(text.toString());
}

/** Returns the offsets at which the lines of a text start. */
function findLineStarts(bytes: Buffer): Uint32Array {
  const starts = new NumberList(Uint32Array);
  starts.push(0);
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, end + 1)) starts.push(end + 1);
  return starts.toArray();
}

/** Returns how many of the sorted offsets are at most `offset`. */
function countStarts(starts: Uint32Array, offset: number): number {
  let [from, to] = [0, starts.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((starts[middle] ?? 0) <= offset) from = middle + 1;
    else to = middle;
  }
  return from;
}

const LINE_FEED = 10;

/** Returns the offset of the line that contains the byte at `offset`. */
function findLineStart(bytes: Buffer, offset: number): number {
  return offset === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, offset - 1) + 1;
}

/** Returns the number of UTF-16 code units in a part of a text. */
function countCharacters(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let offset = from; offset < to; offset++) count += getUnits(bytes[offset] ?? 0);
  return count;
}

/** Returns the number of UTF-16 code units of the character that starts with a byte; 0 for its other bytes. */
function getUnits(byte: number): number {
  return (byte & 0xc0) === 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
}

/** A list of numbers that needs only their size, and grows when it is full. */
class NumberList<List extends Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>> {
  length = 0;
  #list: List;

  constructor(private readonly create: new (size: number) => List) {
    this.#list = new create(1024);
  }

  get(index: number): number | undefined {
    return index < this.length ? this.#list[index] : undefined;
  }

  set(index: number, value: number): void {
    this.#list[index] = value;
  }

  push(value: number): void {
    if (this.length === this.#list.length) {
      const larger = new this.create(this.length * 2);
      larger.set(this.#list);
      this.#list = larger;
    }
    this.#list[this.length++] = value;
  }

  toArray(): List {
    return this.#list.slice(0, this.length) as List;
  }
}

/** The number of lines that a locator returns. */
const MAX_LINES = 5;

/** The maximum length of a line that a locator returns, in characters. A minified document has one line. */
const MAX_LINE_LENGTH = 200;

/**
 * Returns the line at an offset and the next four lines.
 * If the line is long, returns only its part after the offset.
 */
function readLines(bytes: Buffer, offset: number): string {
  const begin = findLineStart(bytes, offset);
  const start = offset - begin > MAX_LINE_LENGTH / 2 ? offset : begin;
  // A character has at most four bytes. The last one may be cut off, but is not in the result.
  const length = MAX_LINES * (MAX_LINE_LENGTH + 1) * 2 * 4;
  const lines = bytes.toString('utf8', start, start + length).split(/\r?\n/, MAX_LINES);
  const shown = lines.map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line));
  return shown.join('\n').trimEnd();
}

/** The values of a text while it is parsed. */
class TreeBuilder {
  readonly offsets = new NumberList(Uint32Array);
  readonly ends = new NumberList(Uint32Array);
  readonly kinds = new NumberList(Uint8Array);

  /** Adds a value whose end is not known yet. Returns its number. */
  add(offset: number, kind: number = KINDS.other): number {
    this.offsets.push(offset);
    this.ends.push(0xffffffff);
    this.kinds.push(kind);
    return this.offsets.length - 1;
  }

  close(node: number): void {
    this.ends.set(node, this.offsets.length);
  }

  toTree(getKey: SourceTree['getKey'], offsets: Uint32Array = this.offsets.toArray()): SourceTree {
    return { offsets, ends: this.ends.toArray(), kinds: this.kinds.toArray(), getKey };
  }
}

/** Matches a scalar value of JSON (RFC 8259) other than a text. */
const JSON_SCALAR = /^(?:null|true|false|-?\d[\d.eE+-]*)$/;

/** The bytes of JSON. */
const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/**
 * Parses a text that consists of tokens of JSON into values with offsets.
 * Returns undefined for another text.
 * Does not create the values themselves, because they need more memory than anything else that a check keeps.
 */
function parseJson(bytes: Buffer): SourceTree | undefined {
  const tree = new TreeBuilder();
  const open: number[] = [];
  const start = getMarkLength(bytes);
  for (let offset = skipSpace(bytes, start); offset < bytes.length; offset = skipSpace(bytes, offset)) {
    const byte = bytes[offset] as number;
    if (byte === COMMA || byte === COLON) offset++;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      const node = open.pop();
      if (node === undefined) return undefined;
      tree.close(node);
      offset++;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT)
      open.push(tree.add(offset++, byte === OPEN_LIST ? KINDS.list : KINDS.other));
    else {
      const end = findScalarEnd(bytes, offset);
      if (end === undefined) return undefined;
      tree.close(tree.add(offset));
      offset = end;
    }
  }
  if (open.length > 0 || tree.offsets.length === 0) return undefined;
  const offsets = tree.offsets.toArray();
  const getKey = (node: number) => {
    const offset = offsets[node] ?? 0;
    const text = bytes.toString('utf8', offset, findScalarEnd(bytes, offset));
    // A YAML flow mapping can have keys without quotation marks.
    if (bytes[offset] !== QUOTE) return text;
    return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
  };
  return tree.toTree(getKey, offsets);
}

/** Returns the size of the byte order mark at the start of a text, in bytes; 0 if there is none. */
function getMarkLength(bytes: Buffer): number {
  const mark = '\xef\xbb\xbf';
  return toLatin1(bytes, 0, mark.length) === mark ? mark.length : 0;
}

/** Returns a part of a text as a string that has a character for each byte. */
function toLatin1(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('latin1', from, to);
}

function skipSpace(bytes: Buffer, start: number): number {
  let offset = start;
  for (let byte = bytes[offset]; byte === 32 || byte === 10 || byte === 13 || byte === 9; byte = bytes[offset])
    offset++;
  return offset;
}

/** Returns the offset after the text, the number or the name at an offset; undefined if it is not valid JSON. */
function findScalarEnd(bytes: Buffer, start: number): number | undefined {
  if (bytes[start] === QUOTE) return findTextEnd(bytes, start);
  let end = start;
  for (let byte = bytes[end] ?? 0; isScalarByte(byte); byte = bytes[end] ?? 0) end++;
  return JSON_SCALAR.test(toLatin1(bytes, start, end)) ? end : undefined;
}

/** Returns whether a byte is a letter, a digit, or one of `+`, `-` and `.`. */
function isScalarByte(byte: number): boolean {
  const isLetter = (byte | 32) >= 97 && (byte | 32) <= 122;
  return isLetter || (byte >= 48 && byte <= 57) || byte === 43 || byte === 45 || byte === 46;
}

/** Matches an escape sequence of JSON. */
const JSON_ESCAPE = /^\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/;
const MAX_ESCAPE_LENGTH = 6;

function findTextEnd(bytes: Buffer, start: number): number | undefined {
  for (let offset = start + 1; ; offset++) {
    const byte = bytes[offset];
    if (byte === QUOTE) return offset + 1;
    if (byte === undefined || byte < 32) return undefined;
    if (byte !== BACKSLASH) continue;
    const [sequence = ''] = JSON_ESCAPE.exec(toLatin1(bytes, offset, offset + MAX_ESCAPE_LENGTH)) ?? [];
    if (sequence === '') return undefined;
    offset += sequence.length - 1;
  }
}

/** Parses a text into values with offsets. js-yaml calls the listener before and after each value. */
function parseYaml(bytes: Buffer): SourceTree {
  const tree = new TreeBuilder();
  /** The text of each key of a mapping. An equal key uses the same text. */
  const keys = new Map<number, string>();
  const names = new Map<string, string>();
  const open: number[] = [];
  /** The scalar values whose mapping or list is not yet complete. */
  const scalars = new Map<number, string>();
  let last: { readonly node: number; readonly result: unknown } | undefined;
  const close = (node: number, result: unknown) => {
    tree.close(node);
    const isWrapper =
      last?.node === node + 1 && tree.ends.get(node + 1) === tree.offsets.length && last.result === result;
    const isList = Array.isArray(result);
    tree.kinds.set(node, KINDS[isWrapper ? 'wrapper' : isList ? 'list' : result === null ? 'null' : 'other']);
    let index = 0;
    for (let child = node + 1; child < tree.offsets.length; child = tree.ends.get(child) ?? 0, index++) {
      const name = scalars.get(child);
      scalars.delete(child);
      if (name === undefined || isList || index % 2 === 1) continue;
      if (!names.has(name)) names.set(name, name);
      keys.set(child, names.get(name) ?? name);
    }
    if (typeof result !== 'object' || result === null) scalars.set(node, String(result));
    last = { node, result };
  };
  const listener = (event: 'open' | 'close', { position, result }: State) => {
    if (event === 'close') return close(open.pop() as number, result);
    open.push(tree.add(position));
  };
  // If the text is invalid, the values before the error still have positions.
  tryOrUndefined(() => loadYamlParser().load(bytes.toString(), { json: true, listener }));
  for (const node of open.reverse()) close(node, undefined);
  return tree.toTree((node) => keys.get(node), toByteOffsets(bytes, tree.offsets.toArray()));
}

/** Converts offsets in UTF-16 code units to offsets in bytes. Most of them are sorted. */
function toByteOffsets(bytes: Buffer, offsets: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  // js-yaml removes a byte order mark.
  let [units, offset] = [0, getMarkLength(bytes)];
  return offsets.map((target) => {
    while (units > target) units -= getUnits(bytes[--offset] ?? 0);
    while (units < target && offset < bytes.length) {
      units += getUnits(bytes[offset++] ?? 0);
      while (((bytes[offset] ?? 0) & 0xc0) === 0x80) offset++;
    }
    return offset;
  });
}

/** Returns the numbers of the values inside a mapping or list. */
function listChildren({ ends }: SourceTree, node: number): readonly number[] {
  const children: number[] = [];
  for (let child = node + 1; child < (ends[node] ?? 0); child = ends[child] ?? 0) children.push(child);
  return children;
}

/** A value of the document. If it is the value of a key in a mapping, also the key. */
interface FoundNode {
  readonly node: number;
  readonly key?: number | undefined;
}

/** Returns the value to which the steps of a JSON Pointer lead. If there is none, returns the closest ancestor. */
function findNode(tree: SourceTree, steps: readonly string[]): FoundNode {
  let found: FoundNode = { node: unwrap(tree, 0) };
  for (const step of steps) {
    const child = findChild(tree, found.node, step);
    if (!child) break;
    found = { ...child, node: unwrap(tree, child.node) };
  }
  return found;
}

function findChild(tree: SourceTree, node: number, step: string): FoundNode | undefined {
  const children = listChildren(tree, node);
  if (tree.kinds[node] === KINDS.list) {
    const entry = children[Number(step)];
    return entry === undefined ? undefined : { node: entry };
  }
  const keyIndex = children.findIndex((key, index) => index % 2 === 0 && tree.getKey(key) === step);
  const value = keyIndex < 0 ? undefined : children[keyIndex + 1];
  return value === undefined ? undefined : { node: value, key: children[keyIndex] };
}

/** Returns the innermost value of wrappers. */
function unwrap(tree: SourceTree, node: number): number {
  return tree.kinds[node] === KINDS.wrapper ? unwrap(tree, node + 1) : node;
}

/** Matches white space, comments, tags and anchors before a value. Each character is a byte. */
const SEPARATORS = /^(?:[ \t\r\n]+|#[^\n]*|[&!][^ \t\r\n,[\]{}]*(?=[ \t\r\n]))*/;

/** The maximum size of separators before a value, in bytes. */
const MAX_SEPARATOR_BYTES = 65_536;

function findStart(bytes: Buffer, { offsets, kinds }: SourceTree, node: number): number {
  const offset = offsets[node] ?? 0;
  const [separators = ''] = SEPARATORS.exec(toLatin1(bytes, offset, offset + MAX_SEPARATOR_BYTES)) ?? [];
  const start = offset + separators.length;
  // An omitted value has no text.
  return kinds[node] === KINDS.null && !/^(?:null|~)/i.test(toLatin1(bytes, start, start + 4)) ? offset : start;
}
