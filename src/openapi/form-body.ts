import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type Document, getNode, getTarget, isNode, type Node, resolveNode, toNode } from './document.ts';
import { parseDeepName, setAt } from './parameters.ts';

/** Returns the fields of a form as an object. A repeated name becomes an array, and `a[b]` becomes the property `b` of the object `a`. */
export function nestFields(fields: readonly (readonly [name: string, value: string])[]): Node {
  // A Map, since a field can have the name `__proto__`.
  const values = new Map<string, unknown>();
  for (const [field, value] of fields) {
    const { parameter = field, keys = [] } = parseDeepName(field) ?? {};
    values.set(parameter, setAt(values.get(parameter), keys, value));
  }
  return Object.fromEntries(values);
}

/** The separators of the entries in a field, by the `style` in the Encoding Object. */
const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: ' ', pipeDelimited: '|' };

/**
 * Parses the fields of a form. JSON in a field is parsed if the schema of the field is an object or an array. A list in one field (`explode: false`) is split.
 * All other fields stay strings; the validator converts them. `schema`: the JSON Pointer of the form's schema.
 */
export function readForm(document: Document, schema: string, form: unknown): unknown {
  if (!isNode(form)) return form;
  const properties = getProperties(document, getTarget(document, schema));
  const encoding = toNode(getNode(document, schema.replace(/schema$/, 'encoding')));
  const entries = Object.entries(form).map(([name, value]) => {
    const property = properties.get(name);
    return [name, property ? readField(document, property, toNode(encoding[name]), value) : value];
  });
  return Object.fromEntries(entries);
}

function readField(document: Document, property: Node, encoding: Node, value: unknown): unknown {
  const isObject = property.type === 'object' || property.properties !== undefined;
  const isList = !isObject && ([property.type].flat().includes('array') || property.items !== undefined);
  const isJson = isObject || isList || /json/i.test(String(encoding.contentType ?? ''));
  const parsed = isJson ? parseJson(value) : value;
  if (!isList) return parsed;
  const separator = encoding.explode === false ? (SEPARATORS[String(encoding.style)] ?? ',') : undefined;
  const entries = typeof parsed === 'string' && separator !== undefined ? parsed.split(separator) : [parsed].flat();
  const items = toNode(resolveNode(document, property.items));
  return entries.map((entry) => readField(document, items, {}, entry));
}

/** Parses a string with a JSON object or array. Returns any other value unchanged. */
function parseJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return tryOrUndefined(() => JSON.parse(value)) ?? value;
}

/** Returns the property schemas of a schema and of the schemas in its `allOf`, by property name. References are followed. */
function getProperties(document: Document, schema: unknown, depth = 0): ReadonlyMap<string, Node> {
  const { properties, allOf } = toNode(resolveNode(document, schema));
  const parts = Array.isArray(allOf) && depth < MAX_DEPTH ? allOf : [];
  return new Map([
    ...parts.flatMap((part) => [...getProperties(document, part, depth + 1)]),
    ...Object.entries(toNode(properties)).map(([name, node]) => [name, toNode(resolveNode(document, node))] as const),
  ]);
}

/** The maximum number of nested `allOf` from which properties are taken. */
const MAX_DEPTH = 5;
