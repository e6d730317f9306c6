import { expect, it } from 'vitest';
import { checkCorrectLists, findListDefects, LIST_FINDINGS } from '../support/planted-defects/resource-list-defects.ts';
import { findUpdateDefects, UPDATE_FINDINGS } from '../support/planted-defects/resource-update-defects.ts';
import { findUniqueValueDefects, UNIQUE_VALUE_FINDINGS } from '../support/planted-defects/resource-value-defects.ts';

// The rules of resources do not need the random requests of a check: with one to each operation, they find the same.
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
