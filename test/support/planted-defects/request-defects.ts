import type { OperationId } from '../../../src/shop/types.ts';
import { createAddHandler, replaceItem } from './cart-handlers.ts';
import type { Defect } from './defect.ts';
import type { ProxyRequest, Tamper } from './proxy.ts';
import {
  changeInputs,
  changeRequests,
  getHeader,
  getPath,
  isRequestFor,
  isSuccess,
  type Json,
  parseBody,
  replaceBody,
  respondInstead,
  respondWithError,
  withHeader,
} from './tamper.ts';

/** The id of a product that no catalogue contains. */
const NO_PRODUCT = '00000000-0000-4000-8000-000000000000';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The maximum size of a body, in bytes, and the maximum quantity of a product. */
const LIMIT_BYTES = 102_400;
const QUANTITY_LIMIT = 1_000_000;

/** The limits above which a shop with a defect fails: the length of a search term, in characters, and the number of levels in a body. */
const LONG_SEARCH = 2_000;
const DEEP = 100;

/**
 * Creates a defect: the shop accepts an invalid quantity. `read` returns the quantity that the shop uses instead, or undefined if the defect does not apply
 * to the value.
 */
function createQuantityDefect(
  seen: string,
  operationId: OperationId,
  read: (quantity: unknown) => number | undefined,
): Defect {
  const tamper = changeInputs(operationId, (body) => {
    const quantity = read(body.quantity);
    return quantity === undefined ? body : { ...body, quantity };
  });
  return {
    name: `accepts ${seen} as a quantity${operationId === 'addCartItem' ? '' : ' in an update'}`,
    operationId,
    tamper,
  };
}

/** Creates a defect: the shop responds with 500 to unexpected input. `isHit` returns whether a request contains this input. */
function createErrorDefect(input: string, operationId: OperationId, isHit: (request: ProxyRequest) => boolean): Defect {
  return {
    name: `responds with 500 to ${input}`,
    operationId,
    tamper: respondInstead(operationId, isHit, respondWithError),
  };
}

/** Creates a defect: the shop looks up an id in a path without checking whether it is a UUID. */
function acceptAnyId(operationId: OperationId): () => Tamper {
  return respondInstead(
    operationId,
    ({ target }) => !UUID.test(getId(target)),
    async (request, pass) => {
      const id = getId(request.target);
      const response = await pass({ ...request, target: request.target.replace(id, NO_PRODUCT) });
      return { ...response, body: Buffer.from(response.body.toString().replaceAll(NO_PRODUCT, id)) };
    },
  );
}

/** Returns the last segment of a path. */
function getId(target: string): string {
  return getPath(target).split('/').at(-1) ?? '';
}

/** Defects: the shop accepts invalid requests, or responds with 500 to unexpected requests. */
export const requestDefects: readonly Defect[] = [
  createQuantityDefect('1.5', 'addCartItem', (quantity) =>
    typeof quantity === 'number' && !Number.isInteger(quantity) ? Math.ceil(quantity) : undefined,
  ),
  createQuantityDefect('"3"', 'addCartItem', (quantity) =>
    typeof quantity === 'string' ? Number(quantity) || undefined : undefined,
  ),
  createQuantityDefect('true', 'addCartItem', (quantity) => (quantity === true ? 1 : undefined)),
  createQuantityDefect('0', 'addCartItem', (quantity) => (quantity === 0 ? 1 : undefined)),
  createQuantityDefect('11', 'addCartItem', (quantity) =>
    Number.isInteger(quantity) && Number(quantity) > 10 ? 10 : undefined,
  ),
  createQuantityDefect('-1', 'addCartItem', (quantity) =>
    Number.isInteger(quantity) && Number(quantity) < 0 ? 1 : undefined,
  ),
  createQuantityDefect('a missing value', 'addCartItem', (quantity) => (quantity === undefined ? 1 : undefined)),
  createQuantityDefect('null', 'addCartItem', (quantity) => (quantity === null ? 1 : undefined)),
  createQuantityDefect('0', 'updateCartItem', (quantity) => (quantity === 0 ? 1 : undefined)),
  createQuantityDefect('"3"', 'updateCartItem', (quantity) =>
    typeof quantity === 'string' ? Number(quantity) || undefined : undefined,
  ),
  createQuantityDefect('1.5', 'updateCartItem', (quantity) =>
    typeof quantity === 'number' && !Number.isInteger(quantity) ? Math.ceil(quantity) : undefined,
  ),
  createQuantityDefect('more than 1,000,000', 'updateCartItem', (quantity) =>
    Number.isInteger(quantity) && Number(quantity) > QUANTITY_LIMIT ? QUANTITY_LIMIT : undefined,
  ),
  {
    name: 'accepts additions beyond 1,000,000 of a product',
    operationId: 'addCartItem',
    handlers: createAddHandler(replaceItem, { limit: Number.POSITIVE_INFINITY }),
  },
  {
    name: 'rejects a quantity of 10',
    operationId: 'addCartItem',
    tamper: changeInputs('addCartItem', (body) => (body.quantity === 10 ? { ...body, quantity: 11 } : body)),
  },
  {
    name: 'responds with 404 to a product id in a body that is not a UUID',
    operationId: 'addCartItem',
    tamper: changeInputs('addCartItem', (body) =>
      typeof body.productId === 'string' && !UUID.test(body.productId) ? { ...body, productId: NO_PRODUCT } : body,
    ),
  },
  {
    name: 'responds with 404 to an order id that is not a UUID',
    operationId: 'getOrder',
    tamper: acceptAnyId('getOrder'),
  },
  {
    name: 'responds with 404 to the removal of an item whose id is not a UUID',
    operationId: 'removeCartItem',
    tamper: acceptAnyId('removeCartItem'),
  },
  {
    name: 'accepts true as a delivery option in an update',
    operationId: 'updateCartItem',
    tamper: changeInputs('updateCartItem', (body) =>
      typeof body.deliveryOptionId === 'boolean' ? { ...body, deliveryOptionId: '1' } : body,
    ),
  },
  {
    name: 'accepts JSON with the content type of text',
    operationId: 'addCartItem',
    tamper: changeRequests('addCartItem', (request) =>
      getHeader(request, 'content-type')?.startsWith('text/')
        ? withHeader(request, 'Content-Type', 'application/json')
        : request,
    ),
  },
  {
    name: 'accepts a body without a content type',
    operationId: 'addCartItem',
    tamper: changeRequests('addCartItem', (request) =>
      withHeader(request, 'Content-Type', getHeader(request, 'content-type') ?? 'application/json'),
    ),
  },
  {
    name: 'accepts a body of any size',
    operationId: 'addCartItem',
    tamper: changeRequests('addCartItem', (request) => {
      if (request.body.length <= LIMIT_BYTES) return request;
      const { productId, quantity } = parseBody(request) ?? {};
      return replaceBody(request, { productId, quantity });
    }),
  },
  {
    name: 'accepts malformed JSON as an empty object',
    operationId: 'updateCartItem',
    tamper: changeRequests('updateCartItem', (request) =>
      request.body.length > 0 && parseBody(request) === undefined ? replaceBody(request, {}) : request,
    ),
  },
  {
    name: 'rejects an update without a body',
    operationId: 'updateCartItem',
    tamper: changeRequests('updateCartItem', (request) =>
      request.body.length === 0 ? replaceBody(withHeader(request, 'Content-Type', 'application/json'), null) : request,
    ),
  },
  {
    name: 'rejects unknown properties of a body',
    operationId: 'addCartItem',
    tamper: changeInputs('addCartItem', (body: Json) =>
      Object.keys(body).some((name) => !['productId', 'quantity'].includes(name)) ? {} : body,
    ),
  },
  createErrorDefect('a body that is null', 'addCartItem', (request) => parseBody(request) === null),
  createErrorDefect('a missing body', 'addCartItem', ({ body }) => body.length === 0),
  createErrorDefect(
    'malformed JSON',
    'addCartItem',
    (request) => request.body.length > 0 && parseBody(request) === undefined,
  ),
  createErrorDefect('a NUL in a search', 'listProducts', ({ target }) => target.includes('%00')),
  createErrorDefect('a lone surrogate in a search', 'listProducts', ({ target }) => /%ED%[AB]/i.test(target)),
  createErrorDefect('a lone surrogate in a body', 'updateCartItem', (request) =>
    /\\ud[89a-f]/i.test(request.body.toString()),
  ),
  createErrorDefect('a long search', 'listProducts', ({ target }) => target.length > LONG_SEARCH),
  createErrorDefect('a bracket in a search', 'listProducts', ({ target }) =>
    /search=[^&]*(\[|%5B|\(|%28|\*)/i.test(target),
  ),
  createErrorDefect('a deeply nested body', 'addCartItem', ({ body }) => body.toString().includes('['.repeat(DEEP))),
  createErrorDefect('an invalid escape in a search', 'listProducts', ({ target }) => /%(?![0-9a-f]{2})/i.test(target)),
  createErrorDefect('an invalid escape in a path', 'removeCartItem', ({ target }) => /%(?![0-9a-f]{2})/i.test(target)),
  createErrorDefect('the name of a property of Object.prototype as a delivery option', 'updateCartItem', (request) =>
    ['__proto__', 'constructor', 'toString'].includes(parseBody(request)?.deliveryOptionId),
  ),
  {
    name: 'accepts an array with one addition',
    operationId: 'addCartItem',
    tamper: () => async (request, pass) => {
      const body = parseBody(request);
      if (!isRequestFor(request, 'addCartItem') || !Array.isArray(body) || body[0]?.productId === undefined)
        return pass(request);
      const response = await pass(replaceBody(request, body[0]));
      return isSuccess(response) ? replaceBody(response, [parseBody(response)]) : response;
    },
  },
];
