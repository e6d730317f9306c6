import type { CheckContext } from '../../check/check-context.ts';
import { examineAll } from '../../check/confirm-findings.ts';
import { createRandom, type Random } from '../../util/random.ts';
import type { Product } from '../types.ts';
import { findDifference } from './difference.ts';
import type { Model } from './model.ts';
import { createComparisons, MEANINGLESS_TERM, type SearchCheck, search } from './search-comparisons.ts';
import { MIN_WORD_LENGTH, splitWords } from './search-words.ts';
import { catchMismatch, ShopTester } from './shop-tester.ts';

/** A search term and the products that it must find. */
interface TermCase {
  readonly term: string;
  readonly required: readonly Product[];
  /** What the search must find, such as "all products for a blank term". */
  readonly description: string;
  /** Whether the search must find no other product. */
  readonly isExact?: boolean;
}

/** The minimum length of a word that is misspelled, in letters. */
const MIN_MISSPELLED_LENGTH = 5;

/** The number of products, chosen at random, for which search terms are created. */
const SEARCHED_PRODUCTS = 8;

/** Checks the product search with terms from the names and keywords of products. */
export async function checkSearch({ session, seed }: CheckContext, model: Model): Promise<void> {
  const random = createRandom(seed);
  const { products } = model;
  const termCases = Array.from({ length: products.length === 0 ? 0 : SEARCHED_PRODUCTS }, () =>
    createTermCases(random.pick(products), random),
  );
  const searchChecks: readonly SearchCheck[] = [
    ...[...createGeneralCases(model), ...termCases.flat()].map((one) => (tester: ShopTester) => checkTerm(tester, one)),
    ...createComparisons(products, random),
  ];
  const examine = async (searchCheck: SearchCheck) => {
    const tester = new ShopTester({ session, check: 'behaviour' }, model);
    return (await catchMismatch(() => searchCheck(tester))).findings ?? [];
  };
  await examineAll(session, searchChecks, { examine, mustRunAlone: () => true });
}

async function checkTerm(tester: ShopTester, { term, required, description, isExact }: TermCase): Promise<void> {
  const { products } = tester.model;
  const results = await search(tester, encodeURIComponent(term));
  const start = `The search for ${JSON.stringify(term)}`;
  const fail = (detail: string) =>
    tester.fail('listProducts', `finds ${description}`, `${start} ${detail}: it must find ${description}`);
  const missing = required.find(({ id }) => !results.some((product) => product.id === id));
  if (missing) fail(`does not find ${JSON.stringify(missing.name)}`);
  if (isExact && results.length !== required.length)
    fail(`finds ${results.length} products instead of ${required.length}`);
  for (const result of results) {
    const listed = products.find(({ id }) => id === result.id);
    const difference = findDifference(listed, result);
    if (difference === undefined) continue;
    const message = `${start} finds the product ${result.id}, which differs from the listed product: ${difference}`;
    tester.fail('listProducts', 'search results equal the listed products', message);
  }
}

/** Returns terms that have the same results in every catalogue. */
function createGeneralCases({ products }: Model): readonly TermCase[] {
  const findAll = { required: products, description: 'all products for a blank term', isExact: true };
  return [
    { term: '', ...findAll },
    { term: '  ', ...findAll },
    { term: MEANINGLESS_TERM, required: [], description: 'nothing for a meaningless term', isExact: true },
  ];
}

/** A term that must find a product, with a description of such terms. `undefined`: the product has no such term. */
type Term = readonly [term: string | undefined, description: string];

/** Returns terms that must find a product. */
function createTermCases(product: Product, random: Random): readonly TermCase[] {
  const texts = [product.name, ...product.keywords];
  const words = texts.flatMap(splitWords).filter((word) => word.length >= MIN_WORD_LENGTH);
  if (words.length === 0) return [];
  const word = random.pick(words);
  // Only words without hyphens and apostrophes: a server may search `t-shirt` as one word or as two.
  const longWords = texts
    .flatMap((text) => text.split(/[\s,]+/))
    .filter((one) => one.length >= MIN_MISSPELLED_LENGTH && /^[a-z]+$/i.test(one));
  const keyword = product.keywords.find((one) => splitWords(one).some((part) => part.length >= MIN_WORD_LENGTH));
  const accented = word.replace(/[aeiou]/, (vowel) => `${vowel}\u0301`);
  const terms: readonly Term[] = [
    [word, 'the words of names and keywords'],
    [keyword, 'keywords'],
    [word.toUpperCase(), 'words in any letter case'],
    [word.toLowerCase(), 'words in any letter case'],
    [product.name, 'whole names'],
    ...(longWords.length === 0 ? [] : misspell(random.pick(longWords), random)),
    [accented === word ? undefined : accented, 'words with accents'],
    ...createKeywordBoundaryTerms(product),
  ];
  return terms.flatMap(([term, description]) =>
    term === undefined ? [] : [{ term, required: [product], description }],
  );
}

/** Returns a word without one letter, and with one wrong letter. The first letter stays the same. */
function misspell(word: string, random: Random): readonly Term[] {
  const index = random.integer(1, word.length - 1);
  const wrongLetter = word[index]?.toLowerCase() === 'x' ? 'z' : 'x';
  return [
    [word.slice(0, index) + word.slice(index + 1), 'words with a letter missing'],
    [word.slice(0, index) + wrongLetter + word.slice(index + 1), 'words with a wrong letter'],
  ];
}

/** Returns a keyword with the start of the next one. The shop searches all keywords as one text, joined by commas. */
function createKeywordBoundaryTerms({ keywords }: Product): readonly Term[] {
  const [one = '', next = ''] = keywords.filter((keyword) => !keyword.includes(','));
  const areAdjacent = keywords.indexOf(next) === keywords.indexOf(one) + 1;
  if (!areAdjacent || one.length < 3 || next.length < 3) return [];
  return [[`${one},${next.slice(0, 3)}`, 'text across two keywords']];
}
