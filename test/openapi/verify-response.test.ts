import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import type { ResponseToVerify } from '../../src/openapi/responses.ts';
import type { Route } from '../../src/openapi/routes.ts';
import { DomainError } from '../../src/shop/domain/domain-error.ts';
import type { Handler } from '../../src/shop/operations/handler.ts';
import { defaults, projectFile } from '../support/fixtures/default-data.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const contract = await loadContract({ path: projectFile('openapi.yaml'), strict: false });

const routes = new Map<string, Route>(contract.routes.map((route) => [route.operationId, route]));

function verify(operationId: string, answer: ResponseToVerify): readonly string[] {
  const route = routes.get(operationId);
  if (!route) throw new Error(`no operation ${operationId}`);
  return contract.verifyResponse(route, answer, { closed: true }).map(({ message }) => message);
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const PROBLEM_TYPE = { 'Content-Type': 'application/problem+json' };
const [order] = defaults.orders;
const [item] = defaults.cartItems;
const created = { ...JSON_TYPE, Location: `/api/orders/${order?.id}` };

function problem(code: string, status: number) {
  return { type: `/problems/${code}`, title: 'T', status, detail: 'D', message: 'D', instance: '/api/products' };
}

const violation = { in: 'query', pointer: '/search', rule: 'type', remedy: 'send it once' };

type Case = [title: string, operationId: string, response: ResponseToVerify, message?: string];

const validResponses: readonly Case[] = [
  ['an array', 'listProducts', { status: 200, headers: JSON_TYPE, body: defaults.products }],
  ['an empty array', 'listProducts', { status: 200, headers: JSON_TYPE, body: [] }],
  ['an order with its Location', 'createOrder', { status: 201, headers: created, body: order }],
  [
    'a header name in lower case',
    'createOrder',
    { status: 201, headers: { ...JSON_TYPE, location: '/' }, body: order },
  ],
  ['no body with 204', 'resetData', { status: 204, headers: {} }],
  ['an undocumented header', 'resetData', { status: 204, headers: { 'X-Other': '1' } }],
  [
    'a documented problem',
    'addCartItem',
    { status: 404, headers: PROBLEM_TYPE, body: problem('unknown-product', 404) },
  ],
  [
    'a problem with violations',
    'listProducts',
    { status: 400, headers: PROBLEM_TYPE, body: { ...problem('invalid-request', 400), violations: [violation] } },
  ],
  [
    'a problem of the server, not the operation',
    'resetData',
    { status: 405, headers: PROBLEM_TYPE, body: problem('method-not-allowed', 405) },
  ],
  [
    'a 503 with Retry-After',
    'listOrders',
    { status: 503, headers: { ...PROBLEM_TYPE, 'Retry-After': '1' }, body: problem('unavailable', 503) },
  ],
];

const invalidResponses: readonly Case[] = [
  [
    'an undocumented status',
    'createOrder',
    { status: 200, headers: JSON_TYPE, body: order },
    'status 200 is not documented',
  ],
  [
    'an undocumented content type',
    'listProducts',
    { status: 200, headers: { 'Content-Type': 'text/html' }, body: [] },
    'content type text/html is not documented',
  ],
  ['a missing content type', 'listProducts', { status: 200, headers: {}, body: [] }, 'the content type is missing'],
  ['a missing body', 'listProducts', { status: 200, headers: JSON_TYPE }, 'body must be array'],
  ['a body with 204', 'removeCartItem', { status: 204, headers: JSON_TYPE, body: item }, 'a body is not documented'],
  ['a missing Location', 'createOrder', { status: 201, headers: JSON_TYPE, body: order }, 'header Location is missing'],
  [
    'a Retry-After that is not a number',
    'resetData',
    { status: 503, headers: { ...PROBLEM_TYPE, 'Retry-After': 'soon' }, body: problem('unavailable', 503) },
    'header Retry-After must be integer',
  ],
  [
    'an extra field',
    'updateCartItem',
    { status: 200, headers: JSON_TYPE, body: { ...item, colour: 'red' } },
    'body/colour must NOT have additional properties',
  ],
  [
    'an extra nested field',
    'listProducts',
    {
      status: 200,
      headers: JSON_TYPE,
      body: defaults.products.map((product) => ({ ...product, rating: { ...product.rating, best: 5 } })).slice(0, 1),
    },
    'body/0/rating/best must NOT have additional properties',
  ],
  [
    'an extra field of a problem',
    'createOrder',
    { status: 409, headers: PROBLEM_TYPE, body: { ...problem('empty-cart', 409), stack: 'at' } },
    'body/stack must NOT have additional properties',
  ],
  [
    'a missing field',
    'updateCartItem',
    { status: 200, headers: JSON_TYPE, body: { productId: item?.productId, quantity: 1 } },
    "body/deliveryOptionId must have required property 'deliveryOptionId'",
  ],
  [
    'a value of the wrong type',
    'updateCartItem',
    { status: 200, headers: JSON_TYPE, body: { ...item, quantity: '2' } },
    'body/quantity must be integer',
  ],
  [
    'a problem that the operation does not document',
    'listProducts',
    { status: 404, headers: PROBLEM_TYPE, body: problem('unknown-product', 404) },
    'body/type must be equal to one of the allowed values',
  ],
  [
    'a problem of another operation with the same status',
    'getOrder',
    { status: 404, headers: PROBLEM_TYPE, body: problem('unknown-product', 404) },
    'body/type must be equal to one of the allowed values',
  ],
  [
    'an invalid request without violations',
    'listProducts',
    { status: 400, headers: PROBLEM_TYPE, body: { ...problem('invalid-request', 400), violations: [] } },
    'body/violations must NOT have fewer than 1 items',
  ],
];

describe('verifying a response', () => {
  it.each(validResponses)('accepts %s: %s', (_, operationId, answer) => {
    expect(verify(operationId, answer)).toEqual([]);
  });

  it.each(invalidResponses)('returns the violation of %s: %s', (_, operationId, response, message) => {
    expect(verify(operationId, response)).toEqual([message]);
  });

  it('returns all violations at once', () => {
    const answer = { status: 201, headers: JSON_TYPE, body: { ...order, id: 'one', totalCostCents: -1 } };
    expect(verify('createOrder', answer)).toEqual([
      'body/id must match format "uuid"',
      'body/totalCostCents must be >= 0',
      'header Location is missing',
    ]);
  });
});

describe('a response that violates the contract', () => {
  const EMPTY = { totalItems: 0, productCostCents: 0, shippingCostCents: 0, totalCostBeforeTaxCents: 0, taxCents: 0 };

  it('is logged as an error if a handler returns a field that is not in the contract', async () => {
    const getPaymentSummary: Handler<'getPaymentSummary'> = () => ({
      body: Object.assign({ totalCostCents: 0, colour: 'red' }, EMPTY),
    });
    const shop = await startStorefront({ errorsExpected: true, handlers: { getPaymentSummary } });
    await shop.ask('GET', '/api/payment-summary');
    expect(shop.log).toContainEqual(
      expect.objectContaining({
        level: 50,
        operation: 'getPaymentSummary',
        status: 200,
        responseViolations: [
          {
            where: 'body/colour',
            rule: 'additionalProperties',
            message: 'body/colour must NOT have additional properties',
          },
        ],
      }),
    );
  });

  it.each([
    ['without content', {}],
    ['with an error of its own', { content: { 'application/json': { schema: { type: 'string' } } } }],
  ])('is not a refusal by the server of a request to a contract with a 400 %s', async (_, media) => {
    const parameters = [{ name: 'limit', in: 'query', schema: { type: 'integer' } }];
    const responses = { 200: { description: 'd' }, 400: { description: 'd', ...media } };
    const contract = await writeDocument({ paths: { '/a': { get: { parameters, responses } } } });
    const shop = await startStorefront({ contract, mock: true, verify: 'strict' });
    const response = await shop.ask('GET', '/a?limit=x');
    if ('content' in media) expect([response.status, response.body]).toEqual([400, expect.stringContaining('limit')]);
    else expectProblem(response, 400, 'invalid-request');
  });

  it('is logged as an error if a handler throws a domain error that its operation does not document', async () => {
    const listProducts: Handler<'listProducts'> = () => {
      throw new DomainError('unknown-order', 'no');
    };
    const shop = await startStorefront({ errorsExpected: true, handlers: { listProducts } });
    await shop.ask('GET', '/api/products');
    expect(shop.log).toContainEqual(
      expect.objectContaining({
        level: 50,
        operation: 'listProducts',
        status: 404,
        responseViolations: [expect.objectContaining({ where: 'body/type', rule: 'enum' })],
      }),
    );
  });
});
