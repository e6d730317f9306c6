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
  RACKET,
  CAMERA,
  HAMMER,
  LAMP,
  BLENDER,
  SHOES,
  MUG,
} = NAMES;

describe('a misspelled word', () => {
  describe(
    'one wrong',
    testSearches([
      ['kebtle', KETTLE],
      ['unbrella', UMBRELLA],
      ['blemder', BLENDER],
      ['lanp', LAMP],
      ['mgg', MUG],
    ]),
  );
  describe(
    'one missing',
    testSearches([
      ['kettl', KETTLE],
      ['ketle', KETTLE],
      ['camra', CAMERA],
      ['hamer', HAMMER],
      ['clok', 'Retro Twin'],
    ]),
  );
  describe(
    'one too many',
    testSearches([
      ['kebttle', KETTLE],
      ['camerta', CAMERA],
      ['mugg', MUG],
      ['woool', SOCKS],
    ]),
  );
  describe(
    'one doubled',
    testSearches([
      ['keettle', KETTLE],
      ['umbrellla', UMBRELLA],
      ['rackett', RACKET],
      ['blennder', BLENDER],
    ]),
  );
  describe(
    'two swapped',
    testSearches([
      ['kettel', KETTLE],
      ['lmap', LAMP],
      ['mgu', MUG],
      ['candel', CANDLE],
      ['baskteball', BASKETBALL],
    ]),
  );
  describe(
    'two slips',
    testSearches([
      ['umbrlela', UMBRELLA],
      ['hedphons', HEADPHONES],
      ['kyeborad', KEYBOARD],
      ['baksetbal', BASKETBALL],
    ]),
  );
  describe(
    'the first letter',
    testSearches([
      ['lettle', KETTLE],
      ['ettle', KETTLE],
      ['kcettle', KETTLE],
      ['ekttle', KETTLE],
      ['ammer', HAMMER],
    ]),
  );
  describe(
    'the first letter, beside others',
    testFirstResults([
      ['zammer', HAMMER],
      ['kandle', CANDLE],
      ['nug', MUG],
    ]),
  );
  describe(
    'begun',
    testSearches([
      ['umbrwl', UMBRELLA],
      ['haedph', HEADPHONES],
      ['kyeb', KEYBOARD],
      ['sunglsa', SUNGLASSES],
      ['keyv', KEYBOARD],
    ]),
  );
  describe(
    'beside another one',
    testSearches([
      ['elecrtic ketle', KETTLE],
      ['ruber boots', 'Knee-High'],
      ['watr botel', 'Insulated Steel'],
      ['tedy bare', 'Soft Plush'],
    ]),
  );
  describe(
    'as it sounds',
    testSearches([
      ['headfones', HEADPHONES],
      ['hedfones', HEADPHONES],
      ['sox', SOCKS],
      ['nife', KNIFE],
      ['kamera', CAMERA],
      ['shooz', SHOES],
    ]),
  );
  describe(
    'as people write it',
    testSearches([
      ['fotography', CAMERA],
      ['elektrik kettle', KETTLE],
      ['tenis raquet', RACKET],
      ['grafite', RACKET],
    ]),
  );
});
