import type { ErrorObject } from 'ajv';
import { formatPointer } from '../util/json-pointer.ts';
import { similarName } from '../util/names.ts';
import { limitList } from '../util/text.ts';
import { shorten } from './describe-error.ts';
import { type Document, getNode, isNode, type Node, resolveNode, toNode } from './document.ts';
import type { Parameter } from './parameters.ts';
import { createErrorObject } from './schema-validator.ts';

/**
 * The extension of a parameter schema that lists the values with an effect.
 * The server ignores other values and adds a note to the log.
 * With the option `strict`, the extension is an `enum`.
 */
const KNOWN_VALUES = 'x-known-values';

/**
 * The known values of query parameters, by the name of the parameter.
 * Parameters without the extension `x-known-values` are left out.
 */
export type KnownValues = ReadonlyMap<string, readonly unknown[]>;

/** Returns the known values of the query parameters of an operation. */
export function getKnownValues(document: Document, parameters: readonly Parameter[]): KnownValues {
  const lists = parameters.flatMap((parameter) => {
    const { schema } = toNode(getNode(document, parameter.pointer));
    const { [KNOWN_VALUES]: values } = toNode(resolveNode(document, schema));
    return parameter.in === 'query' && Array.isArray(values) ? [[parameter.name, values] as const] : [];
  });
  return new Map(lists);
}

/** Returns a schema with an `enum` of its known values. Returns a schema without the extension unchanged. */
export function requireKnownValues(schema: unknown): unknown {
  if (!isNode(schema) || !Array.isArray(schema[KNOWN_VALUES])) return schema;
  const { [KNOWN_VALUES]: values, ...rest }: Node = schema;
  return { ...rest, enum: values };
}

/** A query parameter with an unknown value. `known`: the values that have an effect. */
interface UnknownValue {
  readonly name: string;
  readonly value: string;
  readonly known: readonly unknown[];
}

/** Returns the query parameters that a request sends once, with an unknown value. */
export function findUnknownValues(
  known: KnownValues,
  query: Readonly<Record<string, string | string[]>>,
): readonly UnknownValue[] {
  if (known.size === 0) return [];
  return [...known].flatMap(([name, values]) => {
    const value = Object.hasOwn(query, name) ? query[name] : undefined;
    return typeof value === 'string' && !values.includes(value) ? [{ name, value, known: values }] : [];
  });
}

/** Returns a validation error for an unknown value, as `enum` causes it. */
export function createUnknownValueError({ name, value, known }: UnknownValue): ErrorObject {
  const instancePath = formatPointer('query', name);
  return createErrorObject({ keyword: 'enum', instancePath, parentSchema: { enum: known }, data: value });
}

/**
 * Returns the note for an unknown value that was ignored:
 * `query parameter expand is "owners" and was ignored: did you mean "owner"?`
 */
export function describeUnknownValue({ name, value, known }: UnknownValue): string {
  const values = known.map(String);
  const similar = similarName(value, values);
  const quoted = limitList(values, MAX_LISTED, (one) => JSON.stringify(one));
  const remedy = similar === undefined ? `use ${quoted.join(' or ')}` : `did you mean "${similar}"?`;
  return `query parameter ${shorten(name)} is ${JSON.stringify(shorten(value))} and was ignored: ${remedy}`;
}

/** The maximum number of known values in a note. */
const MAX_LISTED = 5;
