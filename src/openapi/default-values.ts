import { memoizeByObject } from '../util/memoize-by-object.ts';
import type { Contract } from './contract.ts';
import { getNode, type Node, resolvePointer } from './document.ts';
import { isJsonType } from './media-types.ts';
import type { Route } from './routes.ts';
import { getPartProperties, getSchemaParts } from './schema-parts.ts';

type Schemas = Pick<Contract, 'normalized' | 'isValid'>;

/**
 * Returns the `default` values of properties, by property name.
 * Leaves out a default value that is invalid against its schema.
 * `properties`: the JSON Pointers of the property schemas, by property name.
 */
export function getDefaultValues({ normalized, isValid }: Schemas, properties: ReadonlyMap<string, string>): Node {
  const values = [...properties].flatMap(([name, pointer]) => {
    // In OpenAPI 3.1, the default value can be beside a `$ref`.
    const beside = getNode(normalized, `${pointer}/default`);
    const value = beside === undefined ? getNode(normalized, `${resolvePointer(normalized, pointer)}/default`) : beside;
    return value === undefined || !isValid(pointer, value) ? [] : [[name, value]];
  });
  return Object.fromEntries(values);
}

/** Creates a function that returns the default values of the properties of a request body. */
export function createBodyDefaults(contract: Schemas): (route: Route) => Node {
  return memoizeByObject(({ bodyMedia }: Route) => {
    const types = Object.keys(bodyMedia);
    const schema = bodyMedia[types.find(isJsonType) ?? types[0] ?? '']?.schema;
    const parts = schema === undefined ? [] : getSchemaParts(contract.normalized, schema);
    return getDefaultValues(contract, getPartProperties(parts));
  });
}
