import type { CheckContext } from '../../check/check-context.ts';
import { examineAll } from '../../check/confirm-findings.ts';
import { createRandom, type Random } from '../../util/random.ts';
import type { Product } from '../types.ts';
import { findDifference } from './difference.ts';
import type { Model } from './model.ts';
import { createComparisons, type SearchCheck, search } from './search-comparisons.ts';
import { catchMismatch, ShopTester } from './shop-tester.ts';

/** A term, the products that it must find, and why. */
interface Search {
  readonly term: string;
  readonly finds: readonly Product[];
  readonly why: string;
  /** Whether no other product may be found. */
  readonly isAll?: boolean;
}

/** The minimum length of a word that is misspelled, and the number of searches of each kind. */
const MIN_MISSPELLED_LENGTH = 5;
const SEARCHED_PRODUCTS = 8;

/** Checks searches with terms made from names and keywords of products. */
export async function checkSearch({ session, seed }: CheckContext, model: Model): Promise<void> {
  const random = createRandom(seed);
  const { products } = model;
  const searches = Array.from({ length: products.length === 0 ? 0 : SEARCHED_PRODUCTS }, () =>
    searchesFor(random.pick(products), random),
  );
  const searchChecks: readonly SearchCheck[] = [
    ...[...always(model), ...searches.flat()].map((one) => (tester: ShopTester) => checkSearchTerm(tester, one)),
    ...createComparisons(products, random),
  ];
  const examine = async (searchCheck: SearchCheck) => {
    const tester = new ShopTester({ session, check: 'behaviour' }, model);
    return (await catchMismatch(() => searchCheck(tester))).findings ?? [];
  };
  await examineAll(session, searchChecks, { examine, mustRunAlone: () => true });
}

async function checkSearchTerm(tester: ShopTester, { term, finds, why, isAll }: Search): Promise<void> {
  const { products } = tester.model;
  const found = await search(tester, encodeURIComponent(term));
  const start = `The search for ${JSON.stringify(term)}`;
  const fail = (detail: string) =>
    tester.fail('listProducts', `finds ${why}`, `${start} ${detail}: it must find ${why}`);
  const missing = finds.find(({ id }) => !found.some((product) => product.id === id));
  if (missing) fail(`does not find ${JSON.stringify(missing.name)}`);
  if (isAll && found.length !== finds.length) fail(`finds ${found.length} products instead of ${finds.length}`);
  for (const product of found) {
    const listed = products.find(({ id }) => id === product.id);
    const difference = findDifference(listed, product);
    if (difference === undefined) continue;
    const message = `The result ${product.id} of the search for ${JSON.stringify(term)} differs from the listed product: ${difference}`;
    tester.fail('listProducts', 'search results equal the listed products', message);
  }
}

/** Returns terms with the same results in each catalogue. */
function always({ products }: Model): readonly Search[] {
  const every = { finds: products, why: 'all products for a blank term', isAll: true };
  return [
    { term: '', ...every },
    { term: '  ', ...every },
    { term: 'qqqqqqxzqq', finds: [], why: 'nothing for a meaningless term', isAll: true },
  ];
}

/** A term that must find a product, and why; undefined if the product gives none. */
type Term = readonly [term: string | undefined, why: string];

function searchesFor(product: Product, random: Random): readonly Search[] {
  const texts = [product.name, ...product.keywords];
  const words = texts.flatMap(splitWords).filter((word) => word.length >= 3);
  if (words.length === 0) return [];
  const word = random.pick(words);
  // A part beside an apostrophe or a hyphen may count as part of a longer word.
  const long = texts
    .flatMap((text) => text.split(/[\s,]+/))
    .filter((one) => one.length >= MIN_MISSPELLED_LENGTH && /^[a-z]+$/i.test(one));
  const keyword = product.keywords.find((one) => splitWords(one).some((part) => part.length >= 3));
  const accented = word.replace(/[aeiou]/, (vowel) => `${vowel}\u0301`);
  const terms: readonly Term[] = [
    [word, 'the words of names and keywords'],
    [keyword, 'keywords'],
    [word.toUpperCase(), 'words in any letter case'],
    [word.toLowerCase(), 'words in any letter case'],
    [product.name, 'whole names'],
    ...(long.length === 0 ? [] : misspell(random.pick(long), random)),
    [accented === word ? undefined : accented, 'words with accents'],
    ...acrossKeywords(product),
  ];
  return terms.flatMap(([term, why]) => (term === undefined ? [] : [{ term, finds: [product], why }]));
}

/** Returns a word without a letter, and with a wrong letter; never the first one. */
function misspell(word: string, random: Random): readonly Term[] {
  const at = random.integer(1, word.length - 1);
  const other = word[at]?.toLowerCase() === 'x' ? 'z' : 'x';
  return [
    [word.slice(0, at) + word.slice(at + 1), 'words with a letter missing'],
    [word.slice(0, at) + other + word.slice(at + 1), 'words with a wrong letter'],
  ];
}

/** Returns the end of a keyword and the start of the next one: keywords are searched as one text, joined by commas. */
function acrossKeywords({ keywords }: Product): readonly Term[] {
  const [one = '', other = ''] = keywords.filter((keyword) => !keyword.includes(','));
  const areAdjacent = keywords.indexOf(other) === keywords.indexOf(one) + 1;
  if (!areAdjacent || one.length < 3 || other.length < 3) return [];
  return [[`${one},${other.slice(0, 3)}`, 'text across two keywords']];
}

function splitWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
