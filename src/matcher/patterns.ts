import type { IssueParts } from '../util/issue.ts';
import { loadRe2 } from '../util/load-package.ts';

/** The maximum length of a regular expression, in characters. */
const MAX_PATTERN_LENGTH = 1_000;

/**
 * The maximum size of a regular expression after its counted repetitions are written out.
 * Compiling it takes up to 60 ms (re2js 2.10.0).
 */
const MAX_REPEATED = 4_000;

const TOO_LONG: IssueParts = {
  rule: 'maxLength',
  problem: `has more than ${MAX_PATTERN_LENGTH} characters`,
  remedy: 'shorten the regular expression',
};

const TOO_REPEATED: IssueParts = {
  rule: 'complexity',
  problem: `has more than ${MAX_REPEATED} characters and classes when its repetitions, such as {0,999}, are written out`,
  remedy: 'use smaller numbers, * or +',
};

/**
 * The maximum number of Unicode classes, such as `\pL`, in a regular expression.
 * Compiling one takes up to 1 ms, because it has hundreds of ranges (re2js 2.10.0).
 */
const MAX_UNICODE_CLASSES = 20;

const TOO_MANY_CLASSES: IssueParts = {
  rule: 'complexity',
  problem: `has more than ${MAX_UNICODE_CLASSES} Unicode classes, such as \\pL`,
  remedy: 'use fewer classes, or repeat a class with {n}',
};

/** The size of a Unicode class, compared with a compiled instruction. */
const UNICODE_CLASS_SIZE = 100;

/**
 * The maximum number of compiled instructions in all regular expressions of a request matcher.
 * Repetition multiplies the instructions: `^.{0,999}.{0,999}.{0,999}.{0,999}!$` has 8,000 instructions.
 */
export const MAX_INSTRUCTIONS = 10_000;

/** Matches the error messages of re2js for lookaround and backreferences. */
const UNSUPPORTED = /`(\(\?<?[=!]|\\[1-9k])/;

/** A compiled regular expression. */
interface CompiledPattern {
  readonly isMatch: (text: string) => boolean;
  /**
   * The number of compiled instructions. A Unicode class counts as 100.
   * To match a text, the engine needs at most `size` × (length of the text) steps of about 10 ns.
   */
  readonly size: number;
}

/**
 * Compiles a regular expression in RE2 syntax (https://github.com/google/re2/wiki/Syntax), which is matched without
 * backtracking.
 * If the expression is invalid or too long, returns the parts of a validation issue.
 */
export function compilePattern(source: string): CompiledPattern | IssueParts {
  if (source.length > MAX_PATTERN_LENGTH) return TOO_LONG;
  if (countRepeated(source) > MAX_REPEATED) return TOO_REPEATED;
  const classes = source.match(/\\[pP]/g)?.length ?? 0;
  if (classes > MAX_UNICODE_CLASSES) return TOO_MANY_CLASSES;
  const { RE2JS, RE2JSSyntaxException } = loadRe2();
  try {
    const pattern = RE2JS.compile(source);
    return { isMatch: (text) => pattern.test(text), size: pattern.programSize() + classes * UNICODE_CLASS_SIZE };
  } catch (cause) {
    if (!(cause instanceof RE2JSSyntaxException)) throw cause;
    const problem = UNSUPPORTED.test(cause.message)
      ? 'uses lookaround or a backreference, which are not supported because their run time has no bound'
      : `is not a regular expression (${cause.message.replace(/^error parsing regexp: /, '')})`;
    return { rule: 'format', problem, remedy: 'use RE2 syntax' };
  }
}

/** Matches a part of a regular expression: an escape, a class, a counted repetition, or any character. */
const PART = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d+)(,(\d*))?\}|./gs;

/** Returns the number of characters and classes of a regular expression whose counted repetitions are written out. */
function countRepeated(source: string): number {
  const totals = [0];
  let last = 0;
  const add = (size: number) => totals.push((totals.pop() ?? 0) + size);
  for (const [part, least, , most] of source.matchAll(PART)) {
    if (part === '(') totals.push(0);
    else if (least !== undefined) {
      add(last * Math.max(0, Number(most || least) - 1));
      last *= Math.max(1, Number(most || least));
    } else {
      last = part === ')' && totals.length > 1 ? (totals.pop() ?? 0) : 1;
      add(last);
    }
  }
  return totals.reduce((sum, total) => sum + total, 0);
}

/**
 * Compiles a glob pattern, in which `*` matches any text, to a function that tests a text.
 * The run time of this function is linear in the length of the pattern plus the length of the text.
 */
export function createGlob(pattern: string): (text: string) => boolean {
  const [prefix = '', ...rest] = pattern.split('*');
  const suffix = rest.pop();
  if (suffix === undefined) return (text) => text === pattern;
  const searches = rest.filter((part) => part !== '').map(createSearch);
  return (text) => {
    if (!text.startsWith(prefix)) return false;
    let end = prefix.length;
    for (const search of searches) {
      end = search(text, end);
      if (end < 0) return false;
    }
    return text.length - suffix.length >= end && text.endsWith(suffix);
  };
}

/**
 * Creates a function that searches a text for `part`, starting at the index `from`.
 * It returns the index after the first occurrence, or -1 if there is no occurrence.
 * Uses the algorithm of Knuth, Morris and Pratt (1977), because the run time of `indexOf` can grow with the product of
 * both lengths.
 */
function createSearch(part: string): (text: string, from: number) => number {
  const borders = computeBorders(part);
  return (text, from) => {
    let matched = 0;
    for (let index = from; index < text.length; index++) {
      matched = extendMatch(part, borders, matched, text.charCodeAt(index));
      if (matched === part.length) return index + 1;
    }
    return -1;
  };
}

/**
 * Computes the failure function of the Knuth-Morris-Pratt algorithm.
 * For each prefix of `part`, its value is the length of the longest shorter text that is both the start and the end of
 * the prefix.
 * For example, it is 2 for the prefix `abcab`, because of `ab`.
 */
function computeBorders(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let index = 1; index < part.length; index++) {
    length = extendMatch(part, borders, length, part.charCodeAt(index));
    borders[index] = length;
  }
  return borders;
}

/**
 * Compares the next character of a text with `part`.
 * Returns how many characters of `part` match up to and including this character.
 * `matched`: how many characters matched before.
 * `borders`: the failure function of `part`.
 */
function extendMatch(part: string, borders: Uint32Array, matched: number, character: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== character) length = borders[length - 1] ?? 0;
  return part.charCodeAt(length) === character ? length + 1 : length;
}
