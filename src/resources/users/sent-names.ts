import type { Entry } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';

/** Names of properties with the whole name of a person, the best first. */
const FULL_NAMES = ['name', 'fullname', 'displayname'];

const FIRST_NAMES = ['firstname', 'givenname', 'forename'];

const LAST_NAMES = ['lastname', 'familyname', 'surname'];

/** Matches the names of booleans that remove the value of a property: `clearDueDate`. */
const CLEARS = /^(?:clear|remove|unset)(?=.{2})/;

/**
 * Returns an entry in a request body with the names of properties that stored entries have: `due_date` becomes
 * `dueDate`, and the `name` of a person becomes `firstName` and `lastName`, or the other way round.
 * A boolean such as `clearDueDate` sets `dueDate` to null if it is true.
 * `schema`: the JSON Pointer of the schema of the stored entries; empty if there is none.
 */
export function matchNames(reader: SchemaReader, schema: string, sent: Entry): Entry {
  if (schema === '') return sent;
  const known = [...reader.getProperties(schema).keys()];
  const find = (names: readonly string[]) => known.find((name) => names.includes(normalizeName(name)));
  const isFree = (name: string | undefined): name is string => name !== undefined && !Object.hasOwn(sent, name);
  const renamed = Object.entries(sent).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    if (known.includes(name)) return [[name, value]];
    const own = normalizeName(name);
    const same = find([own]);
    if (isFree(same)) return [[same, value]];
    const cleared = typeof value === 'boolean' ? find([own.replace(CLEARS, '')]) : undefined;
    if (CLEARS.test(own) && cleared !== undefined) return value && isFree(cleared) ? [[cleared, null]] : [];
    const [first, last] = [find(FIRST_NAMES), find(LAST_NAMES)];
    if (!FULL_NAMES.includes(own) || typeof value !== 'string' || !isFree(first) || !isFree(last))
      return [[name, value]];
    const [, given = '', family = ''] = /^(\S+)\s*(.*)$/s.exec(value.trim()) ?? [];
    return [
      [name, value],
      ...(given === '' ? [] : [[first, given] as const]),
      ...(family === '' ? [] : [[last, family] as const]),
    ];
  });
  const entry = Object.fromEntries(renamed);
  return { ...joinNames(entry, find), ...entry };
}

/** Returns the whole name of a person whose request has only the first and the last name. */
function joinNames(sent: Entry, find: (names: readonly string[]) => string | undefined): Entry {
  const full = find(FULL_NAMES);
  const parts = [FIRST_NAMES, LAST_NAMES].map((names) => {
    const [, value] = Object.entries(sent).find(([name]) => names.includes(normalizeName(name))) ?? [];
    return value;
  });
  const isText = parts.every((value) => typeof value === 'string' && value !== '');
  return full === undefined || !isText || find(FIRST_NAMES) !== undefined ? {} : { [full]: parts.join(' ') };
}
