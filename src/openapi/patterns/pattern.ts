import type * as Regexpp from '@eslint-community/regexpp';
import type { AST } from '@eslint-community/regexpp';
import { MAX_BODY_BYTES } from '../../util/limits.ts';
import { loadPackage, loadRe2 } from '../../util/load-package.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import { separateSurrogates, toRe2Syntax } from './character-ranges.ts';

/** Limits of the work of a backtracking engine for a part of a pattern, from one position in a text. */
interface Work {
  /** The number of ways in which the part can match. What follows is tried for each way. */
  readonly ways: number;
  readonly steps: number;
}

/**
 * Returns an upper bound of the steps that a backtracking engine needs to test a text with a pattern.
 * `length`: the length of the text, in characters.
 */
function countSteps(tree: AST.Pattern, length: number): number {
  const { ways, steps } = alternate(tree.alternatives, length);
  const starts = tree.alternatives.every(isAnchored) ? 1 : length + 1;
  return starts * (ways + steps) + length;
}

function isAnchored({ elements: [first] }: AST.Alternative): boolean {
  return first?.type === 'Assertion' && first.kind === 'start';
}

function alternate(alternatives: readonly AST.Alternative[], length: number): Work {
  const parts = alternatives.map(({ elements }) => follow(elements, length));
  return {
    ways: parts.reduce((sum, { ways }) => sum + ways, 0),
    steps: parts.reduce((sum, { steps }) => sum + steps, 1),
  };
}

function follow(elements: readonly AST.Element[], length: number): Work {
  return elements.reduce<Work>(
    ({ ways, steps }, element) => {
      const next = measure(element, length);
      return { ways: ways * next.ways, steps: steps + ways * next.steps };
    },
    { ways: 1, steps: 0 },
  );
}

function measure(node: AST.Element, length: number): Work {
  switch (node.type) {
    case 'Group':
    case 'CapturingGroup':
      return alternate(node.alternatives, length);
    case 'Quantifier': {
      // Beyond its minimum, the engine stops after a repetition that matches an empty text.
      const most = Math.min(node.max, length + 1 + (CHARACTERS.has(node.element.type) ? 0 : node.min));
      return repeat(measure(node.element, length), node.min, most);
    }
    case 'Assertion':
      // The engine does not try other ways to match a lookaround assertion.
      return 'alternatives' in node
        ? { ways: 1, steps: 1 + alternate(node.alternatives, length).steps }
        : { ways: 1, steps: 1 };
    case 'Backreference':
      return { ways: 1, steps: 1 + length };
    default:
      return { ways: 1, steps: 1 };
  }
}

/** The types of the parts that never match an empty text. */
const CHARACTERS: ReadonlySet<string> = new Set(['Character', 'CharacterClass', 'CharacterSet']);

/** The maximum number of repetitions that are added up. Above, the work counts as unlimited. */
const MAX_ADDED = 10_000;

function repeat({ ways, steps }: Work, min: number, most: number): Work {
  if (ways <= 1) return { ways: Math.max(0, most - min + 1), steps: (most + 1) * (steps + 1) };
  let all: Work = { ways: min === 0 ? 1 : 0, steps: 0 };
  for (let count = 1, power = 1; count <= most; count++) {
    all = { ways: all.ways, steps: all.steps + power * (steps + 1) };
    power *= ways;
    if (count >= min) all = { ...all, ways: all.ways + power };
    if (count > MAX_ADDED || all.steps === Number.POSITIVE_INFINITY) return UNLIMITED;
  }
  return all;
}

const UNLIMITED: Work = { ways: Number.POSITIVE_INFINITY, steps: Number.POSITIVE_INFINITY };

/** A regular expression that tests texts. Its time is bounded: no text delays other requests. */
export interface Pattern {
  test(text: string): boolean;
  /** Returns the source. ajv recognizes equal patterns by it. */
  toString(): string;
}

/** The length of the longest texts that are tested, in characters. Longer texts, in a large state, are rare. */
const LONGEST_TEXT = MAX_BODY_BYTES;

/**
 * The start warns about a pattern that is not tested with texts of this length.
 * Longer texts with a pattern are rare.
 */
const USUAL_LENGTH = 10_000;

/** The maximum number of steps with which Node's engine tests the longest text. It needs 1 to 5 ns for a step. */
const MAX_STEPS = 10_000_000;

/** The maximum number of steps to test a text with a pattern that RE2 does not support. */
const MAX_BOUNDED_STEPS = 1_000_000;

/**
 * The length of a text, multiplied by the size of its RE2 program, is at most this number.
 * RE2 needs up to 13 ns for a step.
 */
const MAX_RE2_STEPS = 8_000_000;

/** How a pattern is tested. Longer texts than `maxLength` are not tested, and match. */
interface Engine {
  readonly maxLength: number;
  /** The pattern for RE2, which needs linear time; undefined if the pattern is tested with Node's engine. */
  readonly re2?: { readonly syntax: string; readonly isUnicode: boolean };
  /** The regular expression for Node's engine; undefined if the pattern is invalid, or is never tested. */
  readonly native?: RegExp;
}

/** The chosen engines, and the patterns, by source. */
const engines = new Map<string, Engine>();
const patterns = new Map<string, Pattern>();

/** The maximum number of patterns in the cache. */
const MAX_CACHED = 10_000;

/**
 * Compiles a `pattern` of a schema when it is used for the first time.
 * The syntax is that of ECMAScript, in Unicode mode if the pattern is valid in Unicode mode.
 * An invalid pattern matches every text.
 */
export function createPattern(source: string): Pattern {
  const known = patterns.get(source);
  if (known) return known;
  let test: Pattern['test'] | undefined;
  const pattern = {
    test(text: string) {
      test ??= compile(source);
      return test(text);
    },
    toString: () => source,
  };
  if (patterns.size >= MAX_CACHED) patterns.clear();
  patterns.set(source, pattern);
  return pattern;
}

/** Returns whether a pattern is a valid regular expression. */
export function isValidPattern(source: string): boolean {
  return createNative(source) !== undefined;
}

/**
 * The length of the longest texts that are tested with a pattern, in characters; undefined if all texts of usual length
 * are.
 */
export function getMaxTestedLength(source: string): number | undefined {
  const { maxLength } = chooseEngine(source);
  return maxLength < USUAL_LENGTH ? maxLength : undefined;
}

function compile(source: string): Pattern['test'] {
  const { maxLength, re2, native } = chooseEngine(source);
  if (!re2) {
    // The engine throws an error for a pattern that is too large when it is used for the first time.
    return (text) => text.length > maxLength || (tryOrUndefined(() => native?.test(text)) ?? true);
  }
  const program = loadRe2().RE2JS.compile(re2.syntax);
  return (text) => text.length > maxLength || program.test(re2.isUnicode ? text : separateSurrogates(text));
}

function chooseEngine(source: string): Engine {
  const known = engines.get(source);
  if (known) return known;
  const parsed = parsePattern(source);
  // A pattern with thousands of nested groups can exceed the stack.
  const engine = parsed ? (tryOrUndefined(() => selectEngine(parsed)) ?? UNTESTED) : ANY_TEXT;
  if (engines.size >= MAX_CACHED) engines.clear();
  engines.set(source, engine);
  return engine;
}

const ANY_TEXT: Engine = { maxLength: Number.POSITIVE_INFINITY };
const UNTESTED: Engine = { maxLength: -1 };

function selectEngine({ native, tree, isUnicode }: ParsedPattern): Engine {
  if (!tree) return UNTESTED;
  if (countSteps(tree, LONGEST_TEXT) <= MAX_STEPS) return { maxLength: Number.POSITIVE_INFINITY, native };
  const translated = tryOrUndefined(() => toRe2Syntax(tree, isUnicode));
  if (translated) {
    const maxLength = Math.floor(MAX_RE2_STEPS / translated.size);
    const isBounded = maxLength < LONGEST_TEXT;
    return {
      maxLength: isBounded ? maxLength : Number.POSITIVE_INFINITY,
      re2: { syntax: translated.text, isUnicode },
    };
  }
  return { maxLength: findMaxLength((length) => countSteps(tree, length) <= MAX_BOUNDED_STEPS), native };
}

/** Returns the largest length up to `LONGEST_TEXT` that is short enough; -1 if there is none. */
function findMaxLength(isShortEnough: (length: number) => boolean): number {
  let [low, high] = [-1, LONGEST_TEXT];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isShortEnough(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A regular expression of a schema (the keywords `pattern` and `patternProperties`), in the syntax of ECMAScript. */
interface ParsedPattern {
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
