import type { AST } from '@eslint-community/regexpp';

/** Characters, as ranges of code points or code units. The ranges are in ascending order and do not touch. */
export type Ranges = readonly (readonly [first: number, last: number])[];

/** The characters of a mode: code points in Unicode mode, else code units. */
const LAST_CODE_POINT = 0x10_ff_ff;
const LAST_CODE_UNIT = 0xff_ff;

const DIGITS: Ranges = [[0x30, 0x39]];
const WORD: Ranges = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** The white space and the line terminators of ECMAScript (ECMA-262, sections 12.2 and 12.3). */
const SPACE: Ranges = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x16_80, 0x16_80],
  [0x20_00, 0x20_0a],
  [0x20_28, 0x20_29],
  [0x20_2f, 0x20_2f],
  [0x20_5f, 0x20_5f],
  [0x30_00, 0x30_00],
  [0xfe_ff, 0xfe_ff],
];
const LINE_ENDS: Ranges = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x20_28, 0x20_29],
];

/** A part of a pattern that matches one character. */
export type CharacterNode =
  | AST.Character
  | AST.CharacterClass
  | AST.CharacterSet
  | AST.CharacterClassRange
  | AST.ExpressionCharacterClass;

/** Returns the characters that a part of a pattern matches. */
export function getRanges(node: CharacterNode, isUnicode: boolean): Ranges {
  switch (node.type) {
    case 'Character':
      return [[node.value, node.value]];
    case 'CharacterClassRange':
      return [[node.min.value, node.max.value]];
    case 'CharacterSet':
      return getSetRanges(node, isUnicode);
    case 'CharacterClass': {
      const elements = node.elements as readonly CharacterNode[];
      const ranges = unite(elements.flatMap((element) => getRanges(element, isUnicode)));
      return node.negate ? complement(ranges, isUnicode) : ranges;
    }
    default:
      throw new Error(`unsupported: ${node.raw}`);
  }
}

function getSetRanges(set: AST.CharacterSet, isUnicode: boolean): Ranges {
  if (set.kind === 'any') return complement(LINE_ENDS, isUnicode);
  if (set.kind === 'property') return getPropertyRanges(set.raw);
  const ranges = { digit: DIGITS, space: SPACE, word: WORD }[set.kind];
  return set.negate ? complement(ranges, isUnicode) : ranges;
}

/** The ranges of the Unicode properties in use, by property. */
const properties = new Map<string, Ranges>();

/**
 * The maximum number of Unicode properties whose characters are determined.
 * Patterns with further properties are not supported.
 */
const MAX_PROPERTIES = 20;

/**
 * Returns the characters of a Unicode property such as `\p{Lu}`.
 * Node's engine is asked for each character, which takes 50 ms, because its version of Unicode must apply.
 */
function getPropertyRanges(property: string): Ranges {
  const known = properties.get(property);
  if (known) return known;
  if (properties.size >= MAX_PROPERTIES) throw new Error(`unsupported: ${property}`);
  const [one, run] = [new RegExp(property, 'u'), new RegExp(`${property}+`, 'gu')];
  const ranges = getAssignedTexts().flatMap((text) =>
    [...text.matchAll(run)].map(([found]): [number, number] => [found.codePointAt(0) ?? 0, getLastCodePoint(found)]),
  );
  const similar = SIMILAR.filter(([first]) => one.test(String.fromCodePoint(first)));
  const all = unite([...ranges, ...similar]);
  properties.set(property, all);
  return all;
}

/** The code units that form characters above U+FFFF in pairs. */
const SURROGATES: readonly [number, number] = [0xd8_00, 0xdf_ff];

/** The ranges that have assigned characters with different properties. */
const ASSIGNED: Ranges = [
  [0, SURROGATES[0] - 1],
  [SURROGATES[1] + 1, 0x3_ff_ff],
  [0xe_00_00, 0xe_0f_ff],
];

/**
 * The ranges whose characters have the same properties: surrogates, unassigned and private characters, and the two last
 * code points of each plane.
 */
const SIMILAR: Ranges = [
  SURROGATES,
  ...[4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16].flatMap((plane): Ranges => {
    const first = plane * 0x1_00_00;
    return [
      [first === 0xe_00_00 ? 0xe_10_00 : first, first + 0xff_fd],
      [first + 0xff_fe, first + 0xff_ff],
    ];
  }),
];

let assignedTexts: readonly string[] | undefined;

/**
 * Returns all characters of each range in `ASSIGNED`.
 * Two surrogates beside each other would be another character, so they are not among them.
 */
function getAssignedTexts(): readonly string[] {
  assignedTexts ??= ASSIGNED.map(joinCharacters);
  return assignedTexts;
}

function joinCharacters([first, last]: Ranges[number]): string {
  let text = '';
  for (let code = first; code <= last; code += CHUNK) {
    const length = Math.min(CHUNK, last - code + 1);
    text += String.fromCodePoint(...Array.from({ length }, (_, index) => code + index));
  }
  return text;
}

/** The number of characters that are joined at once, as arguments of one call. */
const CHUNK = 4_096;

function getLastCodePoint(text: string): number {
  const last = text.charCodeAt(text.length - 1);
  const isPair = last >= 0xdc_00 && last <= SURROGATES[1];
  return isPair ? (text.codePointAt(text.length - 2) ?? 0) : last;
}

/** Returns ranges in ascending order, in which overlapping and adjacent ranges are joined. */
function unite(ranges: Ranges): Ranges {
  const joined: [number, number][] = [];
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const previous = joined.at(-1);
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

function complement(ranges: Ranges, isUnicode: boolean): Ranges {
  const others: [number, number][] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next) others.push([next, first - 1]);
    next = last + 1;
  }
  const end = isUnicode ? LAST_CODE_POINT : LAST_CODE_UNIT;
  return next <= end ? [...others, [next, end]] : others;
}

/** Returns the characters that are in both ranges. */
export function intersect(a: Ranges, b: Ranges): Ranges {
  return a.flatMap(([first, last]) =>
    b.flatMap(([from, to]): Ranges => {
      const [least, most] = [Math.max(first, from), Math.min(last, to)];
      return least <= most ? [[least, most]] : [];
    }),
  );
}

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
