import { describe, expect, it } from 'vitest';
import { findListDefects, LIST_FINDINGS } from '../support/planted-defects/resource-list-defects.ts';
import { findSideEffects, SIDE_EFFECTS } from '../support/planted-defects/resource-side-effects.ts';
import { findUpdateDefects, UPDATE_FINDINGS } from '../support/planted-defects/resource-update-defects.ts';
import { findUniqueValueDefects, UNIQUE_VALUE_FINDINGS } from '../support/planted-defects/resource-value-defects.ts';

// `npm test` has the seed 1.
describe('with the seed 2, the check finds the same defects', () => {
  const seed = 2;

  it('of lists', async () => {
    expect(await findListDefects(seed)).toEqual(LIST_FINDINGS);
  });

  it('of updates and actions', async () => {
    expect(await findUpdateDefects(seed)).toEqual(UPDATE_FINDINGS);
  });

  it('of unique values', async () => {
    expect(await findUniqueValueDefects(seed)).toEqual(UNIQUE_VALUE_FINDINGS);
  });
});

it.each([1, 2])('finds changes that affect more than they should with the seed %i', async (seed) => {
  expect(await findSideEffects(seed)).toEqual(SIDE_EFFECTS);
});
