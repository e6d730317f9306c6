import { isNode } from '../../openapi/document.ts';
import { formatPointer } from '../../util/json-pointer.ts';

/** The maximum length of a value in the description of a difference, in characters. */
const MAX_VALUE_LENGTH = 120;

/**
 * Describes the first difference between two JSON values, such as "/0/quantity is 1 instead of 2".
 * Returns undefined if the values are equal.
 * Ignores the order of properties.
 */
export function findDifference(expected: unknown, actual: unknown, pointer = ''): string | undefined {
  const location = pointer === '' ? 'The body' : pointer;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length)
      return `${location} has ${actual.length} entries instead of ${expected.length}`;
    return findDefined(expected.map((entry, index) => findDifference(entry, actual[index], `${pointer}/${index}`)));
  }
  if (isNode(expected) && isNode(actual)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return findDefined(keys.map((key) => findDifference(expected[key], actual[key], pointer + formatPointer(key))));
  }
  return Object.is(expected, actual) ? undefined : `${location} is ${format(actual)} instead of ${format(expected)}`;
}

function findDefined(differences: readonly (string | undefined)[]): string | undefined {
  return differences.find((difference) => difference !== undefined);
}

function format(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
