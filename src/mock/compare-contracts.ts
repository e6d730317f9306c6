import { type Document, getNode, type Node } from '../openapi/document.ts';
import { findJsonMedia } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { getPartItems, getPartProperties, getPartTypes, getSchemaParts } from '../openapi/schema-parts.ts';
import { isReadOrWriteOnly } from '../openapi/schema-validator.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { toSeed } from '../util/random.ts';
import { allowsType } from './merge-schema.ts';

/**
 * How the success body of an operation differs between two contracts: the application's own contract, and the contract
 * that the server serves.
 */
export interface Difference {
  readonly addedFields: readonly Field[];
  readonly removedFields: readonly Field[];
  /** Fields that have different types in the two contracts. */
  readonly conflictingFields: readonly Field[];
}

interface Field {
  /**
   * The path of the object that has the field: property names, and `*` for all entries of an array, such as
   * `['lines', '*']`.
   */
  readonly path: readonly string[];
  readonly name: string;
  /** The JSON Pointer of the schema. */
  readonly schema: string;
}

/** A response body that was changed to have the fields of the contract that the server serves. */
export interface CompletedBody {
  readonly body: unknown;
  /** The JSON Pointers of the generated fields, with `*` for all entries of an array. */
  readonly generated: readonly string[];
}

/** The maximum depth of the fields that are compared. */
const MAX_DEPTH = 8;

/** A schema and its document. */
interface Source {
  readonly document: Document;
  /** The JSON Pointer of the schema. */
  readonly schema: string;
}

/**
 * Compares the success body of an operation in the application's own contract (`own`) and in the contract that the
 * server serves (`served`).
 */
export function compareContracts(own: Document, ownRoute: Route, served: Document, servedRoute: Route): Difference {
  const [ownSchema, servedSchema] = [getSuccessSchema(ownRoute), getSuccessSchema(servedRoute)];
  const result: MutableDifference = { addedFields: [], removedFields: [], conflictingFields: [] };
  if (ownSchema !== undefined && servedSchema !== undefined)
    compare({ document: own, schema: ownSchema }, { document: served, schema: servedSchema }, [], result);
  return result;
}

function getSuccessSchema({ responses, successStatus }: Route): string | undefined {
  return findJsonMedia(responses, successStatus)?.schema;
}

type MutableDifference = { readonly [Part in keyof Difference]: Field[] };

/** Adds the differences between two schemas, and between their nested schemas, to `result`. */
function compare(own: Source, served: Source, path: readonly string[], result: MutableDifference): void {
  if (path.length > MAX_DEPTH) return;
  const [ownParts, servedParts] = [
    getSchemaParts(own.document, own.schema),
    getSchemaParts(served.document, served.schema),
  ];
  const [ownTypes, servedTypes] = [getPartTypes(ownParts), getPartTypes(servedParts)];
  const isRestricted = ownTypes.length > 0 && servedTypes.length > 0;
  if (isRestricted && !ownTypes.some((type) => allowsType(servedTypes, type))) {
    result.conflictingFields.push({ path: path.slice(0, -1), name: path.at(-1) ?? '', schema: served.schema });
    return;
  }
  const [ownProperties, servedProperties] = [getPartProperties(ownParts), getPartProperties(servedParts)];
  for (const [name, schema] of servedProperties) {
    const ownSchema = ownProperties.get(name);
    if (ownSchema !== undefined) compare({ ...own, schema: ownSchema }, { ...served, schema }, [...path, name], result);
    else if (!isReadOrWriteOnly(served.document, getNode(served.document, schema), 'writeOnly'))
      result.addedFields.push({ path, name, schema });
  }
  // A schema without `properties` allows any property.
  if (servedProperties.size > 0)
    for (const [name, schema] of ownProperties)
      if (!servedProperties.has(name)) result.removedFields.push({ path, name, schema });
  const [ownItems, servedItems] = [getPartItems(ownParts), getPartItems(servedParts)];
  if (ownItems !== undefined && servedItems !== undefined)
    compare({ ...own, schema: ownItems }, { ...served, schema: servedItems }, [...path, '*'], result);
}

/**
 * Generates a valid value for a schema.
 * The same seed returns the same value.
 * Returns undefined if no valid value is found.
 */
export type GenerateField = (schema: string, seed: number) => unknown;

/**
 * Returns a copy of a response body with the fields of the contract that the server serves: generates missing fields,
 * and removes fields that are not in this contract.
 * The seed of a generated field depends on the id of its object, so an object with the same id always gets the same
 * values.
 */
export function completeBody(body: unknown, difference: Difference, generate: GenerateField): CompletedBody {
  const generated = new Set<string>();
  let completed = body;
  for (const { path, name, schema } of difference.addedFields)
    completed = mapObjects(completed, path, (entry, id) => {
      const value = Object.hasOwn(entry, name) ? undefined : generate(schema, toSeed(`${id}${formatPointer(name)}`));
      if (value === undefined) return entry;
      generated.add(formatPointer(...path, name));
      return { ...entry, [name]: value };
    });
  for (const { path, name } of difference.removedFields)
    completed = mapObjects(completed, path, ({ [name]: _removed, ...others }) => others);
  return { body: completed, generated: [...generated] };
}

/**
 * Returns a copy of `value`.
 * Replaces each object at a path with the result of `change`.
 * `change` also gets the id of the object, or of the closest object around it that has an id.
 */
function mapObjects(
  value: unknown,
  [step, ...rest]: readonly string[],
  change: (entry: Node, id: string) => Node,
  ancestorId = '',
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return step === '*' ? value.map((entry) => mapObjects(entry, rest, change, ancestorId)) : value;
  if (step === '*') return value;
  const entry = value as Node;
  const id = getId(entry) ?? ancestorId;
  if (step === undefined) return change(entry, id);
  const inner = entry[step];
  return inner === undefined ? value : { ...entry, [step]: mapObjects(inner, rest, change, id) };
}

/** Returns the value of the property `id`, else of the first property whose name ends with `Id`. */
function getId({ id, ...others }: Node): string | undefined {
  const value = id ?? Object.entries(others).find(([name]) => name.endsWith('Id'))?.[1];
  return value === undefined ? undefined : String(value);
}
