import type { Where } from '../control/operation.ts';
import { pointerTo } from '../json-pointer.ts';
import { TEXTS, VALUES } from './comparing.ts';
import { discreet, expectationOf } from './expectation.ts';
import { likeness } from './patterns.ts';
import { textWithoutSecrets } from './secrets.ts';

/** What of a request is looked at. */
export interface Asked {
  /** Undefined where it led to no operation. */
  readonly operationId: string | undefined;
  readonly method: string;
  /** Without what names a sandbox. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: unknown;
  /** Whether there was more of the body than is known. */
  readonly isCut?: boolean;
  /** Whether the body is a form, which is of texts. */
  readonly isForm?: boolean;
}

/** Why a request isn't as wanted, a sentence each; none where it is. */
export type Condition = (asked: Asked) => readonly string[];

/** What requests are to be like. */
export interface ConditionWish {
  readonly operation?: string | readonly string[] | undefined;
  readonly where?: Where | undefined;
}

/** Whether a request is as wanted, in all that is said. Throws `ConditionFault`. */
export function conditionOf({ operation, where = {} }: ConditionWish): Condition {
  const parts: readonly Condition[] = [
    ...(operation === undefined ? [] : [ofOperation([operation].flat())]),
    ...(where.method === undefined ? [] : [ofMethod(where.method.toUpperCase())]),
    ...(where.path === undefined ? [] : [ofPath(where.path)]),
    ...Object.entries(where.query ?? {}).map(([name, wanted]) => inQuery(name, wanted)),
    ...Object.entries(where.headers ?? {}).map(([name, wanted]) => inHeader(name, wanted)),
    ...(Object.hasOwn(where, 'body') ? [inBody(where.body)] : []),
  ];
  return (asked) => parts.flatMap((part) => part(asked));
}

/** Why nobody knows whether a body is as wanted. */
export const CUT_BODY = 'its body is longer than 4 kB, of which no more is kept';

function ofOperation(ids: readonly string[]): Condition {
  return ({ operationId, method, path }) => {
    if (operationId !== undefined && ids.includes(operationId)) return [];
    return [`it is ${operationId ?? `${method} ${textWithoutSecrets(path)}, no operation`}, not ${ids.join(' or ')}`];
  };
}

function ofMethod(wanted: string): Condition {
  return ({ method }) => (method === wanted ? [] : [`its method is ${method}, not ${wanted}`]);
}

function ofPath(wanted: string): Condition {
  const isLike = likeness(wanted);
  return ({ path }) => (isLike(path) ? [] : [`its path is ${textWithoutSecrets(path)}, not ${wanted}`]);
}

function inQuery(name: string, wanted: unknown): Condition {
  const expectation = discreet(name, expectationOf(wanted, { pointer: pointerTo('where', 'query', name), ...TEXTS }));
  return ({ query }) => expectation(Object.hasOwn(query, name) ? query[name] : undefined, `query ${name}`);
}

function inHeader(name: string, wanted: unknown): Condition {
  const expectation = discreet(name, expectationOf(wanted, { pointer: pointerTo('where', 'headers', name), ...TEXTS }));
  const key = name.toLowerCase();
  return ({ headers }) => expectation(Object.hasOwn(headers, key) ? headers[key] : undefined, `header ${name}`);
}

function inBody(wanted: unknown): Condition {
  const inJson = expectationOf(wanted, { pointer: '/where/body', ...VALUES });
  const inForm = expectationOf(wanted, { pointer: '/where/body', ...TEXTS });
  return ({ body, isCut = false, isForm = false }) => (isCut ? [CUT_BODY] : (isForm ? inForm : inJson)(body, 'body'));
}
