import { isNode } from '../../openapi/document.ts';
import type { Entry } from '../../store/state.ts';
import { isIdName, normalizeName } from '../../util/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Plan, Resource } from '../resource.ts';
import { USER_WORDS } from '../users/user-names.ts';
import { getGeneratedInside, setGeneratedInside } from '../values/completed.ts';
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
  const names = [`${own}id`, ...(USER_WORDS.includes(own) ? ['uid', 'userid'] : [])];
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

/**
 * Returns an entry with the ids of its parents that only a response shows, and the stored entry does not: the `user_id`
 * of a film in `/users/{user_id}/films`.
 */
export function addParentIds(
  reader: SchemaReader,
  isValid: (schema: string, value: unknown) => boolean,
  { mount: { parents } }: Pick<Plan, 'mount'>,
  { schema, entry }: Pick<Named, 'schema' | 'entry'>,
): Entry {
  const ids = parents.flatMap((parent): readonly (readonly [string, unknown])[] => {
    const text = parent.property === undefined ? getKeyValue(entry, parent) : undefined;
    const own = normalizeName(parent.parameter);
    const [name, pointer] = [...reader.getProperties(schema)].find(([one]) => normalizeName(one) === own) ?? [];
    if (text === undefined || name === undefined || !isIdName(name) || getOwn(entry, name) !== undefined) return [];
    const value = [text, Number(text)].find((one) => isValid(pointer ?? '', one));
    return value === undefined ? [] : [[name, value]];
  });
  return ids.length === 0
    ? entry
    : setGeneratedInside({ ...entry, ...Object.fromEntries(ids) }, getGeneratedInside(entry));
}
