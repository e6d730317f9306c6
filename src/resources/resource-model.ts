import type { Input } from '../application.ts';
import type { CompleteValue } from '../mock/complete-value.ts';
import type { createMock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import { omitKeys } from '../openapi/document.ts';
import type { Entry } from '../store/state.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { isPathSegment } from '../util/path-template.ts';
import { createParentFinder } from './change-entries.ts';
import { getRequiredQuery } from './document-paths.ts';
import { copyKeyValue, getKeyValue, type PathInput, setKeyValue } from './entries.ts';
import { EntryValidator } from './entry-validator.ts';
import { inferResources } from './infer.ts';
import { type ListParameters, readListParameters } from './list-query.ts';
import { type Inference, type Mount, PATH_VALUES, type Plan, type Resource } from './resource.ts';
import { ResponseFactory } from './responses.ts';
import { SchemaReader } from './schema-reader.ts';
import { createServerValues, type ServerValues } from './server-values.ts';

/** The input for a new entry. */
interface NewEntryInput {
  readonly entries: readonly Entry[];
  readonly body: Entry;
  readonly path: PathInput;
  readonly nowMs: number;
  /** Returns a new UUID. */
  readonly newId: () => string;
}

/** The resources of a contract, and what their handlers use. */
export class ResourceModel {
  readonly contract: Contract;
  readonly inference: Inference;
  readonly reader: SchemaReader;
  readonly validator: EntryValidator;
  readonly responses: ResponseFactory;
  /** Returns the parents of a mount that are entries of resources. */
  readonly findParents: ReturnType<typeof createParentFinder>;
  readonly generate: (schema: string, seed: number) => unknown;
  readonly completeValue: CompleteValue;
  readonly #values: ServerValues;

  constructor(contract: Contract, { completeValue, generateField }: ReturnType<typeof createMock>) {
    this.contract = contract;
    this.reader = new SchemaReader(contract.normalized);
    this.inference = inferResources(this.reader, contract.routes);
    this.findParents = createParentFinder(this.inference);
    this.validator = new EntryValidator(contract, this.reader);
    this.responses = new ResponseFactory(contract, this.reader, completeValue);
    this.generate = generateField;
    this.completeValue = completeValue;
    this.#values = createServerValues(contract, this.reader, generateField);
  }

  /** Returns what the query parameters of a list operation do. */
  readonly getListParameters = memoizeByObject((plan: Plan): ListParameters => {
    const { schema } = plan.resource;
    const properties = schema === '' ? [] : [...this.reader.getProperties(schema).keys()];
    const getKeyword = this.reader.getKeyword.bind(this.reader);
    const required = getRequiredQuery(plan.route);
    return { ...readListParameters(plan.route, properties, getKeyword), required };
  });

  /** Creates an entry from a request body: adds the id, the parents, the default values and the times. */
  createEntry(plan: Plan, { entries, body, path, nowMs, newId }: NewEntryInput): Entry {
    const { resource, mount } = plan;
    const sent = this.#values.removeReadOnly(resource, this.#omitUnknownId(plan, body));
    const own = this.validator.removeInvalid(resource, sent);
    const given = { ...this.#values.getDefaults(resource), ...own };
    const timed = { ...given, ...this.#values.getTimes(resource, given, { nowMs, kinds: ['created', 'updated'] }) };
    const withParents = this.#setParents(mount, path, timed);
    if (resource.kind === 'singleton') return withParents;
    const { id } = resource;
    if (
      path[id.parameter] !== undefined &&
      mount.item !== undefined &&
      !mount.parents.some(({ parameter }) => parameter === id.parameter)
    )
      return setKeyValue(withParents, id, this.#values.toTyped(id.schema, path[id.parameter] as string));
    // Clients send an empty id for a new entry.
    if (id.property !== undefined && isPathSegment(getKeyValue(withParents, id) ?? '')) return withParents;
    return setKeyValue(withParents, id, this.#values.createId(resource, entries, withParents, newId()));
  }

  /** Creates an entry from an example or a generated value: adds the parents, and the id if the value has none. */
  createSeed({ resource, mount }: Plan, { entries, body, path, newId }: NewEntryInput): Entry {
    const isValid = this.validator.findIssues(resource, body).length === 0;
    const valid = isValid ? body : this.validator.removeInvalid(resource, this.#repair(resource, body));
    const entry = this.#setParents(mount, path, valid);
    const { id } = resource;
    if (resource.kind === 'singleton' || isPathSegment(getKeyValue(entry, id) ?? '')) return entry;
    return setKeyValue(entry, id, this.#values.createId(resource, entries, entry, newId()));
  }

  /** Returns the values of a path as entries store them: `1` for the integer `01`. */
  toStoredPath({ mount }: Pick<Plan, 'mount'>, path: PathInput): PathInput {
    const schemas = new Map([...mount.parents, mount.id].map(({ parameter, schema }) => [parameter, schema]));
    const values = Object.entries(path).map(([name, text]) => [
      name,
      String(this.#values.toTyped(schemas.get(name) ?? '', text)),
    ]);
    // Without a prototype, no parameter has an inherited value: its name can be `constructor`.
    return Object.assign(Object.create(null), Object.fromEntries(values));
  }

  /** Returns whether an entry can have the id in a path. */
  isValidId({ id }: Resource, path: PathInput): boolean {
    const value = path[id.parameter];
    return (
      id.schema === '' ||
      value === undefined ||
      this.contract.isValid(id.schema, this.#values.toTyped(id.schema, value))
    );
  }

  #repair({ schema }: Resource, entry: Entry): Entry {
    return this.completeValue(schema, entry, 0).value as Entry;
  }

  /** Returns the names of the properties of an entry that a request body can have; an empty array if it can have any. */
  #getRequestNames({ route, requestPath, entryPath }: Plan): readonly string[] {
    if (entryPath.length > 0) return entryPath.slice(0, 1);
    const request = this.reader.getRequestSchema(route);
    const inner = request === undefined ? undefined : this.reader.getInner(request, requestPath);
    return inner === undefined ? [] : [...this.reader.getProperties(inner).keys()];
  }

  /** Returns a request body without the id, if the contract has no id in the body. */
  #omitUnknownId(plan: Plan, body: Entry): Entry {
    const [name = ''] = plan.resource.id.property?.split('.') ?? [];
    const known = this.#getRequestNames(plan);
    return known.length === 0 || known.includes(name) ? body : omitKeys(body, [name]);
  }

  /** Returns an entry whose properties that a request can have are replaced by those of a request body. */
  replaceEntry(plan: Plan, current: Entry, body: Entry, nowMs: number): Entry {
    const known = this.#getRequestNames(plan);
    const isKept = (name: string) => known.length > 0 && !known.includes(name);
    const kept = Object.fromEntries(Object.entries(current).filter(([name]) => isKept(name)));
    const defaults = Object.entries(this.#values.getDefaults(plan.resource)).filter(([name]) => known.includes(name));
    return this.updateEntry(plan, current, () => ({ ...kept, ...Object.fromEntries(defaults), ...body }), body, nowMs);
  }

  /** Returns a changed entry. Keeps the id, the parents and the properties that only the server sets. `sent`: the properties of the request. */
  updateEntry(plan: Plan, current: Entry, change: (old: Entry) => Entry, sent: Entry, nowMs: number): Entry {
    const { resource, mount } = plan;
    const changed = this.validator.removeInvalidSent(resource, this.#keepNulls(resource, change(current), sent), sent);
    const created = Object.keys(this.#values.getTimes(resource, changed, { nowMs, kinds: ['created'] }));
    const kept = [PATH_VALUES, ...created].filter((name) => current[name] !== undefined);
    const next: Entry = {
      ...this.#values.removeReadOnly(resource, changed),
      ...this.#values.pickReadOnly(resource, current),
      ...Object.fromEntries(kept.map((name) => [name, current[name]])),
      ...this.#values.getTimes(resource, sent, { nowMs, kinds: ['updated'] }),
    };
    const keys = [...(resource.kind === 'collection' ? [resource.id] : []), ...mount.parents];
    const keyed: Entry = keys.reduce((entry, key) => copyKeyValue(current, entry, key), next);
    const order = Object.keys(current).filter((name) => Object.hasOwn(keyed, name));
    return { ...Object.fromEntries(order.map((name) => [name, keyed[name]])), ...keyed };
  }

  /** Returns the initial singleton below a path. A singleton that can be deleted does not exist before it is created. */
  getInitialSingleton(resource: Resource, mount: Mount, path: PathInput): Entry | undefined {
    if (resource.kind !== 'singleton' || resource.canDelete) return undefined;
    return this.#setParents(mount, path, this.#values.getDefaults(resource));
  }

  /** Returns the properties of an entry in a query, for operations that change an entry by query parameters. */
  getQueryChanges({ resource, route }: Plan, query: Input['query']): Entry {
    if (Object.keys(route.bodyMedia).length > 0 || resource.schema === '') return {};
    const properties = this.reader.getProperties(resource.schema);
    const values = Object.entries(query).flatMap(([name, text]) => {
      const schema = properties.get(name);
      return schema === undefined ? [] : [[name, Array.isArray(text) ? text : this.#values.toTyped(schema, text)]];
    });
    return Object.fromEntries(values);
  }

  /** Sets the properties that a request sets to null, if their schema allows null. A merge patch deletes them. */
  #keepNulls({ schema }: Resource, changed: Entry, sent: Entry): Entry {
    if (schema === '') return changed;
    const properties = this.reader.getProperties(schema);
    const nulls = Object.entries(sent).filter(
      ([name, value]) => value === null && this.contract.isValid(properties.get(name) ?? schema, null),
    );
    return nulls.length === 0 ? changed : { ...changed, ...Object.fromEntries(nulls) };
  }

  #setParents({ parents }: Mount, path: PathInput, entry: Entry): Entry {
    return parents.reduce((next, parent) => {
      const known = getKeyValue(next, parent);
      const value = path[parent.parameter];
      return value === undefined || known === value
        ? next
        : setKeyValue(next, parent, this.#values.toTyped(parent.schema, value));
    }, entry);
  }
}
