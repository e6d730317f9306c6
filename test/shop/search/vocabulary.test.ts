import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVocabulary } from '../../../src/shop/search/vocabulary.ts';
import type { Product } from '../../../src/shop/types.ts';
import { createCatalogue } from '../../support/fixtures/catalogue-builders.ts';

/** Words that share long beginnings, that objects have for keys, of other scripts, and of letters that take two characters. */
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

function catalogueWith(entries: readonly Entry[]): readonly Product[] {
  return createCatalogue(
    entries.map(({ name, keywords }) => [name.join(' '), ...keywords.map((words) => words.join('-'))]),
  );
}

function distinct(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ name, keywords }) => [...name, ...keywords.flat()]))];
}

/** The words that a vocabulary finds, in the order of the alphabet. */
function wordsOf(ids: readonly number[], texts: readonly string[]) {
  return ids.map((id) => texts[id] ?? '').toSorted();
}

describe('a vocabulary', () => {
  it('has each word of names and keywords once', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const { words, getId: idOf } = createVocabulary(catalogueWith(entries));
        expect(words).toEqual(distinct(entries));
        expect(words.map(idOf)).toEqual(words.map((_, id) => id));
      }),
    );
  });

  it('finds the words that begin with a text, however long it is', () => {
    fc.assert(
      fc.property(anyEntries, anyWord, (entries, text) => {
        const { words, findByPrefix: beginningWith } = createVocabulary(catalogueWith(entries));
        const expected = distinct(entries).filter((word) => word.startsWith(text));
        expect(wordsOf(beginningWith(text), words)).toEqual(expected.toSorted());
      }),
      { numRuns: 300 },
    );
  });

  it('finds each word by each of its beginnings', () => {
    fc.assert(
      fc.property(anyEntries, fc.integer({ min: 1, max: 12 }), (entries, length) => {
        const { words, findByPrefix: beginningWith } = createVocabulary(catalogueWith(entries));
        words.forEach((word, id) => {
          expect(beginningWith(word.slice(0, length))).toContain(id);
        });
      }),
    );
  });

  it('knows where each word stands: in a name, or in keywords alone', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const { words, getPostings: placesOf } = createVocabulary(catalogueWith(entries));
        words.forEach((word, id) => {
          const expected = entries.flatMap(({ name, keywords }, place) => {
            if (name.includes(word)) return [2 * place];
            return keywords.flat().includes(word) ? [2 * place + 1] : [];
          });
          expect([...placesOf(id)]).toEqual(expected);
        });
      }),
    );
  });

  it('finds words by their ends, their sound and their consonants', () => {
    const {
      words,
      findByEnds: withEnds,
      findByPhoneticCode: sounding,
      findByConsonants: withSkeleton,
    } = createVocabulary(createCatalogue([['Kettle Kitten Sox', 'socks', 'kettle'], ['Кофе Cat']]));
    expect(wordsOf(withEnds('ktle'), words)).toEqual(['kettle']);
    expect(wordsOf(withEnds('кофе'), words)).toEqual(['кофе']);
    expect(withEnds('k')).toEqual([]);
    expect(withEnds('')).toEqual([]);
    expect(wordsOf(sounding('saks'), words)).toEqual(['socks', 'sox']);
    expect(sounding('constructor')).toEqual([]);
    expect(wordsOf(withSkeleton('ktl'), words)).toEqual(['kettle']);
    expect(withSkeleton('__proto__')).toEqual([]);
  });

  it.each([
    ['no products', [], []],
    ['an empty name', [['']], []],
    ['nothing but marks', [['\n\0 🫖 – __', ',', '\u0301']], []],
    ['words on several lines', [['so\ncks\0mug', 'a\tb']], ['so', 'cks', 'mug', 'a', 'b']],
    ['names of objects', [['__proto__ constructor', 'hasOwnProperty']], ['proto', 'constructor', 'hasownproperty']],
    ['accents and other cases', [['Café CAFE ｃａｆｅ́', 'cafe']], ['cafe']],
    ['an apostrophe', [["Chef's Chef’s"]], ['chefs']],
    ['a word that is too long', [[`${'x'.repeat(31)}yz`, 'x'.repeat(31)]], ['x'.repeat(31)]],
  ] as const)('of %s has its words', (_what, entries, expected) => {
    const { words, findByPrefix: beginningWith, getPostings: placesOf } = createVocabulary(createCatalogue(entries));
    expect(words).toEqual(expected);
    words.forEach((word, id) => {
      expect(beginningWith(word)).toContain(id);
      expect(placesOf(id)).toHaveLength(1);
    });
  });

  it('finds any number of words that begin alike', () => {
    const many = Array.from({ length: 5000 }, (_, at) => `kettle${at}`);
    const { findByPrefix: beginningWith } = createVocabulary(createCatalogue(many.map((name) => [name])));
    expect(beginningWith('k')).toHaveLength(many.length);
    expect(beginningWith('kettle')).toHaveLength(many.length);
    expect(beginningWith('kettle499')).toHaveLength(11);
  });

  it('finds nothing by a word that it lacks', () => {
    const { getId: idOf, findByPrefix: beginningWith } = createVocabulary(createCatalogue([['Kettle']]));
    for (const word of ['__proto__', 'constructor', 'kettles', 'KETTLE', '\0', '🫖', 'ettle', 'x'.repeat(40)]) {
      expect(idOf(word), word).toBeUndefined();
      expect(beginningWith(word), word).toEqual([]);
    }
  });
});
