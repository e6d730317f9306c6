import { isNode } from '../../openapi/document.ts';
import type { Entry } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Resource } from '../resource.ts';
import { getKeyValue, getOwn } from './entry-values.ts';

/**
 * An entry, and a response that does not show it.
 * `schema`: the JSON Pointer of the schema of the response.
 * `body`: the known part of the response.
 */
interface Named {
  readonly resource: Resource;
  readonly entry: Entry;
  readonly schema: string;
  readonly body: Entry;
}

/** Returns a response with the id of an entry at the properties named after it, such as `data.user_id` for a user. */
export function addIds(
  reader: SchemaReader,
  isValid: (schema: string, value: unknown) => boolean,
  { resource, entry, schema, body }: Named,
  depth = 0,
): Entry {
  const text = getKeyValue(entry, resource.id);
  const own = normalizeName(resource.singular);
  const names = [`${own}id`, ...(own === 'user' ? ['uid'] : [])];
  if (text === undefined) return body;
  const added = [...reader.getProperties(schema)].flatMap(
    ([name, pointer]): readonly (readonly [string, unknown])[] => {
      const known = getOwn(body, name);
      if (names.includes(normalizeName(name)) && known === undefined) {
        const value = [text, Number(text)].find((one) => isValid(pointer, one));
        return value === undefined ? [] : [[name, value]];
      }
      if (depth > 0 || !reader.isObject(pointer) || (known !== undefined && !isNode(known))) return [];
      const inner = addIds(reader, isValid, { resource, entry, schema: pointer, body: known ?? {} }, depth + 1);
      return Object.keys(inner).length === 0 ? [] : [[name, inner]];
    },
  );
  return added.length === 0 ? body : { ...body, ...Object.fromEntries(added) };
}
