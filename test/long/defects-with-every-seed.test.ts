import { testThatEverySeedFinds } from '../support/oracles/find-defects.ts';
import { defects } from '../support/planted-defects/planted-defects.ts';

const NAMES = [
  'counts at most 100 units in the summary',
  'keeps the cart on a reset',
  'sends the same ETag for all versions of the cart',
  'responds with 304 to any ETag',
  'responds to nothing over a connection after a 400',
  'sends UTF-8 as UTF-16',
  'compares the ids of getOrder by their start',
];

testThatEverySeedFinds(defects.filter(({ name }) => NAMES.includes(name)));
