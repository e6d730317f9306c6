import type { AST } from '@eslint-community/regexpp';
import type { Random } from '../../util/random.ts';
import { type CharacterNode, getRanges, intersect, type Ranges } from './character-ranges.ts';
import { createNative, parseTree } from './pattern.ts';

/** Counts the work to generate texts. The methods throw an error if there is too much. */
interface WorkCounter {
  /** Is called before the characters are generated. */
  addCharacters(count: number): void;
  addSteps(count: number): void;
}

/**
 * Generates texts for a pattern.
 * The caller must check whether a text matches, because lookaround and word boundaries are ignored.
 */
export interface TextGenerator {
  /** The lengths of the texts that can be generated, in characters. */
  readonly lengths: Lengths;
  /** The length of a text in which most parts are repeated a few times. */
  readonly usualLength: number;
  /** Generates a text. Its length is `length`, if the pattern has such a text, else a similar length. */
  generate(length: number, random: Random, counter: WorkCounter): string;
}

interface Lengths {
  readonly min: number;
  readonly max: number;
}

/**
 * Creates a generator of texts for a pattern.
 * Throws an error if the pattern is invalid, or if its syntax is not supported.
 */
export function createTextGenerator(source: string): TextGenerator {
  const isUnicode = createNative(source)?.unicode === true;
  const { alternatives } = parseTree(source, isUnicode);
  const lengths = joinAlternatives(alternatives.map(getLengths));
  const usualLength = Math.max(...alternatives.map(({ elements }) => addUp(elements.map(getUsualLength))));
  return {
    lengths,
    usualLength,
    generate: (length, random, counter) =>
      new TextWriter(isUnicode, random, counter).choose(alternatives, Math.max(length, lengths.min)),
  };
}

/**
 * The number of repetitions of a part in a text of the usual length.
 * A text of six random characters is probably unique.
 */
const USUAL_REPETITIONS = 6;

const knownUsual = new WeakMap<AST.Element, number>();

function getUsualLength(node: AST.Element): number {
  const found = knownUsual.get(node) ?? computeUsualLength(node);
  knownUsual.set(node, found);
  return found;
}

function computeUsualLength(node: AST.Element): number {
  if ('alternatives' in node && node.type !== 'Assertion')
    return Math.max(...node.alternatives.map(({ elements }) => addUp(elements.map(getUsualLength))));
  if (node.type !== 'Quantifier') return getLengths(node).min;
  const count = Math.max(node.min, Math.min(node.max, USUAL_REPETITIONS));
  return count === 0 ? 0 : count * getUsualLength(node.element);
}

const NO_TEXT: Lengths = { min: 0, max: 0 };

const known = new WeakMap<AST.Element | AST.Alternative, Lengths>();

/** Returns the lengths of the texts that a part can match. The lengths of a backreference are not known. */
function getLengths(node: AST.Element | AST.Alternative): Lengths {
  const found = known.get(node) ?? computeLengths(node);
  known.set(node, found);
  return found;
}

function computeLengths(node: AST.Element | AST.Alternative): Lengths {
  if (node.type === 'Assertion' || node.type === 'Backreference') return NO_TEXT;
  if (node.type === 'Alternative') {
    const parts = node.elements.map(getLengths);
    return { min: addUp(parts.map(({ min }) => min)), max: addUp(parts.map(({ max }) => max)) };
  }
  if (node.type === 'Quantifier') {
    const { min, max } = getLengths(node.element);
    return { min: min * node.min, max: max === 0 || node.max === 0 ? 0 : max * node.max };
  }
  return 'alternatives' in node ? joinAlternatives(node.alternatives.map(getLengths)) : { min: 1, max: 1 };
}

function joinAlternatives(lengths: readonly Lengths[]): Lengths {
  return {
    min: lengths.reduce((least, { min }) => Math.min(least, min), Number.POSITIVE_INFINITY),
    max: lengths.reduce((most, { max }) => Math.max(most, max), 0),
  };
}

function addUp(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Writes one text for a pattern. */
class TextWriter {
  /** The texts of the groups, for backreferences. */
  readonly #groups = new Map<AST.CapturingGroup, string>();

  constructor(
    private readonly isUnicode: boolean,
    private readonly random: Random,
    private readonly counter: WorkCounter,
  ) {}

  /** Writes one of the alternatives that can have the length, else one with the closest length. */
  choose(alternatives: readonly AST.Alternative[], length: number): string {
    this.counter.addSteps(alternatives.length);
    const getDistance = (alternative: AST.Alternative) => {
      const { min, max } = getLengths(alternative);
      return Math.max(0, min - length, length - max);
    };
    const distances = alternatives.map(getDistance);
    const closest = distances.reduce((least, distance) => Math.min(least, distance));
    const { elements } = this.random.pick(alternatives.filter((_, index) => distances[index] === closest));
    return this.#writeAll(elements, length);
  }

  /**
   * Writes parts one after the other.
   * Each part gets its minimum length, then its usual length, and then the rest, until the whole length is reached.
   */
  #writeAll(elements: readonly AST.Element[], length: number): string {
    const limits = elements.map(getLengths);
    const lengths = limits.map(({ min }) => min);
    let rest = length - addUp(lengths);
    for (const wanted of [elements.map(getUsualLength), limits.map(({ max }) => max)]) {
      for (const [index, most] of wanted.entries()) {
        const added = Math.max(0, Math.min(rest, most - (lengths[index] ?? 0)));
        lengths[index] = (lengths[index] ?? 0) + added;
        rest -= added;
      }
    }
    return elements.map((element, index) => this.#write(element, lengths[index] ?? 0)).join('');
  }

  #write(node: AST.Element, length: number): string {
    switch (node.type) {
      case 'Assertion':
        return '';
      case 'Group':
        return this.choose(node.alternatives, length);
      case 'CapturingGroup': {
        const text = this.choose(node.alternatives, length);
        this.#groups.set(node, text);
        return text;
      }
      case 'Quantifier':
        return this.#repeat(node, length);
      case 'Backreference': {
        const text = this.#groups.get([node.resolved].flat()[0] as AST.CapturingGroup) ?? '';
        this.counter.addCharacters(text.length);
        return text;
      }
      default:
        this.counter.addCharacters(1);
        return chooseCharacter(node, this.isUnicode, this.random);
    }
  }

  /** Repeats a part until the length is reached. */
  #repeat({ element, min, max }: AST.Quantifier, length: number): string {
    const one = getLengths(element);
    const wanted = one.max === 0 || length === 0 ? 0 : Math.max(1, Math.ceil(length / one.max));
    const count = Math.min(max, Math.max(min, wanted));
    this.counter.addSteps(count);
    let rest = length - count * one.min;
    let text = '';
    for (let index = 0; index < count; index++) {
      const added = Math.max(0, Math.min(Math.ceil(rest / (count - index)), one.max - one.min));
      rest -= added;
      text += this.#write(element, one.min + added);
    }
    return text;
  }
}

const LETTERS_AND_DIGITS: Ranges = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x61, 0x7a],
];

/**
 * Characters in the order in which they are preferred: those of ASCII, letters of Europe, and others without surrogates
 * and control characters.
 */
const PREFERRED: readonly Ranges[] = [
  [[0x20, 0x7e]],
  [[0xa1, 0x2_4f]],
  [
    [0x2_50, 0xd7_ff],
    [0xe0_00, 0xff_fd],
  ],
];

/** The probability of a letter or digit, if other characters are allowed too. */
const LETTER_PROBABILITY = 0.8;

/** The characters of a part of a pattern: letters and digits, and all preferred characters. */
interface Choice {
  readonly usual: Ranges;
  readonly all: Ranges;
}

const choices = new WeakMap<AST.Element, Choice>();

function chooseCharacter(node: CharacterNode, isUnicode: boolean, random: Random): string {
  const choice = choices.get(node as AST.Element) ?? createChoice(getRanges(node, isUnicode));
  choices.set(node as AST.Element, choice);
  const isUsual = choice.usual.length > 0 && random.next() < LETTER_PROBABILITY;
  return pickCharacter(isUsual ? choice.usual : choice.all, random);
}

function createChoice(ranges: Ranges): Choice {
  const candidates = [...PREFERRED.map((preferred) => intersect(ranges, preferred)), ranges];
  return { usual: intersect(ranges, LETTERS_AND_DIGITS), all: candidates.find(({ length }) => length > 0) ?? [] };
}

function pickCharacter(ranges: Ranges, random: Random): string {
  if (ranges.length === 0) return '';
  const [first, last] = random.pick(ranges);
  return String.fromCodePoint(random.integer(first, last));
}
