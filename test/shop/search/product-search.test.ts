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

function finds(cases: readonly Case[]) {
  return () => it.each(cases)('%j', (term, found) => expect(getSearch(catalogue)(term)).toEqual(found));
}

describe(
  'a term is looked for whatever its letter case',
  finds([
    ['MERINO', [SOCKS]],
    ['merino', [SOCKS]],
    ['mErInO', [SOCKS]],
    ['чайник', [KETTLE]],
    ['T-SHIRT', [SHIRT]],
  ]),
);

describe(
  'a term is looked for whatever its accents, or the width of its letters',
  finds([
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
  'a term is looked for from the beginning of each word',
  finds([
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
  'a term of several words finds what has each of them, in any order',
  finds([
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
  'the keywords are one text in which a comma joins them',
  finds([
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
  'a term is found as it is written, also inside of a word',
  finds([
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
  'the words of a term are its letters and digits, whatever stands between',
  finds([
    ['(c++)', [BOOTS, MUG, SHIRT]],
    ['socks,', [SOCKS]],
    ['mug - café!', [MUG]],
    ['shirt/t', [SHIRT]],
  ]),
);

describe(
  'the keywords do not follow on the name, whose words are parted as those of the term are',
  finds([
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
  'a blank term finds all',
  finds([
    ['', catalogue],
    ['   ', catalogue],
    ['\t\n\u00a0\u3000', catalogue],
  ]),
);

describe(
  'a term that nothing matches finds nothing',
  finds([
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

describe('what is found', () => {
  it('is the products themselves, those first that have it in their name', () => {
    const found = getSearch(catalogue)('hiking');
    expect(found).toHaveLength(2);
    expect(found[0]).toBe(BOOTS);
    expect(found[1]).toBe(SOCKS);
  });

  it('is of the list that is searched', () => {
    const other = [createProduct({ name: 'Merino Cap' })];
    expect(getSearch(catalogue)('merino')).toEqual([SOCKS]);
    expect(getSearch(other)('merino')).toEqual(other);
    expect(getSearch([])('merino')).toEqual([]);
  });
});
