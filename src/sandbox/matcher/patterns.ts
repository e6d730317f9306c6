import { createRequire } from 'node:module';
import type * as Re2 from 're2js';

/** A regular expression that can't be used: `message` says why, as the end of a sentence about it. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** A regular expression that takes time in proportion to the length of the text. */
export interface Pattern {
  readonly isMatch: (text: string) => boolean;
  /** The instructions that it compiles to. The time for a text is at most this number times the length of the text, some 10 ns each. */
  readonly size: number;
}

/** The longest regular expression, in characters: it bounds what compiling one takes to 0.6 s (measured with re2js 2.10.0). */
const LONGEST_PATTERN = 1_000;

/** How many instructions the regular expressions of a condition may have together. Bounded repetition repeats them: `^.{0,999}.{0,999}.{0,999}.{0,999}!$` has 8,000. */
export const MOST_INSTRUCTIONS = 10_000;

/** What re2js says of lookaround and of backreferences. */
const UNBOUNDED = /`(\(\?<?[=!]|\\[1-9k])/;

/** Compiles a regular expression in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax), which has no backtracking. Throws `PatternError`. */
export function compilePattern(source: string): Pattern {
  if (source.length > LONGEST_PATTERN) throw new PatternError(`has more than ${LONGEST_PATTERN} characters`);
  const pattern = compile(source);
  return { isMatch: (text) => pattern.test(text), size: pattern.programSize() };
}

function compile(source: string) {
  const { RE2JS, RE2JSSyntaxException } = engine();
  try {
    return RE2JS.compile(source);
  } catch (cause) {
    if (!(cause instanceof RE2JSSyntaxException)) throw cause;
    const reason = UNBOUNDED.test(cause.message)
      ? 'uses lookaround or a backreference, which are refused since the time that they take has no bound'
      : `is no regular expression of RE2: ${cause.message.replace(/^error parsing regexp: /, '')}`;
    throw new PatternError(reason, { cause });
  }
}

const require = createRequire(import.meta.url);

/** The engine, loaded when it is first needed: it takes 7 ms, and most servers never need it. */
function engine(): typeof Re2 {
  return require('re2js');
}

/** Whether a text is like another one, in which `*` stands for any text; in time that grows with the sum of both lengths. */
export function createGlob(wanted: string): (text: string) => boolean {
  const [first = '', ...rest] = wanted.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === wanted;
  const searches = rest.filter((part) => part !== '').map(searchFor);
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const endOf of searches) {
      at = endOf(text, at);
      if (at < 0) return false;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}

/**
 * A search for a part: where its first occurrence from a place on ends, -1 where there is none. By Knuth, Morris and Pratt (1977): `indexOf` takes
 * up to the product of both lengths.
 */
function searchFor(part: string): (text: string, from: number) => number {
  const borders = bordersOf(part);
  return (text, from) => {
    let matched = 0;
    for (let at = from; at < text.length; at++) {
      const character = text.charCodeAt(at);
      while (matched > 0 && part.charCodeAt(matched) !== character) matched = borders[matched - 1] ?? 0;
      if (part.charCodeAt(matched) === character) matched++;
      if (matched === part.length) return at + 1;
    }
    return -1;
  };
}

/** For each beginning of a text, how long the longest shorter beginning is that it ends with. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    const character = part.charCodeAt(at);
    while (length > 0 && part.charCodeAt(length) !== character) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(length) === character) length++;
    borders[at] = length;
  }
  return borders;
}
