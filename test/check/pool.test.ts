import { describe, expect, it } from 'vitest';
import { getPathParameters, Pool } from '../../src/check/pool.ts';
import { pickIds } from '../../src/check/valid-requests.ts';
import type { Route } from '../../src/openapi/routes.ts';
import { createRandom } from '../../src/util/random.ts';

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

/** Adds the resource that the last parameter of a path identifies. */
function addResource(pool: Pool, path: string, id: string, parents: Readonly<Record<string, string>> = {}): void {
  for (const place of getPathParameters(path).slice(-1)) pool.addResource(place, { id, parents });
}

describe('The ids of a path', () => {
  const BOOK_ITEM = '/books/{bookId}/items/{itemId}';
  const FILM_ITEM = '/films/{filmId}/items/{itemId}';
  const pool = new Pool();
  addResource(pool, '/books/{bookId}', 'b1');
  addResource(pool, '/books/{bookId}', 'b2');
  addResource(pool, BOOK_ITEM, 'page', { bookid: 'b2' });
  addResource(pool, FILM_ITEM, 'scene', { filmid: 'f1' });

  it.each([
    ['the collection that has the resource', BOOK_ITEM, { bookId: 'b2', itemId: 'page' }],
    ['the resources that contain it', `${FILM_ITEM}/notes`, { filmId: 'f1', itemId: 'scene' }],
    ['another path with this name', '/shelves/{shelfId}/films/{filmId}/scenes/{itemId}', { itemId: /page|scene/ }],
    ['no resource', '/shelves/{shelfId}', {}],
  ])('are those of %s', (_, path, expected) => {
    for (let seed = 0; seed < 5; seed++) {
      const ids = pickIds(path, pool, createRandom(seed));
      for (const [name, id] of Object.entries(expected)) expect(ids[name]).toMatch(id);
      expect(Object.keys(ids)).toEqual(expect.arrayContaining(Object.keys(expected)));
    }
  });
});

describe('The ids of a property', () => {
  it('are those of the collection whose path starts as that of the request', () => {
    const pool = new Pool();
    addResource(pool, '/shop/books/{bookId}', 's1');
    addResource(pool, '/library/books/{bookId}', 'l1');
    expect(pool.getValues('bookId', '/library/loans')).toEqual(['l1']);
    expect(pool.getValues('bookId', '/shop/orders')).toEqual(['s1']);
    expect(pool.getValues('bookId', '/loans')).toEqual(['s1', 'l1']);
    expect(pool.getValues('bookId')).toEqual(['s1', 'l1']);
  });

  it('are keys of another collection, such as doctorCode for /doctors/{code}', () => {
    const pool = new Pool();
    addResource(pool, '/doctors/{code}', 'd1');
    addResource(pool, '/users/{userName}', 'ann');
    expect(pool.getKeys('doctor_code', '/visits')).toEqual(['d1']);
    expect(pool.getKeys('doctorCode', '/doctors')).toEqual([]);
    expect(pool.getKeys('doctorCode', '/doctors/{code}')).toEqual([]);
    expect(pool.getKeys('userName', '/signup')).toEqual([]);
  });
});
