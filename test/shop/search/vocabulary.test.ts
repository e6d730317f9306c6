import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVocabulary as createVocabularyInSteps } from '../../../src/shop/search/vocabulary.ts';
import type { Product } from '../../../src/shop/types.ts';
import { runAtOnce } from '../../../src/util/slices.ts';
import { createCatalogue } from '../../support/fixtures/catalogue-builders.ts';

/** Words with long common prefixes, names of object properties, words of other scripts, and letters with two UTF-16 code units. */
const anyWord = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 12 }),
  fc.constantFrom('constructor', 'hasownproperty', 'proto', 'tostring', 'length', 'кофе', '日本語', '0', '123'),
  fc.string({ unit: fc.constantFrom('\u{20000}', '\u{20001}', 'a'), minLength: 1, maxLength: 8 }),
);

const anyWords = fc.array(anyWord, { maxLength: 4 });
const anyEntry = fc.record({ name: anyWords, keywords: fc.array(anyWords, { maxLength: 3 }) });
const anyEntries = fc.array(anyEntry, { maxLength: 8 });

interface Entry {
  readonly name: readonly string[];
  readonly keywords: readonly (readonly string[])[];
}

function createVocabulary(products: readonly Product[]) {
  return runAtOnce(createVocabularyInSteps(products));
}

function createTestCatalogue(entries: readonly Entry[]): readonly Product[] {
  return createCatalogue(
    entries.map(({ name, keywords }) => [name.join(' '), ...keywords.map((words) => words.join('/'))]),
  );
}

function getDistinctWords(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ name, keywords }) => [...name, ...keywords.flat()]))];
}

/** Returns the words with some ids in alphabetical order. */
function getWords(ids: readonly number[], words: readonly string[]) {
  return ids.map((id) => words[id] ?? '').toSorted();
}

describe('a vocabulary', () => {
  it('contains each word of names and keywords once', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const { words, getId } = createVocabulary(createTestCatalogue(entries));
        expect(words).toEqual(getDistinctWords(entries));
        expect(words.map(getId)).toEqual(words.map((_, id) => id));
      }),
    );
  });

  it('finds the words that start with a text of any length', () => {
    fc.assert(
      fc.property(anyEntries, anyWord, (entries, text) => {
        const { words, findByPrefix } = createVocabulary(createTestCatalogue(entries));
        const expected = getDistinctWords(entries).filter((word) => word.startsWith(text));
        expect(getWords(findByPrefix(text), words)).toEqual(expected.toSorted());
      }),
      { numRuns: 300 },
    );
  });

  it('finds each word by each of its prefixes', () => {
    fc.assert(
      fc.property(anyEntries, fc.integer({ min: 1, max: 12 }), (entries, length) => {
        const { words, findByPrefix } = createVocabulary(createTestCatalogue(entries));
        words.forEach((word, id) => {
          expect(findByPrefix(word.slice(0, length))).toContain(id);
        });
      }),
    );
  });

  it('returns the products whose name contains a word, and those of which only the keywords contain it', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const { words, getPostings } = createVocabulary(createTestCatalogue(entries));
        words.forEach((word, id) => {
          const expected = entries.flatMap(({ name, keywords }, index) => {
            if (name.includes(word)) return [2 * index];
            return keywords.flat().includes(word) ? [2 * index + 1] : [];
          });
          expect([...getPostings(id)]).toEqual(expected);
        });
      }),
    );
  });

  it('contains the joined forms of compounds and measures, which only an equal word finds', () => {
    const catalogue = createCatalogue([
      ['T-Shirt', '6-foot'],
      ['Tshirt 3.5 mm', 't-shirt'],
    ]);
    const { words, getId, getPostings, findByPrefix, findByInfix, findSimilar } = createVocabulary(catalogue);
    const find = (word: string) => [...getPostings(getId(word) ?? -1)];
    expect(['tshirt', '6ft', '3.5mm'].map(find)).toEqual([[0, 2], [1], [2]]);
    expect(getWords(findByPrefix('6'), words)).toEqual(['6']);
    expect(findByInfix('6ft')).toEqual([]);
    expect(findSimilar('3.5m')).toEqual([]);
  });

  it('finds words by their first and last letters, their sound and their consonants', () => {
    const { words, findByEnds, findByPhoneticCode, findByConsonants } = createVocabulary(
      createCatalogue([['Kettle Kitten Sox', 'socks', 'kettle'], ['Кофе Cat']]),
    );
    expect(getWords(findByEnds('ktle'), words)).toEqual(['kettle']);
    expect(getWords(findByEnds('кофе'), words)).toEqual(['кофе']);
    expect(findByEnds('k')).toEqual([]);
    expect(findByEnds('')).toEqual([]);
    expect(getWords(findByPhoneticCode('saks'), words)).toEqual(['socks', 'sox']);
    expect(findByPhoneticCode('constructor')).toEqual([]);
    expect(getWords(findByConsonants('ktl'), words)).toEqual(['kettle']);
    expect(findByConsonants('__proto__')).toEqual([]);
  });

  it.each([
    ['no products', [], []],
    ['an empty name', [['']], []],
    ['only symbols and separators', [['\n\0 🫖 – __', ',', '\u0301']], []],
    ['words on several lines', [['so\ncks\0mug', 'a\tb']], ['so', 'cks', 'mug', 'a', 'b']],
    [
      'names of object properties',
      [['__proto__ constructor', 'hasOwnProperty']],
      ['proto', 'constructor', 'hasownproperty'],
    ],
    ['accents and different letter cases', [['Café CAFE ｃａｆｅ́', 'cafe']], ['cafe']],
    ['an apostrophe', [["Chef's Chef’s"]], ['chefs']],
    ['a word that is too long', [[`${'x'.repeat(31)}yz`, 'x'.repeat(31)]], ['x'.repeat(31)]],
  ] as const)('of %s contains its words', (_what, entries, expected) => {
    const { words, findByPrefix, getPostings } = createVocabulary(createCatalogue(entries));
    expect(words).toEqual(expected);
    words.forEach((word, id) => {
      expect(findByPrefix(word)).toContain(id);
      expect(getPostings(id)).toHaveLength(1);
    });
  });

  it('finds any number of words with a common prefix', () => {
    const many = Array.from({ length: 5000 }, (_, at) => `kettle${at}`);
    const { findByPrefix } = createVocabulary(createCatalogue(many.map((name) => [name])));
    expect(findByPrefix('k')).toHaveLength(many.length);
    expect(findByPrefix('kettle')).toHaveLength(many.length);
    expect(findByPrefix('kettle499')).toHaveLength(11);
  });

  it('finds nothing for a word that it does not contain', () => {
    const { getId, findByPrefix } = createVocabulary(createCatalogue([['Kettle']]));
    for (const word of ['__proto__', 'constructor', 'kettles', 'KETTLE', '\0', '🫖', 'ettle', 'x'.repeat(40)]) {
      expect(getId(word), word).toBeUndefined();
      expect(findByPrefix(word), word).toEqual([]);
    }
  });
});
