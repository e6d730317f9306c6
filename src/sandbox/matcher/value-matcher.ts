import type { Issue } from '../../util/issue.ts';
import { MAX_JSON_DEPTH } from '../../util/json-limits.ts';
import { formatPointer } from '../../util/json-pointer.ts';
import { isSecretName, redactSecrets } from '../../util/redact-secrets.ts';
import type { Comparison } from './comparison.ts';
import { compilePattern, createGlob, type Pattern, PatternError } from './patterns.ts';

/** An invalid matcher, with its issues. */
export class InvalidMatcherError extends Error {
  override readonly name = 'InvalidMatcherError';

  constructor(readonly issues: readonly Issue[]) {
    super(issues.map(({ pointer, message }) => `${pointer} ${message}`).join('; '));
  }
}

/** Returns why a value does not match, one sentence each, beginning with its place; an empty list if it matches. */
export type ValueMatcher = (value: unknown, place: string) => readonly string[];

/** Creates a matcher from its JSON form in `where`. Throws an `InvalidMatcherError`. */
export function createValueMatcher(expected: unknown, comparison: Comparison, depth = 0): ValueMatcher {
  if (depth > MAX_JSON_DEPTH) throw createError(comparison, 'is nested too deeply');
  if (Array.isArray(expected)) return matchList(expected, comparison, depth);
  if (typeof expected !== 'object' || expected === null) return matchEqual(expected, comparison);
  const entries = Object.entries(expected);
  if (!entries.some(([name]) => name.startsWith('$'))) return matchProperties(expected, comparison, depth);
  const matchers = entries.map(([name, operand]) => matchOperator(name, operand, comparison, depth));
  return (value, place) => matchers.flatMap((matcher) => matcher(value, place));
}

function matchEqual(expected: unknown, { isEqual, satisfies }: Comparison): ValueMatcher {
  const predicate = (value: unknown) => isEqual(value, expected);
  return (value, place) => (satisfies(value, predicate) ? [] : [describeMismatch(place, format(expected), value)]);
}

function matchProperties(expected: object, comparison: Comparison, depth: number): ValueMatcher {
  const matchers = Object.entries(expected).map(
    ([name, value]) => [name, redactMismatch(name, matchProperty(name, value, comparison, depth))] as const,
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

function matchProperty(name: string, expected: unknown, comparison: Comparison, depth: number): ValueMatcher {
  return createValueMatcher(expected, { ...comparison, pointer: comparison.pointer + formatPointer(name) }, depth + 1);
}

/** Returns a matcher that does not reveal the value of a property, header or parameter with a secret name. */
export function redactMismatch(name: string, matcher: ValueMatcher): ValueMatcher {
  if (!isSecretName(name)) return matcher;
  return (value, place) => (matcher(value, place).length === 0 ? [] : [`${place}: the value does not match`]);
}

function matchList(expected: readonly unknown[], comparison: Comparison, depth: number): ValueMatcher {
  const matchers = expected.map((value, index) => matchProperty(String(index), value, comparison, depth));
  return (value, place) => {
    const entries = comparison.toList(value);
    if (!entries) return [describeMismatch(place, 'a list', value)];
    if (entries.length !== matchers.length)
      return [`${place}: expected ${matchers.length} entries, got ${entries.length}`];
    return matchers.flatMap((matcher, index) => matcher(entries[index], place + formatPointer(index)));
  };
}

interface Operator {
  /** What the operand has to be. */
  readonly operand: string;
  readonly isOperand: (value: unknown) => boolean;
  readonly createPredicate: (operand: never, comparison: Comparison, depth: number) => (value: unknown) => boolean;
  /** Describes the values that match. */
  readonly describe: (operand: string) => string;
}

const isText = (value: unknown) => typeof value === 'string';

/** Creates an operator that compares a number with its operand. */
const createNumberOperator = (relation: string, isMatch: (value: number, operand: number) => boolean): Operator => ({
  operand: 'a number',
  isOperand: (value) => typeof value === 'number',
  createPredicate: (operand: number, comparison) => (value) => isMatch(comparison.toNumber(value), operand),
  describe: (operand) => `a number ${relation} ${operand}`,
});

const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: {
    operand: 'any value',
    isOperand: () => true,
    createPredicate: (expected: unknown, comparison) => (value) => comparison.isEqual(value, expected),
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
    createPredicate: (source: string, comparison) => {
      const { isMatch, size } = compileOperand(source, comparison);
      comparison.addPatternSize(size);
      return (value) => typeof value === 'string' && isMatch(value);
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
    createPredicate: (options: readonly unknown[], comparison, depth) => {
      const matchers = options.map((option) => createValueMatcher(option, comparison, depth + 1));
      return (value) => matchers.some((matcher) => matcher(value, '').length === 0);
    },
    describe: (operand) => `one of ${operand}`,
  },
  $not: {
    operand: 'any value',
    isOperand: () => true,
    createPredicate: (unexpected: unknown, comparison, depth) => {
      const matcher = createValueMatcher(unexpected, comparison, depth + 1);
      return (value) => matcher(value, '').length > 0;
    },
    describe: (operand) => `anything but ${operand}`,
  },
};

/** Operators that compare all values of a repeated query parameter or header at once. */
const WHOLE_VALUE_OPERATORS = ['$not', '$exists'];

function matchOperator(name: string, operand: unknown, comparison: Comparison, depth: number): ValueMatcher {
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  const here = { ...comparison, pointer: comparison.pointer + formatPointer(name) };
  if (!operator) throw createError(here, `is not an operator: use ${Object.keys(OPERATORS).join(', ')}`);
  if (isDeeper(operand, MAX_JSON_DEPTH)) throw createError(here, 'is nested too deeply');
  if (!operator.isOperand(operand)) throw createError(here, `is ${format(operand)}: use ${operator.operand}`);
  const predicate = operator.createPredicate(operand as never, here, depth);
  const isMatch = (value: unknown) =>
    WHOLE_VALUE_OPERATORS.includes(name) ? predicate(value) : here.satisfies(value, predicate);
  const expected = operator.describe(format(operand));
  return (value, place) => (isMatch(value) ? [] : [describeMismatch(place, expected, value)]);
}

function compileOperand(source: string, comparison: Comparison): Pattern {
  try {
    return compilePattern(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw createError(comparison, error.message);
  }
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

function describeMismatch(place: string, expected: string, value: unknown): string {
  return `${place}: expected ${expected}, got ${format(value)}`;
}

/** The maximum length of a value in a message, in characters. */
const MAX_VALUE_LENGTH = 100;

function format(value: unknown): string {
  if (value === undefined) return 'no value';
  const text = JSON.stringify(redactSecrets(value));
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

function createError({ pointer }: Comparison, message: string): InvalidMatcherError {
  return new InvalidMatcherError([{ pointer, message }]);
}
