import { describe } from 'vitest';
import { finds, findsFirst, NAMES } from '../../support/fixtures/search-cases.ts';

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

describe('a misspelt word', () => {
  describe(
    'one wrong',
    finds([
      ['kebtle', KETTLE],
      ['unbrella', UMBRELLA],
      ['blemder', BLENDER],
      ['lanp', LAMP],
      ['mgg', MUG],
    ]),
  );
  describe(
    'one missing',
    finds([
      ['kettl', KETTLE],
      ['ketle', KETTLE],
      ['camra', CAMERA],
      ['hamer', HAMMER],
      ['clok', 'Retro Twin'],
    ]),
  );
  describe(
    'one too many',
    finds([
      ['kebttle', KETTLE],
      ['camerta', CAMERA],
      ['mugg', MUG],
      ['woool', SOCKS],
    ]),
  );
  describe(
    'one doubled',
    finds([
      ['keettle', KETTLE],
      ['umbrellla', UMBRELLA],
      ['rackett', RACKET],
      ['blennder', BLENDER],
    ]),
  );
  describe(
    'two swapped',
    finds([
      ['kettel', KETTLE],
      ['lmap', LAMP],
      ['mgu', MUG],
      ['candel', CANDLE],
      ['baskteball', BASKETBALL],
    ]),
  );
  describe(
    'two slips',
    finds([
      ['umbrlela', UMBRELLA],
      ['hedphons', HEADPHONES],
      ['kyeborad', KEYBOARD],
      ['baksetbal', BASKETBALL],
    ]),
  );
  describe(
    'the first letter',
    finds([
      ['lettle', KETTLE],
      ['ettle', KETTLE],
      ['kcettle', KETTLE],
      ['ekttle', KETTLE],
      ['ammer', HAMMER],
    ]),
  );
  describe(
    'the first letter, beside others',
    findsFirst([
      ['zammer', HAMMER],
      ['kandle', CANDLE],
      ['nug', MUG],
    ]),
  );
  describe(
    'begun',
    finds([
      ['umbrwl', UMBRELLA],
      ['haedph', HEADPHONES],
      ['kyeb', KEYBOARD],
      ['sunglsa', SUNGLASSES],
      ['keyv', KEYBOARD],
    ]),
  );
  describe(
    'beside another one',
    finds([
      ['elecrtic ketle', KETTLE],
      ['ruber boots', 'Knee-High'],
      ['watr botel', 'Insulated Steel'],
      ['tedy bare', 'Soft Plush'],
    ]),
  );
  describe(
    'as it sounds',
    finds([
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
    finds([
      ['fotography', CAMERA],
      ['elektrik kettle', KETTLE],
      ['tenis raquet', RACKET],
      ['grafite', RACKET],
    ]),
  );
});
