import type { Document } from '../openapi/document.ts';
import { toNode } from '../openapi/document.ts';
import { getPartItems, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { isReadOrWriteOnly } from '../openapi/schema-validator.ts';
import { formatPointer } from '../util/json-pointer.ts';

/** The maximum depth at which a response is searched. */
const MAX_DEPTH = 20;

/**
 * Returns the JSON Pointers of the values in a response that the schema marks `writeOnly`. Does not look into `oneOf` and `anyOf`, because a value need not match the
 * alternative that marks it. `*` stands for any index of an array.
 */
export function findWriteOnly(document: Document, schema: string, value: unknown, depth = 0): readonly string[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  const parts = getSchemaParts(document, schema);
  const addStep = (step: string) => (pointer: string) => `/${step}${pointer}`;
  if (Array.isArray(value)) {
    const items = getPartItems(parts);
    const found = items === undefined ? [] : value.flatMap((entry) => findWriteOnly(document, items, entry, depth + 1));
    return [...new Set(found)].map(addStep('*'));
  }
  const properties = getPartProperties(parts);
  return Object.entries(toNode(value)).flatMap(([name, one]) => {
    const property = properties.get(name);
    if (property === undefined) return [];
    const step = formatPointer(name).slice(1);
    if (isReadOrWriteOnly(document, { $ref: `#${property}` }, 'writeOnly')) return [`/${step}`];
    return findWriteOnly(document, property, one, depth + 1).map(addStep(step));
  });
}
