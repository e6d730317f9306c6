import { describe } from 'vitest';
import { NAMES, testFirstResults, testSearches } from '../../support/fixtures/search-cases.ts';

const {
  KETTLE,
  HEADPHONES,
  BASKETBALL,
  SOCKS,
  KEYBOARD,
  SUNGLASSES,
  UMBRELLA,
  CANDLE,
  KNIFE,
  HAMMER,
  BLENDER,
  SHOES,
  T_SHIRT,
  YOGA_MAT,
  HOODIE,
} = NAMES;

describe('an abbreviated word', () => {
  describe(
    'without vowels',
    testSearches([
      ['kttl', KETTLE],
      ['umbrll', UMBRELLA],
      ['hmmr', HAMMER],
      ['hdphns', HEADPHONES],
      ['blndr', BLENDER],
    ]),
  );
  describe(
    'its consonants',
    testSearches([
      ['ktl', KETTLE],
      ['bsktbl', BASKETBALL],
      ['kybrd', KEYBOARD],
      ['cndl', CANDLE],
      ['snglsses', SUNGLASSES],
    ]),
  );
  describe(
    'head and tail',
    testSearches([
      ['kboard', KEYBOARD],
      ['sglasses', SUNGLASSES],
      ['hphones', HEADPHONES],
    ]),
  );
  describe('head and tail, beside others', testFirstResults([['bball', BASKETBALL]]));
});

describe('a word in another form', () => {
  describe(
    'plural',
    testSearches([
      ['kettles', KETTLE],
      ['knives', KNIFE],
      ['knifes', KNIFE],
      ['hoodies', HOODIE],
      ['yoga mats', YOGA_MAT],
    ]),
  );
  describe(
    'singular',
    testSearches([
      ['sock', SOCKS],
      ['shoe', SHOES],
      ['towel', 'Cotton Bath'],
      ['boot', 'Knee-High'],
      ['jean', "Men's Relaxed"],
    ]),
  );
  describe(
    'glued',
    testSearches([
      ['nonslip', YOGA_MAT],
      ['yogamat', YOGA_MAT],
      ['flipflops', 'Everyday Beach'],
      ['hairdryer', 'Ionic Hair'],
    ]),
  );
  describe(
    'glued, beside others',
    testFirstResults([
      ['tshirt', T_SHIRT],
      ['teddybear', 'Soft Plush'],
      ['waterbottle', 'Insulated Steel'],
    ]),
  );
  describe(
    'split',
    testSearches([
      ['basket ball', BASKETBALL],
      ['sun glasses', SUNGLASSES],
      ['key board', KEYBOARD],
      ['hair brush', 'Bamboo Paddle'],
    ]),
  );
});
