import type { Contract } from '../openapi/contract.ts';
import { isNode, omitKeys } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { computeDerived, findChildren, findDerived } from './derived.ts';
import { type Embedded, findEmbedded, findShown } from './embedded.ts';
import { getEntries } from './entries.ts';
import { getKeyValue } from './entry-values.ts';
import { findReferences, type Reference, toReferenceValue } from './references.ts';
import type { Derived, Inference, Resource } from './resource.ts';
import type { ResponseFactory } from './responses.ts';
import type { SchemaReader } from './schema-reader.ts';
import { computeTotals, findTotals, type Total } from './totals.ts';

/** The maximum number of entries that are shown inside each other, such as the team of the author of a note. */
const MAX_EMBEDDED_DEPTH = 2;

/** Adds to entries the values that follow from other entries: counts, latest times, and the entries that they show. */
export class DerivedValues {
  readonly #reader: SchemaReader;
  readonly #inference: Pick<Inference, 'resources' | 'users'>;
  readonly #responses: ResponseFactory;
  readonly #isSent: (resource: Resource, property: string) => boolean;
  readonly #isValid: (pointer: string, value: unknown) => boolean;

  /** `isSent`: returns whether a request can have a property of an entry. */
  constructor(
    { reader, contract }: { readonly reader: SchemaReader; readonly contract: Pick<Contract, 'isValid'> },
    inference: Pick<Inference, 'resources' | 'users'>,
    responses: ResponseFactory,
    isSent: (resource: Resource, property: string) => boolean,
  ) {
    this.#reader = reader;
    this.#inference = inference;
    this.#responses = responses;
    this.#isSent = isSent;
    this.#isValid = contract.isValid;
  }

  /** Returns the properties of a resource's entries that are numbers or times of other entries, such as `taskCount`. */
  readonly getCounts = memoizeByObject((resource: Resource): readonly Derived[] =>
    findDerived(this.#reader, this.#inference.resources, resource),
  );

  /** Returns the properties of a resource's entries that follow from a list, such as `total` or `isEmpty`. */
  readonly getTotals = memoizeByObject((resource: Resource): readonly Total[] => {
    const children = findChildren(this.#reader, this.#inference.resources, resource);
    const counted = new Set(this.getCounts(resource).map(({ property }) => property));
    const totals = findTotals(this.#reader, resource, children, (property) => this.#isSent(resource, property));
    return totals.filter(({ property }) => !counted.has(property));
  });

  /** Returns the required properties of a resource's entries with ids of other entries, such as `authorId`. */
  readonly #getReferences = memoizeByObject((resource: Resource): readonly Reference[] => {
    const required = resource.schema === '' ? [] : this.#reader.getRequired(resource.schema);
    const references = findReferences(this.#reader, this.#inference, resource.schema, resource);
    return references.filter(({ property, target }) => target !== resource && required.includes(property));
  });

  /** Returns the properties of a resource's entries that show other entries, such as `author`. */
  readonly getEmbedded = memoizeByObject((resource: Resource): readonly Embedded[] =>
    findEmbedded(this.#reader, this.#inference, resource, (property) => this.#isSent(resource, property)),
  );

  /**
   * The entries with their values, by the number of entries around them.
   * An entry stays the same object as long as its values are the same.
   */
  readonly #added = Array.from({ length: MAX_EMBEDDED_DEPTH + 1 }, () => new WeakMap<Entry, Entry>());

  /**
   * Returns entries with the values that follow from other entries, such as the number of tasks of a project, or the
   * author of a note.
   */
  add(state: State, own: Resource, entries: readonly Entry[], depth = 0): readonly Entry[] {
    // The members of a parent are shown as entries of another resource.
    const { memberOf } = own;
    const shared = memberOf && this.#inference.resources.find(({ name }) => name === memberOf);
    const resource = shared || own;
    const counts = this.getCounts(resource);
    const embedded = depth < MAX_EMBEDDED_DEPTH ? this.getEmbedded(resource) : [];
    const totals = this.getTotals(resource);
    const counted = [...counts, ...totals].map(({ property }) => property);
    const lists = totals.flatMap(({ source }) => (typeof source === 'string' ? [source] : []));
    const names = [...counted, ...lists, ...embedded.map(({ property }) => property)];
    const references = this.#getReferences(resource);
    if (names.length + references.length === 0) return entries;
    return entries.map((stored) => {
      const entry = this.#addReferences(references, state, stored);
      const shown = embedded.flatMap((one) => {
        const value = this.#showEmbedded(one, state, entry, depth);
        return value === undefined ? [] : [[one.property, value] as const];
      });
      const id = getKeyValue(entry, resource.id);
      const embeddedValues = Object.fromEntries(shown);
      const values: Entry = {
        ...computeDerived(counts, state, id),
        ...embeddedValues,
        ...computeTotals(totals, state, { ...entry, ...embeddedValues }, id),
      };
      const known = this.#added[depth]?.get(entry) ?? entry;
      const computed: Entry = { ...omitKeys(entry, counted), ...values };
      if (names.every((name) => isSame(known[name], computed[name]))) return known;
      this.#added[depth]?.set(entry, computed);
      return computed;
    });
  }

  /** Adds the ids of other entries that an entry must have and lacks: those of the first entries. */
  #addReferences(references: readonly Reference[], state: State, entry: Entry): Entry {
    const missing = references.filter(({ property }) => !Object.hasOwn(entry, property));
    const ids = missing.flatMap((reference) => {
      const [first] = getEntries(state, reference.target);
      const value = toReferenceValue(this.#isValid, reference, first);
      return value === undefined ? [] : [[reference.property, value] as const];
    });
    if (ids.length === 0) return entry;
    const known = this.#referring.get(entry);
    if (known && ids.every(([name, value]) => known[name] === value)) return known;
    const added: Entry = { ...entry, ...Object.fromEntries(ids) };
    this.#referring.set(entry, added);
    return added;
  }

  /** The entries with ids that they lack. An entry stays the same object as long as its values are the same. */
  readonly #referring = new WeakMap<Entry, Entry>();

  /** Returns what a property such as `author` shows: other entries, as other responses show them. */
  #showEmbedded(embedded: Embedded, state: State, entry: Entry, depth: number): unknown {
    const found = findShown(embedded, state, entry);
    if (found === undefined) return undefined;
    const { resource, schema } = embedded;
    const names = this.#reader.getProperties(schema);
    const show = (one: Entry) => {
      const [derived = one] = this.add(state, resource, [one], depth + 1);
      return this.#pickProperties(this.#responses.completeEntry(resource, schema, derived).value as Entry, names);
    };
    return Array.isArray(found) ? found.map((one) => (isNode(one) ? show(one) : one)) : show(found as Entry);
  }

  /** Returns an object with some properties of another one. The same objects have the same result. */
  #pickProperties(object: Entry, names: ReadonlyMap<string, unknown>): Entry {
    if (Object.keys(object).every((name) => names.has(name))) return object;
    const cache = this.#picked.get(object) ?? new WeakMap<object, Entry>();
    this.#picked.set(object, cache);
    const known = cache.get(names) ?? Object.fromEntries(Object.entries(object).filter(([name]) => names.has(name)));
    cache.set(names, known);
    return known;
  }

  readonly #picked = new WeakMap<Entry, WeakMap<object, Entry>>();
}

/** Returns whether two values are the same, or lists of the same values. */
function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
