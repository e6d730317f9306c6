import { isDeepStrictEqual } from 'node:util';
import { tryOrUndefined } from '../util/try-or-undefined.ts';

/** A matcher of a pact (Pact Specification, versions 2 to 4). */
export interface Matcher {
  readonly match?: string;
  readonly regex?: string;
  readonly min?: number;
  readonly max?: number;
  readonly value?: unknown;
  readonly status?: unknown;
}

/** The matchers of a path. */
interface Rule {
  /** The steps of the path. `*` matches any step. */
  readonly path: readonly string[];
  readonly matchers: readonly Matcher[];
  /** Whether one matcher is enough. */
  readonly isAny: boolean;
}

export type Category = 'body' | 'header' | 'status';

/** The rules of a response, by the part that they match. */
export type PactRules = Readonly<Record<Category, readonly Rule[]>>;

/** The matchers that compare the items and properties of a value too. */
export const KEEPS_PARTS: readonly string[] = ['type', 'values', 'notEmpty'];

/** Returns whether two JSON values are equal. */
export function isEqual(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}

type Matches = (matcher: Matcher, expected: unknown, actual: unknown, isCascaded: boolean) => boolean;

/** The matchers that the check applies. It does not compare values with other matchers. */
export const MATCHERS: Readonly<Record<string, Matches>> = {
  type: ({ min, max }, expected, actual, isCascaded) =>
    getType(expected) === getType(actual) &&
    (isCascaded || !Array.isArray(actual) || (actual.length >= (min ?? 0) && actual.length <= (max ?? actual.length))),
  values: (_, __, actual, isCascaded) => isCascaded || getType(actual) === 'object',
  equality: (_, expected, actual) => isEqual(expected, actual),
  regex: ({ regex = '' }, _, actual) =>
    (typeof actual === 'string' || typeof actual === 'number' || typeof actual === 'boolean') &&
    tryOrUndefined(() => new RegExp(`^(?:${regex})$`))?.test(String(actual)) === true,
  include: ({ value }, _, actual) => typeof actual === 'string' && actual.includes(String(value)),
  integer: (_, __, actual) => Number.isInteger(actual),
  // A parsed `1.0` is the integer 1.
  decimal: (_, __, actual) => typeof actual === 'number',
  number: (_, __, actual) => typeof actual === 'number',
  boolean: (_, __, actual) => typeof actual === 'boolean',
  null: (_, __, actual) => actual === null,
  notEmpty: (_, expected, actual) =>
    getType(expected) === getType(actual) &&
    (typeof actual === 'string' || (typeof actual === 'object' && actual !== null)
      ? Object.keys(actual).length > 0
      : actual !== null && actual !== undefined),
  statusCode: ({ status }, _, actual) =>
    Array.isArray(status)
      ? status.includes(actual)
      : STATUS_RANGES[String(status)]?.[0] !== undefined && isInRange(Number(actual), STATUS_RANGES[String(status)]),
};

/** The ranges of the matcher `statusCode` (Pact Specification, version 4). */
const STATUS_RANGES: Readonly<Record<string, readonly [number, number]>> = {
  info: [100, 199],
  success: [200, 299],
  redirect: [300, 399],
  clientError: [400, 499],
  serverError: [500, 599],
  nonError: [100, 399],
  error: [400, 599],
};

function isInRange(status: number, [from, to]: readonly [number, number] = [0, -1]): boolean {
  return status >= from && status <= to;
}

/** Returns the name of a matcher. In version 2, `{ "min": 1 }` is a matcher of types. */
export function getName({ match, regex, min, max }: Matcher): string {
  if (match !== undefined) return match;
  if (regex !== undefined) return 'regex';
  return min === undefined && max === undefined ? 'equality' : 'type';
}

export function describeMatcher(matcher: Matcher, expected: unknown): string {
  const { regex, min, max, value, status } = matcher;
  const size = [...(min === undefined ? [] : [`at least ${min}`]), ...(max === undefined ? [] : [`at most ${max}`])];
  switch (getName(matcher)) {
    case 'type':
      return `the pact expects ${withArticle(getType(expected))}${size.length > 0 ? ` with ${size.join(' and ')} items` : ''}`;
    case 'regex':
      return `the pact expects a text that matches ${regex}`;
    case 'include':
      return `the pact expects a text with ${value}`;
    case 'statusCode':
      return `the pact expects ${[status].flat().join(' or ')}`;
    default:
      return `the pact expects a value of the matcher ${getName(matcher)}`;
  }
}

function withArticle(type: string): string {
  return type === 'null' ? type : `${/^[ao]/.test(type) ? 'an' : 'a'} ${type}`;
}

function getType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Returns the rule that matches a path, or the closest ancestor, best: an exact step weighs 2, and a wildcard 1. */
export function findRule(rules: readonly Rule[], path: readonly string[]): Rule | undefined {
  let [best, weight]: [Rule | undefined, number] = [undefined, 0];
  for (const rule of rules) {
    const own = weigh(rule.path, path);
    // At the same weight, the longer path is more precise.
    if (own > weight || (own === weight && own > 0 && rule.path.length > (best?.path.length ?? 0)))
      [best, weight] = [rule, own];
  }
  return best;
}

function weigh(pattern: readonly string[], path: readonly string[]): number {
  if (pattern.length > path.length) return 0;
  let weight = 2;
  for (const [at, step] of pattern.entries()) {
    if (step !== '*' && step !== path[at]) return 0;
    weight *= step === '*' ? 1 : 2;
  }
  return weight * (pattern.length + 1);
}

/** Reads the matching rules of a response: by paths as in version 2, or by categories as in versions 3 and 4. */
export function readRules(matchingRules: unknown): PactRules {
  const rules: Record<Category, Rule[]> = { body: [], header: [], status: [] };
  for (const [key, value] of Object.entries(Object(matchingRules) as Readonly<Record<string, unknown>>)) {
    if (key.startsWith('$')) addPathRule(rules, key, value as Matcher);
    else if (key === 'status') rules.status.push(toRule([], value));
    else if (key === 'body' || key === 'header' || key === 'headers')
      for (const [path, rule] of Object.entries(Object(value) as Readonly<Record<string, unknown>>))
        rules[key === 'headers' ? 'header' : key].push(
          key === 'body'
            ? toRule(parsePathExpression(path), rule)
            : toRule([path.replace(/\[\d+\]$/, '').toLowerCase()], rule),
        );
  }
  return rules;
}

/** Adds a rule of version 2, such as `$.body.items[*].id`. */
function addPathRule(rules: Record<Category, Rule[]>, key: string, matcher: Matcher): void {
  const [category = '', ...path] = parsePathExpression(key);
  const rule = { path, matchers: [matcher], isAny: false };
  if (category === 'body') rules.body.push(rule);
  else if (category === 'status') rules.status.push(rule);
  else if (/^headers?$/.test(category)) rules.header.push({ ...rule, path: [(path[0] ?? '').toLowerCase()] });
}

function toRule(path: readonly string[], value: unknown): Rule {
  const { matchers = [], combine } = Object(value) as { matchers?: readonly Matcher[]; combine?: string };
  return { path, matchers, isAny: combine === 'OR' };
}

/** Returns the steps of a path expression such as `$.items[*]['a b']`. */
function parsePathExpression(path: string): readonly string[] {
  const steps = path.matchAll(/\.?([^.[\]'"$]+)|\[(\d+|\*)\]|\['([^']*)'\]|\["([^"]*)"\]/g);
  return [...steps].map(([, name, index, single, double]) => name ?? index ?? single ?? double ?? '');
}
