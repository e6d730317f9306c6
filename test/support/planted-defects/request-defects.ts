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

/** A product that no catalogue has. */
const NO_PRODUCT = '00000000-0000-4000-8000-000000000000';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The maximum size of a body in bytes, and the maximum quantity of a product. */
const LIMIT_BYTES = 102_400;
const QUANTITY_LIMIT = 1_000_000;

/** The limits of a weak server for a search term in characters, and for a body in levels. */
const LONG_SEARCH = 2_000;
const DEEP = 100;

/** Returns a defect that accepts an invalid quantity as the value that `read` returns; undefined if `read` does not apply. */
function taking(seen: string, operationId: OperationId, read: (quantity: unknown) => number | undefined): Defect {
  const tamper = changeInputs(operationId, (body) => {
    const quantity = read(body.quantity);
    return quantity === undefined ? body : { ...body, quantity };
  });
  return {
    name: `takes ${seen} as a quantity${operationId === 'addCartItem' ? '' : ' in an update'}`,
    operationId,
    tamper,
  };
}

/** Returns a defect that makes a server fail at unexpected input. */
function crashing(at: string, operationId: OperationId, isHit: (asked: ProxyRequest) => boolean): Defect {
  return { name: `has a fault at ${at}`, operationId, tamper: respondInstead(operationId, isHit, respondWithError) };
}

/** Looks up an id in a path without validating that it is a UUID. */
function looseInPath(operationId: OperationId): () => Tamper {
  return respondInstead(
    operationId,
    ({ target }) => !UUID.test(idOf(target)),
    async (asked, pass) => {
      const id = idOf(asked.target);
      const answer = await pass({ ...asked, target: asked.target.replace(id, NO_PRODUCT) });
      return { ...answer, body: Buffer.from(answer.body.toString().replaceAll(NO_PRODUCT, id)) };
    },
  );
}

/** Returns the last part of a path. */
function idOf(target: string): string {
  return getPath(target).split('/').at(-1) ?? '';
}

/** Defects of requests that the shop accepts although they are invalid, or that make it fail. */
export const requestDefects: readonly Defect[] = [
  taking('1.5', 'addCartItem', (quantity) =>
    typeof quantity === 'number' && !Number.isInteger(quantity) ? Math.ceil(quantity) : undefined,
  ),
  taking('"3"', 'addCartItem', (quantity) =>
    typeof quantity === 'string' ? Number(quantity) || undefined : undefined,
  ),
  taking('true', 'addCartItem', (quantity) => (quantity === true ? 1 : undefined)),
  taking('0', 'addCartItem', (quantity) => (quantity === 0 ? 1 : undefined)),
  taking('11', 'addCartItem', (quantity) => (Number.isInteger(quantity) && Number(quantity) > 10 ? 10 : undefined)),
  taking('-1', 'addCartItem', (quantity) => (Number.isInteger(quantity) && Number(quantity) < 0 ? 1 : undefined)),
  taking('none', 'addCartItem', (quantity) => (quantity === undefined ? 1 : undefined)),
  taking('null', 'addCartItem', (quantity) => (quantity === null ? 1 : undefined)),
  taking('0', 'updateCartItem', (quantity) => (quantity === 0 ? 1 : undefined)),
  taking('"3"', 'updateCartItem', (quantity) =>
    typeof quantity === 'string' ? Number(quantity) || undefined : undefined,
  ),
  taking('1.5', 'updateCartItem', (quantity) =>
    typeof quantity === 'number' && !Number.isInteger(quantity) ? Math.ceil(quantity) : undefined,
  ),
  taking('more than 1,000,000', 'updateCartItem', (quantity) =>
    Number.isInteger(quantity) && Number(quantity) > QUANTITY_LIMIT ? QUANTITY_LIMIT : undefined,
  ),
  {
    name: 'lets additions pass 1,000,000 of a product',
    operationId: 'addCartItem',
    handlers: createAddHandler(replaceItem, { limit: Number.POSITIVE_INFINITY }),
  },
  {
    name: 'refuses a quantity of 10',
    operationId: 'addCartItem',
    tamper: changeInputs('addCartItem', (body) => (body.quantity === 10 ? { ...body, quantity: 11 } : body)),
  },
  {
    name: 'looks for a product by an id that is no uuid in a body',
    operationId: 'addCartItem',
    tamper: changeInputs('addCartItem', (body) =>
      typeof body.productId === 'string' && !UUID.test(body.productId) ? { ...body, productId: NO_PRODUCT } : body,
    ),
  },
  {
    name: 'looks for an order by an id that is no uuid',
    operationId: 'getOrder',
    tamper: looseInPath('getOrder'),
  },
  {
    name: 'looks for an item to remove by an id that is no uuid',
    operationId: 'removeCartItem',
    tamper: looseInPath('removeCartItem'),
  },
  {
    name: 'takes a delivery option of true in an update',
    operationId: 'updateCartItem',
    tamper: changeInputs('updateCartItem', (body) =>
      typeof body.deliveryOptionId === 'boolean' ? { ...body, deliveryOptionId: '1' } : body,
    ),
  },
  {
    name: 'takes JSON that is announced as text',
    operationId: 'addCartItem',
    tamper: changeRequests('addCartItem', (asked) =>
      getHeader(asked, 'content-type')?.startsWith('text/')
        ? withHeader(asked, 'Content-Type', 'application/json')
        : asked,
    ),
  },
  {
    name: 'takes a body without a content type',
    operationId: 'addCartItem',
    tamper: changeRequests('addCartItem', (asked) =>
      withHeader(asked, 'Content-Type', getHeader(asked, 'content-type') ?? 'application/json'),
    ),
  },
  {
    name: 'takes a body of any size',
    operationId: 'addCartItem',
    tamper: changeRequests('addCartItem', (asked) => {
      if (asked.body.length <= LIMIT_BYTES) return asked;
      const { productId, quantity } = parseBody(asked) ?? {};
      return replaceBody(asked, { productId, quantity });
    }),
  },
  {
    name: 'takes malformed JSON for an empty object',
    operationId: 'updateCartItem',
    tamper: changeRequests('updateCartItem', (asked) =>
      asked.body.length > 0 && parseBody(asked) === undefined ? replaceBody(asked, {}) : asked,
    ),
  },
  {
    name: 'refuses an update without a body',
    operationId: 'updateCartItem',
    tamper: changeRequests('updateCartItem', (asked) =>
      asked.body.length === 0 ? replaceBody(withHeader(asked, 'Content-Type', 'application/json'), null) : asked,
    ),
  },
  {
    name: 'refuses unknown properties of a body',
    operationId: 'addCartItem',
    tamper: changeInputs('addCartItem', (body: Json) =>
      Object.keys(body).some((name) => !['productId', 'quantity'].includes(name)) ? {} : body,
    ),
  },
  crashing('a body that is null', 'addCartItem', (asked) => parseBody(asked) === null),
  crashing('a missing body', 'addCartItem', ({ body }) => body.length === 0),
  crashing('malformed JSON', 'addCartItem', (asked) => asked.body.length > 0 && parseBody(asked) === undefined),
  crashing('a NUL in a search', 'listProducts', ({ target }) => target.includes('%00')),
  crashing('half a surrogate pair in a search', 'listProducts', ({ target }) => /%ED%[AB]/i.test(target)),
  crashing('half a surrogate pair in a body', 'updateCartItem', (asked) => /\\ud[89a-f]/i.test(asked.body.toString())),
  crashing('a long search', 'listProducts', ({ target }) => target.length > LONG_SEARCH),
  crashing('a bracket in a search', 'listProducts', ({ target }) => /search=[^&]*(\[|%5B|\(|%28|\*)/i.test(target)),
  crashing('a body that is nested deeply', 'addCartItem', ({ body }) => body.toString().includes('['.repeat(DEEP))),
  crashing('a broken escape in a search', 'listProducts', ({ target }) => /%(?![0-9a-f]{2})/i.test(target)),
  crashing('a broken escape in a path', 'removeCartItem', ({ target }) => /%(?![0-9a-f]{2})/i.test(target)),
  crashing('a name of Object.prototype as a delivery option', 'updateCartItem', (asked) =>
    ['__proto__', 'constructor', 'toString'].includes(parseBody(asked)?.deliveryOptionId),
  ),
  {
    name: 'takes a list of one addition for the addition',
    operationId: 'addCartItem',
    tamper: () => async (asked, pass) => {
      const body = parseBody(asked);
      if (!isRequestFor(asked, 'addCartItem') || !Array.isArray(body) || body[0]?.productId === undefined)
        return pass(asked);
      const answer = await pass(replaceBody(asked, body[0]));
      return isSuccess(answer) ? replaceBody(answer, [parseBody(answer)]) : answer;
    },
  },
];
