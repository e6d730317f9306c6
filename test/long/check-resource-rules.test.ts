import { describe, expect, it } from 'vitest';
import { checkCorrectLists, findListDefects, LIST_FINDINGS } from '../support/planted-defects/resource-list-defects.ts';
import { findSideEffects, SIDE_EFFECTS } from '../support/planted-defects/resource-side-effects.ts';
import { findUpdateDefects, UPDATE_FINDINGS } from '../support/planted-defects/resource-update-defects.ts';
import { findUniqueValueDefects, UNIQUE_VALUE_FINDINGS } from '../support/planted-defects/resource-value-defects.ts';

// The rules of resources do not need the random requests of a check: with one to each operation, they find the same.
describe('with one random request to each operation', () => {
  it('finds a defect in pages, totals and filters, and none in a correct list', async () => {
    expect(await findListDefects(1, 1)).toEqual(LIST_FINDINGS);
  });

  it('finds nothing in the lists of the server itself', async () => {
    expect(await checkCorrectLists()).toEqual([]);
  });

  it('finds a defect of each kind in updates and actions, and none in a correct resource', async () => {
    expect(await findUpdateDefects(1)).toEqual(UPDATE_FINDINGS);
  });

  it('finds values that do not stay unique, and none in a correct resource', async () => {
    expect(await findUniqueValueDefects(1, 1)).toEqual(UNIQUE_VALUE_FINDINGS);
  });
});

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
