import type { RequestFilter, Where } from '../control/operation.ts';
import { formatPointer } from '../util/json-pointer.ts';
import type { CredentialNames } from '../util/redact-secrets.ts';
import { redactNamedProperties, redactText } from '../util/redact-secrets.ts';
import { createGlob, MAX_INSTRUCTIONS } from './patterns.ts';
import {
  createMatcherError,
  createValueMatcher,
  hideValues,
  jsonComparison,
  type MatcherContext,
  redactMismatch,
  textComparison,
} from './value-matcher.ts';

/** The parts of a request that a matcher can compare. */
export interface RequestToMatch {
  /** The operationId. Undefined if the request is not for an operation of the contract. */
  readonly operationId: string | undefined;
  /**
   * The names of the headers and query parameters that contain credentials.
   * Their values do not appear in the reasons of a mismatch.
   */
  readonly credentialNames?: CredentialNames | undefined;
  readonly method: string;
  /** The path without the prefix `/_sandbox/ID`. */
  readonly path: string;
  /**
   * The base path with which `path` begins, such as `/v1`.
   * A matcher can contain the path with or without the base path.
   */
  readonly basePath?: string | undefined;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** Whether `query` is truncated, so that it can't be compared. */
  readonly isQueryTruncated?: boolean;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: unknown;
  /** Whether `body` is truncated, so that it can't be compared. */
  readonly isTruncated?: boolean;
  /** Whether the body is a form, whose values are text. */
  readonly isForm?: boolean;
}

/**
 * A compiled request matcher: a function that returns the reasons why a request does not match.
 * Each reason is a sentence.
 * The list is empty if the request matches.
 */
export interface RequestMatcher {
  (request: RequestToMatch): readonly string[];
  /** The number of compiled instructions in all regular expressions of the matcher. */
  readonly patternSize: number;
}

type PartMatcher = (request: RequestToMatch) => readonly string[];

/** The location of `where`, and the counter of its regular expressions. */
type Root = Pick<MatcherContext, 'pointer' | 'depth' | 'addPatternSize'>;

/** A request matcher in the JSON format of the control API. */
export interface MatcherDefinition {
  readonly operation?: RequestFilter['operation'] | undefined;
  readonly where?: RequestFilter['where'] | undefined;
}

/**
 * Compiles a request matcher.
 * A request matches if all parts of the definition match.
 * `at`: the JSON Pointer to the definition in the request body.
 * Throws an `HttpProblemError` if the definition is invalid.
 */
export function createRequestMatcher({ operation, where = {} }: MatcherDefinition, at = ''): RequestMatcher {
  let patternSize = 0;
  const addPatternSize = (size: number) => {
    patternSize += size;
    if (patternSize > MAX_INSTRUCTIONS) throw createMatcherError({ pointer: `${at}/where` }, TOO_LARGE);
  };
  const root: Root = { pointer: `${at}/where`, depth: 0, addPatternSize };
  const matchers: readonly PartMatcher[] = [
    ...(operation === undefined ? [] : [matchOperation([operation].flat())]),
    ...(where.method === undefined ? [] : [matchMethod(where.method.toUpperCase())]),
    ...(where.path === undefined ? [] : [matchPath(where.path)]),
    ...matchQuery(where, root),
    ...matchValues('headers', where, root),
    ...(Object.hasOwn(where, 'body') ? [matchBody(where.body, root)] : []),
  ];
  const match = (request: RequestToMatch) => matchers.flatMap((matcher) => matcher(request));
  return Object.assign(match, { patternSize });
}

/** Returns whether only requests with a body can match `where`, a valid matcher. */
export function needsBody(where: Where = {}): boolean {
  const bodiless = { operationId: undefined, method: '', path: '', query: {}, headers: {}, body: undefined };
  return Object.hasOwn(where, 'body') && matchBody(where.body, UNCOUNTED)(bodiless).length > 0;
}

/** The root of a matcher whose regular expressions are not counted. */
const UNCOUNTED: Root = { pointer: '/where', depth: 0, addPatternSize: () => {} };

const TOO_LARGE = {
  rule: 'complexity',
  problem: `has regular expressions that compile to more than ${MAX_INSTRUCTIONS} instructions`,
  remedy: 'use fewer regular expressions, or less repetition',
};

/**
 * Returns how many characters of a request are compared with regular expressions: the length of the path, the query,
 * the headers and the body as JSON.
 */
export function countCharacters({ path, query, headers, body }: RequestToMatch): number {
  return JSON.stringify([path, query, headers, body]).length;
}

/** The reason of a mismatch if the body of a request is truncated. */
export const TRUNCATED_BODY = 'body: cannot be compared, because the journal contains only its first 4 kB';

/** The reason of a mismatch if the query of a request is truncated. */
export const TRUNCATED_QUERY =
  'query: cannot be compared, because the journal contains only the first 8,000 characters of the URL';

function matchQuery(where: Where, root: Root): readonly PartMatcher[] {
  const matchers = matchValues('query', where, root);
  if (matchers.length === 0) return [];
  return [
    (request) => (request.isQueryTruncated ? [TRUNCATED_QUERY] : matchers.flatMap((matcher) => matcher(request))),
  ];
}

function matchOperation(ids: readonly string[]): PartMatcher {
  const expected = ids.join(' or ');
  return ({ operationId, method, path }) => {
    if (operationId !== undefined && ids.includes(operationId)) return [];
    return [`operation: expected ${expected}, got ${operationId ?? `none (${method} ${redactText(path)})`}`];
  };
}

function matchMethod(expected: string): PartMatcher {
  return ({ method }) => (method === expected ? [] : [`method: expected ${expected}, got ${method}`]);
}

function matchPath(expected: string): PartMatcher {
  const isMatch = createGlob(expected);
  const isAnyMatch = ({ path, basePath = '' }: RequestToMatch) =>
    isMatch(path) || (basePath !== '' && isMatch(path.slice(basePath.length) || '/'));
  return (request) => (isAnyMatch(request) ? [] : [`path: expected ${expected}, got ${redactText(request.path)}`]);
}

/** Creates one matcher for each query parameter or header in `where`. */
function matchValues(part: 'query' | 'headers', where: Where, root: Root): readonly PartMatcher[] {
  return Object.entries(where[part] ?? {}).map(([name, value]) => {
    const context = { ...root, ...textComparison, pointer: root.pointer + formatPointer(part, name) };
    const plain = createValueMatcher(value, context);
    const [matcher, hidden] = [redactMismatch(name, plain), hideValues(plain)];
    const [key, place] = part === 'query' ? [name, `query ${name}`] : [name.toLowerCase(), `header ${name}`];
    return ({ [part]: values, credentialNames }) => {
      const isCredential = credentialNames?.[part].includes(key);
      return (isCredential ? hidden : matcher)(Object.hasOwn(values, key) ? values[key] : undefined, place);
    };
  });
}

function matchBody(expected: unknown, root: Root): PartMatcher {
  const context = { ...root, pointer: `${root.pointer}/body` };
  const matchJson = createValueMatcher(expected, { ...context, ...jsonComparison });
  // Does not count the regular expressions again: only one of the two matchers runs, because a body is either JSON or a
  // form.
  const matchForm = createValueMatcher(expected, { ...context, ...textComparison, addPatternSize: () => {} });
  return ({ body, isTruncated = false, isForm = false, credentialNames }) =>
    isTruncated
      ? [TRUNCATED_BODY]
      : (isForm ? matchForm : matchJson)(body, 'body').map((reason) => hidePasswords(reason, credentialNames));
}

/** Redacts passwords in the reason of a mismatch, such as `body/pin: expected "1", got "2"`. */
function hidePasswords(
  reason: string,
  { properties }: Pick<CredentialNames, 'properties'> = { properties: [] },
): string {
  const place = reason.slice(0, Math.max(0, reason.indexOf(':')));
  const isPassword = place.split('/').some((name) => properties.includes(name));
  return isPassword ? `${place}: the value does not match` : String(redactNamedProperties(reason, properties));
}
