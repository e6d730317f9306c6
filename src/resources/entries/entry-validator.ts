import type { Contract } from '../../openapi/contract.ts';
import { describeError } from '../../openapi/describe-error.ts';
import { getNode, isNode, omitKeys, pickKeys, resolvePointer } from '../../openapi/document.ts';
import type { Entry } from '../../store/state.ts';
import { createIssue, type Issue } from '../../util/issue.ts';
import { formatPointer, parsePointer } from '../../util/json-pointer.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Resource } from '../resource.ts';
import { getOwn } from './entry-values.ts';
import { listNamedObjects } from './named-objects.ts';

/**
 * Returns a copy of a value without a nested property or array entry: the path `['tags', '0']` removes the first tag.
 */
function removePart(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const index = Number(name);
    return rest.length === 0 ? value.toSpliced(index, 1) : value.with(index, removePart(value[index], rest));
  }
  if (!isNode(value)) return value;
  const { [name]: part, ...others } = value;
  return rest.length === 0 ? others : { ...value, [name]: removePart(part, rest) };
}

/** Validates stored entries against the schemas of their resources. */
export class EntryValidator {
  readonly #contract: Contract;
  readonly #reader: SchemaReader;
  readonly #getDescriptions: (resource: Resource) => ReadonlyMap<string, string>;
  /**
   * The first of several schemas with equal rules, such as `{ type: string }`.
   * Maps the JSON Pointer of each schema, and its rules as JSON, to the JSON Pointer of the first schema.
   */
  readonly #firstPointers = new Map<string, string>();

  /** `getDescriptions`: returns the descriptions of properties in requests, by their names. */
  constructor(
    contract: Contract,
    reader: SchemaReader,
    getDescriptions: (resource: Resource) => ReadonlyMap<string, string>,
  ) {
    this.#contract = contract;
    this.#reader = reader;
    this.#getDescriptions = getDescriptions;
  }

  /**
   * Returns the validation errors of a stored entry.
   * A missing property is not an error, because the server generates a value when it reads the entry.
   */
  findIssues(resource: Resource, entry: Entry): readonly Issue[] {
    if (resource.schema === '') return [];
    const properties = this.#reader.getCommonProperties(resource.schema);
    const parents = this.#getParentNames(resource);
    // Most entries have no issue, and a state can have 100,000 entries.
    const invalid = Object.keys(entry).filter((name) => {
      const pointer = properties.get(name);
      const value = entry[name];
      // The id of a parent comes from the path, so it can be invalid against the schema of the entry.
      const isValid = pointer === undefined || (parents.has(name) && !isNode(value) && !Array.isArray(value));
      return !isValid && !this.#contract.isValid(this.#getFirstPointer(pointer), value);
    });
    return invalid.flatMap((name) => {
      const pointer = properties.get(name) ?? '';
      const value = entry[name];
      // The errors for the own schema of the property: an error that one of its examples has as well is left out.
      return this.#contract
        .getErrors(pointer, value)
        .filter(isOwnError)
        .slice(0, 1)
        .map((error) => createIssue(formatPointer(name) + error.instancePath, describeError(error)));
    });
  }

  /** Returns the properties of a resource's entries that have the ids of their parents. */
  readonly #getParentNames = memoizeByObject(
    ({ mounts }: Resource): ReadonlySet<string | undefined> =>
      new Set(mounts.flatMap(({ parents }) => parents.map(({ property }) => property))),
  );

  /**
   * Returns the JSON Pointer of the first schema with the same rules as the schema at `pointer`.
   * So equal schemas, such as `{ type: string }`, are compiled only once.
   */
  #getFirstPointer(pointer: string): string {
    const known = this.#firstPointers.get(pointer);
    if (known !== undefined) return known;
    const target = resolvePointer(this.#reader.document, pointer);
    const schema = getNode(this.#reader.document, target) ?? {};
    const rules = Object.entries(schema).filter(([name]) => !ANNOTATIONS.has(name) && !name.startsWith('x-'));
    const key = JSON.stringify(rules);
    const first = this.#firstPointers.get(key) ?? target;
    this.#firstPointers.set(key, first).set(pointer, first);
    return first;
  }

  /**
   * Removes the values of an entry that the schema of stored entries does not allow.
   * A valid request can contain such values, because its body can have another schema.
   * The data file must not contain them, because it is validated against the schema of stored entries.
   */
  removeInvalid(resource: Resource, entry: Entry): Entry {
    let next = this.convertForms(resource, entry);
    for (let round = 0; round < MAX_REMOVALS; round++) {
      const issues = this.findIssues(resource, next);
      if (issues.length === 0) return next;
      next = issues.reduce((rest, { pointer }) => removePart(rest, parsePointer(pointer)) as Entry, next);
    }
    const invalid = this.findIssues(resource, next).flatMap(({ pointer }) => parsePointer(pointer).slice(0, 1));
    return omitKeys(next, invalid);
  }

  /**
   * Converts values that the schema of stored entries only allows in another form: a date such as `24-12-2030`, ids and
   * names for objects, a value of an `enum` in capital letters, and repeated items.
   */
  convertForms(resource: Resource, entry: Entry): Entry {
    if (resource.schema === '') return entry;
    const properties = this.#reader.getCommonProperties(resource.schema);
    const isValid = (pointer: string, value: unknown) =>
      this.#contract.getErrors(pointer, value).filter(isOwnError).length === 0;
    const convert = (name: string, pointer: string, value: unknown): unknown => {
      const items = this.#reader.getItems(pointer);
      if (Array.isArray(value)) {
        const all = items === undefined ? value : value.map((one) => convert(name, items, one));
        const different = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
        return !isValid(pointer, all) && isValid(pointer, different) ? different : all;
      }
      if (isValid(pointer, value)) return value;
      const forms = listForms(this.#reader, pointer, value, this.#getDescriptions(resource).get(name) ?? '');
      return forms.find((form) => isValid(pointer, form)) ?? value;
    };
    const changes = Object.entries(entry).flatMap(([name, value]) => {
      const pointer = properties.get(name);
      if (pointer === undefined || value === null || isValid(pointer, value)) return [];
      return [[name, convert(name, pointer, value)] as const];
    });
    return changes.length === 0 ? entry : { ...entry, ...Object.fromEntries(changes) };
  }

  /**
   * Handles the properties that a request sets to null.
   * A property becomes null if its schema allows null.
   * Otherwise, a required property keeps its stored value, and an optional property stays deleted.
   * `stored`: the entry before the change.
   * `entry`: the entry after the merge patch, which deletes these properties.
   * `sent`: the request body.
   */
  setNulls({ schema }: Resource, stored: Entry, entry: Entry, sent: Entry): Entry {
    const names = Object.keys(sent).filter((name) => sent[name] === null);
    if (schema === '' || names.length === 0) return entry;
    const properties = this.#reader.getProperties(schema);
    const missing = this.#contract.getErrors(schema, entry).map(({ params }) => params.missingProperty);
    const kept = names.flatMap((name): [string, unknown][] => {
      if (this.#contract.isValid(properties.get(name) ?? schema, null)) return [[name, null]];
      return missing.includes(name) && stored[name] !== undefined ? [[name, stored[name]]] : [];
    });
    return { ...entry, ...Object.fromEntries(kept) };
  }

  /**
   * Restores the stored value of each property for which a request has sent an invalid value.
   * Does not check other properties: after a change of the schema, stored values can be invalid too.
   * `stored`: the entry before the change.
   * `entry`: the entry after the change.
   * `sent`: the request body.
   */
  restoreInvalidSent(resource: Resource, stored: Entry, entry: Entry, sent: Entry): Entry {
    const names = Object.keys(sent);
    const changed = pickKeys(entry, names);
    return { ...omitKeys(entry, names), ...restoreRemoved(this.removeInvalid(resource, changed), changed, stored) };
  }
}

/**
 * Returns a copy of an object in which removed properties have their stored values again.
 * `earlier`: the object before the removal.
 * `stored`: the object with the stored values.
 */
function restoreRemoved(object: Entry, earlier: Entry, stored: Entry): Entry {
  const values = Object.entries(earlier).flatMap(([name, value]) => {
    const rest = getOwn(object, name);
    const old = getOwn(stored, name);
    if (rest === undefined) return old === undefined || value === null ? [] : [[name, old]];
    return [[name, isNode(rest) && isNode(value) && isNode(old) ? restoreRemoved(rest, value, old) : rest]];
  });
  return Object.fromEntries(values);
}

/**
 * Returns other forms of a text or a number: a date as ISO 8601 writes it, an object with this id or name, or the value
 * of an `enum` that differs only in letter case or separators.
 */
function listForms(reader: SchemaReader, pointer: string, value: unknown, description: string): readonly unknown[] {
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  const [, day, month, year] = /^(\d{2})[-./](\d{2})[-./](\d{4})$/.exec(String(value)) ?? [];
  const date = year === undefined ? String(value) : `${year}-${month}-${day}`;
  const dates = /^\d{4}-\d{2}-\d{2}$/.test(date) ? [date, `${date}T00:00:00Z`] : [];
  const choices = [reader.getKeyword(pointer, 'enum') ?? []].flat();
  const isSame = (one: unknown) => typeof one === 'string' && normalizeName(one) === normalizeName(String(value));
  const same = choices.filter(isSame);
  return [...listNamedObjects(reader, pointer, value, description), ...dates, ...(same.length === 1 ? same : [])];
}

/** JSON Schema keywords that only describe a value. They do not restrict it. */
const ANNOTATIONS = new Set([
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'externalDocs',
  'xml',
]);

/**
 * The maximum number of attempts to make an entry valid by removing only invalid nested values.
 * After that, each invalid property is removed as a whole.
 */
const MAX_REMOVALS = 20;

/**
 * JSON Schema keywords whose errors are ignored in stored entries.
 * Missing values are generated when an entry is read, unknown properties are not sent to clients, and alternatives such
 * as `oneOf` are not checked.
 */
const IGNORED_KEYWORDS = new Set([
  'required',
  'oneOf',
  'anyOf',
  'if',
  'dependentRequired',
  'minProperties',
  'additionalProperties',
  'unevaluatedProperties',
]);

/** Returns whether an error is not only about missing or unknown values, or about alternatives such as `oneOf`. */
export function isOwnError({ keyword, schemaPath }: ReturnType<Contract['getErrors']>[number]): boolean {
  return !IGNORED_KEYWORDS.has(keyword) && !/\/(?:oneOf|anyOf)\//.test(schemaPath);
}
