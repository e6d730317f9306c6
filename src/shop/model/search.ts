import { addConfirmed } from '../../check/confirm-findings.ts';
import type { Finding } from '../../check/findings.ts';
import type { Session } from '../../check/session.ts';
import { createRandom, type Random } from '../../util/random.ts';
import type { Product } from '../types.ts';
import { findDifference } from './difference.ts';
import type { Model } from './model.ts';
import { createPlayer, ModelMismatchError, type Player } from './player.ts';
import { createComparisons, type SearchCheck, search } from './search-comparisons.ts';

/** A term, the products that it must find, and why. */
interface Search {
  readonly term: string;
  readonly finds: readonly Product[];
  readonly why: string;
  /** Whether no other product may be found. */
  readonly isAll?: boolean;
}

/** The minimum length of a word that is misspelled, and the number of searches of each kind. */
const MISSPELT_LENGTH = 5;
const EACH = 8;

/** Checks searches with terms made from names and keywords of products. */
export async function checkSearch(session: Session, model: Model, seed: number): Promise<void> {
  const random = createRandom(seed);
  const isEmpty = model.products.length === 0;
  const searches = isEmpty
    ? []
    : Array.from({ length: EACH }, () => searchesFor(random.pick(model.products), random)).flat();
  const searchChecks = [...always(model), ...searches].map(
    (search): SearchCheck =>
      (player) =>
        checkSearchTerm(player, model, search),
  );
  for (const searchCheck of [...searchChecks, ...createComparisons(model.products, random)]) {
    const find = () => findingsOf(session, model, searchCheck);
    await addConfirmed(session, await find(), find);
  }
}

/** Returns the findings of a search check, with a player of its own. */
async function findingsOf(session: Session, model: Model, searchCheck: SearchCheck): Promise<readonly Finding[]> {
  try {
    await searchCheck(createPlayer(session, 'behaviour', model));
    return [];
  } catch (error) {
    if (error instanceof ModelMismatchError) return error.findings;
    throw error;
  }
}

async function checkSearchTerm(
  player: Player,
  { products }: Model,
  { term, finds, why, isAll }: Search,
): Promise<void> {
  const found = await search(player, encodeURIComponent(term));
  const missing = finds.find(({ id }) => !found.some((product) => product.id === id));
  if (missing)
    player.fail(
      'listProducts',
      `finds ${why}`,
      `The search for ${JSON.stringify(term)} does not find ${JSON.stringify(missing.name)}: it must find ${why}`,
    );
  if (isAll && found.length !== finds.length)
    player.fail(
      'listProducts',
      `finds ${why}`,
      `The search for ${JSON.stringify(term)} finds ${found.length} products instead of ${finds.length}: it must find ${why}`,
    );
  for (const product of found) {
    const message = findDifference(
      products.find(({ id }) => id === product.id),
      product,
    );
    if (message !== undefined)
      player.fail(
        'listProducts',
        'search results equal the listed products',
        `The result ${product.id} of the search for ${JSON.stringify(term)} differs from the listed product: ${message}`,
      );
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

function searchesFor(product: Product, random: Random): readonly Search[] {
  const inName = splitWords(product.name);
  const inKeywords = product.keywords.flatMap(splitWords);
  const words = [...inName, ...inKeywords].filter((word) => word.length >= 3);
  if (words.length === 0) return [];
  const word = random.pick(words);
  // A part beside an apostrophe or a hyphen may count as part of a longer word.
  const long = [product.name, ...product.keywords]
    .flatMap((text) => text.split(/[\s,]+/))
    .filter((one) => one.length >= MISSPELT_LENGTH && /^[a-z]+$/i.test(one));
  const keyword = product.keywords.find((one) => splitWords(one).some((part) => part.length >= 3));
  return [
    { term: word, finds: [product], why: 'the words of names and keywords' },
    ...(keyword === undefined ? [] : [{ term: keyword, finds: [product], why: 'keywords' }]),
    { term: word.toUpperCase(), finds: [product], why: 'words in any letter case' },
    { term: word.toLowerCase(), finds: [product], why: 'words in any letter case' },
    { term: product.name, finds: [product], why: 'whole names' },
    ...(long.length === 0 ? [] : misspelt(product, random.pick(long), random)),
    ...accented(product, word),
    ...overBorders(product),
  ];
}

/** Returns a word with an accent, which is ignored. */
function accented(product: Product, word: string): readonly Search[] {
  const finds = { finds: [product], why: 'words with accents' };
  return /[aeiou]/.test(word) ? [{ term: word.replace(/[aeiou]/, (vowel) => `${vowel}\u0301`), ...finds }] : [];
}

/** Returns a word without a letter, and with a wrong letter; never the first one. */
function misspelt(product: Product, word: string, random: Random): readonly Search[] {
  const at = random.integer(1, word.length - 1);
  const other = word[at]?.toLowerCase() === 'x' ? 'z' : 'x';
  return [
    { term: word.slice(0, at) + word.slice(at + 1), finds: [product], why: 'words with a letter missing' },
    { term: word.slice(0, at) + other + word.slice(at + 1), finds: [product], why: 'words with a wrong letter' },
  ];
}

/** Returns the end of a keyword and the start of the next one: keywords are searched as one text, joined by commas. */
function overBorders(product: Product): readonly Search[] {
  const [one = '', other = ''] = product.keywords.filter((keyword) => !keyword.includes(','));
  if (product.keywords.indexOf(other) !== product.keywords.indexOf(one) + 1 || one.length < 3 || other.length < 3)
    return [];
  return [{ term: `${one},${other.slice(0, 3)}`, finds: [product], why: 'text across two keywords' }];
}

function splitWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
