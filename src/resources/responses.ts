import type { HandlerResponse } from '../application.ts';
import type { CompleteValue } from '../mock/complete-value.ts';
import type { Contract } from '../openapi/contract.ts';
import { isNode } from '../openapi/document.ts';
import { findJsonMedia } from '../openapi/responses.ts';
import type { Entry } from '../store/state.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { toSeed } from '../util/random.ts';
import { getEntryKey, getOwn, removePathValues } from './entries.ts';
import type { Page } from './list-query.ts';
import { getPageValues } from './page-fields.ts';
import type { Plan, Resource } from './resource.ts';
import type { SchemaReader } from './schema-reader.ts';

/** A value and the JSON Pointers of its generated parts. */
type Completed = ReturnType<CompleteValue>;

/** Creates the responses of the operations of resources. Keeps the completed entries as long as the entries are in use. */
export class ResponseFactory {
  readonly #contract: Contract;
  readonly #reader: SchemaReader;
  readonly #completeValue: CompleteValue;
  readonly #completed = new WeakMap<Entry, Map<string, Completed>>();

  constructor(contract: Contract, reader: SchemaReader, completeValue: CompleteValue) {
    this.#contract = contract;
    this.#reader = reader;
    this.#completeValue = completeValue;
  }

  /** Returns the response with an entry, or with all entries if its body has a list. `entries`: empty for a response without one, as after `clear`. */
  createEntryResponse(plan: Plan, status: number, entries: readonly Entry[]): HandlerResponse {
    const [entry] = entries;
    const { schema, headers } = getJsonMedia(plan, status);
    if (schema === undefined) return { status };
    const { resource, responsePath } = plan;
    const seed = toSeed(`${plan.route.operationId} ${entry ? getEntryKey(resource, entry) : ''}`);
    const inner = this.#reader.getInner(schema, responsePath);
    const items = inner === undefined ? undefined : this.#reader.getItems(inner);
    if (inner === undefined || (!entry && items === undefined)) {
      const { value, generated } = this.#completeValue(schema, entry ? removePathValues(entry) : {}, seed);
      return { status, headers, body: value, generated };
    }
    const completed = entries.map((each) => this.completeEntry(resource, items ?? inner, each));
    const body = items === undefined ? (completed[0] as Completed) : toList(completed);
    return { status, headers, ...this.#wrap({ schema, path: responsePath, seed }, body, {}) };
  }

  /** Returns the response with a page of a list. */
  createListResponse(plan: Plan, page: Page): HandlerResponse {
    const status = plan.route.successStatus;
    const { schema = '', headers } = getJsonMedia(plan, status);
    const entries = page.entries.map((entry) => this.#completeListed(plan, entry));
    const inner = toList(entries);
    const others = this.#getFieldsBeside(schema, plan, page);
    return {
      status,
      headers,
      ...this.#wrap({ schema, path: plan.responsePath, seed: toSeed(plan.route.operationId) }, inner, others),
    };
  }

  /** Returns an entry as a client sees it in a list. */
  completeListed(plan: Plan, entry: Entry): Entry {
    return this.#completeListed(plan, entry).value as Entry;
  }

  #completeListed(plan: Plan, entry: Entry): Completed {
    const { schema } = getJsonMedia(plan, plan.route.successStatus);
    const list = schema === undefined ? undefined : this.#reader.getInner(schema, plan.responsePath);
    const items = list === undefined ? undefined : this.#reader.getItems(list);
    if (items === undefined) return { value: removePathValues(entry), generated: [] };
    return this.completeEntry(plan.resource, items, entry);
  }

  /** Returns an entry with what its schema requires: the same each time, and for each operation. */
  completeEntry(resource: Resource, schema: string, entry: Entry): Completed {
    const known = this.#completed.get(entry) ?? new Map<string, Completed>();
    this.#completed.set(entry, known);
    const found = known.get(schema);
    if (found) return found;
    const seed = toSeed(`${resource.memberOf ?? resource.name} ${getEntryKey(resource, entry)}`);
    const completed = this.#completeValue(schema, removePathValues(entry), seed);
    known.set(schema, completed);
    return completed;
  }

  /** Returns a body with a completed value at a path of property names. `others`: the properties beside it. */
  #wrap({ schema, path, seed }: BodyPlace, inner: Completed, others: Entry): HandlerResponse {
    const prefix = formatPointer(...path);
    const generated = inner.generated.map((pointer) => prefix + pointer);
    if (path.length === 0 && !Array.isArray(inner.value)) return { body: inner.value, generated };
    const body = path.length === 0 ? inner.value : setInner(others, path, inner.value);
    const completed = this.#completeValue(schema, body, seed);
    return { body: completed.value, generated: [...generated, ...completed.generated] };
  }

  /** Returns the properties beside the list in a response, and beside the objects that contain the list. */
  #getFieldsBeside(schema: string, plan: Plan, page: Page): Entry {
    const parents = plan.responsePath.slice(0, -1);
    const inner = plan.responsePath.length === 0 ? undefined : this.#reader.getInner(schema, parents);
    const fields = inner === undefined ? {} : this.#getPageFields(inner, plan, page);
    const outer = parents.length > 0 ? this.#getPageFields(schema, plan, page) : {};
    return setInner(outer, parents, fields);
  }

  /** Returns the properties that describe a page. An object such as `meta` or `pagination` is filled as well. */
  #getPageFields(schema: string, plan: Plan, page: Page, depth = 0): Entry {
    const list = plan.responsePath.at(-1) ?? '';
    const fields = [...this.#reader.getProperties(schema)].flatMap(([name, pointer]) => {
      const values = getPageValues(name, page, list);
      const value = values.find((candidate) => this.#contract.isValid(pointer, candidate));
      if (value !== undefined) return [[name, value]];
      if (depth >= MAX_FIELD_DEPTH || plan.responsePath.includes(name) || !this.#reader.isObject(pointer)) return [];
      const inner = this.#getPageFields(pointer, plan, page, depth + 1);
      return Object.keys(inner).length > 0 ? [[name, inner]] : [];
    });
    return Object.fromEntries(fields);
  }
}

/** A place in a body: the JSON Pointer of the schema of the body, and the property names that lead to the place. `seed`: of generated values. */
interface BodyPlace {
  readonly schema: string;
  readonly path: readonly string[];
  readonly seed: number;
}

/** Returns a list of completed entries. The JSON Pointers of generated values have `*` for all entries. */
function toList(entries: readonly Completed[]): Completed {
  const generated = new Set(entries.flatMap((entry) => entry.generated.map((pointer) => `/*${pointer}`)));
  return { value: entries.map(({ value }) => value), generated: [...generated] };
}

/** The maximum depth of objects that describe a page. */
const MAX_FIELD_DEPTH = 2;

/** Returns the schema of the JSON body of a response, undefined if it has none, and the header with its media type. */
function getJsonMedia({ route }: Plan, status: number) {
  const media = findJsonMedia(route.responses, status);
  const headers: Readonly<Record<string, string>> = media ? { 'Content-Type': media.type } : {};
  return { schema: media?.schema, headers };
}

/** Returns a copy of an object with a value at a path of property names. */
export function setInner(object: Entry, [name, ...rest]: readonly string[], value: unknown): Entry {
  if (name === undefined) return { ...object, ...(value as Entry) };
  if (rest.length === 0) return { ...object, [name]: value };
  return { ...object, [name]: setInner((getOwn(object, name) ?? {}) as Entry, rest, value) };
}

/** Returns the value at a path of property names; the object itself for an empty path. */
export function getInner(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isNode(value) ? getOwn(value, name) : undefined), object);
}
