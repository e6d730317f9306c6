import type { Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { type Node, omitKeys } from './document.ts';
import { createNative } from './patterns/pattern.ts';

/** The characters that each text of a format has, and the length of the shortest one. */
const FORMATS: Readonly<Record<string, { readonly characters: string; readonly length: number }>> = {
  'date-time': { characters: '-:', length: 20 },
  date: { characters: '-', length: 10 },
  time: { characters: ':', length: 9 },
  uuid: { characters: '-', length: 36 },
  email: { characters: '@', length: 3 },
  uri: { characters: ':', length: 3 },
  ipv4: { characters: '.', length: 7 },
  ipv6: { characters: ':', length: 2 },
};

/** Keywords of a lower and of an upper limit. */
const LIMITS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

/** Matches a pattern for a text of only some characters, such as `^[a-z0-9_]+$`, and captures the characters. */
const ONE_CLASS = /^\^(\[(?:[^\]\\]|\\.)+\]|\\[wd])(?:[+*]|\{\d+(?:,\d*)?\})\$$/;

/**
 * Removes the keywords of a schema because of which no value is valid: a pattern that no text of the format matches,
 * and an upper limit below the lower one. Converts the values of an `enum` to the type of the schema.
 * Adds a warning for each of them to `warnings`.
 */
export function removeContradictions(source: Node, pointer: string, warnings: Issue[]): Node {
  const node = convertEnum(source, pointer, warnings);
  const found = findContradictions(node);
  if (found.length === 0) return node;
  for (const [key, reason] of found)
    warnings.push({ pointer: pointer + formatPointer(key), message: `is ignored because ${reason}` });
  return omitKeys(
    node,
    found.map(([key]) => key),
  );
}

/**
 * Returns a schema whose `enum` has values of its type: the text `"501"` for the number of `enum: [501, cricket]`,
 * which YAML needs quotes for, and the number of `type: integer` with `enum: ["1", "2"]`.
 */
function convertEnum(node: Node, pointer: string, warnings: Issue[]): Node {
  const { enum: values, type } = node;
  const [only, ...others] = [type].flat().filter((one) => one !== 'null');
  if (!Array.isArray(values) || others.length > 0) return node;
  const converted = values.map((value) => toType(value, only));
  if (converted.every((value, index) => value === values[index])) return node;
  const index = values.findIndex((value, at) => value !== converted[at]);
  const [written, read] = [values[index], converted[index]].map((value) => JSON.stringify(value));
  const remedy = only === 'string' ? 'put it in quotes' : 'remove the quotes';
  const message = `has ${written} although the type is ${only}, and is read as ${read}: ${remedy}`;
  warnings.push({ pointer: `${pointer}/enum`, message });
  return { ...node, enum: [...new Set(converted)] };
}

/** Returns a value of an `enum` with a type if it can be converted, else the value itself. */
function toType(value: unknown, type: unknown): unknown {
  if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
  const isNumber = (type === 'integer' || type === 'number') && typeof value === 'string' && value.trim() !== '';
  if (isNumber && (type === 'integer' ? Number.isInteger(Number(value)) : Number.isFinite(Number(value))))
    return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function findContradictions(node: Node): readonly (readonly [key: string, reason: string])[] {
  const { format, pattern, maxLength } = node;
  const isKnown = typeof format === 'string' && Object.hasOwn(FORMATS, format);
  const { characters = '', length = 0 } = (isKnown && FORMATS[format]) || {};
  const isRefused = typeof pattern === 'string' && refusesCharacters(pattern, characters);
  const isShort = typeof maxLength === 'number' && maxLength < length;
  return [
    ...(isRefused ? [['pattern', `no ${format} matches it: correct the pattern or remove the format`] as const] : []),
    ...(isShort ? [['maxLength', `no ${format} is so short: increase it to at least ${length}`] as const] : []),
    ...LIMITS.flatMap(([lower, upper]) => {
      const [low, high] = [node[lower], node[upper]];
      const isCrossed = typeof low === 'number' && typeof high === 'number' && low > high;
      return isCrossed ? [[upper, `it is less than ${lower}: correct one of them`] as const] : [];
    }),
  ];
}

/** Returns whether a pattern for a text of only some characters does not allow one of `characters`. */
function refusesCharacters(pattern: string, characters: string): boolean {
  const [, allowed] = ONE_CLASS.exec(pattern) ?? [];
  if (allowed === undefined) return false;
  const one = createNative(`^${allowed}$`);
  return one !== undefined && [...characters].some((character) => !one.test(character));
}
