import { createIssue, type Issue, type IssueParts } from '../../util/issue.ts';
import { MAX_JSON_DEPTH } from '../../util/json-limits.ts';
import { formatPointer } from '../../util/json-pointer.ts';
import { isSecretName, redactSecrets } from '../../util/redact-secrets.ts';
import { suggestOneOf } from '../../util/similar-names.ts';
import type { textComparison } from './comparison.ts';
import { compilePattern, createGlob, PatternError } from './patterns.ts';

/** An invalid matcher, with its issues. */
export class InvalidMatcherError extends Error {
  override readonly name = 'InvalidMatcherError';

  constructor(readonly issues: readonly Issue[]) {
    super(issues.map(({ pointer, message }) => `${pointer} ${message}`).join('; '));
  }
}

/** Creates the error of a matcher with one issue. */
export function createMatcherError({ pointer }: Pick<Issue, 'pointer'>, parts: IssueParts): InvalidMatcherError {
  return new InvalidMatcherError([createIssue(pointer, parts)]);
}

const TOO_DEEP: IssueParts = { rule: 'depth', problem: 'is nested too deeply', remedy: 'reduce the nesting' };

/** Returns why a value does not match, one sentence each, beginning with its place; an empty list if it matches. */
export type ValueMatcher = (value: unknown, place: string) => readonly string[];

/** Where a matcher is, and how it compares values. */
export type MatcherContext = typeof textComparison & {
  /** The location of the matcher (JSON Pointer), and its depth in the outermost one. */
  readonly pointer: string;
  readonly depth: number;
  /** Counts the instructions of a regular expression. Throws an `InvalidMatcherError` if there are too many. */
  readonly addPatternSize: (size: number) => void;
};

/** Returns the context of a matcher within another one. */
function enter(context: MatcherContext, step: string | number): MatcherContext {
  return { ...context, pointer: context.pointer + formatPointer(step), depth: context.depth + 1 };
}

/** Creates a matcher from its JSON form in `where`. Throws an `InvalidMatcherError`. */
export function createValueMatcher(expected: unknown, context: MatcherContext): ValueMatcher {
  if (context.depth > MAX_JSON_DEPTH) throw createMatcherError(context, TOO_DEEP);
  if (Array.isArray(expected)) return matchList(expected, context);
  if (typeof expected !== 'object' || expected === null) return matchEqual(expected, context);
  const entries = Object.entries(expected);
  if (!entries.some(([name]) => name.startsWith('$'))) return matchProperties(entries, context);
  const matchers = entries.map(([name, operand]) => matchOperator(name, operand, enter(context, name)));
  return (value, place) => matchers.flatMap((matcher) => matcher(value, place));
}

function matchEqual(expected: unknown, { isEqual, satisfies }: MatcherContext): ValueMatcher {
  const predicate = (value: unknown) => isEqual(value, expected);
  return (value, place) => (satisfies(value, predicate) ? [] : [describeMismatch(place, format(expected), value)]);
}

function matchProperties(expected: readonly (readonly [string, unknown])[], context: MatcherContext): ValueMatcher {
  const matchers = expected.map(
    ([name, value]) => [name, redactMismatch(name, createValueMatcher(value, enter(context, name)))] as const,
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

/** Returns a matcher that does not reveal the value of a property, header or parameter with a secret name. */
export function redactMismatch(name: string, matcher: ValueMatcher): ValueMatcher {
  if (!isSecretName(name)) return matcher;
  return (value, place) => (matcher(value, place).length === 0 ? [] : [`${place}: the value does not match`]);
}

function matchList(expected: readonly unknown[], context: MatcherContext): ValueMatcher {
  const matchers = expected.map((value, index) => createValueMatcher(value, enter(context, index)));
  return (value, place) => {
    const entries = context.toList(value);
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
  readonly createPredicate: (operand: never, context: MatcherContext) => (value: unknown) => boolean;
  /** Describes the values that match. */
  readonly describe: (operand: string) => string;
}

const isText = (value: unknown) => typeof value === 'string';

/** Creates an operator that compares a number with its operand. */
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
      const { isMatch, size } = compileOperand(source, context);
      context.addPatternSize(size);
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

/** Operators that compare all values of a repeated query parameter or header at once. */
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

function compileOperand(source: string, context: MatcherContext) {
  try {
    return compilePattern(source);
  } catch (error) {
    throw error instanceof PatternError ? createMatcherError(context, error.parts) : error;
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
