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
  /** The index at which the parser starts to read each value, before separators, comments, tag and anchor. */
  readonly offsets: number[];
  /** The number of the first value after each value and the values inside it. */
  readonly ends: number[];
  readonly kinds: SourceKind[];
  /** The text of each key of a mapping. */
  readonly keys: Map<number, string>;
  /** The texts of all keys. An equal key uses the same text. */
  readonly names: Map<string, string>;
}

/** `wrapper`: contains only the same value again. js-yaml reads the flow mapping in `- {…}` twice. */
type SourceKind = 'list' | 'null' | 'other' | 'wrapper';

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
 * `toSourcePointer`: converts a JSON Pointer of the document to one of the text, if the document was converted.
 */
export function createLocator(
  path: string,
  text: string,
  toSourcePointer: (pointer: string) => string = (pointer) => pointer,
): Locate {
  let tree: SourceTree | undefined;
  let starts: readonly number[] | undefined;
  const getLine = (offset: number) => {
    starts ??= findLineStarts(text);
    return countStarts(starts, offset);
  };
  const find = (pointer: string) => {
    tree ??= parseJson(text) ?? parseYaml(text);
    const { node, key = node } = findNode(tree, parsePointer(toSourcePointer(pointer)));
    return { start: findStart(text, tree, node), keyStart: findStart(text, tree, key) };
  };
  const format = (start: number, pointer: string) => {
    const column = start - text.lastIndexOf('\n', start - 1);
    return `${path}:${getLine(start)}:${column} #${pointer}`;
  };
  return Object.assign((pointer: string) => format(find(pointer).start, pointer), {
    key: (pointer: string) => format(find(pointer).keyStart, pointer),
    find(pointer: string): SourceLines {
      const { keyStart } = find(pointer);
      return { path, line: getLine(keyStart), text: readLines(text, keyStart) };
    },
    findLine: (pointer: string) => ({ path, line: getLine(find(pointer).keyStart) }),
  });
}

/** Returns the offsets at which the lines of a text start. */
function findLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

/** Returns how many of the sorted offsets are at most `offset`. */
function countStarts(starts: readonly number[], offset: number): number {
  let [from, to] = [0, starts.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((starts[middle] ?? 0) <= offset) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The number of lines that a locator returns. */
const MAX_LINES = 5;

/** The maximum length of a line that a locator returns, in characters. A minified document has one line. */
const MAX_LINE_LENGTH = 200;

/**
 * Returns the line at an offset and the next four lines.
 * If the line is long, returns only its part after the offset.
 */
function readLines(text: string, offset: number): string {
  const begin = text.lastIndexOf('\n', offset - 1) + 1;
  const start = offset - begin > MAX_LINE_LENGTH / 2 ? offset : begin;
  const lines = text.slice(start, start + MAX_LINES * (MAX_LINE_LENGTH + 1) * 2).split(/\r?\n/, MAX_LINES);
  const shown = lines.map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line));
  return shown.join('\n').trimEnd();
}

/** Matches a token of JSON (RFC 8259), and the white space before it. */
const JSON_TOKEN =
  /\s*(?:(?<opening>[[{])|(?<closing>[\]}])|(?<separator>[,:])|(?<text>"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\uffff]*)*")|null|true|false|-?\d[\d.eE+-]*)/y;

/**
 * Parses a text that consists of tokens of JSON into values with offsets.
 * Returns undefined for another text.
 * Does not create the values themselves, because they need more memory than anything else that a check keeps.
 */
function parseJson(text: string): SourceTree | undefined {
  const { length } = text.trimEnd();
  const tree = createTree();
  const open: number[] = [];
  let isKey = false;
  for (let start = 0; start < length; start = JSON_TOKEN.lastIndex) {
    JSON_TOKEN.lastIndex = start;
    const { 0: token = '', groups = {} } = JSON_TOKEN.exec(text) ?? {};
    if (token === '') return undefined;
    const isMapping = text[tree.offsets[open.at(-1) ?? -1] ?? -1] === '{';
    if (groups.closing) {
      const node = open.pop();
      if (node === undefined) return undefined;
      tree.ends[node] = tree.offsets.length;
    } else if (groups.separator) isKey = isMapping && groups.separator === ',';
    else {
      const node = addNode(tree, JSON_TOKEN.lastIndex - token.trimStart().length);
      if (isKey && groups.text)
        addKey(tree, node, groups.text.includes('\\') ? String(JSON.parse(groups.text)) : groups.text.slice(1, -1));
      if (groups.opening) open.push(node);
      else tree.ends[node] = node + 1;
      tree.kinds[node] = groups.opening === '[' ? 'list' : 'other';
      isKey = groups.opening === '{';
    }
  }
  return open.length === 0 ? tree : undefined;
}

function createTree(): SourceTree {
  return { offsets: [], ends: [], kinds: [], keys: new Map(), names: new Map() };
}

/** Adds a value whose end is not known yet. Returns its number. */
function addNode({ offsets, ends, kinds }: SourceTree, offset: number): number {
  ends.push(Number.POSITIVE_INFINITY);
  kinds.push('other');
  return offsets.push(offset) - 1;
}

function addKey({ keys, names }: SourceTree, node: number, name: string): void {
  const known = names.get(name);
  if (known === undefined) names.set(name, name);
  keys.set(node, known ?? name);
}

/** Parses a text into values with offsets. js-yaml calls the listener before and after each value. */
function parseYaml(text: string): SourceTree {
  const tree = createTree();
  const { offsets, ends, kinds } = tree;
  const open: number[] = [];
  /** The scalar values whose mapping or list is not yet complete. */
  const scalars = new Map<number, string>();
  let last: { readonly node: number; readonly result: unknown } | undefined;
  const close = (node: number, result: unknown) => {
    ends[node] = offsets.length;
    const isWrapper = last?.node === node + 1 && ends[node + 1] === ends[node] && last.result === result;
    const isList = Array.isArray(result);
    kinds[node] = isWrapper ? 'wrapper' : isList ? 'list' : result === null ? 'null' : 'other';
    for (const [index, child] of listChildren(tree, node).entries()) {
      const name = scalars.get(child);
      scalars.delete(child);
      if (name !== undefined && !isList && index % 2 === 0) addKey(tree, child, name);
    }
    if (typeof result !== 'object' || result === null) scalars.set(node, String(result));
    last = { node, result };
  };
  const listener = (event: 'open' | 'close', { position, result }: State) => {
    if (event === 'close') return close(open.pop() as number, result);
    open.push(addNode(tree, position));
  };
  // If the text is invalid, the values before the error still have positions.
  tryOrUndefined(() => loadYamlParser().load(text, { json: true, listener }));
  for (const node of open.reverse()) close(node, undefined);
  return tree;
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
  if (tree.kinds[node] === 'list') {
    const entry = children[Number(step)];
    return entry === undefined ? undefined : { node: entry };
  }
  const keyIndex = children.findIndex((key, index) => index % 2 === 0 && tree.keys.get(key) === step);
  const value = keyIndex < 0 ? undefined : children[keyIndex + 1];
  return value === undefined ? undefined : { node: value, key: children[keyIndex] };
}

/** Returns the innermost value of wrappers. */
function unwrap(tree: SourceTree, node: number): number {
  return tree.kinds[node] === 'wrapper' ? unwrap(tree, node + 1) : node;
}

/** Matches white space, comments, tags and anchors before a value. */
const SEPARATORS = /(?:\s+|#[^\n]*|[&!][^\s,[\]{}]*(?=\s))*/y;

function findStart(text: string, { offsets, kinds }: SourceTree, node: number): number {
  const offset = offsets[node] ?? 0;
  SEPARATORS.lastIndex = offset;
  SEPARATORS.exec(text);
  const start = SEPARATORS.lastIndex;
  // An omitted value has no text.
  return kinds[node] === 'null' && !/^(?:null|~)/i.test(text.slice(start, start + 4)) ? offset : start;
}
