import { createHash } from 'node:crypto';
import type { OperationId } from '../../../src/shop/types.ts';
import type { Defect } from './defect.ts';
import type { ProxyResponse } from './proxy.ts';
import {
  changeResponses,
  getHeader,
  isSuccess,
  parseBody,
  respondInstead,
  respondNotFound,
  toJsonResponse,
  withHeader,
  withStatus,
} from './tamper.ts';

/** Creates a defect that changes all responses with this status. */
function withStatusOf(status: number, change: (response: ProxyResponse) => ProxyResponse) {
  return changeResponses(undefined, (response) => (response.status === status ? change(response) : response));
}

/** Creates a defect that changes the text of the success responses of an operation. */
function texts(operationId: OperationId, change: (text: string) => string) {
  return changeResponses(operationId, (response) => (isSuccess(response) ? withText(response, change) : response));
}

function withText(response: ProxyResponse, change: (text: string) => string): ProxyResponse {
  return { ...response, body: Buffer.from(change(response.body.toString())) };
}

/** Adds the method PATCH to the value of the header `Allow`. */
function withOneMore(allow: string): string {
  return `${allow}, PATCH`;
}

/** Creates a defect: all success responses to GET have the same ETag. With `isUsed`, a request with this ETag gets 304. */
function withSameETag(name: string, etag: string, isUsed: boolean): Defect {
  return {
    name,
    operationId: undefined,
    tamper: () => async (request, pass) => {
      const response = await pass(request);
      if (request.method !== 'GET' || !isSuccess(response)) return response;
      const isKnown = isUsed && getHeader(request, 'if-none-match') === etag;
      const tagged = withHeader(response, 'ETag', etag);
      return isKnown
        ? { ...withHeader(tagged, 'Content-Type', undefined), status: 304, body: Buffer.alloc(0) }
        : tagged;
    },
  };
}

/** A response that does not arrive. */
const NEVER = new Promise<never>(() => {});

/** Creates a defect: a connection over which a request got 400 cannot be used. */
function withUnusableConnections(
  name: string,
  respond: (response: ProxyResponse) => ProxyResponse | Promise<ProxyResponse>,
): Defect {
  return {
    name,
    operationId: undefined,
    tamper: () => {
      const unusable = new WeakSet<object>();
      return async (request, pass) => {
        const { connection = request } = request;
        const response = await pass(request);
        if (unusable.has(connection)) return respond(response);
        if (response.status === 400) unusable.add(connection);
        return response;
      };
    },
  };
}

function withCharset(response: ProxyResponse, charset: string): ProxyResponse {
  const type = getHeader(response, 'content-type');
  return type === undefined ? response : withHeader(response, 'Content-Type', `${type}; charset=${charset}`);
}

/** Defects of statuses, headers, media types and methods. */
export const responseDefects: readonly Defect[] = [
  {
    name: 'responds to an addition to the cart with 200',
    operationId: 'addCartItem',
    tamper: changeResponses('addCartItem', (response) =>
      isSuccess(response) ? { ...response, status: 200 } : response,
    ),
  },
  {
    name: 'responds with 200 if the added product is already in the cart',
    operationId: 'addCartItem',
    tamper: () => async (request, pass) => {
      const response = await pass(request);
      const isGrown = response.status === 201 && parseBody(response).quantity > parseBody(request)?.quantity;
      return isGrown ? { ...response, status: 200 } : response;
    },
  },
  {
    name: 'responds to a new order with 200',
    operationId: 'createOrder',
    tamper: changeResponses('createOrder', (response) =>
      isSuccess(response) ? { ...response, status: 200 } : response,
    ),
  },
  {
    name: 'responds to a removal with 200 and a body',
    operationId: 'removeCartItem',
    tamper: changeResponses('removeCartItem', (response) =>
      isSuccess(response) ? toJsonResponse(response, {}) : response,
    ),
  },
  {
    name: 'responds to an update with 204 and no body',
    operationId: 'updateCartItem',
    tamper: changeResponses('updateCartItem', (response) =>
      isSuccess(response)
        ? { ...withHeader(response, 'Content-Type', undefined), status: 204, body: Buffer.alloc(0) }
        : response,
    ),
  },
  {
    name: 'sends JSON with the content type text/plain',
    operationId: 'listProducts',
    tamper: changeResponses('listProducts', (response) =>
      isSuccess(response) ? withHeader(response, 'Content-Type', 'text/plain; charset=utf-8') : response,
    ),
  },
  {
    name: 'sends the content type of JSON, but no body',
    operationId: 'getPaymentSummary',
    tamper: changeResponses('getPaymentSummary', (response) =>
      isSuccess(response) ? { ...response, body: Buffer.alloc(0) } : response,
    ),
  },
  {
    name: 'sends truncated JSON',
    operationId: 'listOrders',
    tamper: changeResponses('listOrders', (response) =>
      isSuccess(response) ? { ...response, body: response.body.subarray(0, -2) } : response,
    ),
  },
  {
    name: 'repeats a property name in the summary',
    operationId: 'getPaymentSummary',
    tamper: texts('getPaymentSummary', (text) => text.replace('{', '{"totalItems":0,')),
  },
  {
    name: 'repeats a property name in each product of the cart',
    operationId: 'listCartItems',
    tamper: texts('listCartItems', (text) => text.replaceAll('"product":{', '"product":{"n\\u0061me":"",')),
  },
  {
    name: 'repeats a property name in problem documents',
    operationId: undefined,
    tamper: changeResponses(undefined, (response) =>
      response.status >= 400 ? withText(response, (text) => text.replace(/}$/, ',"title":"Another"}')) : response,
    ),
  },
  {
    name: 'responds to an unsupported method with 404',
    operationId: undefined,
    tamper: withStatusOf(405, (response) => withHeader(withStatus(response, 404), 'Allow', undefined)),
  },
  {
    name: 'responds to PATCH with 200',
    operationId: undefined,
    tamper: respondInstead(
      undefined,
      ({ method }) => method === 'PATCH',
      async (request, pass) => withHeader(toJsonResponse(await pass(request), {}), 'Allow', undefined),
    ),
  },
  {
    name: 'responds with 405 but without Allow',
    operationId: undefined,
    tamper: withStatusOf(405, (response) => withHeader(response, 'Allow', undefined)),
  },
  {
    name: 'lists an unsupported method in Allow',
    operationId: undefined,
    tamper: withStatusOf(405, (response) =>
      withHeader(response, 'Allow', withOneMore(getHeader(response, 'allow') ?? '')),
    ),
  },
  {
    name: 'responds to HEAD with 404',
    operationId: undefined,
    tamper: respondInstead(
      undefined,
      ({ method }) => method === 'HEAD',
      async (request, pass) => ({ ...(await pass(request)), status: 404 }),
    ),
  },
  {
    name: 'responds to OPTIONS with 404',
    operationId: undefined,
    tamper: respondInstead(undefined, ({ method }) => method === 'OPTIONS', respondNotFound),
  },
  {
    name: 'responds to a path with a trailing slash with 404',
    operationId: undefined,
    tamper: respondInstead(undefined, ({ target }) => /\/(\?|$)/.test(target), respondNotFound),
  },
  {
    name: 'does not send the Location of a new order',
    operationId: 'createOrder',
    tamper: changeResponses('createOrder', (response) => withHeader(response, 'Location', undefined)),
  },
  {
    name: 'sends a Location that does not exist for a new order',
    operationId: 'createOrder',
    tamper: changeResponses('createOrder', (response) => {
      const location = getHeader(response, 'location');
      return location === undefined ? response : withHeader(response, 'Location', location.replace('/api', ''));
    }),
  },
  {
    name: 'lets clients cache responses',
    operationId: undefined,
    tamper: changeResponses(undefined, (response) => withHeader(response, 'Cache-Control', undefined)),
  },
  {
    name: 'lets clients cache the cart for a minute',
    operationId: 'listCartItems',
    tamper: changeResponses('listCartItems', (response) => withHeader(response, 'Cache-Control', 'max-age=60')),
  },
  {
    name: 'does not let other origins read errors',
    operationId: undefined,
    tamper: changeResponses(undefined, (response) =>
      response.status >= 400 ? withHeader(response, 'Access-Control-Allow-Origin', undefined) : response,
    ),
  },
  {
    name: 'does not let other origins read any response',
    operationId: undefined,
    tamper: changeResponses(undefined, (response) => withHeader(response, 'Access-Control-Allow-Origin', undefined)),
  },
];

/** Defects of ETags, connections and charsets. */
export const httpDefects: readonly Defect[] = [
  withSameETag('sends the same ETag for all versions of the cart', '"1"', false),
  withSameETag('responds with 304 to the ETag of an earlier cart', '"1"', true),
  {
    name: 'responds with 304 to any ETag',
    operationId: undefined,
    tamper: () => async (request, pass) => {
      const response = await pass(request);
      if (request.method !== 'GET' || !isSuccess(response)) return response;
      const etag = `"${createHash('sha1').update(response.body).digest('hex')}"`;
      const tagged = withHeader(response, 'ETag', etag);
      if (getHeader(request, 'if-none-match') === undefined) return tagged;
      return { ...withHeader(tagged, 'Content-Type', undefined), status: 304, body: Buffer.alloc(0) };
    },
  },
  withUnusableConnections('responds to nothing over a connection after a 400', () => NEVER),
  withUnusableConnections('responds with 400 over a connection after a 400', (response) => withStatus(response, 400)),
  {
    name: 'sends UTF-8 as UTF-16',
    operationId: undefined,
    tamper: changeResponses(undefined, (response) => withCharset(response, 'utf-16')),
  },
  {
    name: 'sends UTF-8 as Latin-1',
    operationId: undefined,
    tamper: changeResponses(undefined, (response) => withCharset(response, 'iso-8859-1')),
  },
  {
    name: 'sends Latin-1 as UTF-8',
    operationId: undefined,
    tamper: changeResponses(undefined, (response) => ({
      ...withCharset(response, 'utf-8'),
      body: Buffer.from(response.body.toString(), 'latin1'),
    })),
  },
];
