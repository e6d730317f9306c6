import type * as Regexpp from '@eslint-community/regexpp';
import type { AST } from '@eslint-community/regexpp';
import { loadPackage } from '../../util/load-package.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';

/** A regular expression of a schema (the keywords `pattern` and `patternProperties`), in the syntax of ECMAScript. */
export interface ParsedPattern {
  /**
   * The regular expression for Node's engine.
   * Matches the same texts as the pattern, but is shorter if the pattern has unnecessary repetitions.
   */
  readonly native: RegExp;
  /**
   * Whether the pattern is valid in Unicode mode.
   * If not, it matches UTF-16 code units, and `\-` is allowed outside of a class.
   */
  readonly isUnicode: boolean;
  /**
   * The syntax tree of `native`; undefined if the parser does not support the syntax, for example new syntax of a later
   * version of Node.
   */
  readonly tree: AST.Pattern | undefined;
}

/** Parses a pattern, in Unicode mode if it is valid in Unicode mode. Returns undefined for an invalid pattern. */
export function parsePattern(source: string): ParsedPattern | undefined {
  const native = createNative(source);
  if (!native) return undefined;
  const isUnicode = native.unicode;
  // A pattern with thousands of nested groups exceeds the stack of the parser.
  const tree = tryOrUndefined(() => parseTree(source, isUnicode));
  const shorter = tree && shorten(tree, source);
  if (shorter === undefined || shorter === source) return { native, isUnicode, tree };
  return { native: new RegExp(shorter, native.flags), isUnicode, tree: parseTree(shorter, isUnicode) };
}

/** Creates the regular expression of a pattern for Node's engine. Returns undefined for an invalid pattern. */
export function createNative(source: string): RegExp | undefined {
  return tryOrUndefined(() => new RegExp(source, 'u')) ?? tryOrUndefined(() => new RegExp(source));
}

/**
 * Shortens a pattern that need not match from the start or to the end of a text: there, a part that can be repeated is
 * needed only as often as its minimum.
 * `.*foo\s{1,20}` becomes `foo\s`, because it matches the same texts.
 */
function shorten(tree: AST.Pattern, source: string): string {
  // A backreference can refer to a removed part.
  if (/\\[1-9k]/.test(source)) return source;
  return tree.alternatives.map(({ elements }) => shortenEnds(elements)).join('|');
}

function shortenEnds(elements: readonly AST.Element[]): string {
  const texts = elements.map(({ raw }) => raw);
  for (const order of [elements.keys(), [...elements.keys()].reverse()]) {
    for (const index of order) {
      const part = elements[index];
      if (part?.type !== 'Quantifier') break;
      texts[index] = repeatLeast(part);
      if (part.min > 0) break;
    }
  }
  return texts.join('');
}

function repeatLeast({ element, min }: AST.Quantifier): string {
  if (min === 0) return '';
  return min === 1 ? element.raw : `${element.raw}{${min}}`;
}

/** The version of ECMAScript of the syntax. */
const ECMA_VERSION = 2025;

/** Parses a valid pattern to a syntax tree. Throws an error if the parser does not support the syntax. */
export function parseTree(source: string, unicode: boolean): AST.Pattern {
  const { RegExpParser } = loadPackage<typeof Regexpp>('@eslint-community/regexpp');
  return new RegExpParser({ ecmaVersion: ECMA_VERSION }).parsePattern(source, 0, source.length, { unicode });
}
