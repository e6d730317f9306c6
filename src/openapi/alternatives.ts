import type { ErrorObject } from 'ajv';
import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { type Document, isNode, listNodes, type Node, resolveNode, toNode } from './document.ts';

/**
 * Validates a value against a schema, and returns the errors.
 * `pointer`: the JSON Pointer of the schema in the document.
 */
type Validate = (pointer: string, value: unknown) => readonly ErrorObject[];

/** A `oneOf` or `anyOf` that a value violates. `schemas`: the alternatives in the `oneOf` or `anyOf`. */
interface Alternatives {
  readonly document: Document;
  readonly schemas: readonly unknown[];
  /** The JSON Pointer of the `oneOf` or `anyOf`. */
  readonly pointer: string;
}

/**
 * Replaces the error of a `oneOf` or `anyOf` with the errors of one alternative: the one that the value is meant to
 * match.
 * A property such as `"kind": "dog"` shows this alternative, if its allowed values differ in all alternatives.
 * Otherwise, the value is meant for the only alternative that allows its type. A text or a number is only meant for an
 * alternative beside `null`.
 * If neither rule finds an alternative, the error stays.
 * `errors`: the errors of an ajv instance with the option `verbose` and with `document` as its schema.
 */
export function selectAlternatives(
  document: Document,
  errors: readonly ErrorObject[],
  validate: Validate,
): readonly ErrorObject[] {
  const unions = errors.filter((error) => isUnionError(error) && findPointer(document, error) !== undefined);
  // The error of an outer `oneOf` or `anyOf` comes after the errors of nested ones.
  return unions
    .slice(-MAX_UNIONS)
    .reduceRight((rest, union) => selectAlternative(document, rest, union, validate), errors);
}

/**
 * The maximum number of `oneOf` and `anyOf` errors that are replaced.
 * A long array can have such an error for each entry.
 */
const MAX_UNIONS = 10;

function selectAlternative(document: Document, errors: readonly ErrorObject[], union: ErrorObject, validate: Validate) {
  const alternatives = { document, schemas: union.schema as unknown[], pointer: findPointer(document, union) ?? '' };
  if (!errors.includes(union)) return errors;
  const selected = validateSelected(alternatives, union.data, validate);
  if (!selected) return errors;
  const own = selected.map((error) => ({ ...error, instancePath: union.instancePath + error.instancePath }));
  const nodes = listContents(document)(union.schema as object);
  const isInside = (error: ErrorObject) => isBelow(error, union) && nodes.has(error.parentSchema ?? {});
  return [...own, ...errors.filter((error) => error !== union && !isInside(error))];
}

/**
 * Leaves out the error of each `oneOf` or `anyOf` with an alternative that `isSatisfied` accepts, and the errors of its
 * alternatives.
 * `isSatisfied`: returns whether a value is accepted by the schema at a JSON Pointer.
 * `errors` and `document`: as for `selectAlternatives`.
 */
export function removeSatisfiedUnions(
  document: Document,
  errors: readonly ErrorObject[],
  isSatisfied: (pointer: string, value: unknown) => boolean,
): readonly ErrorObject[] {
  return errors.filter(isUnionError).reduce((rest, union) => {
    const pointer = findPointer(document, union);
    const indexes = Object.keys(union.schema as object);
    if (pointer === undefined || !indexes.some((index) => isSatisfied(`${pointer}/${index}`, union.data))) return rest;
    const nodes = listContents(document)(union.schema as object);
    return rest.filter((error) => error !== union && !(isBelow(error, union) && nodes.has(error.parentSchema ?? {})));
  }, errors);
}

/** Returns whether an error is the error of a `oneOf` or `anyOf`. */
export function isUnionError({ keyword, schema }: ErrorObject): boolean {
  return (keyword === 'oneOf' || keyword === 'anyOf') && Array.isArray(schema);
}

function isBelow({ instancePath }: ErrorObject, union: ErrorObject): boolean {
  return instancePath === union.instancePath || instancePath.startsWith(`${union.instancePath}/`);
}

/**
 * Validates a value against the alternative that the value is meant to match.
 * Returns the errors; undefined if this alternative is not known.
 */
function validateSelected(alternatives: Alternatives, value: unknown, validate: Validate) {
  const { schemas, pointer } = alternatives;
  const selected = isNode(value) ? selectByProperty(alternatives, value) : undefined;
  if (typeof selected === 'object') return [selected];
  const index = selected ?? selectByType(alternatives, value);
  if (index === undefined || !isNode(schemas[index])) return undefined;
  const errors = validate(`${pointer}/${index}`, value);
  // A value that matches several alternatives of a `oneOf` has no error in any of them.
  if (errors.length === 0) return undefined;
  // The path starts at the alternative. It shows that the error is in one, unless this is a schema with a name.
  return '$ref' in schemas[index]
    ? errors
    : errors.map((error) => ({ ...error, schemaPath: `#/oneOf/selected${error.schemaPath.replace(/^#/, '')}` }));
}

/**
 * Returns the index of the only alternative that allows the type of `value`.
 * Returns undefined if the type is allowed by several alternatives or by none.
 */
function selectByType({ document, schemas }: Alternatives, value: unknown): number | undefined {
  const own = getTypes(value);
  const types = schemas.map((schema) => listTypes(document, schema));
  const isAllowed = (index: number) => types[index]?.length === 0 || types[index]?.some((type) => own.includes(type));
  // A message about a text or a number lists all alternatives, unless the only other one is null.
  const isSimple = typeof value !== 'object' || value === null;
  if (isSimple && types.filter((list) => list.join() !== 'null').length !== 1) return undefined;
  const indexes = [...schemas.keys()].filter(isAllowed);
  return indexes.length === 1 ? indexes[0] : undefined;
}

/** Returns the types of JSON Schema that a value has. */
function getTypes(value: unknown): readonly unknown[] {
  if (value === null) return ['null'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return [Array.isArray(value) ? 'array' : typeof value];
}

/**
 * Returns the types that a schema is meant for: those in `type`, otherwise `object` if it has `properties`.
 * Returns an empty array if the schema has neither. `properties` beside a `oneOf` or `anyOf` do not count, because its
 * alternatives can have other types.
 */
function listTypes(document: Document, schema: unknown): readonly unknown[] {
  const nodes = listNodes(document, schema);
  const typed = nodes.find((node) => node.type !== undefined);
  if (typed) return [typed.type].flat();
  if (nodes.some((node) => 'oneOf' in node || 'anyOf' in node)) return [];
  return nodes.some((node) => isNode(node.properties)) ? ['object'] : [];
}

/**
 * Finds the alternative for an object by a property such as `kind`, whose `enum` or `const` differs in all
 * alternatives.
 * Returns the index of the alternative.
 * Returns an error if the object lacks this property or has an unknown value.
 * Returns undefined if the alternatives have no such property.
 */
function selectByProperty(alternatives: Alternatives, value: Node): number | ErrorObject | undefined {
  const { document, schemas } = alternatives;
  const choices = schemas.map((schema) => listFixedValues(document, schema));
  const names = [...(choices[0]?.keys() ?? [])].filter((key) => choices.every((choice) => choice.has(key)));
  const name = names.find((key) => areDistinct(choices.map((choice) => choice.get(key) ?? [])));
  if (name === undefined) return undefined;
  const index = choices.findIndex((choice) => choice.get(name)?.includes(value[name]));
  if (index >= 0) return index;
  const property = { enum: choices.flatMap((choice) => choice.get(name) ?? []) };
  return Object.hasOwn(value, name)
    ? createError('enum', { instancePath: formatPointer(name), data: value[name], parentSchema: property })
    : createError('required', {
        params: { missingProperty: name },
        parentSchema: { properties: { [name]: property } },
      });
}

function createError(keyword: string, parts: Partial<ErrorObject>): ErrorObject {
  return { keyword, instancePath: '', schemaPath: '', params: {}, ...parts };
}

function areDistinct(lists: readonly (readonly unknown[])[]): boolean {
  const values = lists.flat();
  return new Set(values).size === values.length;
}

type FixedValues = ReadonlyMap<string, readonly unknown[]>;

/** Returns the allowed values of all properties that have an `enum` or `const`, by property name. */
function listFixedValues(document: Document, schema: unknown): FixedValues {
  const properties = listNodes(document, schema)
    .toReversed()
    .flatMap((node) => Object.entries(toNode(node.properties)));
  const fixed = properties.flatMap(([name, property]): [string, readonly unknown[]][] => {
    const { const: value, enum: values } = toNode(resolveNode(document, property));
    if (value !== undefined) return [[name, [value]]];
    return Array.isArray(values) ? [[name, values]] : [];
  });
  // If several schemas in `allOf` list values of a property, the shortest list is used, since the value must be in all
  // lists.
  return new Map(fixed.sort(([, a], [, b]) => b.length - a.length));
}

/**
 * Creates a function that collects all objects and arrays inside the alternatives of a `oneOf` or `anyOf`.
 * The function follows references in `document`.
 */
const listContents = memoizeByObject((document: Document) =>
  memoizeByObject((schemas: object): ReadonlySet<object> => {
    const nodes = new Set<object>();
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || nodes.has(value)) return;
      nodes.add(value);
      for (const child of Object.values(value)) visit(child);
      if (isNode(value) && typeof value.$ref === 'string') visit(resolveNode(document, value));
    };
    visit(schemas);
    return nodes;
  }),
);

/** Returns the JSON Pointer of the `oneOf` or `anyOf` that caused an error; undefined if it is not in the document. */
function findPointer(document: Document, { schema }: ErrorObject): string | undefined {
  return listUnions(document).get(schema as object);
}

/**
 * Returns the JSON Pointers of all `oneOf` and `anyOf` in a document.
 * The keys of the map are the arrays with the alternatives.
 */
const listUnions = memoizeByObject((document: Document): ReadonlyMap<object, string> => {
  const pointers = new Map<object, string>();
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      const childPointer = pointer + formatPointer(key);
      if ((key === 'oneOf' || key === 'anyOf') && Array.isArray(child)) pointers.set(child, childPointer);
      visit(child, childPointer);
    }
  };
  visit(document, '');
  return pointers;
});
