import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, omitKeys, resolvePointer } from '../openapi/document.ts';
import type { Entry } from '../store/state.ts';
import type { Issue } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { removePart } from './remove-part.ts';
import type { Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';

/** Validates the entries of the state by the schemas of their resources. */
export class EntryValidator {
  readonly #contract: Contract;
  readonly #reader: SchemaReader;
  /** The pointer of the first schema with the same rules: by the pointer of a schema, and by its rules. */
  readonly #firstPointers = new Map<string, string>();

  constructor(contract: Contract, reader: SchemaReader) {
    this.#contract = contract;
    this.#reader = reader;
  }

  /** Returns the issues of an entry of the state. Properties can be missing: they are generated when the entry is read. */
  findIssues({ schema, mounts }: Resource, entry: Entry): readonly Issue[] {
    if (schema === '') return [];
    const properties = this.#reader.getCommonProperties(schema);
    const parents = mounts.flatMap((mount) => mount.parents.map(({ property }) => property));
    return Object.entries(entry).flatMap(([name, value]) => {
      const pointer = properties.get(name);
      // The id of a parent comes from the path, and can be invalid by the schema of the entry.
      const isValid = pointer === undefined || (parents.includes(name) && !isNode(value) && !Array.isArray(value));
      const errors = isValid ? [] : this.#contract.getErrors(this.#getFirstPointer(pointer), value).filter(isOwnError);
      return errors.slice(0, 1).map((error) => ({
        pointer: formatPointer(name) + error.instancePath,
        message: `${error.message}`,
      }));
    });
  }

  /** Returns the JSON Pointer of the first schema with the same rules, so that such schemas are compiled once: a contract has many like `{ type: string }`. */
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
   * Returns an entry without the values that its schema does not allow. A request can have them if it has another schema. They are not stored, because the data file
   * is validated by the schema of the entry.
   */
  removeInvalid(resource: Resource, entry: Entry): Entry {
    let next = entry;
    for (let round = 0; round < MAX_REMOVALS; round++) {
      const issues = this.findIssues(resource, next);
      if (issues.length === 0) return next;
      next = issues.reduce((rest, { pointer }) => removePart(rest, parsePointer(pointer)) as Entry, next);
    }
    const invalid = this.findIssues(resource, next).flatMap(({ pointer }) => parsePointer(pointer).slice(0, 1));
    return omitKeys(next, invalid);
  }

  /** Returns an entry without the values of a request that its schema does not allow. Values of earlier requests stay, also if the schema has changed since. */
  removeInvalidSent(resource: Resource, entry: Entry, sent: Entry): Entry {
    const names = Object.keys(sent);
    const changed = Object.fromEntries(Object.entries(entry).filter(([name]) => names.includes(name)));
    return { ...omitKeys(entry, names), ...this.removeInvalid(resource, changed) };
  }
}

/** The keywords of a schema that no value can violate. */
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

/** The maximum number of invalid values that are removed from a property. Then the property is removed. */
const MAX_REMOVALS = 20;

/** Keywords whose errors are about missing values, which are generated when an entry is read, about unknown properties, which are not sent, or about alternatives. */
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

function isOwnError({ keyword, schemaPath }: ReturnType<Contract['getErrors']>[number]): boolean {
  return !IGNORED_KEYWORDS.has(keyword) && !/\/(?:oneOf|anyOf)\//.test(schemaPath);
}
