import { describe, expect, it } from 'vitest';
import {
  createRequestMatcher,
  type MatcherDefinition,
  type RequestToMatch,
} from '../../src/matcher/request-matcher.ts';
import { HttpProblemError } from '../../src/util/problem.ts';

/** Returns a request for the list of products with some properties replaced. */
function createRequest(overrides: Partial<RequestToMatch> = {}): RequestToMatch {
  return {
    operationId: 'listProducts',
    method: 'GET',
    path: '/api/products',
    query: {},
    headers: {},
    body: undefined,
    ...overrides,
  };
}

/** Returns whether a request matches. */
function isMatch(matcher: MatcherDefinition, overrides: Partial<RequestToMatch> = {}): boolean {
  return createRequestMatcher(matcher)(createRequest(overrides)).length === 0;
}

/** Returns whether a request with this body matches. */
function isBodyMatch(expected: unknown, body: unknown): boolean {
  return isMatch({ where: { body: expected } }, { body });
}

function isQueryMatch(expected: unknown, value: string | string[] | undefined): boolean {
  return isMatch({ where: { query: { q: expected } } }, { query: value === undefined ? {} : { q: value } });
}

/** Returns the JSON Pointers of the issues of an invalid matcher. */
function getPointers(matcher: MatcherDefinition): readonly string[] {
  try {
    createRequestMatcher(matcher);
  } catch (error) {
    if (error instanceof HttpProblemError) return error.problem.violations?.map(({ pointer }) => pointer) ?? [];
    throw error;
  }
  return [];
}

/** Matchers for a JSON value, each with values that match and values that do not. */
const ON_VALUES: readonly (readonly [
  expected: unknown,
  matching: readonly unknown[],
  mismatching: readonly unknown[],
])[] = [
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

describe('a matcher for a body', () => {
  it.each(ON_VALUES)('matches only values like %j', (expected, matching, mismatching) => {
    expect(matching.filter((body) => !isBodyMatch(expected, body))).toEqual([]);
    expect(mismatching.filter((body) => isBodyMatch(expected, body))).toEqual([]);
  });

  it('returns the reasons for a mismatch: the pointer, the expected and the actual value', () => {
    const match = createRequestMatcher({ where: { body: { a: { 'b/c': [1, { $gt: 2 }] }, d: 'e' } } });
    expect(match(createRequest({ body: { a: { 'b/c': [2, 2] } } }))).toEqual([
      'body/a/b~1c/0: expected 1, got 2',
      'body/a/b~1c/1: expected a number greater than 2, got 2',
      'body/d: expected "e", got no value',
    ]);
  });

  it('truncates a long value in a reason', () => {
    const [reasons = ''] = createRequestMatcher({ where: { body: 1 } })(createRequest({ body: 'x'.repeat(10_000) }));
    expect(reasons.length).toBeLessThan(200);
  });
});

/** Matchers for a query parameter, each with values that match and values that do not. */
const ON_TEXTS: readonly (readonly [
  expected: unknown,
  matching: readonly (string | string[] | undefined)[],
  mismatching: readonly (string | string[] | undefined)[],
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

describe('a matcher for a query', () => {
  it.each(ON_TEXTS)('matches only parameters like %j', (expected, matching, mismatching) => {
    expect(matching.filter((value) => !isQueryMatch(expected, value))).toEqual([]);
    expect(mismatching.filter((value) => isQueryMatch(expected, value))).toEqual([]);
  });

  it('does not match properties that every object inherits', () => {
    expect(isMatch({ where: { query: { constructor: { $exists: true } } } })).toBe(false);
  });
});

describe('a matcher for a header', () => {
  it.each(['x-page', 'X-Page', 'X-PAGE'])('compares the name without regard to letter case: %s', (name) => {
    const where = { headers: { [name]: 'cart' } };
    expect(isMatch({ where }, { headers: { 'x-page': 'cart' } })).toBe(true);
    expect(isMatch({ where }, { headers: { 'x-page': 'Cart' } })).toBe(false);
    expect(isMatch({ where })).toBe(false);
  });
});

const ON_REQUESTS: readonly (readonly [
  matcher: MatcherDefinition,
  matching: Partial<RequestToMatch>,
  mismatching: Partial<RequestToMatch>,
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

describe('a matcher for a request', () => {
  it.each(ON_REQUESTS)('matches only requests as it defines: %j', (matcher, matching, mismatching) => {
    expect([isMatch(matcher, matching), isMatch(matcher, mismatching)]).toEqual([true, false]);
  });

  it.each<MatcherDefinition>([{}, { where: {} }, { where: { query: {}, headers: {} } }])(
    'matches every request if it is empty: %j',
    (matcher) => {
      expect([isMatch(matcher), isMatch(matcher, { operationId: undefined, body: 1 })]).toEqual([true, true]);
    },
  );

  it('returns all reasons for a mismatch', () => {
    const where = { method: 'POST', path: '/api/orders', query: { a: 1 }, headers: { 'X-B': 'c' }, body: 1 };
    expect(createRequestMatcher({ operation: ['createOrder', 'listOrders'], where })(createRequest())).toEqual([
      'operation: expected createOrder or listOrders, got listProducts',
      'method: expected POST, got GET',
      'path: expected /api/orders, got /api/products',
      'query a: expected 1, got no value',
      'header X-B: expected "c", got no value',
      'body: expected 1, got no value',
    ]);
    expect(
      createRequestMatcher({ operation: 'listOrders' })(createRequest({ operationId: undefined, path: '/api/x' })),
    ).toEqual(['operation: expected listOrders, got none (GET /api/x)']);
  });

  it('redacts secrets in the reasons for a mismatch', () => {
    const where = {
      query: { token: 'wanted-1' },
      headers: { Authorization: 'wanted-2' },
      body: { card: { cardNumber: 'wanted-3' }, password: { $glob: 'wanted-4*' } },
    };
    const reasons = createRequestMatcher({ where })(
      createRequest({
        query: { token: 'seen-1' },
        headers: { authorization: 'seen-2' },
        body: { card: { cardNumber: 'seen-3' }, password: 'seen-4' },
      }),
    );
    expect(reasons).toHaveLength(4);
    expect(reasons.join()).not.toMatch(/seen|wanted-/);
  });
});

const INVALID: readonly (readonly [where: NonNullable<MatcherDefinition['where']>, pointer: string])[] = [
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

describe('an invalid matcher', () => {
  it.each(INVALID)('is rejected with a JSON Pointer: %j', (where, pointer) => {
    expect(getPointers({ where })).toEqual([pointer]);
  });

  it('is rejected with a remedy', () => {
    expect(() => createRequestMatcher({ where: { body: { $mor: 1 } } })).toThrow(/\$eq.*\$glob.*\$regex.*\$exists/);
    expect(() => createRequestMatcher({ where: { body: { $exists: 1 } } })).toThrow('is 1: use true or false');
  });

  it('is one that is nested more than 100 levels deep', () => {
    const deep = (levels: number) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1);
    expect(getPointers({ where: { body: deep(100) } })).toEqual([]);
    expect(getPointers({ where: { body: deep(101) } })).toHaveLength(1);
    const negated = Array.from({ length: 101 }).reduce<unknown>((inner) => ({ $not: inner }), 1);
    expect(getPointers({ where: { body: negated } })).toHaveLength(1);
    expect(getPointers({ where: { body: deep(50_000) } })).toHaveLength(1);
  });
});
