import { isDeepStrictEqual } from 'node:util';
import { createIssue, describeIssues, type Issue, type IssueParts } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { MAX_JSON_DEPTH } from '../util/limits.ts';
import { suggestOneOf } from '../util/names.ts';
import { HttpProblemError, toViolations } from '../util/problem.ts';
import { isSecretName, redactSecrets } from '../util/redact-secrets.ts';
import { compilePattern, createGlob } from './patterns.ts';

/** Creates the error for an invalid matcher. `pointer`: the JSON Pointer to the invalid value. */
export function createMatcherError({ pointer }: Pick<Issue, 'pointer'>, parts: IssueParts): HttpProblemError {
  const issues = [createIssue(pointer, parts)];
  return new HttpProblemError({
    code: 'invalid-matcher',
    detail: describeIssues(issues),
    violations: toViolations(issues),
  });
}

const TOO_DEEP: IssueParts = { rule: 'depth', problem: 'is nested too deeply', remedy: 'reduce the nesting' };

/**
 * Compares a value.
 * Returns an empty list if the value matches, otherwise the reasons why not.
 * Each reason begins with `place`: `body/quantity: expected 2, got 3`.
 */
type ValueMatcher = (value: unknown, place: string) => readonly string[];

type Predicate = (value: unknown) => boolean;

/**
 * The rules for comparing the values of queries, headers and forms, which are text.
 * If a name occurs several times, at least one of its values must match.
 */
export const textComparison = {
  /** Returns whether a value, or one of several values with the same name, satisfies a predicate. */
  satisfies: (value: unknown, predicate: Predicate): boolean =>
    predicate(value) || (Array.isArray(value) && value.some(predicate)),
  isEqual: (value: unknown, expected: unknown) => value !== undefined && String(value) === String(expected),
  /** Converts a value to a number. Returns NaN if the value is not a number. */
  toNumber: (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN),
  /** Returns all values with the same name as a list. Returns undefined if there is no value. */
  toList: (value: unknown): readonly unknown[] | undefined => (value === undefined ? undefined : [value].flat()),
};

/** The rules for comparing the values of JSON bodies. Values are equal only if their types are equal. */
export const jsonComparison: typeof textComparison = {
  satisfies: (value, predicate) => predicate(value),
  isEqual: isDeepStrictEqual,
  toNumber: (value) => (typeof value === 'number' ? value : Number.NaN),
  toList: (value) => (Array.isArray(value) ? value : undefined),
};

/** The rules with which a matcher compares values, and the location of the matcher. */
export type MatcherContext = typeof textComparison & {
  /** The JSON Pointer to the matcher, such as `/where/body/quantity`. */
  readonly pointer: string;
  /** The nesting depth of the matcher. It is 0 for a matcher that is not nested. */
  readonly depth: number;
  /**
   * Adds the compiled instructions of a regular expression to the total of the request matcher.
   * Throws `HttpProblemError` if the total exceeds the maximum.
   */
  readonly addPatternSize: (size: number) => void;
};

/** Creates the context of a nested matcher. `step`: the property name or the index of the nested matcher. */
function createInnerContext(context: MatcherContext, step: string | number): MatcherContext {
  return { ...context, pointer: context.pointer + formatPointer(step), depth: context.depth + 1 };
}

/**
 * Compiles a JSON value in `where`, such as `{ "$gt": 2 }`, to a matcher.
 * Throws `HttpProblemError` if the value is not a valid matcher.
 */
export function createValueMatcher(expected: unknown, context: MatcherContext): ValueMatcher {
  if (context.depth > MAX_JSON_DEPTH) throw createMatcherError(context, TOO_DEEP);
  if (Array.isArray(expected)) return matchList(expected, context);
  if (typeof expected !== 'object' || expected === null) return matchEqual(expected, context);
  const entries = Object.entries(expected);
  if (!entries.some(([name]) => name.startsWith('$'))) return matchProperties(entries, context);
  const matchers = entries.map(([name, operand]) => matchOperator(name, operand, createInnerContext(context, name)));
  return (value, place) => matchers.flatMap((matcher) => matcher(value, place));
}

function matchEqual(expected: unknown, { isEqual, satisfies }: MatcherContext): ValueMatcher {
  const predicate = (value: unknown) => isEqual(value, expected);
  return (value, place) => (satisfies(value, predicate) ? [] : [describeMismatch(place, format(expected), value)]);
}

function matchProperties(expected: readonly (readonly [string, unknown])[], context: MatcherContext): ValueMatcher {
  const matchers = expected.map(
    ([name, value]) =>
      [name, redactMismatch(name, createValueMatcher(value, createInnerContext(context, name)))] as const,
  );
  return (value, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [describeMismatch(place, 'an object', value)];
    const properties = value as Readonly<Record<string, unknown>>;
    return matchers.flatMap(([name, matcher]) =>
      matcher(Object.hasOwn(properties, name) ? properties[name] : undefined, place + formatPointer(name)),
    );
  };
}

/**
 * Hides the compared value in the reasons of a matcher if the name of the property, header or parameter indicates a
 * secret, such as `password`.
 */
export function redactMismatch(name: string, matcher: ValueMatcher): ValueMatcher {
  return isSecretName(name) ? hideValues(matcher) : matcher;
}

/** Returns a matcher that matches the same values as `matcher`, but does not show the compared value in its reasons. */
export function hideValues(matcher: ValueMatcher): ValueMatcher {
  return (value, place) => (matcher(value, place).length === 0 ? [] : [`${place}: the value does not match`]);
}

function matchList(expected: readonly unknown[], context: MatcherContext): ValueMatcher {
  const matchers = expected.map((value, index) => createValueMatcher(value, createInnerContext(context, index)));
  return (value, place) => {
    const entries = context.toList(value);
    if (!entries) return [describeMismatch(place, 'a list', value)];
    if (entries.length !== matchers.length)
      return [`${place}: expected ${matchers.length} entries, got ${entries.length}`];
    return matchers.flatMap((matcher, index) => matcher(entries[index], place + formatPointer(index)));
  };
}

/** An operator of matchers, such as `$gt`. */
interface Operator {
  /** The valid operands, for error messages: `a number`. */
  readonly operand: string;
  readonly isOperand: (value: unknown) => boolean;
  readonly createPredicate: (operand: never, context: MatcherContext) => (value: unknown) => boolean;
  /** Describes the values that match, for the reasons of a mismatch: `a number greater than 2`. */
  readonly describe: (operand: string) => string;
}

const isText = (value: unknown) => typeof value === 'string';

/** Creates an operator that compares numbers. `relation`: the comparison in words, such as `greater than`. */
const createNumberOperator = (relation: string, isMatch: (value: number, operand: number) => boolean): Operator => ({
  operand: 'a number',
  isOperand: (value) => typeof value === 'number',
  createPredicate: (operand: number, context) => (value) => isMatch(context.toNumber(value), operand),
  describe: (operand) => `a number ${relation} ${operand}`,
});

const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: {
    operand: 'any value',
    isOperand: () => true,
    createPredicate: (expected: unknown, context) => (value) => context.isEqual(value, expected),
    describe: (operand) => `exactly ${operand}`,
  },
  $glob: {
    operand: 'a string; * matches any text',
    isOperand: isText,
    createPredicate: (pattern: string) => {
      const isMatch = createGlob(pattern);
      return (value) => typeof value === 'string' && isMatch(value);
    },
    describe: (operand) => `a string like ${operand}`,
  },
  $regex: {
    operand: 'a regular expression as a string',
    isOperand: isText,
    createPredicate: (source: string, context) => {
      const pattern = compilePattern(source);
      if ('problem' in pattern) throw createMatcherError(context, pattern);
      context.addPatternSize(pattern.size);
      return (value) => typeof value === 'string' && pattern.isMatch(value);
    },
    describe: (operand) => `a string that matches ${operand}`,
  },
  $gt: createNumberOperator('greater than', (value, limit) => value > limit),
  $lt: createNumberOperator('less than', (value, limit) => value < limit),
  $exists: {
    operand: 'true or false',
    isOperand: (value) => typeof value === 'boolean',
    createPredicate: (isExpected: boolean) => (value) => (value !== undefined) === isExpected,
    describe: (operand) => (operand === 'true' ? 'a value' : 'no value'),
  },
  $in: {
    operand: 'a list of values',
    isOperand: Array.isArray,
    createPredicate: (options: readonly unknown[], context) => {
      const matchers = options.map((option) => createValueMatcher(option, context));
      return (value) => matchers.some((matcher) => matcher(value, '').length === 0);
    },
    describe: (operand) => `one of ${operand}`,
  },
  $not: {
    operand: 'any value',
    isOperand: () => true,
    createPredicate: (unexpected: unknown, context) => {
      const matcher = createValueMatcher(unexpected, context);
      return (value) => matcher(value, '').length > 0;
    },
    describe: (operand) => `anything but ${operand}`,
  },
};

/**
 * Operators that compare all values of a repeated query parameter or header together.
 * Other operators compare each value separately.
 */
const WHOLE_VALUE_OPERATORS = ['$not', '$exists'];

function matchOperator(name: string, operand: unknown, context: MatcherContext): ValueMatcher {
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (!operator) {
    const remedy = suggestOneOf(name, Object.keys(OPERATORS), 'operators');
    throw createMatcherError(context, { rule: 'propertyNames', problem: 'is not an operator', remedy });
  }
  if (isDeeper(operand, MAX_JSON_DEPTH)) throw createMatcherError(context, TOO_DEEP);
  if (!operator.isOperand(operand)) {
    const [problem, remedy] = [`is ${format(operand)}`, `use ${operator.operand}`];
    throw createMatcherError(context, { rule: 'type', problem, remedy });
  }
  const predicate = operator.createPredicate(operand as never, context);
  const isMatch = (value: unknown) =>
    WHOLE_VALUE_OPERATORS.includes(name) ? predicate(value) : context.satisfies(value, predicate);
  const expected = operator.describe(format(operand));
  return (value, place) => (isMatch(value) ? [] : [describeMismatch(place, expected, value)]);
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

function describeMismatch(place: string, expected: string, value: unknown): string {
  return `${place}: expected ${expected}, got ${format(value)}`;
}

/** The maximum length of a value in an error message or a reason, in characters. */
const MAX_VALUE_LENGTH = 100;

function format(value: unknown): string {
  if (value === undefined) return 'no value';
  const text = JSON.stringify(redactSecrets(value));
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
