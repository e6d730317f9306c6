import type { State } from 'js-yaml';
import { parsePointer } from '../util/json-pointer.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { loadYamlParser } from './document.ts';

/** A value in the text of a YAML or JSON document. The children of a mapping are alternately keys and values. */
interface SourceNode {
  /** The index at which the parser starts to read the value, before separators, comments, tag and anchor. */
  readonly offset: number;
  readonly children: SourceNode[];
  /** The parsed value. */
  result?: unknown;
}

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
  let root: SourceNode | undefined;
  let starts: readonly number[] | undefined;
  const getLine = (offset: number) => {
    starts ??= findLineStarts(text);
    return countStarts(starts, offset);
  };
  const find = (pointer: string) => {
    root ??= parseSource(text);
    return findNode(root, parsePointer(toSourcePointer(pointer)));
  };
  const format = (node: SourceNode, pointer: string) => {
    const lines = text.slice(0, findStart(text, node)).split('\n');
    return `${path}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1} #${pointer}`;
  };
  return Object.assign((pointer: string) => format(find(pointer).node, pointer), {
    key(pointer: string) {
      const { node, key = node } = find(pointer);
      return format(key, pointer);
    },
    find(pointer: string): SourceLines {
      const { node, key = node } = find(pointer);
      return { path, ...readLines(text, findStart(text, key)) };
    },
    findLine(pointer: string) {
      const { node, key = node } = find(pointer);
      return { path, line: getLine(findStart(text, key)) };
    },
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
function readLines(text: string, offset: number): Omit<SourceLines, 'path'> {
  const begin = text.lastIndexOf('\n', offset - 1) + 1;
  const start = offset - begin > MAX_LINE_LENGTH / 2 ? offset : begin;
  const lines = text.slice(start, start + MAX_LINES * (MAX_LINE_LENGTH + 1) * 2).split(/\r?\n/, MAX_LINES);
  const shown = lines.map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line));
  return { line: text.slice(0, begin).split('\n').length, text: shown.join('\n').trimEnd() };
}

/** Parses a text into nodes with offsets. js-yaml calls the listener before and after each value. */
function parseSource(text: string): SourceNode {
  const root: SourceNode = { offset: 0, children: [] };
  const ancestors: SourceNode[] = [root];
  const listener = (event: 'open' | 'close', { position, result }: State) => {
    if (event === 'open') {
      const node = { offset: position, children: [] };
      ancestors.at(-1)?.children.push(node);
      ancestors.push(node);
    } else Object.assign(ancestors.pop() ?? {}, { result });
  };
  // If the text is invalid, the values before the error still have nodes.
  tryOrUndefined(() => loadYamlParser().load(text, { json: true, listener }));
  return root.children[0] ?? root;
}

/** A node of the document. If the node is the value of a key in a mapping, also the node of the key. */
interface FoundNode {
  readonly node: SourceNode;
  readonly key?: SourceNode | undefined;
}

/** Returns the node to which the steps of a JSON Pointer lead. If there is none, returns the closest ancestor. */
function findNode(root: SourceNode, steps: readonly string[]): FoundNode {
  let found: FoundNode = { node: unwrap(root) };
  for (const step of steps) {
    const child = findChild(found.node, step);
    if (!child) break;
    found = { ...child, node: unwrap(child.node) };
  }
  return found;
}

function findChild({ children, result }: SourceNode, step: string): FoundNode | undefined {
  if (Array.isArray(result)) {
    const node = children[Number(step)];
    return node && { node };
  }
  const keyIndex = children.findIndex((key, index) => index % 2 === 0 && String(key.result) === step);
  const node = keyIndex < 0 ? undefined : children[keyIndex + 1];
  return node && { node, key: children[keyIndex] };
}

/**
 * Returns the innermost node of a value. js-yaml opens two nodes for the flow mapping in `- {…}`, since the mapping
 * could be a key of a block mapping.
 */
function unwrap(node: SourceNode): SourceNode {
  const [child] = node.children;
  return child && node.children.length === 1 && child.result === node.result ? unwrap(child) : node;
}

/** Matches white space, comments, tags and anchors before a value. */
const SEPARATORS = /(?:\s+|#[^\n]*|[&!][^\s,[\]{}]*(?=\s))*/y;

function findStart(text: string, { offset, result }: SourceNode): number {
  SEPARATORS.lastIndex = offset;
  SEPARATORS.exec(text);
  const start = SEPARATORS.lastIndex;
  // An omitted value has no text.
  return result === null && !/^(?:null|~)/i.test(text.slice(start, start + 4)) ? offset : start;
}
