import { formatPointer } from './json-pointer.ts';
import type { Steps } from './slices.ts';

/** A megabyte, in bytes. */
export const MEGABYTE = 1024 * 1024;

/**
 * The maximum delay of a response, in ms.
 * It applies to `--delay`, to `Prefer: delay`, and to the total delay of faults.
 */
export const MAX_DELAY_MS = 60_000;

/**
 * The maximum size of a request body, in bytes after decompression.
 * Larger bodies are not parsed.
 * Decision: the specification of the API defines no limit.
 */
export const MAX_BODY_BYTES = 102_400;

/**
 * The maximum nesting of objects and arrays in JSON from clients and files.
 * It prevents stack overflows, because recursive functions call themselves once for each level.
 */
export const MAX_JSON_DEPTH = 100;

/** The start of the error message about a value that is nested too deeply. */
export const TOO_DEEP = `is nested deeper than ${MAX_JSON_DEPTH} levels`;

/** The end of the error message about a value that is nested too deeply: what to do. */
export const TOO_DEEP_REMEDY = 'reduce the nesting';

/** The maximum number of issues that `findJsonIssues` returns. */
const MAX_ISSUES = 20;

/**
 * A part of a JSON value that the server can't process.
 * The rule `depth`: the value is nested too deeply.
 * The rule `finite`: the value is a number that is too large.
 */
interface JsonIssue {
  readonly rule: 'depth' | 'finite';
  /** The property names and array indexes that lead to the value. For the rule `depth`, only the first two of them. */
  readonly path: readonly string[];
  /** The value at `path`. */
  readonly value: unknown;
}

/**
 * Returns the parts of a JSON value that the server can't process.
 * A value that is nested too deeply gets a single issue with the rule `depth`.
 * Otherwise each number that is too large gets an issue with the rule `finite`: `JSON.parse` returns `Infinity` for
 * `1e400`.
 * The first `outerLevels` levels of nesting do not count.
 */
export function findJsonIssues(value: unknown, outerLevels = 0): readonly JsonIssue[] {
  const maxDepth = MAX_JSON_DEPTH + outerLevels;
  if (!hasJsonIssues(value, maxDepth)) return [];
  const issues: JsonIssue[] = [];
  const path: (string | number)[] = [];
  /** Returns false if the value is nested too deeply. */
  const visit = (inner: unknown): boolean => {
    if (typeof inner === 'number') {
      if (!Number.isFinite(inner) && issues.length < MAX_ISSUES)
        issues.push({ rule: 'finite', path: path.length > 0 ? path.map(String) : [''], value: inner });
      return true;
    }
    if (typeof inner !== 'object' || inner === null) return true;
    if (path.length >= maxDepth) return false;
    // Creates no array of entries and no object for each value, because a large body has millions of values.
    if (Array.isArray(inner)) {
      for (let index = 0; index < inner.length; index++) if (!visitEntry(index, inner[index])) return false;
      return true;
    }
    for (const key in inner) if (!visitEntry(key, (inner as Readonly<Record<string, unknown>>)[key])) return false;
    return true;
  };
  const visitEntry = (key: string | number, inner: unknown): boolean => {
    path.push(key);
    const isShallow = visit(inner);
    if (isShallow) path.pop();
    return isShallow;
  };
  return visit(value) ? issues : [createDepthIssue(value, path.map(String))];
}

/**
 * Returns whether a value has more than `maxDepth` levels of nesting, or contains a number that is not finite.
 * Creates no objects, so it is faster than `findJsonIssues`.
 */
export function hasJsonIssues(value: unknown, maxDepth = MAX_JSON_DEPTH): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  if (maxDepth === 0) return true;
  if (Array.isArray(value)) return value.some((entry) => hasJsonIssues(entry, maxDepth - 1));
  for (const key in value)
    if (hasJsonIssues((value as Readonly<Record<string, unknown>>)[key], maxDepth - 1)) return true;
  return false;
}

/** The number of property names and array indexes that locate a value that is nested too deeply. */
const DEPTH_PATH_LENGTH = 2;

function createDepthIssue(root: unknown, steps: readonly string[]): JsonIssue {
  const path = steps.slice(0, DEPTH_PATH_LENGTH);
  const value = path.reduce<unknown>((inner, step) => (inner as Readonly<Record<string, unknown>>)[step], root);
  return { rule: 'depth', path, value };
}

/**
 * The maximum number of values in JSON from a client.
 * JSON of 16 MB usually has at most 1,060,000 values, but arrays of many short strings can have more.
 */
export const MAX_JSON_VALUES = 1_200_000;

/** The number of characters that `hasTooManyValues` reads in one step. */
const STEP_CHARACTERS = 100_000;

/**
 * Returns whether a JSON text has too many objects, arrays, properties and array items (more than `MAX_JSON_VALUES`).
 * Yields often, because it takes 20 ms for 16 MB.
 */
export function* hasTooManyValues(json: string): Steps<boolean> {
  if (json.length <= MAX_JSON_VALUES) return false;
  let count = 0;
  let pauseAt = STEP_CHARACTERS;
  for (let index = 0; index < json.length; index++) {
    if (index > pauseAt) {
      yield;
      pauseAt = index + STEP_CHARACTERS;
    }
    const code = json.charCodeAt(index);
    if (code === QUOTE) index = findStringEnd(json, index);
    else if (code === COMMA || code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (++count > MAX_JSON_VALUES) return true;
    }
  }
  return false;
}

const BACKSLASH = 0x5c;

/**
 * Returns the index of the closing quotation mark of the string that starts at `start`.
 * Returns the length of the text if the string has no end.
 */
function findStringEnd(json: string, start: number): number {
  for (let index = start + 1; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) index++;
  }
  return json.length;
}

/** An integer in a JSON text that JavaScript can't represent: `JSON.parse` returns another number for it. */
export interface InexactInteger {
  /** The property names and array indexes that lead to the integer. */
  readonly path: readonly string[];
  readonly text: string;
}

/** The end of the error message about an integer that can't be represented: what to do. */
export const EXACT_REMEDY = `use an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}, or a string`;

/** Returns the start of the error message about an integer that can't be represented. */
export function describeInexact(text: string): string {
  return `is ${text}, which JavaScript can't represent exactly (the nearest number is ${Number(text)})`;
}

/** Matches a part of each number that can be inexact: 15 significant digits are always exact (IEEE 754, binary64). */
const LONG_NUMBER = /\d[\d.]{15}/;

/**
 * Returns whether a number, written as in JSON, is an integer that JavaScript can't represent.
 * This is the case if the number that JavaScript prints for it has another value: `9007199254740993` becomes
 * `9007199254740992`.
 * Returns false for fractions, which every JSON parser rounds, and for numbers such as `1e400`, which become infinite.
 */
export function isInexactInteger(text: string): boolean {
  if (!LONG_NUMBER.test(text)) return false;
  const value = Number(text);
  const sent = toDecimal(text);
  if (!Number.isFinite(value) || sent.exponent < 0) return false;
  const stored = toDecimal(String(value));
  return sent.digits !== stored.digits || sent.exponent !== stored.exponent;
}

/**
 * Parses JSON.
 * Throws a `SyntaxError` if the text is not JSON, and a `RangeError` if it has an integer that JavaScript can't
 * represent.
 */
export function parseExactJson(json: string): unknown {
  const value: unknown = JSON.parse(json);
  const [first] = findInexactIntegers(json);
  if (!first) return value;
  throw new RangeError(
    `${formatPointer(...first.path) || 'the value'} ${describeInexact(first.text)}: ${EXACT_REMEDY}`,
  );
}

/**
 * Returns the digits of a number without zeros at both ends, and the power of ten by which they are multiplied: 120 is
 * `{ digits: '12', exponent: 1 }`.
 */
function toDecimal(text: string): { readonly digits: string; readonly exponent: number } {
  const [, whole = '', fraction = '', power = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const significant = (whole + fraction).replace(/^0+/, '');
  const digits = removeTrailingZeros(significant);
  if (digits === '') return { digits, exponent: 0 };
  return { digits, exponent: Number(power) - fraction.length + significant.length - digits.length };
}

/**
 * Removes zeros at the end in linear time.
 * A regular expression such as `/0+$/` needs quadratic time for many zeros in the middle.
 */
function removeTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

const MAX_FOUND = 20;

const [QUOTE, COLON, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT, MINUS, ZERO, NINE] = [
  ...Buffer.from('":,[]{}-09'),
] as [number, number, number, number, number, number, number, number, number, number];

/** Matches a JSON number at `lastIndex`. */
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Returns the first 20 integers in a JSON text that JavaScript can't represent.
 * `json`: a text that `JSON.parse` accepts.
 * Takes about as long as `JSON.parse` if the text has a long number, and much less otherwise.
 */
export function findInexactIntegers(json: string): readonly InexactInteger[] {
  if (!LONG_NUMBER.test(json)) return [];
  const found: InexactInteger[] = [];
  // An array has the index of its entry. An object has the JSON text of the property name.
  const path: (string | number)[] = [];
  let lastString = '';
  for (let index = 0; index < json.length && found.length < MAX_FOUND; index++) {
    const code = json.charCodeAt(index);
    const inner = path.at(-1);
    if (code === QUOTE) {
      const end = findStringEnd(json, index);
      lastString = json.slice(index, end + 1);
      index = end;
    } else if (code === COLON) path[path.length - 1] = lastString;
    else if (code === OPEN_OBJECT) path.push('""');
    else if (code === OPEN_ARRAY) path.push(0);
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) path.pop();
    else if (code === COMMA && typeof inner === 'number') path[path.length - 1] = inner + 1;
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      NUMBER.lastIndex = index;
      const text = NUMBER.exec(json)?.[0] ?? '';
      if (isInexactInteger(text)) found.push({ path: path.map(toName), text });
      index += Math.max(0, text.length - 1);
    }
  }
  return found;
}

function toName(step: string | number): string {
  return typeof step === 'number' ? String(step) : JSON.parse(step);
}

/**
 * The minimum number of entries in a list that the server processes in slices, with pauses for other requests.
 * A shorter list takes only about a millisecond.
 */
const LONG_LIST = 1_000;

/** Returns whether a value is a list that is long enough to be processed in slices. */
export function isLongList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length >= LONG_LIST;
}
