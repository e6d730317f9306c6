import { createShapes, getEntrySchema, getPropertySchema, isPlausible } from '../../mock/fit-schema.ts';
import type { Contract } from '../../openapi/contract.ts';
import { type Document, getNode, isNode } from '../../openapi/document.ts';
import type { Entry } from '../../store/state.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Resource } from '../resource.ts';
import type { DerivedValues } from '../values/derived-values.ts';

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

/** Creates a function that returns the properties of an object by the alternatives of a schema that fit the object. */
export function createFittingNames(document: Document): (schema: string, value: Entry) => readonly string[] {
  const getShape = createShapes(document);
  return (schema, value) => Object.keys(getShape(getNode(document, schema), value).properties);
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

/** Returns the properties of a resource's entries whose values follow from other entries. */
export function listComputed(derived: DerivedValues, resource: Resource): readonly string[] {
  const follows = derived.getFollows(resource, resource.schema);
  const shown = [...derived.getCounts(resource), ...derived.getTotals(resource), ...derived.getEmbedded(resource)];
  return [...shown, ...follows, ...derived.getTimed(resource)].map(({ property }) => property);
}

/**
 * Returns the values that a new entry has if its request lacks them: lists without items for properties that entries
 * require, and null for other properties that can be null.
 * A property that no request can have is left out, unless entries must have it: the server may know its value from
 * elsewhere.
 * `sent`: the properties that a request can have.
 */
export function createEmptyValues(
  {
    reader,
    derived,
    contract: { isValid },
  }: { readonly reader: SchemaReader; readonly derived: DerivedValues; readonly contract: Pick<Contract, 'isValid'> },
  resource: Resource,
  sent: readonly string[],
): Entry {
  const { schema, id } = resource;
  if (schema === '') return {};
  const computed = listComputed(derived, resource);
  const required = reader.getRequired(schema);
  return Object.fromEntries(
    [...reader.getProperties(schema)].flatMap(([name, pointer]): readonly (readonly [string, unknown])[] => {
      if (computed.includes(name)) return [];
      const isRequired = required.includes(name);
      if (!sent.includes(name) && !isRequired) return [];
      if (isRequired && reader.getItems(pointer) !== undefined)
        return sent.includes(name) && isValid(pointer, []) ? [[name, []]] : [];
      // A property without types can be null too, but its document does not say so.
      const hasTypes = reader.getTypes(pointer).length > 0 && reader.allowsNull(pointer);
      const canBeNull = name !== id.property && hasTypes && isValid(pointer, null);
      return canBeNull ? [[name, null]] : [];
    }),
  );
}

/** Adds the values of a new entry that `known` lacks, also in objects such as `attributes`. */
export function addInitial(initial: Entry, known: Entry): Entry {
  const inner = Object.entries(initial).flatMap(([name, value]) => {
    const own = known[name];
    return isNode(value) && isNode(own) ? [[name, { ...value, ...own }] as const] : [];
  });
  return { ...initial, ...known, ...Object.fromEntries(inner) };
}
