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

/** Changes the responses of all operations with a status. */
function withStatusOf(status: number, change: (answer: ProxyResponse) => ProxyResponse) {
  return changeResponses(undefined, (answer) => (answer.status === status ? change(answer) : answer));
}

/** Changes the text of an operation's success responses. */
function texts(operationId: OperationId, change: (text: string) => string) {
  return changeResponses(operationId, (answer) => (isSuccess(answer) ? withText(answer, change) : answer));
}

function withText(answer: ProxyResponse, change: (text: string) => string): ProxyResponse {
  return { ...answer, body: Buffer.from(change(answer.body.toString())) };
}

/** Adds a method to a list of methods. */
function withOneMore(allow: string): string {
  return `${allow}, PATCH`;
}

/** Defects of statuses, headers, media types and methods. */
export const answerDefects: readonly Defect[] = [
  {
    name: 'answers an addition to the cart with 200',
    operationId: 'addCartItem',
    tamper: changeResponses('addCartItem', (answer) => (isSuccess(answer) ? { ...answer, status: 200 } : answer)),
  },
  {
    name: 'answers 200 when it adds to an item that is there',
    operationId: 'addCartItem',
    tamper: () => async (asked, pass) => {
      const answer = await pass(asked);
      const isGrown = answer.status === 201 && parseBody(answer).quantity > parseBody(asked)?.quantity;
      return isGrown ? { ...answer, status: 200 } : answer;
    },
  },
  {
    name: 'answers an order with 200',
    operationId: 'createOrder',
    tamper: changeResponses('createOrder', (answer) => (isSuccess(answer) ? { ...answer, status: 200 } : answer)),
  },
  {
    name: 'answers a removal with 200 and a body',
    operationId: 'removeCartItem',
    tamper: changeResponses('removeCartItem', (answer) => (isSuccess(answer) ? toJsonResponse(answer, {}) : answer)),
  },
  {
    name: 'answers an update with 204 and no body',
    operationId: 'updateCartItem',
    tamper: changeResponses('updateCartItem', (answer) =>
      isSuccess(answer)
        ? { ...withHeader(answer, 'Content-Type', undefined), status: 204, body: Buffer.alloc(0) }
        : answer,
    ),
  },
  {
    name: 'gives JSON as text/plain',
    operationId: 'listProducts',
    tamper: changeResponses('listProducts', (answer) =>
      isSuccess(answer) ? withHeader(answer, 'Content-Type', 'text/plain; charset=utf-8') : answer,
    ),
  },
  {
    name: 'announces JSON and sends nothing',
    operationId: 'getPaymentSummary',
    tamper: changeResponses('getPaymentSummary', (answer) =>
      isSuccess(answer) ? { ...answer, body: Buffer.alloc(0) } : answer,
    ),
  },
  {
    name: 'sends JSON that is cut off',
    operationId: 'listOrders',
    tamper: changeResponses('listOrders', (answer) =>
      isSuccess(answer) ? { ...answer, body: answer.body.subarray(0, -2) } : answer,
    ),
  },
  {
    name: 'gives a name twice in the summary',
    operationId: 'getPaymentSummary',
    tamper: texts('getPaymentSummary', (text) => text.replace('{', '{"totalItems":0,')),
  },
  {
    name: 'gives a name twice in each product of the cart',
    operationId: 'listCartItems',
    tamper: texts('listCartItems', (text) => text.replaceAll('"product":{', '"product":{"n\\u0061me":"",')),
  },
  {
    name: 'gives a name twice in problems',
    operationId: undefined,
    tamper: changeResponses(undefined, (answer) =>
      answer.status >= 400 ? withText(answer, (text) => text.replace(/}$/, ',"title":"Another"}')) : answer,
    ),
  },
  {
    name: 'answers 404 to a method that a path does not have',
    operationId: undefined,
    tamper: withStatusOf(405, (answer) => withHeader(withStatus(answer, 404), 'Allow', undefined)),
  },
  {
    name: 'answers 200 to PATCH',
    operationId: undefined,
    tamper: respondInstead(
      undefined,
      ({ method }) => method === 'PATCH',
      async (asked, pass) => withHeader(toJsonResponse(await pass(asked), {}), 'Allow', undefined),
    ),
  },
  {
    name: 'answers 405 without Allow',
    operationId: undefined,
    tamper: withStatusOf(405, (answer) => withHeader(answer, 'Allow', undefined)),
  },
  {
    name: 'allows a method too many with 405',
    operationId: undefined,
    tamper: withStatusOf(405, (answer) => withHeader(answer, 'Allow', withOneMore(getHeader(answer, 'allow') ?? ''))),
  },
  {
    name: 'answers 404 to HEAD',
    operationId: undefined,
    tamper: respondInstead(
      undefined,
      ({ method }) => method === 'HEAD',
      async (asked, pass) => ({ ...(await pass(asked)), status: 404 }),
    ),
  },
  {
    name: 'answers 404 to OPTIONS',
    operationId: undefined,
    tamper: respondInstead(undefined, ({ method }) => method === 'OPTIONS', respondNotFound),
  },
  {
    name: 'answers 404 to a path with a slash at the end',
    operationId: undefined,
    tamper: respondInstead(undefined, ({ target }) => /\/(\?|$)/.test(target), respondNotFound),
  },
  {
    name: 'tells nowhere where an order is',
    operationId: 'createOrder',
    tamper: changeResponses('createOrder', (answer) => withHeader(answer, 'Location', undefined)),
  },
  {
    name: 'sends those who look for a new order to where nothing is',
    operationId: 'createOrder',
    tamper: changeResponses('createOrder', (answer) => {
      const location = getHeader(answer, 'location');
      return location === undefined ? answer : withHeader(answer, 'Location', location.replace('/api', ''));
    }),
  },
  {
    name: 'lets answers be stored',
    operationId: undefined,
    tamper: changeResponses(undefined, (answer) => withHeader(answer, 'Cache-Control', undefined)),
  },
  {
    name: 'lets the cart be stored for a minute',
    operationId: 'listCartItems',
    tamper: changeResponses('listCartItems', (answer) => withHeader(answer, 'Cache-Control', 'max-age=60')),
  },
  {
    name: 'lets no other origin read errors',
    operationId: undefined,
    tamper: changeResponses(undefined, (answer) =>
      answer.status >= 400 ? withHeader(answer, 'Access-Control-Allow-Origin', undefined) : answer,
    ),
  },
  {
    name: 'lets no other origin read anything',
    operationId: undefined,
    tamper: changeResponses(undefined, (answer) => withHeader(answer, 'Access-Control-Allow-Origin', undefined)),
  },
];
