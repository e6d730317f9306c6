import { expect, it } from 'vitest';
import { getAncestors } from '../../src/resources/document/document-paths.ts';

it('the ancestors of a path are its parent paths that end with a parameter, the shortest first', () => {
  expect(getAncestors('/shops/{shopId}/owners/{ownerId}/pets')).toEqual([
    '/shops/{shopId}',
    '/shops/{shopId}/owners/{ownerId}',
  ]);
  expect(getAncestors('/pets')).toEqual([]);
});

it('a path can have thousands of parameters', () => {
  expect(getAncestors(`${'/{n}'.repeat(20_000)}/pets`)).toHaveLength(20_000);
});
