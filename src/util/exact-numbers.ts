import { findStringEnd } from './json-limits.ts';
import { formatPointer } from './json-pointer.ts';

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
