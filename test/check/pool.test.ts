import { describe, expect, it } from 'vitest';
import { Pool } from '../../src/check/pool.ts';
import type { Route } from '../../src/openapi/routes.ts';

function collectIds(path: string, body: unknown): readonly unknown[] {
  const pool = new Pool();
  pool.collectValues({ path } as Route, body);
  return pool.getValues('recipeId');
}

describe('The pool of values for later requests', () => {
  it.each([
    ['a list', [{ id: 'a' }, { id: 'b' }]],
    ['the only list of an object', { items: [{ id: 'a' }, { id: 'b' }], page: 1, total: 2 }],
    ['a list with the name of the collection', { recipes: [{ id: 'a' }, { id: 'b' }], links: [] }],
  ])('has the ids of the entries of %s', (_, body) => {
    expect(collectIds('/recipes', body)).toEqual(['a', 'b']);
  });

  it('does not have the ids of other lists as those of the collection', () => {
    expect(collectIds('/recipes', { users: [{ id: 'u' }], tags: [{ id: 't' }] })).toEqual([]);
  });
});
