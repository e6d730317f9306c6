import { isNode } from '../../openapi/document.ts';
import { formatPointer } from '../../util/json-pointer.ts';

/** Describes the first difference between two values, a sentence; undefined if they are equal. The order of properties is ignored. */
export function findDifference(expected: unknown, actual: unknown, pointer = ''): string | undefined {
  const place = pointer === '' ? 'The body' : pointer;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) return `${place} has ${actual.length} entries instead of ${expected.length}`;
    return first(expected.map((one, index) => findDifference(one, actual[index], `${pointer}/${index}`)));
  }
  if (isNode(expected) && isNode(actual)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return first(names.map((name) => findDifference(expected[name], actual[name], pointer + formatPointer(name))));
  }
  return Object.is(expected, actual) ? undefined : `${place} is ${format(actual)} instead of ${format(expected)}`;
}

function first(found: readonly (string | undefined)[]): string | undefined {
  return found.find((one) => one !== undefined);
}

function format(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** The maximum length of a value in a message, in characters. */
const MAX_VALUE_LENGTH = 120;
