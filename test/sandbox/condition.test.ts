import { describe, expect, it } from 'vitest';
import {
  createRequestMatcher,
  type MatchableRequest,
  type MatcherDefinition,
} from '../../src/sandbox/matcher/request-matcher.ts';
import { InvalidMatcherError } from '../../src/sandbox/matcher/value-matcher.ts';

/** A request: one for the products, but for what is given. */
function asking(given: Partial<MatchableRequest> = {}): MatchableRequest {
  return {
    operationId: 'listProducts',
    method: 'GET',
    path: '/api/products',
    query: {},
    headers: {},
    body: undefined,
    ...given,
  };
}

/** Whether a request is as wanted. */
function isMet(wish: MatcherDefinition, given: Partial<MatchableRequest> = {}): boolean {
  return createRequestMatcher(wish)(asking(given)).length === 0;
}

/** Whether a request with this body is as wanted. */
function isBodyMet(wanted: unknown, body: unknown): boolean {
  return isMet({ where: { body: wanted } }, { body });
}

function isQueryMet(wanted: unknown, value: string | string[] | undefined): boolean {
  return isMet({ where: { query: { q: wanted } } }, { query: value === undefined ? {} : { q: value } });
}

/** Where a condition makes no sense. */
function pointersIn(wish: MatcherDefinition): readonly string[] {
  try {
    createRequestMatcher(wish);
  } catch (error) {
    if (error instanceof InvalidMatcherError) return error.flaws.map(({ pointer }) => pointer);
    throw error;
  }
  return [];
}

/** Conditions on a JSON value: what is wanted, what meets it, what doesn't. */
const ON_VALUES: readonly (readonly [wanted: unknown, met: readonly unknown[], unmet: readonly unknown[]])[] = [
  [2, [2], [3, '2', null, [2], {}, undefined]],
  ['2', ['2'], [2, '', '22']],
  [null, [null], [0, '', undefined, {}]],
  [true, [true], [1, 'true', false]],
  [{}, [{}, { a: 1 }], [[], null, 'a', undefined]],
  [{ a: 1 }, [{ a: 1 }, { a: 1, b: 2 }], [{ a: 2 }, { b: 1 }, { A: 1 }, [1], 1, undefined]],
  [{ a: { b: { c: 1 } } }, [{ a: { b: { c: 1, d: 2 }, e: 3 } }], [{ a: { b: { c: 2 } } }, { a: { b: 1 } }, { a: 1 }]],
  [[1, 2], [[1, 2]], [[2, 1], [1], [1, 2, 3], { 0: 1, 1: 2 }, 1]],
  [[], [[]], [[1], {}, undefined]],
  [
    [{ a: 1 }, { $gt: 2 }],
    [[{ a: 1, b: 2 }, 3]],
    [
      [{ a: 1 }, 2],
      [{ b: 2 }, 3],
    ],
  ],
  [{ list: [{ id: 'x' }] }, [{ list: [{ id: 'x', more: 1 }] }], [{ list: [] }, { list: [{ id: 'y' }] }]],
  [{ toString: { $exists: false } }, [{}], [{ toString: 1 }]],
  [{ constructor: 1 }, [{ constructor: 1 }], [{}]],
  [{ $eq: { a: 1 } }, [{ a: 1 }], [{ a: 1, b: 2 }, {}, [1]]],
  [{ $eq: [1] }, [[1]], [[1, 2], 1]],
  [{ $glob: 'w*' }, ['w', 'w1', 'w*'], ['W1', 'aw', '', 1, ['w'], undefined]],
  [{ $glob: '*a*b*' }, ['ab', 'xaybz'], ['ba', 'a', 'b']],
  [{ $glob: 'a*a' }, ['aa', 'aba'], ['a', 'ab']],
  [{ $glob: 'ab*ba' }, ['abba', 'ab-ba'], ['aba']],
  [{ $glob: 'a' }, ['a'], ['ab', 'ba', '*']],
  [{ $glob: '*' }, ['', 'a\nb'], [1, null]],
  [{ $glob: 'a.c?' }, ['a.c?'], ['abc', 'abc?']],
  [{ $regex: '^w\\d+$' }, ['w1', 'w23'], ['w', 'aw1', 'w1 ', 1, undefined]],
  [{ $regex: 'b' }, ['abc', 'b'], ['ac', '']],
  [{ $gt: 2 }, [3, 2.1], [2, 1, '3', null, undefined, [3]]],
  [{ $lt: 5 }, [4, -1], [5, 6, '4', null, undefined]],
  [{ $gt: 2, $lt: 5 }, [3, 4], [2, 5]],
  [{ $in: [1, 'a', { b: 1 }] }, [1, 'a', { b: 1, c: 2 }], [2, '1', { b: 2 }, undefined]],
  [{ $in: [{ $gt: 9 }, 1] }, [10, 1], [9, 2]],
  [{ $in: [] }, [], [undefined, 1, []]],
  [{ $not: 2 }, [1, '2', undefined, null], [2]],
  [{ $not: { a: 1 } }, [{ a: 2 }, {}, 1], [{ a: 1 }, { a: 1, b: 2 }]],
  [{ $not: { $in: [1, 2] } }, [3], [1, 2]],
  [{ $not: { $not: 1 } }, [1], [2]],
  [{ $exists: true }, [1, null, '', false], [undefined]],
  [{ $exists: false }, [undefined], [1, null, '', false]],
  [{ a: { $exists: false } }, [{}, { b: 1 }], [{ a: 1 }, { a: null }, undefined]],
  [{ 'a/b': { '~': 1 } }, [{ 'a/b': { '~': 1 } }], [{ a: { b: 1 } }]],
];

describe('a condition on a body', () => {
  it.each(ON_VALUES)('that wants %j holds for the values that are like it alone', (wanted, met, unmet) => {
    expect(met.filter((body) => !isBodyMet(wanted, body))).toEqual([]);
    expect(unmet.filter((body) => isBodyMet(wanted, body))).toEqual([]);
  });

  it('says why it does not hold: the place, what was seen and what was wanted', () => {
    const condition = createRequestMatcher({ where: { body: { a: { 'b/c': [1, { $gt: 2 }] }, d: 'e' } } });
    expect(condition(asking({ body: { a: { 'b/c': [2, 2] } } }))).toEqual([
      'body/a/b~1c/0: expected 1, got 2',
      'body/a/b~1c/1: expected a number greater than 2, got 2',
      'body/d: expected "e", got no value',
    ]);
  });

  it('tells little of a long value', () => {
    const [said = ''] = createRequestMatcher({ where: { body: 1 } })(asking({ body: 'x'.repeat(10_000) }));
    expect(said.length).toBeLessThan(200);
  });
});

/** Conditions on a text of a query: what is wanted, what meets it, what doesn't. */
const ON_TEXTS: readonly (readonly [
  wanted: unknown,
  met: readonly (string | string[] | undefined)[],
  unmet: readonly (string | string[] | undefined)[],
])[] = [
  ['a', ['a', ['a', 'b'], ['b', 'a']], ['A', 'ab', ['b', 'c'], undefined]],
  [2, ['2', ['1', '2']], ['3', '2.0', undefined]],
  [true, ['true'], ['false', '1', undefined]],
  [{ $eq: 2 }, ['2'], ['3', undefined]],
  [{ $gt: 2 }, ['3', ['1', '3']], ['2', 'x', '', ' ', undefined]],
  [{ $lt: 2 }, ['1', '-1'], ['2', '', ' ', 'x', undefined]],
  [{ $glob: 'a*' }, ['ab', ['x', 'ab']], ['b', undefined]],
  [{ $regex: '^a' }, ['ab'], ['b', undefined]],
  [{ $in: [1, 'a'] }, ['1', 'a', ['x', '1']], ['2', undefined]],
  [{ $not: 'a' }, ['b', undefined, ['b', 'c']], ['a', ['a', 'b']]],
  [{ $exists: true }, ['', 'a', ['a', 'b']], [undefined]],
  [{ $exists: false }, [undefined], ['', 'a', ['a', 'b']]],
];

describe('a condition on a query', () => {
  it.each(ON_TEXTS)('that wants %j holds for the texts that are like it alone', (wanted, met, unmet) => {
    expect(met.filter((value) => !isQueryMet(wanted, value))).toEqual([]);
    expect(unmet.filter((value) => isQueryMet(wanted, value))).toEqual([]);
  });

  it('does not take what all objects have for a parameter', () => {
    expect(isMet({ where: { query: { constructor: { $exists: true } } } })).toBe(false);
  });
});

describe('a condition on a header', () => {
  it.each(['x-page', 'X-Page', 'X-PAGE'])('finds it by its name in any case: %s', (name) => {
    const where = { headers: { [name]: 'cart' } };
    expect(isMet({ where }, { headers: { 'x-page': 'cart' } })).toBe(true);
    expect(isMet({ where }, { headers: { 'x-page': 'Cart' } })).toBe(false);
    expect(isMet({ where })).toBe(false);
  });
});

const ON_REQUESTS: readonly (readonly [
  wish: MatcherDefinition,
  met: Partial<MatchableRequest>,
  unmet: Partial<MatchableRequest>,
])[] = [
  [{ operation: 'listProducts' }, {}, { operationId: 'listOrders' }],
  [{ operation: 'listProducts' }, {}, { operationId: undefined }],
  [{ operation: ['listOrders', 'listProducts'] }, {}, { operationId: 'createOrder' }],
  [{ where: { method: 'GET' } }, {}, { method: 'HEAD' }],
  [{ where: { method: 'get' } }, {}, { method: 'POST' }],
  [{ where: { path: '/api/products' } }, {}, { path: '/api/products/' }],
  [{ where: { path: '/api/*' } }, {}, { path: '/apis/products' }],
  [{ where: { path: '*products' } }, {}, { path: '/api/products/1' }],
  [{ where: { path: '/*/products' } }, { path: '/a/b/products' }, { path: '/products' }],
  [{ where: { query: { a: 1, b: 2 } } }, { query: { a: '1', b: '2', c: '3' } }, { query: { a: '1' } }],
  [{ operation: 'listProducts', where: { method: 'GET', path: '/api/*' } }, {}, { path: '/' }],
];

describe('a condition', () => {
  it.each(ON_REQUESTS)('%j holds for requests that are as it says alone', (wish, met, unmet) => {
    expect([isMet(wish, met), isMet(wish, unmet)]).toEqual([true, false]);
  });

  it.each<MatcherDefinition>([{}, { where: {} }, { where: { query: {}, headers: {} } }])(
    'that says nothing holds for every request: %j',
    (wish) => {
      expect([isMet(wish), isMet(wish, { operationId: undefined, body: 1 })]).toEqual([true, true]);
    },
  );

  it('gives all reasons why it does not hold', () => {
    const where = { method: 'POST', path: '/api/orders', query: { a: 1 }, headers: { 'X-B': 'c' }, body: 1 };
    expect(createRequestMatcher({ operation: ['createOrder', 'listOrders'], where })(asking())).toEqual([
      'operation: expected createOrder or listOrders, got listProducts',
      'method: expected POST, got GET',
      'path: expected /api/orders, got /api/products',
      'query a: expected 1, got no value',
      'header X-B: expected "c", got no value',
      'body: expected 1, got no value',
    ]);
    expect(
      createRequestMatcher({ operation: 'listOrders' })(asking({ operationId: undefined, path: '/api/x' })),
    ).toEqual(['operation: expected listOrders, got none (GET /api/x)']);
  });

  it('does not tell what may be secret', () => {
    const where = {
      query: { token: 'wanted-1' },
      headers: { Authorization: 'wanted-2' },
      body: { card: { cardNumber: 'wanted-3' }, password: { $glob: 'wanted-4*' } },
    };
    const said = createRequestMatcher({ where })(
      asking({
        query: { token: 'seen-1' },
        headers: { authorization: 'seen-2' },
        body: { card: { cardNumber: 'seen-3' }, password: 'seen-4' },
      }),
    );
    expect(said).toHaveLength(4);
    expect(said.join()).not.toMatch(/seen|wanted-/);
  });
});

const SENSELESS: readonly (readonly [where: NonNullable<MatcherDefinition['where']>, pointer: string])[] = [
  [{ body: { $more: 1 } }, '/where/body/$more'],
  [{ body: { a: { $gt: 1, b: 2 } } }, '/where/body/a/b'],
  [{ body: { $toString: 1 } }, '/where/body/$toString'],
  [{ body: { $gt: 1, toString: 1 } }, '/where/body/toString'],
  [{ body: { $glob: 1 } }, '/where/body/$glob'],
  [{ body: { $regex: '(' } }, '/where/body/$regex'],
  [{ body: { $regex: 1 } }, '/where/body/$regex'],
  [{ body: { $regex: 'a'.repeat(1_001) } }, '/where/body/$regex'],
  [{ body: { $gt: '1' } }, '/where/body/$gt'],
  [{ body: { $lt: null } }, '/where/body/$lt'],
  [{ body: { $in: 1 } }, '/where/body/$in'],
  [{ body: { $exists: 'yes' } }, '/where/body/$exists'],
  [{ body: { a: [1, { $in: [1, { $gt: 'x' }] }] } }, '/where/body/a/1/$in/$gt'],
  [{ body: { $not: { $lt: {} } } }, '/where/body/$not/$lt'],
  [{ body: { 'a/b~c': { $glob: [] } } }, '/where/body/a~1b~0c/$glob'],
  [{ query: { a: { $gt: 'x' } } }, '/where/query/a/$gt'],
  [{ query: { 'a/b': { $no: 1 } } }, '/where/query/a~1b/$no'],
  [{ headers: { 'X-A': { $regex: '[' } } }, '/where/headers/X-A/$regex'],
];

describe('a condition that makes no sense', () => {
  it.each(SENSELESS)('is refused with its place: %j', (where, pointer) => {
    expect(pointersIn({ where })).toEqual([pointer]);
  });

  it('is told with what would be right', () => {
    expect(() => createRequestMatcher({ where: { body: { $mor: 1 } } })).toThrow(/\$eq.*\$glob.*\$regex.*\$exists/);
    expect(() => createRequestMatcher({ where: { body: { $exists: 1 } } })).toThrow('is 1: use true or false');
  });

  it('is one that is more than 100 levels deep', () => {
    const deep = (levels: number) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1);
    expect(pointersIn({ where: { body: deep(100) } })).toEqual([]);
    expect(pointersIn({ where: { body: deep(101) } })).toHaveLength(1);
    const negated = Array.from({ length: 101 }).reduce<unknown>((inner) => ({ $not: inner }), 1);
    expect(pointersIn({ where: { body: negated } })).toHaveLength(1);
    expect(pointersIn({ where: { body: deep(50_000) } })).toHaveLength(1);
  });
});
