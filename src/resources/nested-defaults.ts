import { createShapes, getEntrySchema, getPropertySchema, isPlausible } from '../mock/fit-schema.ts';
import { type Document, getNode, isNode } from '../openapi/document.ts';
import type { Entry } from '../store/state.ts';
import type { SchemaReader } from './schema-reader.ts';

/**
 * Creates a function that adds default values to the objects in an entry, at any depth: `{ retry: {} }` becomes
 * `{ retry: { times: 3 } }`.
 * It adds no object that is missing, and nothing to the entry itself.
 * `schema`: the JSON Pointer of the schema of the entry; empty if there is none.
 */
export function createNestedDefaults(document: Document): (schema: string, entry: Entry) => Entry {
  const getShape = createShapes(document);
  return (schema, entry) => (schema === '' || isFlat(entry) ? entry : addInside(getNode(document, schema), entry));

  /** Adds default values inside of the properties of an object. */
  function addInside(node: unknown, value: Entry): Entry {
    if (isFlat(value)) return value;
    const shape = getShape(node, value);
    return keepSame(
      value,
      Object.entries(value).map(([name, own]) => [name, complete(getPropertySchema(shape, name), own)]),
    );
  }

  /** `defaults`: how many default values are around the value. */
  function complete(node: unknown, value: unknown, defaults = 0): unknown {
    if (typeof value !== 'object' || value === null || node === undefined) return value;
    const shape = getShape(node, value);
    if (Array.isArray(value)) {
      const entries = value.map((entry, index) => complete(getEntrySchema(shape, index), entry));
      return entries.every((entry, index) => entry === value[index]) ? value : entries;
    }
    const missing = Object.entries(shape.properties).flatMap(([name, property]) => {
      if (Object.hasOwn(value, name)) return [];
      const { schema } = getShape(property, undefined);
      if (schema.default === undefined || !isPlausible(schema, schema.default)) return [];
      // A schema can contain itself by default.
      const own = defaults < MAX_DEFAULTS ? complete(property, schema.default, defaults + 1) : schema.default;
      return [[name, own] as const];
    });
    const inside = isNode(value) ? addInside(node, value) : value;
    return missing.length === 0 ? inside : { ...inside, ...Object.fromEntries(missing) };
  }
}

/** Returns whether an object contains no object and no array. Most entries of a long list are flat. */
function isFlat(value: Entry): boolean {
  for (const name in value) if (typeof value[name] === 'object' && value[name] !== null) return false;
  return true;
}

/** The maximum number of default values in each other. */
const MAX_DEFAULTS = 10;

/** Returns an object with these properties. Returns `value` itself if it has the same ones. */
function keepSame(value: Entry, entries: readonly (readonly [string, unknown])[]): Entry {
  return entries.every(([name, own]) => value[name] === own) ? value : Object.fromEntries(entries);
}

/**
 * Returns the lists without items that entries require, and that a request can have.
 * `sent`: the properties that a request can have.
 */
export function createEmptyLists(
  reader: SchemaReader,
  schema: string,
  sent: readonly string[],
  isValid: (pointer: string, value: unknown) => boolean,
): Entry {
  if (schema === '') return {};
  const properties = reader.getProperties(schema);
  const isList = (name: string) => {
    const pointer = properties.get(name);
    return pointer !== undefined && reader.getItems(pointer) !== undefined && isValid(pointer, []);
  };
  const names = reader.getRequired(schema).filter((name) => sent.includes(name) && isList(name));
  return Object.fromEntries(names.map((name) => [name, []]));
}
