import type { Defect } from './defect.ts';
import type { ProxyResponse } from './proxy.ts';
import { changeProblems, changeResponses, getPath, parseBody, replaceBody, withHeader, withStatus } from './tamper.ts';

function isMalformedJson(response: ProxyResponse): boolean {
  return parseBody(response)?.type === '/problems/malformed-json';
}

function html(response: ProxyResponse): ProxyResponse {
  const { detail } = parseBody(response) ?? {};
  const page = `<!DOCTYPE html>\n<html lang="en"><head><title>Error</title></head><body><pre>${detail}</pre></body></html>\n`;
  return { ...withHeader(response, 'Content-Type', 'text/html; charset=utf-8'), body: Buffer.from(page) };
}

/** Defects of error responses and of their problem documents. */
export const problemDefects: readonly Defect[] = [
  {
    name: 'rejects an unknown product with 400',
    operationId: 'addCartItem',
    tamper: changeResponses('addCartItem', (response) =>
      response.status === 404 ? withStatus(response, 400) : response,
    ),
  },
  {
    name: 'rejects an unknown delivery option with 422',
    operationId: 'updateCartItem',
    tamper: changeResponses('updateCartItem', (response) =>
      parseBody(response)?.type === '/problems/unknown-delivery-option' ? withStatus(response, 422) : response,
    ),
  },
  {
    name: 'responds to a request for an unknown order with 500',
    operationId: 'getOrder',
    tamper: changeResponses('getOrder', (response) => (response.status === 404 ? withStatus(response, 500) : response)),
  },
  {
    name: 'rejects an invalid body with 422',
    operationId: 'addCartItem',
    tamper: changeResponses('addCartItem', (response) =>
      response.status === 400 ? withStatus(response, 422) : response,
    ),
  },
  {
    name: 'rejects an order from an empty cart with 400',
    operationId: 'createOrder',
    tamper: changeResponses('createOrder', (response) =>
      response.status === 409 ? withStatus(response, 400) : response,
    ),
  },
  {
    name: 'reports an unknown delivery option as an unknown cart item',
    operationId: 'updateCartItem',
    tamper: changeProblems((problem) =>
      problem.type === '/problems/unknown-delivery-option'
        ? { ...problem, type: '/problems/unknown-cart-item' }
        : problem,
    ),
  },
  {
    name: 'sends errors as HTML',
    operationId: undefined,
    tamper: changeResponses(undefined, (response) => (response.status >= 400 ? html(response) : response)),
  },
  {
    name: 'sends problem documents with the content type application/json',
    operationId: undefined,
    tamper: changeResponses(undefined, (response) =>
      response.status >= 400 ? withHeader(response, 'Content-Type', 'application/json') : response,
    ),
  },
  {
    name: 'sends errors as an object that contains only the property error',
    operationId: undefined,
    tamper: changeProblems(({ detail }) => ({ error: detail })),
  },
  {
    name: 'sends problem documents whose status differs from that of the response',
    operationId: undefined,
    tamper: changeProblems((problem) => ({ ...problem, status: problem.status === 400 ? 422 : 400 })),
  },
  {
    name: 'sends the status in problem documents as a string',
    operationId: undefined,
    tamper: changeProblems((problem) => ({ ...problem, status: String(problem.status) })),
  },
  {
    name: 'adds a time to problem documents',
    operationId: undefined,
    tamper: changeProblems((problem) => ({ ...problem, timestamp: '2025-06-01T12:00:00.000Z' })),
  },
  {
    name: 'omits the message of problem documents',
    operationId: undefined,
    tamper: changeProblems(({ message: _, ...problem }) => problem),
  },
  {
    name: 'sends problem documents whose message differs from their detail',
    operationId: undefined,
    tamper: changeProblems((problem) => ({ ...problem, message: problem.title })),
  },
  {
    name: 'sends problem documents with the type about:blank',
    operationId: undefined,
    tamper: changeProblems((problem) => ({ ...problem, type: 'about:blank' })),
  },
  {
    name: 'sends problem documents whose instance contains the query',
    operationId: undefined,
    tamper: changeProblems((problem, { target }) => ({ ...problem, instance: target })),
  },
  {
    name: 'omits the violations of an invalid request',
    operationId: undefined,
    tamper: changeProblems(({ violations: _, ...problem }) => problem),
  },
  {
    name: 'reports only the first violation',
    operationId: undefined,
    tamper: changeProblems((problem) =>
      problem.violations ? { ...problem, violations: problem.violations.slice(0, 1) } : problem,
    ),
  },
  {
    name: 'responds to malformed JSON with 500 and a stack trace',
    operationId: 'addCartItem',
    tamper: changeResponses('addCartItem', (response, { target }) => {
      if (!isMalformedJson(response)) return response;
      const stack =
        'SyntaxError: Unexpected end of JSON input\n    at JSON.parse (<anonymous>)\n    at parse (/srv/app/body.js:92:19)';
      const problem = { title: 'Internal server error', status: 500, detail: stack, message: stack };
      return replaceBody(
        { ...response, status: 500 },
        { type: '/problems/internal-error', ...problem, instance: getPath(target) },
      );
    }),
  },
];
