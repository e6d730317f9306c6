import { isJsonType, PATCH_TYPE, removeTypeParameters } from '../../openapi/media-types.ts';
import type { Route } from '../../openapi/routes.ts';

/** The functions of a schema reader that find the schemas of JSON Patches. */
interface PatchReader {
  getItems(schema: string): string | undefined;
  getProperties(schema: string): ReadonlyMap<string, string>;
}

/**
 * Returns the documented media types of a PATCH whose bodies are JSON Patches: `application/json-patch+json`, and any
 * JSON type whose schema is a list of objects with `op` and `path`.
 */
export function listPatchTypes(reader: PatchReader, { method, bodyMedia }: Route): readonly string[] {
  if (method !== 'PATCH') return [];
  return Object.entries(bodyMedia).flatMap(([type, { schema }]) => {
    if (removeTypeParameters(type) === PATCH_TYPE) return [type];
    const items = schema === undefined || !isJsonType(type) ? undefined : reader.getItems(schema);
    const names = items === undefined ? [] : [...reader.getProperties(items).keys()];
    return names.includes('op') && names.includes('path') ? [type] : [];
  });
}
