import type { Where } from '../../control/operation.ts';
import { pointerTo } from '../../util/json-pointer.ts';
import { redactText } from '../journal/redact-secrets.ts';
import { type Comparison, jsonComparison, textComparison } from './comparison.ts';
import { createGlob, MOST_INSTRUCTIONS } from './patterns.ts';
import { createValueMatcher, InvalidMatcherError, redactMismatch } from './value-matcher.ts';

/** What of a request is looked at. */
export interface MatchableRequest {
  /** Undefined where it led to no operation. */
  readonly operationId: string | undefined;
  readonly method: string;
  /** Without what names a sandbox. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[]>>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: unknown;
  /** Whether there was more of the body than is known. */
  readonly isTruncated?: boolean;
  /** Whether the body is a form, which is of texts. */
  readonly isForm?: boolean;
}

/** Why a request isn't as wanted, a sentence each; none where it is. */
export interface RequestMatcher {
  (asked: MatchableRequest): readonly string[];
  /** The instructions that its regular expressions compile to, together. */
  readonly patternSize: number;
}

/** A part of a condition. */
type Part = (asked: MatchableRequest) => readonly string[];

/** Counts the instructions of the regular expressions of a condition. */
type AddPatternSize = Comparison['addPatternSize'];

/** What requests are to be like. */
export interface MatcherDefinition {
  readonly operation?: string | readonly string[] | undefined;
  readonly where?: Where | undefined;
}

/** Whether a request is as wanted, in all that is said. Throws `InvalidMatcherError`. */
export function createRequestMatcher({ operation, where = {} }: MatcherDefinition): RequestMatcher {
  let patternSize = 0;
  const add: AddPatternSize = (size) => {
    patternSize += size;
    if (patternSize > MOST_INSTRUCTIONS) throw new InvalidMatcherError([TOO_LARGE]);
  };
  const parts: readonly Part[] = [
    ...(operation === undefined ? [] : [ofOperation([operation].flat())]),
    ...(where.method === undefined ? [] : [ofMethod(where.method.toUpperCase())]),
    ...(where.path === undefined ? [] : [ofPath(where.path)]),
    ...Object.entries(where.query ?? {}).map(([name, wanted]) => inQuery(name, wanted, add)),
    ...Object.entries(where.headers ?? {}).map(([name, wanted]) => inHeader(name, wanted, add)),
    ...(Object.hasOwn(where, 'body') ? [inBody(where.body, add)] : []),
  ];
  return Object.assign((asked: MatchableRequest) => parts.flatMap((part) => part(asked)), { patternSize });
}

/** Whether a matcher that was accepted matches only requests with a body. */
export function needsBody(where: Where = {}): boolean {
  const nobody = { operationId: undefined, method: '', path: '', query: {}, headers: {}, body: undefined };
  return Object.hasOwn(where, 'body') && inBody(where.body, () => {})(nobody).length > 0;
}

const TOO_LARGE = {
  pointer: '/where',
  trouble: `has regular expressions that compile to more than ${MOST_INSTRUCTIONS} instructions: give fewer, or lower bounds of repetition`,
};

/** How many characters of a request regular expressions may have to look at. */
export function charactersOf({ path, query, headers, body }: MatchableRequest): number {
  return JSON.stringify([path, query, headers, body]).length;
}

/** Why nobody knows whether a body is as wanted. */
export const CUT_BODY = 'its body is longer than 4 kB, of which no more is kept';

function ofOperation(ids: readonly string[]): Part {
  return ({ operationId, method, path }) => {
    if (operationId !== undefined && ids.includes(operationId)) return [];
    return [`it is ${operationId ?? `${method} ${redactText(path)}, no operation`}, not ${ids.join(' or ')}`];
  };
}

function ofMethod(wanted: string): Part {
  return ({ method }) => (method === wanted ? [] : [`its method is ${method}, not ${wanted}`]);
}

function ofPath(wanted: string): Part {
  const isLike = createGlob(wanted);
  return ({ path }) => (isLike(path) ? [] : [`its path is ${redactText(path)}, not ${wanted}`]);
}

function inQuery(name: string, wanted: unknown, addPatternSize: AddPatternSize): Part {
  const comparing = { pointer: pointerTo('where', 'query', name), ...textComparison, addPatternSize };
  const expectation = redactMismatch(name, createValueMatcher(wanted, comparing));
  return ({ query }) => expectation(Object.hasOwn(query, name) ? query[name] : undefined, `query ${name}`);
}

function inHeader(name: string, wanted: unknown, addPatternSize: AddPatternSize): Part {
  const comparing = { pointer: pointerTo('where', 'headers', name), ...textComparison, addPatternSize };
  const expectation = redactMismatch(name, createValueMatcher(wanted, comparing));
  const key = name.toLowerCase();
  return ({ headers }) => expectation(Object.hasOwn(headers, key) ? headers[key] : undefined, `header ${name}`);
}

function inBody(wanted: unknown, addPatternSize: AddPatternSize): Part {
  const inJson = createValueMatcher(wanted, { pointer: '/where/body', ...jsonComparison, addPatternSize });
  // A body is one or the other: what both have counts once.
  const inForm = createValueMatcher(wanted, { pointer: '/where/body', ...textComparison, addPatternSize: () => {} });
  return ({ body, isTruncated = false, isForm = false }) =>
    isTruncated ? [CUT_BODY] : (isForm ? inForm : inJson)(body, 'body');
}
