import { describe, expect, it } from 'vitest';
import { type Contract, loadContract } from '../../src/openapi/contract.ts';
import type { Violation } from '../../src/util/problem.ts';
import { getProductId, projectFile } from '../support/fixtures/default-data.ts';

const lenient = await loadContract({ path: projectFile('openapi.yaml'), strict: false });
const strict = await loadContract({ path: projectFile('openapi.yaml'), strict: true });

const KETTLE = getProductId('Cordless Electric Kettle');
const ITEM = `/api/cart-items/${KETTLE}`;

interface Request {
  readonly query?: Readonly<Record<string, string | string[]>>;
  /** The body as JSON. */
  readonly json?: string;
}

function validate(contract: Contract, start: string, { query = {}, json }: Request) {
  const [method = '', path = ''] = start.split(' ');
  const routed = contract.route(method, path);
  if (routed.kind !== 'operation') throw new Error(`${start} is no operation`);
  return contract.validateRequest(routed.route, {
    path,
    query,
    headers: {},
    body: json === undefined ? undefined : JSON.parse(json),
  });
}

type Case = [start: string, request: Request, violation: Violation, detail: string];

const UP_TO_10 = 'an integer from 1 to 10';
const UP_TO_LIMIT = 'an integer from 1 to 1000000';

/** A new cart item with an invalid quantity. */
function badQuantity(json: string, rule: string, predicate: string, value: unknown = JSON.parse(json)): Case {
  const remedy = `use ${UP_TO_10}`;
  const violation: Violation = { in: 'body', pointer: '/quantity', rule, value, remedy };
  return [
    'POST /api/cart-items',
    { json: `{"productId":"${KETTLE}","quantity":${json}}` },
    violation,
    `quantity ${predicate}: ${remedy}`,
  ];
}

/** A new cart item with an invalid product id. */
function badProductId(value: unknown, rule: string): Case {
  const json = JSON.stringify({ productId: value, quantity: 1 });
  const violation: Violation = { in: 'body', pointer: '/productId', rule, value, remedy: 'use a valid uuid' };
  return ['POST /api/cart-items', { json }, violation, `productId is ${JSON.stringify(value)}: use a valid uuid`];
}

/** A body of the wrong type. */
function badBody(start: string, json: string): Case {
  const violation: Violation = {
    in: 'body',
    pointer: '',
    rule: 'type',
    value: JSON.parse(json),
    remedy: 'use an object',
  };
  return [start, { json }, violation, `the body is ${json}: use an object`];
}

/** A change of a cart item with one invalid field. */
function badChange(name: string, value: unknown, rule: string, predicate: string, remedy: string): Case {
  const violation: Violation = { in: 'body', pointer: `/${name}`, rule, value, remedy };
  return [`PUT ${ITEM}`, { json: JSON.stringify({ [name]: value }) }, violation, `${name} ${predicate}: ${remedy}`];
}

/** An invalid query parameter. */
function badQuery(start: string, name: string, value: string | string[], rule: string, remedy: string): Case {
  const predicate = Array.isArray(value) ? 'is sent more than once' : `is ${JSON.stringify(value)}`;
  const violation: Violation = { in: 'query', pointer: `/${name}`, rule, value, remedy };
  return [start, { query: { [name]: value } }, violation, `query parameter ${name} ${predicate}: ${remedy}`];
}

const OPTION_REMEDY = 'use a string or an integer';

const cases: readonly Case[] = [
  badQuantity('11', 'maximum', '11 is above the maximum of 10'),
  badQuantity('0', 'minimum', '0 is below the minimum of 1'),
  badQuantity('-1', 'minimum', '-1 is below the minimum of 1'),
  badQuantity('1e400', 'type', 'is a number too large to be represented', 'Infinity'),
  badQuantity('1.5', 'type', 'is 1.5'),
  badQuantity('"3"', 'type', 'is "3"'),
  badQuantity('null', 'type', 'is null'),
  badQuantity('true', 'type', 'is true'),
  badQuantity('[3]', 'type', 'is [3]'),
  badQuantity('{"of":3}', 'type', 'is {"of":3}'),
  badProductId('kettle', 'format'),
  badProductId('', 'format'),
  badProductId(`urn:uuid:${KETTLE}`, 'maxLength'),
  badProductId(`{${KETTLE}}`, 'maxLength'),
  badProductId(7, 'type'),
  badProductId('__proto__', 'format'),
  ...['[]', '"text"', '5', 'null', 'true', '[{}]'].map((json) => badBody('POST /api/cart-items', json)),
  badBody(`PUT ${ITEM}`, 'null'),
  [
    'POST /api/cart-items',
    {},
    { in: 'body', pointer: '', rule: 'required', remedy: 'add an object' },
    'the body is missing: add an object',
  ],
  [
    'POST /api/cart-items',
    { json: `{"productId":"${KETTLE}"}` },
    { in: 'body', pointer: '/quantity', rule: 'required', remedy: `add ${UP_TO_10}` },
    `quantity is missing: add ${UP_TO_10}`,
  ],
  [
    'POST /api/cart-items',
    { json: '{"quantity":1}' },
    { in: 'body', pointer: '/productId', rule: 'required', remedy: 'add a valid uuid' },
    'productId is missing: add a valid uuid',
  ],
  badChange('quantity', 1_000_001, 'maximum', '1000001 is above the maximum of 1000000', `use ${UP_TO_LIMIT}`),
  badChange('quantity', null, 'type', 'is null', `use ${UP_TO_LIMIT}`),
  badChange('deliveryOptionId', null, 'anyOf', 'is null', OPTION_REMEDY),
  badChange('deliveryOptionId', 1.5, 'anyOf', 'is 1.5', OPTION_REMEDY),
  badChange('deliveryOptionId', [1], 'anyOf', 'is [1]', OPTION_REMEDY),
  badQuery('GET /api/orders', 'expand', ['products', 'products'], 'type', 'send it once'),
  badQuery('GET /api/products', 'search', ['socks', 'towels'], 'type', 'send it once'),
  [
    'GET /api/orders/1',
    {},
    { in: 'path', pointer: '/orderId', rule: 'format', value: '1', remedy: 'use a valid uuid' },
    'path parameter orderId is "1": use a valid uuid',
  ],
];

describe('validating a request', () => {
  it.each(cases)('returns the violation of %s %o', (start, request, violation, detail) => {
    const { input: _, ...result } = validate(lenient, start, request);
    expect(result).toEqual({ kind: 'violations', violations: [violation], detail });
  });

  it('returns all violations at once', () => {
    const result = validate(lenient, 'POST /api/cart-items', { json: '{"productId":1,"quantity":0}' });
    expect(result).toMatchObject({
      violations: [{ pointer: '/productId' }, { pointer: '/quantity' }],
      detail: `productId is 1: use a valid uuid; quantity 0 is below the minimum of 1: use ${UP_TO_10}`,
    });
  });

  it.each([
    ['POST /api/cart-items', { json: `{"productId":"${KETTLE}","quantity":10}` }],
    ['POST /api/cart-items', { json: `{"productId":"${KETTLE.toUpperCase()}","quantity":1.0}` }],
    [`PUT ${ITEM}`, { json: '{"quantity":1000000,"deliveryOptionId":3}' }],
    [`PUT ${ITEM}`, { json: '{}' }],
    [`PUT ${ITEM}`, {}],
    ['GET /api/products', { query: { search: '' } }],
    ['GET /api/cart-items', { query: { expand: 'product' } }],
    ['POST /api/orders', { json: '[1]' }],
  ])('accepts %s %o', (start, request) => {
    expect(validate(lenient, start, request)).toMatchObject({ kind: 'call', notes: [] });
    expect(validate(strict, start, request)).toMatchObject({ kind: 'call', notes: [] });
  });

  it('returns the decoded parts of the request as input', () => {
    const path = { productId: KETTLE };
    const json = '{"quantity":2}';
    expect(validate(lenient, `PUT ${ITEM}`, { json })).toEqual({
      kind: 'call',
      input: { path, query: {}, body: { quantity: 2 } },
      notes: [],
    });
  });
});
