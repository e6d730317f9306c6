import type { CheckContext } from '../../check/check-context.ts';
import { examineAll } from '../../check/confirm-findings.ts';
import { createRandom, type Random } from '../../util/random.ts';
import type { Product } from '../types.ts';
import { findDifference } from './difference.ts';
import type { Model } from './model.ts';
import { createComparisons, type SearchCheck, search } from './search-comparisons.ts';
import { MIN_WORD_LENGTH, pickSome, splitWords } from './search-words.ts';
import { catchMismatch, ShopTester } from './shop-tester.ts';

/** A search term that must find a certain product. `description`: the kind of term for messages, such as "words with accents". */
type Term = readonly [term: string, description: string];

/** The minimum length of a word that the check misspells. */
const MIN_MISSPELLED_LENGTH = 5;

/** The number of random products for which the check creates search terms. */
const SEARCHED_PRODUCTS = 8;

/** Checks the product search of a shop, with search terms from the names and keywords of its products. */
export async function checkSearch({ session, seed }: CheckContext, model: Model): Promise<void> {
  const random = createRandom(seed);
  const { products } = model;
  const createTermChecks = (product: Product): readonly SearchCheck[] =>
    createTerms(product, random).map((term) => (tester) => checkTerm(tester, product, term));
  const searchChecks = [
    ...pickSome(products, SEARCHED_PRODUCTS, random).flatMap(createTermChecks),
    ...createComparisons(products, random),
  ];
  const examine = async (searchCheck: SearchCheck) => {
    const tester = new ShopTester({ session, check: 'behaviour' }, model);
    return (await catchMismatch(() => searchCheck(tester))).findings ?? [];
  };
  await examineAll(session, searchChecks, { examine, mustRunAlone: () => true });
}

async function checkTerm(tester: ShopTester, required: Product, [term, description]: Term): Promise<void> {
  const { products } = tester.model;
  const results = await search(tester, encodeURIComponent(term));
  const start = `The search for ${JSON.stringify(term)}`;
  if (!results.some(({ id }) => id === required.id)) {
    const message = `${start} does not find ${JSON.stringify(required.name)}: it must find ${description}`;
    tester.fail('listProducts', `finds ${description}`, message);
  }
  for (const result of results) {
    const listed = products.find(({ id }) => id === result.id);
    const difference = findDifference(listed, result);
    if (difference === undefined) continue;
    const message = `${start} finds the product ${result.id}, which differs from the same product in the list of all products: ${difference}`;
    tester.fail('listProducts', 'search results equal the listed products', message);
  }
}

/** Creates search terms that must find a product, such as its name in capitals or one of its words with a typing error. */
function createTerms(product: Product, random: Random): readonly Term[] {
  const texts = [product.name, ...product.keywords];
  const words = texts.flatMap(splitWords).filter((word) => word.length >= MIN_WORD_LENGTH);
  if (words.length === 0) return [];
  const word = random.pick(words);
  // Omits words with hyphens and apostrophes, because a server may search `t-shirt` as one word or as two words.
  const longWords = texts
    .flatMap((text) => text.split(/[\s,]+/))
    .filter((one) => one.length >= MIN_MISSPELLED_LENGTH && /^[a-z]+$/i.test(one));
  const keyword = product.keywords.find((one) => splitWords(one).some((part) => part.length >= MIN_WORD_LENGTH));
  const accented = word.replace(/[aeiou]/, (vowel) => `${vowel}\u0301`);
  return [
    [word, 'the words of names and keywords'],
    ...(keyword === undefined ? [] : [[keyword, 'keywords'] as const]),
    [word.toUpperCase(), 'words in any letter case'],
    [word.toLowerCase(), 'words in any letter case'],
    [product.name, 'whole names'],
    ...(longWords.length === 0 ? [] : misspell(random.pick(longWords), random)),
    ...(accented === word ? [] : [[accented, 'words with accents'] as const]),
    ...createKeywordBoundaryTerms(product),
  ];
}

/** Returns two misspellings of a word: one with a missing letter, and one with a wrong letter. The first letter stays the same. */
function misspell(word: string, random: Random): readonly Term[] {
  const index = random.integer(1, word.length - 1);
  const wrongLetter = word[index]?.toLowerCase() === 'x' ? 'z' : 'x';
  return [
    [word.slice(0, index) + word.slice(index + 1), 'words with a letter missing'],
    [word.slice(0, index) + wrongLetter + word.slice(index + 1), 'words with a wrong letter'],
  ];
}

/**
 * Returns a search term with a keyword and the start of the next keyword, such as "wool,hik". The shop must find the product, because a search treats all
 * keywords as one text, joined by commas. Returns no term if the keywords are too short.
 */
function createKeywordBoundaryTerms({ keywords }: Product): readonly Term[] {
  const [one = '', next = ''] = keywords.filter((keyword) => !keyword.includes(','));
  const areAdjacent = keywords.indexOf(next) === keywords.indexOf(one) + 1;
  if (!areAdjacent || one.length < 3 || next.length < 3) return [];
  return [[`${one},${next.slice(0, 3)}`, 'text across two keywords']];
}
