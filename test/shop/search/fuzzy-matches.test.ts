import { describe } from 'vitest';
import { testFirstResults, testSearches } from '../../support/fixtures/search-cases.ts';

/** The products with the keyword `shoes`, in the order of their ratings. */
const OTHER_SHOES = ['SNEAKERS', 'Knee-High', 'Everyday Beach'];

describe('a search for a misspelled word', () => {
  describe(
    'with one wrong letter',
    testSearches([
      ['kebtle', 'KETTLE'],
      ['unbrella', 'UMBRELLA'],
      ['blemder', 'BLENDER'],
      ['lanp', 'LAMP'],
      ['mgg', 'MUG'],
    ]),
  );
  describe(
    'with one missing letter',
    testSearches([
      ['kettl', 'KETTLE'],
      ['ketle', 'KETTLE'],
      ['camra', 'CAMERA'],
      ['hamer', 'HAMMER'],
      ['clok', 'Retro Twin'],
    ]),
  );
  describe(
    'with one additional letter',
    testSearches([
      ['kebttle', 'KETTLE'],
      ['camerta', 'CAMERA'],
      ['mugg', 'MUG'],
      ['woool', 'SOCKS'],
    ]),
  );
  describe(
    'with one doubled letter',
    testSearches([
      ['keettle', 'KETTLE'],
      ['umbrellla', 'UMBRELLA'],
      ['rackett', 'RACKET'],
      ['blennder', 'BLENDER'],
    ]),
  );
  describe(
    'with two transposed letters',
    testSearches([
      ['kettel', 'KETTLE'],
      ['lmap', 'LAMP'],
      ['mgu', 'MUG'],
      ['candel', 'CANDLE'],
      ['baskteball', 'BASKETBALL'],
    ]),
  );
  describe(
    'with two typos',
    testSearches([
      ['umbrlela', 'UMBRELLA'],
      ['hedphons', 'HEADPHONES'],
      ['kyeborad', 'KEYBOARD'],
      ['baksetbal', 'BASKETBALL'],
    ]),
  );
  describe(
    'with a typo in the first letter',
    testSearches([
      ['lettle', 'KETTLE'],
      ['ettle', 'KETTLE'],
      ['kcettle', 'KETTLE'],
      ['ekttle', 'KETTLE'],
      ['ammer', 'HAMMER'],
    ]),
  );
  describe(
    'with a typo in the first letter that is also close to other words',
    testFirstResults([
      ['zammer', 'HAMMER'],
      ['kandle', 'CANDLE'],
      ['nug', 'MUG'],
    ]),
  );
  describe(
    'that is a prefix',
    testSearches([
      ['umbrwl', 'UMBRELLA'],
      ['haedph', 'HEADPHONES'],
      ['kyeb', 'KEYBOARD'],
      ['sunglsa', 'SUNGLASSES'],
      ['keyv', 'KEYBOARD'],
    ]),
  );
  describe(
    'next to another misspelled word',
    testSearches([
      ['elecrtic ketle', 'KETTLE'],
      ['ruber boots', 'Knee-High'],
      ['watr botel', 'Insulated Steel'],
      ['tedy bare', 'Soft Plush'],
    ]),
  );
  describe(
    'that is spelled as it sounds',
    testSearches([
      ['headfones', 'HEADPHONES'],
      ['hedfones', 'HEADPHONES'],
      ['sox', 'SOCKS'],
      ['nife', 'KNIFE'],
      ['kamera', 'CAMERA'],
      ['shooz', 'SHOES', ...OTHER_SHOES],
    ]),
  );
  describe(
    'with a common misspelling',
    testSearches([
      ['fotography', 'CAMERA'],
      ['elektrik kettle', 'KETTLE'],
      ['tenis raquet', 'RACKET'],
      ['grafite', 'RACKET'],
    ]),
  );
});

describe('a search for an abbreviation', () => {
  describe(
    'without vowels',
    testSearches([
      ['kttl', 'KETTLE'],
      ['umbrll', 'UMBRELLA'],
      ['hmmr', 'HAMMER'],
      ['hdphns', 'HEADPHONES'],
      ['blndr', 'BLENDER'],
    ]),
  );
  describe(
    'that has only the consonants of a word',
    testSearches([
      ['ktl', 'KETTLE'],
      ['bsktbl', 'BASKETBALL'],
      ['kybrd', 'KEYBOARD'],
      ['cndl', 'CANDLE'],
      ['snglsses', 'SUNGLASSES'],
    ]),
  );
  describe(
    'that is the head and the tail of a word',
    testSearches([
      ['kboard', 'KEYBOARD'],
      ['sglasses', 'SUNGLASSES'],
      ['hphones', 'HEADPHONES'],
    ]),
  );
  describe('that is the head and the tail of several words', testFirstResults([['bball', 'BASKETBALL']]));
});

describe('a search for another form of a word', () => {
  describe(
    'that is a plural',
    testSearches([
      ['kettles', 'KETTLE'],
      ['knives', 'KNIFE'],
      ['knifes', 'KNIFE'],
      ['hoodies', 'HOODIE'],
      ['yoga mats', 'YOGA_MAT'],
    ]),
  );
  describe(
    'that is a singular',
    testSearches([
      ['sock', 'SOCKS'],
      ['shoe', 'SHOES', ...OTHER_SHOES],
      ['towel', 'Cotton Bath'],
      ['boot', 'Knee-High'],
      ['jean', "Men's Relaxed"],
    ]),
  );
  describe(
    'that joins two words',
    testSearches([
      ['nonslip', 'YOGA_MAT'],
      ['yogamat', 'YOGA_MAT'],
      ['flipflops', 'Everyday Beach'],
      ['hairdryer', 'Ionic Hair'],
    ]),
  );
  describe(
    'that joins two words and also matches other products',
    testFirstResults([
      ['tshirt', 'T_SHIRT'],
      ['teddybear', 'Soft Plush'],
      ['waterbottle', 'Insulated Steel'],
    ]),
  );
  describe(
    'that splits a compound word',
    testSearches([
      ['basket ball', 'BASKETBALL'],
      ['sun glasses', 'SUNGLASSES'],
      ['key board', 'KEYBOARD'],
      ['hair brush', 'Bamboo Paddle'],
    ]),
  );
});
