import { describe, expect, it } from 'vitest';
import { getSearch } from '../../../src/shop/search/product-search.ts';
import { createProduct, createUuid } from '../../support/fixtures/catalogue-builders.ts';

const catalogue = [
  createProduct({ id: createUuid(1), name: 'Merino Wool Socks', keywords: ['wool', 'hiking'] }),
  createProduct({ id: createUuid(2), name: 'Café Crème Mug, 1.5 L', keywords: ['mug', 'coffee & tea'] }),
  createProduct({ id: createUuid(3), name: "Chef's T-Shirt", keywords: ['t-shirt', 'kitchen', 'running shoes'] }),
  createProduct({ id: createUuid(4), name: 'Hiking Boots (C++)', keywords: ['boots', 'wool'] }),
  createProduct({ id: createUuid(5), name: 'Чайник Электрический', keywords: ['kitchenware'] }),
];
const [SOCKS, MUG, SHIRT, BOOTS, KETTLE] = catalogue;

type Case = [term: string, found: readonly unknown[]];

function testResults(cases: readonly Case[]) {
  return () =>
    it.each(cases)('returns the expected products for %j', (term, found) =>
      expect(getSearch(catalogue)(term)).toEqual(found),
    );
}

describe(
  'a search in any letter case',
  testResults([
    ['MERINO', [SOCKS]],
    ['merino', [SOCKS]],
    ['mErInO', [SOCKS]],
    ['чайник', [KETTLE]],
    ['T-SHIRT', [SHIRT]],
  ]),
);

describe(
  'a search with or without accents, or with full-width letters',
  testResults([
    ['cafe', [MUG]],
    ['café', [MUG]],
    ['cafe\u0301', [MUG]],
    ['CRÈME', [MUG]],
    ['mérino', [SOCKS]],
    ['ＭＵＧ', [MUG]],
    ['Чаиник', [KETTLE]],
  ]),
);

describe(
  'a search for a prefix of a word',
  testResults([
    ['mer', [SOCKS]],
    ['m', [MUG, SOCKS]],
    ['hik', [BOOTS, SOCKS]],
    ['shir', [SHIRT]],
    ['1.5', [MUG]],
    ['5', [MUG]],
    ['элек', [KETTLE]],
  ]),
);

describe(
  'a search for several words in any order',
  testResults([
    ['socks merino', [SOCKS]],
    ['so  me', [SOCKS]],
    ['tea\tmug', [MUG]],
    ['wool hiking', [SOCKS, BOOTS]],
    ['shoes chef', [SHIRT]],
    ['kitchenware чайник', [KETTLE]],
    ['wool mug', []],
    ['merino merino', [SOCKS]],
    ['merino qqq', []],
  ]),
);

describe(
  'a search for a text across keywords, which are joined by commas',
  testResults([
    ['wool,hiking', [SOCKS, BOOTS]],
    ['ool,hiking', [SOCKS]],
    ['wool,hik', [SOCKS]],
    ['ool,hi', [SOCKS]],
    [',', [SOCKS, MUG, SHIRT, BOOTS]],
    ['mug,coffee & t', [MUG]],
    ['t,k', [SHIRT]],
    ['en,run', [SHIRT]],
    ['boots,wool', [BOOTS]],
  ]),
);

describe(
  'a search for a literal text, which may start within a word',
  testResults([
    ['erin', [SOCKS]],
    ["chef's t", [SHIRT]],
    ['ning sh', [SHIRT]],
    ['(', [BOOTS]],
    ['++', [BOOTS]],
    ['&', [MUG]],
    ['ocks,', [SOCKS]],
  ]),
);

describe(
  'a search for words with other characters between them',
  testResults([
    ['(c++)', [BOOTS, MUG, SHIRT]],
    ['socks,', [SOCKS]],
    ['mug - café!', [MUG]],
    ['shirt/t', [SHIRT]],
  ]),
);

describe(
  'a search for a text across the name and the keywords',
  testResults([
    ['socks,wool', [SOCKS]],
    ['socks wool', [SOCKS]],
    ['ocks\nwool', [SOCKS]],
    ['ockswool', []],
    ['ocks,wool', [SOCKS]],
    ['cksmer', []],
    ['ckswool,h', []],
  ]),
);

describe(
  'a search for a blank term',
  testResults([
    ['', catalogue],
    ['   ', catalogue],
    ['\t\n\u00a0\u3000', catalogue],
  ]),
);

describe(
  'a search for a term that no product matches',
  testResults([
    ['qqqqqq', []],
    ['.*', []],
    ['[a-z]+', []],
    ['\\', []],
    ['\0', []],
    ['🫖', []],
    ['__proto__', []],
    ['constructor', []],
    ['hasOwnProperty', []],
    ['a'.repeat(10_000), []],
  ]),
);

describe('the results of a search', () => {
  it('are the original product objects, first those with a matching name', () => {
    const found = getSearch(catalogue)('hiking');
    expect(found).toHaveLength(2);
    expect(found[0]).toBe(BOOTS);
    expect(found[1]).toBe(SOCKS);
  });

  it('are from the searched list', () => {
    const other = [createProduct({ name: 'Merino Cap' })];
    expect(getSearch(catalogue)('merino')).toEqual([SOCKS]);
    expect(getSearch(other)('merino')).toEqual(other);
    expect(getSearch([])('merino')).toEqual([]);
  });
});
