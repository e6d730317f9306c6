import { createRequire } from 'node:module';
import type * as Re2 from 're2js';
import type { IssueParts } from '../../util/issue.ts';

/** An invalid regular expression. */
export class PatternError extends Error {
  override readonly name = 'PatternError';

  constructor(
    readonly parts: IssueParts,
    options?: ErrorOptions,
  ) {
    super(parts.problem, options);
  }
}

/** The maximum length of a regular expression in characters. It limits the compile time to 0.6 s (measured with re2js 2.10.0). */
const MAX_PATTERN_LENGTH = 1_000;

const TOO_LONG = { rule: 'maxLength', problem: `has more than ${MAX_PATTERN_LENGTH} characters`, remedy: 'shorten it' };

/** The maximum number of instructions of a matcher. Bounded repetition multiplies them: `^.{0,999}.{0,999}.{0,999}.{0,999}!$` has 8,000. */
export const MOST_INSTRUCTIONS = 10_000;

/** The syntax errors of re2js for lookaround and backreferences. */
const UNSUPPORTED = /`(\(\?<?[=!]|\\[1-9k])/;

/** Compiles a regular expression in RE2 syntax (https://github.com/google/re2/wiki/Syntax), which runs without backtracking. Throws a `PatternError`. */
export function compilePattern(source: string) {
  if (source.length > MAX_PATTERN_LENGTH) throw new PatternError(TOO_LONG);
  const { RE2JS, RE2JSSyntaxException } = loadEngine();
  try {
    const pattern = RE2JS.compile(source);
    return {
      isMatch: (text: string) => pattern.test(text),
      /** The number of compiled instructions. The run time is at most this number times the length of the text, at about 10 ns each. */
      size: pattern.programSize(),
    };
  } catch (cause) {
    if (!(cause instanceof RE2JSSyntaxException)) throw cause;
    const problem = UNSUPPORTED.test(cause.message)
      ? 'uses lookaround or a backreference, which are not supported because their run time has no bound'
      : `is not a regular expression (${cause.message.replace(/^error parsing regexp: /, '')})`;
    throw new PatternError({ rule: 'format', problem, remedy: 'use RE2 syntax' }, { cause });
  }
}

const require = createRequire(import.meta.url);

/** Loads the engine on first use: loading takes 7 ms, and most servers do not need it. */
function loadEngine(): typeof Re2 {
  return require('re2js');
}

/** Compiles a glob pattern in which `*` matches any text. Its run time is linear in the sum of both lengths. */
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
 * Creates a search that returns where the first occurrence of a part ends, or -1. Uses the algorithm of Knuth, Morris and Pratt (1977), because
 * `indexOf` takes up to the product of both lengths.
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

/** Returns for each prefix of a text the length of its longest proper prefix that is also its suffix. */
function computeBorders(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let index = 1; index < part.length; index++) {
    length = extendMatch(part, borders, length, part.charCodeAt(index));
    borders[index] = length;
  }
  return borders;
}

/** Returns the length of the longest prefix of a part that matches with another character, after one of length `matched`. */
function extendMatch(part: string, borders: Uint32Array, matched: number, character: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== character) length = borders[length - 1] ?? 0;
  return part.charCodeAt(length) === character ? length + 1 : length;
}
