import type { AST } from '@eslint-community/regexpp';
import { getRanges, type Ranges, SURROGATES } from './character-ranges.ts';

/** The maximum number of instructions of a translated pattern. RE2 compiles such a pattern in 0.1 s. */
const MAX_SIZE = 10_000;

/** The maximum length of a translated pattern, in characters. Repeated character classes can be long. */
const MAX_LENGTH = 200_000;

/** The maximum number of repetitions in RE2. It also applies to nested repetitions, multiplied by each other. */
const MAX_REPETITIONS = 1_000;

/** A part of a pattern in the syntax of RE2. */
interface Translated {
  readonly text: string;
  /** The number of instructions. */
  readonly size: number;
  /** The numbers of nested repetitions, multiplied by each other. */
  readonly repetitions: number;
}

/**
 * Translates a pattern from the syntax of ECMAScript to the syntax of RE2, such that both match the same texts.
 * Without the Unicode mode, a text must first be converted by `separateSurrogates`.
 * Throws an error if RE2 can't match the pattern: if it has lookaround or a backreference, or is too large.
 * `size`: the number of instructions.
 */
export function toRe2Syntax(tree: AST.Pattern, isUnicode: boolean): Pick<Translated, 'text' | 'size'> {
  return limitSize(translateAlternatives(tree.alternatives, isUnicode));
}

function limitSize(translated: Translated): Translated {
  if (translated.size > MAX_SIZE || translated.text.length > MAX_LENGTH) throw new Error('unsupported: too large');
  return translated;
}

function translateAlternatives(alternatives: readonly AST.Alternative[], isUnicode: boolean): Translated {
  const parts = alternatives.map(({ elements }) => join(elements.map((element) => translate(element, isUnicode))));
  const { size, repetitions } = join(parts);
  return { text: `(?:${parts.map(({ text }) => text).join('|')})`, size: size + parts.length, repetitions };
}

function join(parts: readonly Translated[]): Translated {
  return limitSize({
    text: parts.map(({ text }) => text).join(''),
    size: parts.reduce((sum, { size }) => sum + size, 0),
    repetitions: Math.max(1, ...parts.map(({ repetitions }) => repetitions)),
  });
}

function translate(node: AST.Element, isUnicode: boolean): Translated {
  switch (node.type) {
    case 'Group':
      if (node.modifiers) throw new Error(`unsupported: ${node.raw}`);
      return translateAlternatives(node.alternatives, isUnicode);
    case 'CapturingGroup':
      return translateAlternatives(node.alternatives, isUnicode);
    case 'Quantifier':
      return repeat(translate(node.element, isUnicode), node.min, node.max);
    case 'Assertion':
      return toInstruction(translateAssertion(node));
    case 'Backreference':
      throw new Error(`unsupported: ${node.raw}`);
    default:
      return toInstruction(formatClass(getRanges(node, isUnicode), isUnicode));
  }
}

function toInstruction(text: string): Translated {
  return { text, size: 1, repetitions: 1 };
}

function translateAssertion(node: AST.Assertion): string {
  if (node.kind === 'start') return '\\A';
  if (node.kind === 'end') return '\\z';
  if (node.kind === 'word') return node.negate ? '\\B' : '\\b';
  throw new Error(`unsupported: ${node.raw}`);
}

/** Repeats a part. Lazy quantifiers become greedy ones, which does not change whether a text matches. */
function repeat(part: Translated, min: number, max: number): Translated {
  if (min === 0 && max === Number.POSITIVE_INFINITY) return enlarge(part, `(?:${part.text})*`, part.size + 1);
  if (max === Number.POSITIVE_INFINITY) return join([copy(part, min), repeat(part, 0, max)]);
  return join([copy(part, min), copy(enlarge(part, `(?:${part.text})?`, part.size + 1), max - min)]);
}

/** Returns a part exactly `count` times in succession. */
function copy(part: Translated, count: number): Translated {
  if (count === 0) return { text: '(?:)', size: 1, repetitions: 1 };
  if (count === 1) return part;
  const size = part.size * count;
  limitSize({ ...part, size });
  const atOnce = Math.floor(MAX_REPETITIONS / part.repetitions);
  if (atOnce < 2) return limitSize(enlarge(part, part.text.repeat(count), size));
  const whole = Math.floor(count / atOnce);
  const rest = count % atOnce;
  const text = `(?:${part.text}){${atOnce}}`.repeat(whole) + (rest > 0 ? `(?:${part.text}){${rest}}` : '');
  return limitSize({ text, size, repetitions: part.repetitions * Math.min(count, atOnce) });
}

function enlarge(part: Translated, text: string, size: number): Translated {
  return { text, size, repetitions: part.repetitions };
}

/**
 * The place of the surrogates in a text that `separateSurrogates` has converted: private characters, which no such text
 * contains.
 */
const SEPARATED = 0x10_00_00;

/**
 * Replaces each surrogate in a text by a character of its own, so that RE2 does not join two of them to one character.
 */
export function separateSurrogates(text: string): string {
  return text.replaceAll(/[\ud800-\udfff]/g, (unit) => String.fromCodePoint(SEPARATED + unit.charCodeAt(0)));
}

function formatClass(ranges: Ranges, isUnicode: boolean): string {
  const placed = isUnicode ? ranges : ranges.flatMap(separateRange);
  if (placed.length === 0) return '[^\\x{0}-\\x{10FFFF}]';
  return `[${placed.map(([first, last]) => (first === last ? toHex(first) : `${toHex(first)}-${toHex(last)}`)).join('')}]`;
}

function toHex(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

function separateRange([first, last]: Ranges[number]): Ranges {
  const [low, high] = SURROGATES;
  const cut: Ranges = [
    [first, Math.min(last, low - 1)],
    [Math.max(first, high + 1), last],
    [Math.max(first, low) + SEPARATED, Math.min(last, high) + SEPARATED],
  ];
  return cut.filter(([from, to]) => from <= to);
}
