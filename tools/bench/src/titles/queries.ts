import { createRandom, mixSeed } from '../../../../src/util/random.ts';
import { byEar, oneTypo, otherNumber } from '../search/misspell.ts';
import type { TitledItem } from './data.ts';
import { type Facts, findRelevant, measuresIn, type Need, UNITS, wordsIn } from './facts.ts';
import {
  collectBrands,
  collectNouns,
  countProducts,
  isClear,
  pickHyphenated,
  pickJoined,
  pickNoun,
  pickPlain,
  pickSplit,
  pickWordExcept,
  type Source,
  STOP_WORDS,
  shuffle,
} from './title-words.ts';

/**
 * A query. `kind`: its class, such as `typo`. `needs`: what a product must have to be relevant. `isHeldOut`: whether the query is only for measuring, and
 * not for development.
 */
export interface TitleQuery {
  readonly kind: string;
  readonly term: string;
  readonly needs: readonly Need[];
  readonly isHeldOut: boolean;
}

/** Creates a query of a class for a product. Returns undefined if the product is not suitable for the class. */
type Maker = (item: TitledItem, source: Source) => Omit<TitleQuery, 'kind' | 'isHeldOut'> | undefined;

const PER_CLASS = 150;
const SEED = 2_020;
const TRIES = 20_000;
/** The maximum number of relevant products. A query with more relevant products says little about ranking. */
const MAX_RELEVANT = 1_500;

const word = (text: string): Need => ({ kind: 'word', text });

const FILLERS = [
  'best {}',
  'cheap {}',
  'i am looking for a {}',
  'a good {}',
  'where can i buy {}',
  'show me {}',
  'new {}',
  '{} please',
];
const LINKS = [
  '{0} for {1}',
  '{0} with {1}',
  'best {0} for my {1}',
  'i need a {0} for {1}',
  'good {0} with {1}',
  'the {0} from {1}',
];

/**
 * The functions that create the queries of each class:
 *
 * - Brand: a brand, or a brand and a noun.
 * - Plural: the plural of a noun in the title, or the singular if the title has the plural.
 * - Unit: a word of the title, and a measure with a different spelling than in the title.
 * - Model number: as in the title, without separators, or with spaces between letters and digits.
 * - Compound: a compound with a different spelling than in the title: joined, separated or with a hyphen.
 * - Typo: a word with one or two typos.
 * - Phonetic: a word that is spelled as it sounds.
 * - Natural phrase: one or two nouns in a phrase, such as "i need a bag for camera".
 * - Partial: one or two words of the title, and the beginning of another word.
 */
const makers: Readonly<Record<string, Maker>> = {
  brand: (item, { brands, random }) => {
    const brand = [item.brand, wordsIn(item.name).slice(0, 2).join(' '), wordsIn(item.name)[0] ?? ''].find((name) =>
      brands.has(name),
    );
    if (brand === undefined) return undefined;
    const needs = wordsIn(brand).map(word);
    if (random.next() < 0.5) return { term: brand, needs };
    const noun = pickWordExcept(item, random, brand);
    return noun === undefined ? undefined : { term: `${brand} ${noun}`, needs: [...needs, word(noun)] };
  },
  plural: (item, source) => {
    const noun = pickNoun(item, source);
    if (noun === undefined) return undefined;
    return withCompany(otherNumber(noun), noun, item, source);
  },
  unit: (item, { facts, random }) => {
    const measures = measuresIn(item.name);
    const company = pickPlain(item, random, facts);
    if (measures.length === 0 || company === undefined) return undefined;
    const measure = random.pick(measures);
    const [number = '', unit = ''] = measure.split(' ');
    const name = random.pick(UNITS.find((names) => names.includes(unit)) ?? [unit]);
    const spelled = name === '"' ? `${number}"` : number + random.pick(['', ' ', '-']) + name;
    if (item.name.toLowerCase().includes(spelled)) return undefined;
    const term = random.next() < 0.5 ? `${spelled} ${company}` : `${company} ${spelled}`;
    return { term, needs: [{ kind: 'measure', text: measure }, word(company)] };
  },
  'model number': (item, { random }) => {
    const models = item.name.toLowerCase().match(/[a-z0-9][a-z0-9/.-]{3,}[a-z0-9]/g) ?? [];
    const fit = models.filter((model) => /\d.*\d/.test(model) && /[a-z]/.test(model) && measuresIn(model).length === 0);
    if (fit.length === 0) return undefined;
    const model = random.pick(fit);
    const joined = wordsIn(model).join('');
    const spaced = joined.replaceAll(/(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])/g, ' ');
    const spellings = [model, joined, wordsIn(model).join(' '), spaced, spaced.replace(' ', '-'), model.toUpperCase()];
    return { term: random.pick(spellings), needs: [word(joined)] };
  },
  compound: (item, source) => {
    const compound = source.random.pick([pickHyphenated, pickJoined, pickSplit])(item, source);
    if (compound === undefined) return undefined;
    const spellings = [compound.join(''), compound.join(' '), compound.join('-')].filter(
      (text) => !item.name.toLowerCase().includes(text),
    );
    return spellings.length === 0
      ? undefined
      : { term: source.random.pick(spellings), needs: [word(compound.join(''))] };
  },
  typo: (item, source) => {
    const plain = pickPlain(item, source.random, source.facts, 5);
    if (plain === undefined) return undefined;
    const once = oneTypo(plain, source.random);
    const typed = plain.length > 7 && source.random.next() < 0.25 ? oneTypo(once, source.random) : once;
    return isClear(typed, plain, source.facts) ? withCompany(typed, plain, item, source) : undefined;
  },
  phonetic: (item, source) => {
    const plain = pickPlain(item, source.random, source.facts, 4);
    const typed = plain === undefined ? undefined : byEar(plain, source.random);
    if (plain === undefined || typed === undefined) return undefined;
    return isClear(typed, plain, source.facts) ? withCompany(typed, plain, item, source) : undefined;
  },
  'natural phrase': (item, { facts, nouns, random }) => {
    const words = wordsIn(item.name).filter(
      (text) => /^[a-z]{3,}$/.test(text) && !STOP_WORDS.has(text) && countProducts(text, facts) >= 5,
    );
    const own = words.filter((text) => nouns.has(text));
    if (own.length === 0 || words.length < 3) return undefined;
    const noun = random.pick(own);
    const others = words.filter((text) => text !== noun && otherNumber(text) !== noun);
    if (others.length === 0) return undefined;
    const other = random.pick(others);
    const needs = [word(noun), word(other)];
    if (random.next() < 0.5) return { term: random.pick(FILLERS).replace('{}', `${other} ${noun}`), needs };
    return { term: random.pick(LINKS).replace('{0}', noun).replace('{1}', other), needs };
  },
  partial: (item, { random }) => {
    const words = [...new Set(wordsIn(item.name).filter((text) => text.length >= 3 && !STOP_WORDS.has(text)))];
    const long = words.filter((text) => /^[a-z]{5,}$/.test(text));
    if (long.length === 0) return undefined;
    const last = random.pick(long);
    const start = last.slice(0, random.integer(3, last.length - 1));
    const others = shuffle(
      words.filter((text) => text !== last),
      random,
    ).slice(0, random.integer(1, 2));
    return { term: [...others, start].join(' '), needs: [...others.map(word), { kind: 'start', text: start }] };
  },
};

/** Creates up to 150 queries of each class, with a fixed random seed. Every second query is held out. */
export function makeTitleQueries(facts: Facts): readonly TitleQuery[] {
  const nouns = collectNouns(facts);
  const brands = collectBrands(facts);
  return Object.entries(makers).flatMap(([kind, make]) => {
    const random = createRandom(mixSeed(SEED, kind));
    const made = new Map<string, TitleQuery>();
    for (let tries = 0; tries < TRIES && made.size < PER_CLASS; tries++) {
      const query = make(random.pick(facts.items), { facts, nouns, brands, random });
      if (!query || made.has(query.term)) continue;
      const { size } = findRelevant(query.needs, facts);
      if (size > 0 && size <= MAX_RELEVANT) made.set(query.term, { ...query, kind, isHeldOut: made.size % 2 === 1 });
    }
    return [...made.values()];
  });
}

/** Kinds of products for which a catalogue also contains many accessories. A product is relevant if its category is the kind. */
const HEADS = [
  'camera',
  'digital camera',
  'printer',
  'mouse',
  'keyboard',
  'monitor',
  'headphones',
  'projector',
  'video projector',
  'camcorder',
  'hard drive',
  'mp3 player',
  'webcam',
  'shredder',
  'computer',
  'radio',
  'graphics card',
  'memory card',
  'usb flash drive',
  'cordless telephone',
  'dvd player',
  'car stereo',
  'switch',
  'watch',
  'shoes',
  'hdmi cable',
];

/** Creates the queries for kinds of products. Their results are reported in addition to the nine classes. */
export function makeHeadQueries(facts: Facts): readonly TitleQuery[] {
  return HEADS.flatMap((term, at) => {
    const needs: readonly Need[] = [{ kind: 'category', text: term }];
    return findRelevant(needs, facts).size < 3 ? [] : [{ kind: 'head term', term, needs, isHeldOut: at % 2 === 1 }];
  });
}

/**
 * Returns the query for a typed word. With probability 1/2, another word of the same title comes before the typed word. `meant`: the correct spelling of the
 * typed word.
 */
function withCompany(typed: string, meant: string, item: TitledItem, { facts, random }: Source) {
  const company = random.next() < 0.5 ? pickPlain(item, random, facts, 3, meant) : undefined;
  if (company === undefined) return { term: typed, needs: [word(meant)] };
  return { term: `${company} ${typed}`, needs: [word(company), word(meant)] };
}
