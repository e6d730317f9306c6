import { describe, expect, it } from 'vitest';
import { getSearch } from '../../../src/shop/search/product-search.ts';
import { createCatalogue, createProduct, createUuid } from '../../support/fixtures/catalogue-builders.ts';

type Entries = readonly (readonly [name: string, ...keywords: string[]])[];

/** Returns the names of the results in a catalogue of these names and keywords. */
function findNames(term: string, entries: Entries) {
  return getSearch(createCatalogue(entries))(term).map(({ name }) => name);
}

/** Returns numbered names, as many as a catalogue needs for a frequent word. */
function repeat(name: string, count: number): Entries {
  return Array.from({ length: count }, (_, at) => [`${name} ${at}`] as const);
}

describe('a search for a measure', () => {
  const cables: Entries = [
    ['Cable 6 ft'],
    ['Cable, 6-foot'],
    ['Cable 6ft'],
    ['Cable 60 ft'],
    ['Cable 16ft'],
    ['6 Cables'],
  ];

  it.each(['6ft cable', '6 ft cable', '6-ft cable', 'cable 6 feet', '6 foot cable'])(
    'finds all spellings of number and unit, and no other number: %s',
    (term) => {
      expect(findNames(term, cables).toSorted()).toEqual(['Cable 6 ft', 'Cable 6ft', 'Cable, 6-foot']);
    },
  );

  it.each([
    ['24"', [['Monitor 24 inch'], ['Monitor 24-in'], ['Monitor 240']], ['Monitor 24 inch', 'Monitor 24-in']],
    ['3.5mm', [['Adapter 35mm'], ['Adapter 3.5 mm'], ['Adapter 3, 5mm']], ['Adapter 3.5 mm']],
    ['2pack', [['Lamp, 2 Pack'], ['Pack of 12']], ['Lamp, 2 Pack']],
    ['500gb', [['Drive 500 GB'], ['Drive 1500gb']], ['Drive 500 GB']],
  ] as const)('distinguishes decimals and parts of numbers: %s', (term, entries, expected) => {
    expect(findNames(term, entries)).toEqual(expected);
  });

  it('finds the beginning of a word that looks like a unit', () => {
    expect(findNames('santos 100 w', [['Santos 100 Wrist Watch'], ['Lamp 100 W']])).toEqual(['Santos 100 Wrist Watch']);
  });
});

describe('a search for a number and the beginning of a word that is a unit', () => {
  it('finds products with all words before products that lack one', () => {
    const entries: Entries = [['Steel Can, 7 Liters'], ['Steel Kettle, 1.7 Liters']];
    expect(findNames('steel kettle 7 l', entries)).toEqual(['Steel Kettle, 1.7 Liters']);
    expect(findNames('steel can 7 l', entries)).toEqual(['Steel Can, 7 Liters']);
  });
});

describe('a search for a compound', () => {
  it.each([
    ['wifi', [['Window Film'], ['Wi-Fi Router']], ['Wi-Fi Router']],
    ['x box', [['Xylophone in a Box'], ['Xbox']], ['Xbox', 'Xylophone in a Box']],
    ['all in one', [['One Size Fits All'], ['Allinone Printer']], ['Allinone Printer', 'One Size Fits All']],
    ['allinone', [['One Size Fits All'], ['All-in-One Printer']], ['All-in-One Printer']],
    ['mb 15 clr', [['Case MB15CLR']], ['Case MB15CLR']],
    ['mb15clr', [['Case MB-15-CLR']], ['Case MB-15-CLR']],
    ['notebook', [['Notebook'], ['Book with a Note'], ['Note Book']], ['Notebook', 'Note Book']],
  ] as const)('finds it as one word or several, the joined form first: %s', (term, entries, expected) => {
    expect(findNames(term, entries)).toEqual(expected);
  });
});

describe('a search for a rare word', () => {
  it('also finds a much more frequent word that it may misspell, after its own products', () => {
    const names = findNames('slver', [['Slver Box'], ...repeat('Silver Ring', 50)]);
    expect(names[0]).toBe('Slver Box');
    expect(names).toHaveLength(51);
  });

  it('finds no other word that is not much more frequent', () => {
    expect(findNames('slver', [['Slver Box'], ...repeat('Silver Ring', 10)])).toEqual(['Slver Box']);
  });
});

describe('a search in a sentence', () => {
  const entries: Entries = [['Best Seller Watch'], ['Camera Bag'], ['Black Camera'], ['Case for Camera']];

  it.each([
    ['i am looking for a black camera', ['Black Camera']],
    ['best black camera please', ['Black Camera']],
    ['where can i buy the bag', ['Camera Bag']],
    ['for', ['Case for Camera']],
  ] as const)('ignores the words around the product: %s', (term, expected) => {
    expect(findNames(term, entries)).toEqual(expected);
  });

  it('requires a filler beside one word if it is part of names', () => {
    expect(findNames('from paris', [['Paris Map'], ['From Paris with Love']])).toEqual(['From Paris with Love']);
  });

  it.each(['glass a', 'a glass', 'glass A'])(
    'also reads a filler beside one word as the beginning of a word: %s',
    (term) => {
      const found = findNames(term, [['Glass Alarm Clock'], ['Set of a Glass and Mug'], ['Glass Mug']]);
      expect(found.toSorted()).toEqual(['Glass Alarm Clock', 'Set of a Glass and Mug']);
    },
  );

  it('prefers products with a word that begins with the filler at the end of a term', () => {
    expect(findNames('camera black a', [['Black Camera'], ['Black Camera Adapter']])[0]).toBe('Black Camera Adapter');
  });

  it('requires a filler beside one word if one of sixty products has both', () => {
    const atlases = repeat('World Atlas', 60);
    expect(findNames('our world', [...atlases, ['Our World']])).toEqual(['Our World']);
    expect(findNames('our world', [...atlases, ...repeat('World Map', 60), ['Our World']])).toHaveLength(121);
  });
});

describe('a search for three words that few products have', () => {
  it('adds the products that lack the word that the most products match', () => {
    const entries: Entries = [['Shoes, Red, Nike'], ['Red Nike Cap'], ...repeat('Blue Shoes', 5)];
    expect(findNames('nike red shoes', entries)).toEqual(['Shoes, Red, Nike', 'Red Nike Cap']);
  });

  it('adds nothing if a product has the words in this order', () => {
    const entries: Entries = [['Nike Red Shoes'], ['Red Nike Cap'], ...repeat('Blue Shoes', 5)];
    expect(findNames('nike red shoes', entries)).toEqual(['Nike Red Shoes']);
  });
});

describe('a search for a kind of product', () => {
  it('returns the products of this kind before accessories', () => {
    const entries: Entries = [['Camera Case'], ['Battery for Camera'], ['Camera']];
    expect(findNames('camera', entries)[0]).toBe('Camera');
  });

  it('returns the products with this first keyword before others', () => {
    const entries: Entries = [
      ['Camera Case', 'cases'],
      ['Canon Camera X100 Black', 'cameras'],
    ];
    expect(findNames('camera', entries)[0]).toBe('Canon Camera X100 Black');
  });

  it('returns equally relevant products in the order of their ratings, of which a few good ones do not outweigh many', () => {
    const rate = (stars: number, count: number, at: number) =>
      createProduct({ id: createUuid(at), name: 'Mug', rating: { stars, count } });
    const [poor, few, many] = [rate(2, 50, 1), rate(5, 1, 2), rate(4.5, 400, 3)];
    expect(getSearch([poor, few, many])('mug')).toEqual([many, few, poor]);
  });
});

describe('a search while typing several words', () => {
  it('returns a name with the typed text first', () => {
    const entries: Entries = [['Sony Van'], ['Walk with Va by Sony'], ['Sony Vaio'], ['Sony Cap Vases']];
    expect(findNames('sony vai', entries)[0]).toBe('Sony Vaio');
    expect(findNames('vases sony', [['Sony Vases'], ['Blue Vases Sony']])[0]).toBe('Blue Vases Sony');
  });
});

describe('a search in other scripts and languages', () => {
  it.each([
    ['kirmizi ayakkabi', 'Kırmızı Kadın Ayakkabısı'],
    ['ISITICI', 'Isıtıcı Fanlı'],
    ['strassenlauf', 'Straßenlaufschuhe'],
    ['oeuf', 'Œuf vibrant'],
    ['dong ho', 'Đồng hồ nam'],
    ['耳机', '无线蓝牙耳机降噪版'],
    ['跑步鞋', '男士跑步运动鞋'],
    ['傘', '折りたたみ傘'],
    ['いやほん', 'ワイヤレスイヤホン'],
    ['ツミキ', '子供用つみきセット'],
    ['ΣΑΚΟΣ', 'Παιδικός σάκος'],
    ['غلايه', 'غلاية كهربائية'],
  ] as const)('finds %s', (term, name) => {
    expect(findNames(term, [['Andere Ware'], [name]])).toEqual([name]);
  });
});
