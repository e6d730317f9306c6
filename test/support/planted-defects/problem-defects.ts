import type { Defect } from './defect.ts';
import type { ProxyResponse } from './proxy.ts';
import { changeProblems, changeResponses, getPath, parseBody, replaceBody, withHeader, withStatus } from './tamper.ts';

function isMalformedJson(answer: ProxyResponse): boolean {
  return parseBody(answer)?.type === '/problems/malformed-json';
}

function html(answer: ProxyResponse): ProxyResponse {
  const { detail } = parseBody(answer) ?? {};
  const page = `<!DOCTYPE html>\n<html lang="en"><head><title>Error</title></head><body><pre>${detail}</pre></body></html>\n`;
  return { ...withHeader(answer, 'Content-Type', 'text/html; charset=utf-8'), body: Buffer.from(page) };
}

/** Defects of error responses and their problem documents. */
export const problemDefects: readonly Defect[] = [
  {
    name: 'refuses an unknown product with 400',
    operationId: 'addCartItem',
    tamper: changeResponses('addCartItem', (answer) => (answer.status === 404 ? withStatus(answer, 400) : answer)),
  },
  {
    name: 'refuses an unknown delivery option with 422',
    operationId: 'updateCartItem',
    tamper: changeResponses('updateCartItem', (answer) =>
      parseBody(answer)?.type === '/problems/unknown-delivery-option' ? withStatus(answer, 422) : answer,
    ),
  },
  {
    name: 'refuses an unknown order with 500',
    operationId: 'getOrder',
    tamper: changeResponses('getOrder', (answer) => (answer.status === 404 ? withStatus(answer, 500) : answer)),
  },
  {
    name: 'refuses an invalid body with 422',
    operationId: 'addCartItem',
    tamper: changeResponses('addCartItem', (answer) => (answer.status === 400 ? withStatus(answer, 422) : answer)),
  },
  {
    name: 'refuses an order from an empty cart with 400',
    operationId: 'createOrder',
    tamper: changeResponses('createOrder', (answer) => (answer.status === 409 ? withStatus(answer, 400) : answer)),
  },
  {
    name: 'refuses an unknown delivery option as an unknown item',
    operationId: 'updateCartItem',
    tamper: changeProblems((problem) =>
      problem.type === '/problems/unknown-delivery-option'
        ? { ...problem, type: '/problems/unknown-cart-item' }
        : problem,
    ),
  },
  {
    name: 'answers errors in HTML',
    operationId: undefined,
    tamper: changeResponses(undefined, (answer) => (answer.status >= 400 ? html(answer) : answer)),
  },
  {
    name: 'answers problems as application/json',
    operationId: undefined,
    tamper: changeResponses(undefined, (answer) =>
      answer.status >= 400 ? withHeader(answer, 'Content-Type', 'application/json') : answer,
    ),
  },
  {
    name: 'answers errors as an object with error alone',
    operationId: undefined,
    tamper: changeProblems(({ detail }) => ({ error: detail })),
  },
  {
    name: 'gives problems another status than the answer has',
    operationId: undefined,
    tamper: changeProblems((problem) => ({ ...problem, status: problem.status === 400 ? 422 : 400 })),
  },
  {
    name: 'gives the status of problems as a string',
    operationId: undefined,
    tamper: changeProblems((problem) => ({ ...problem, status: String(problem.status) })),
  },
  {
    name: 'adds a time to problems',
    operationId: undefined,
    tamper: changeProblems((problem) => ({ ...problem, timestamp: '2025-06-01T12:00:00.000Z' })),
  },
  {
    name: 'leaves out the message of problems',
    operationId: undefined,
    tamper: changeProblems(({ message: _, ...problem }) => problem),
  },
  {
    name: 'gives problems a message that is not their detail',
    operationId: undefined,
    tamper: changeProblems((problem) => ({ ...problem, message: problem.title })),
  },
  {
    name: 'gives problems the type about:blank',
    operationId: undefined,
    tamper: changeProblems((problem) => ({ ...problem, type: 'about:blank' })),
  },
  {
    name: 'gives problems an instance with the query',
    operationId: undefined,
    tamper: changeProblems((problem, { target }) => ({ ...problem, instance: target })),
  },
  {
    name: 'leaves out the violations of an invalid request',
    operationId: undefined,
    tamper: changeProblems(({ violations: _, ...problem }) => problem),
  },
  {
    name: 'tells of the first violation only',
    operationId: undefined,
    tamper: changeProblems((problem) =>
      problem.violations ? { ...problem, violations: problem.violations.slice(0, 1) } : problem,
    ),
  },
  {
    name: 'shows a stack trace with a 500 at malformed JSON',
    operationId: 'addCartItem',
    tamper: changeResponses('addCartItem', (answer, { target }) => {
      if (!isMalformedJson(answer)) return answer;
      const stack =
        'SyntaxError: Unexpected end of JSON input\n    at JSON.parse (<anonymous>)\n    at parse (/srv/app/body.js:92:19)';
      const problem = { title: 'Internal server error', status: 500, detail: stack, message: stack };
      return replaceBody(
        { ...answer, status: 500 },
        { type: '/problems/internal-error', ...problem, instance: getPath(target) },
      );
    }),
  },
];
