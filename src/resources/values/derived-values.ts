import type { Input } from '../../application.ts';
import type { Contract } from '../../openapi/contract.ts';
import { isNode, omitKeys, pickKeys } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { formatPointer } from '../../util/json-pointer.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { computeFollows, type FollowProperty, findFollowProperties, listFollows } from '../actions/follows.ts';
import { isChosen } from '../document/locate.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getEntries, getEntryList } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { getKeyValue, getOwn, getParentId } from '../entries/entry-values.ts';
import { indexLinks } from '../entries/linked-entries.ts';
import { findReferences, isId, type Reference, toReferenceValue, type UnknownId } from '../inference/references.ts';
import type { Children, Derived, Inference, Resource } from '../resource.ts';
import type { ResponseFactory } from '../responses.ts';
import { findShownFlags, getSenderFlags, listFlagNames } from '../users/sender-flags.ts';
import { findOwnEntry } from '../users/tokens.ts';
import {
  type Completed,
  getGeneratedInside,
  isSameValue,
  listGeneratedPointers,
  pickPointers,
  pickProperties,
  setGeneratedInside,
  toList,
} from './completed.ts';
import { isSetByAction } from './copied-values.ts';
import { computeDerived, type EntryReading, findChildren, mergeInside } from './derived.ts';
import { type Embedded, findEmbedded, findShown, listUnlinked, showsNone, showsNull } from './embedded.ts';
import { findEntryCounts } from './entry-counts.ts';
import { createReading, findTimedFlags, type TimedFlag } from './timed-values.ts';
import { computeTotals, findTotals, listParts, type Total } from './totals.ts';

/** The maximum number of entries that are shown inside each other, such as the team of the author of a note. */
const MAX_EMBEDDED_DEPTH = 2;

/**
 * The maximum number of entries in a list inside an entry of the same kind: the books of the author of a book.
 * Without it, the size of a response grows with the square of the number of entries.
 */
const MAX_LISTED_AGAIN = 20;

/** The maximum number of entries of one resource that are shown inside each other, such as the children of a topic. */
const MAX_TREE_DEPTH = 10;

/**
 * How entries are shown.
 * `sender`: the id of the user who sends the request, if entries are shown differently to each user.
 * `getNow`: returns the current time, for values such as `isOverdue`.
 * `depth`: the number of entries around them.
 * `above`: the names of the resources of these entries.
 * `only`: the names of the values to add. Default: all.
 */
interface Viewing {
  readonly sender?: string | undefined;
  readonly getNow?: Input['getNow'];
  readonly schema?: string;
  readonly depth?: number;
  readonly above?: readonly string[];
  readonly only?: ReadonlySet<string>;
}

/** Adds to entries the values that follow from other entries: counts, latest times, and the entries that they show. */
export class DerivedValues {
  readonly #reader: SchemaReader;
  readonly #inference: Inference;
  readonly #responses: ResponseFactory;
  readonly getSent: (resource: Resource) => ReadonlySet<string>;
  readonly #isValid: (pointer: string, value: unknown) => boolean;

  /** `getSent`: returns the properties that a request can have. */
  constructor(
    { reader, contract }: { readonly reader: SchemaReader; readonly contract: Pick<Contract, 'isValid'> },
    inference: Inference,
    responses: ResponseFactory,
    getSent: (resource: Resource) => ReadonlySet<string>,
  ) {
    this.#reader = reader;
    this.#inference = inference;
    this.#responses = responses;
    this.getSent = getSent;
    this.#isValid = contract.isValid;
  }

  /** Returns the properties of a resource's entries that are numbers or times of other entries, such as `taskCount`. */
  readonly getCounts = memoizeByObject((resource: Resource): readonly Derived[] => {
    const links = this.#getLinks(this.#inference).get(resource.name) ?? [];
    const effects = [...this.#inference.plans.values()].flatMap((plan) =>
      plan.resource === resource ? plan.effect : [],
    );
    const lists = effects.flatMap((effect) => effect?.members?.list ?? []);
    const isSent = (property: string) => this.getSent(resource).has(property) || lists.includes(property);
    return findEntryCounts(this.#reader, this.#inference.resources, resource, links).filter(
      ({ property, average, only, view, inside, ids }) =>
        !isChosen(this.#reader, this.#inference, resource, property) &&
        (!(average || only || view || inside || ids !== undefined) || !isSent(property)),
    );
  });

  /** Returns the booleans of a resource's entries that depend on the time, such as `isOverdue`. */
  readonly getTimed = memoizeByObject((resource: Resource): readonly TimedFlag[] =>
    findTimedFlags(this.#reader, this.#inference, resource, this.getSent(resource)),
  );

  /** Returns how the entries are read that counts depend on. `getNow`: returns the current time, if it is known. */
  createReading(getNow: Input['getNow']): EntryReading {
    return createReading({ complete: this.complete, isValid: this.#isValid }, this.getTimed, getNow);
  }

  /** Returns where entries name entries of other resources, by the names of these resources. */
  readonly #getLinks = memoizeByObject((inference: Inference) =>
    indexLinks(this.#reader, inference, (resource) => this.getEmbedded(resource)),
  );

  /** Returns an entry with the values that responses generate. */
  readonly complete = (resource: Resource, entry: Entry): Entry =>
    this.#responses.completeEntry(resource, resource.schema, entry).value as Entry;

  /** Returns the properties of a resource's entries that follow from a list, such as `total` or `isEmpty`. */
  readonly getTotals = memoizeByObject((resource: Resource): readonly Total[] => {
    const shown = new Set(this.getEmbedded(resource).flatMap(({ children: own }) => (own ? [own.resource] : [])));
    const all = findChildren(this.#reader, this.#inference.resources, resource);
    const children = all.filter((child) => !shown.has(child.resource));
    const counted = new Set(this.getCounts(resource).map(({ property }) => property));
    const totals = findTotals(this.#reader, resource, children, (property) => this.getSent(resource).has(property));
    return totals.filter(({ property }) => !counted.has(property));
  });

  /** Returns the required properties of a resource's entries with ids of other entries, such as `authorId`. */
  readonly #getReferences = memoizeByObject((resource: Resource): readonly Reference[] => {
    const required = resource.schema === '' ? [] : this.#reader.getRequired(resource.schema);
    const stored = this.getEmbedded(resource).flatMap(({ property, isStored }) => (isStored ? [property] : []));
    const references = findReferences(this.#reader, this.#inference, resource.schema, resource);
    return references.filter(({ property }) => required.includes(property) && !stored.includes(property));
  });

  /** Returns the properties of a resource's entries that show other entries, such as `author`. */
  readonly getEmbedded = memoizeByObject((resource: Resource): readonly Embedded[] => {
    const embedded = findEmbedded(this.#reader, this.#inference, resource, this.getSent(resource));
    return embedded.filter((one) => !one.isStored || !isSetByAction(this.#inference, resource, one.property));
  });

  /**
   * Returns the lists of objects in a resource's entries whose objects show other entries, or have totals of their own:
   * the lines of an invoice, which show books.
   */
  readonly getParts = memoizeByObject((resource: Resource): readonly Resource[] => {
    if (resource.schema === '' || resource.part) return [];
    const isUsed = (part: Resource) =>
      this.getEmbedded(part).length + this.getTotals(part).length + this.#getReferences(part).length > 0;
    return listParts(this.#reader, resource, this.getEmbedded(resource)).filter(isUsed);
  });

  /** Returns whether entries are shown differently to each user, for example with `favorited`. */
  readonly #hasFlags = memoizeByObject((resource: Resource): boolean => this.#findFlags(resource, 0));

  #findFlags(own: Resource, depth: number): boolean {
    const resource = this.#followMember(own);
    if (listFlagNames(this.#reader, this.#inference, resource).length > 0) return true;
    return (
      depth < MAX_EMBEDDED_DEPTH && this.getEmbedded(resource).some((one) => this.#findFlags(one.resource, depth + 1))
    );
  }

  /** Returns the resource with the data of an entry: the members of a parent are shown as entries of another one. */
  #followMember(own: Resource): Resource {
    const { memberOf } = own;
    return (memberOf && this.#inference.resources.find(({ name }) => name === memberOf)) || own;
  }

  /**
   * Returns the object in an entry with a user whom the sender of a request can follow, such as `author`, and the
   * boolean of this object, such as `following`. Returns undefined if there is none.
   */
  readonly findFollowed = (resource: Resource): { readonly property: string; readonly flag: string } | undefined => {
    const found = this.getEmbedded(resource).flatMap(({ property, schema, isList, resource: shown }) => {
      const names = this.#reader.getProperties(schema);
      const flag = getSenderFlags(this.#inference, shown).find((name) => names.has(name));
      return isList || flag === undefined ? [] : [{ property, flag }];
    });
    return found.length === 1 ? found[0] : undefined;
  };

  /**
   * Returns the id of the user who sends a request, if entries of a resource are shown differently to each user.
   * A response that depends on the user is not cached.
   */
  getSender(resource: Resource, state: State, input: Pick<Input, 'headers' | 'user'>): string | undefined {
    const { users } = this.#inference;
    if (!users || !this.#hasFlags(resource)) return undefined;
    const user = findOwnEntry(users, state, input);
    return (user && getKeyValue(user, users.id)) ?? '';
  }

  /**
   * The entries with their values, by the number of entries around them.
   * An entry stays the same object as long as its values are the same.
   */
  readonly #added = Array.from({ length: MAX_TREE_DEPTH + 1 }, () => new WeakMap<Entry, Entry>());

  /**
   * Returns entries with the values that follow from other entries, such as the number of tasks of a project, or the
   * author of a note.
   * `schema`: the JSON Pointer of the schema in which the entries are shown, if it is not that of the resource.
   */
  add(
    state: State,
    own: Resource,
    entries: readonly Entry[],
    { sender, getNow, schema = own.schema, depth = 0, above = [], only }: Viewing = {},
  ): readonly Entry[] {
    const resource = this.#followMember(own);
    const isAdded = ({ property }: { readonly property: string }) => only?.has(property) !== false;
    const totals = this.getTotals(resource).filter(isAdded);
    const counts = this.getCounts(resource).filter(isAdded);
    const embedded = this.getEmbedded(resource).filter(
      (one) =>
        (one.value !== undefined || depth < MAX_EMBEDDED_DEPTH || one.children?.resource.name === resource.name) &&
        // A total can be that of entries which are shown.
        (totals.length > 0 || isAdded(one)),
    );
    const follows = this.getFollows(resource, schema).filter(isAdded);
    const parts = only && totals.length === 0 ? [] : this.getParts(resource);
    const reading = this.createReading(getNow);
    const timed = getNow ? this.getTimed(resource).flatMap((one) => (isAdded(one) ? one.property : [])) : [];
    const counted = [...[...counts, ...totals, ...follows].map(({ property }) => property), ...timed];
    const lists = totals.flatMap(({ source }) => (typeof source === 'string' ? [source] : []));
    const flags = findShownFlags(this.#reader, this.#inference, resource, { state, sender, schema }).filter(isAdded);
    const names = [
      ...counted,
      ...flags.map(({ property }) => property),
      ...lists,
      ...embedded.map(({ property }) => property),
      ...parts.map(({ part }) => part?.property ?? ''),
    ];
    const references = this.#getReferences(resource);
    if (names.length + references.length === 0) return entries;
    return entries.map((stored) => {
      const entry = this.#addReferences(resource, references, state, stored);
      const shown = embedded.flatMap((one) => {
        const found = this.#showEmbedded(resource, one, state, entry, { sender, getNow, depth, above });
        return found?.value === undefined ? [] : [{ property: one.property, ...found }];
      });
      const inside = parts.flatMap((part) => this.#showPart(part, state, entry, { sender, getNow, depth, above }));
      const id = getParentId(resource, entry);
      const all = [...shown, ...inside];
      const embeddedValues = Object.fromEntries(all.map(({ property, value }) => [property, value]));
      const generated = listGeneratedPointers(references, { stored, entry }, all);
      const values: Entry = {
        ...pickKeys(reading.addTimed(resource, [entry])[0] ?? {}, timed),
        ...mergeInside(entry, computeDerived(counts, state, id, reading)),
        ...this.#computeFollows(follows, resource, state, entry),
        ...Object.fromEntries(flags.map(({ property, isSet }) => [property, isSet(entry)])),
        ...embeddedValues,
        ...this.#computeTotals(resource, state, { ...entry, ...embeddedValues }),
      };
      const known = this.#added[depth]?.get(entry) ?? entry;
      const unlinked = listUnlinked(this.#reader, resource, embedded, entry);
      const computed: Entry = { ...omitKeys(entry, [...counted, ...unlinked]), ...values };
      if (only) return setGeneratedInside(computed, generated);
      if (names.every((name) => isSameValue(known[name], computed[name]))) return setGeneratedInside(known, generated);
      this.#added[depth]?.set(entry, computed);
      return setGeneratedInside(computed, generated);
    });
  }

  /** Returns the list of objects in an entry whose objects show other entries; none if the entry lacks the list. */
  #showPart(part: Resource, state: State, entry: Entry, viewing: Viewing) {
    const { property = '' } = part.part ?? {};
    const items = getOwn(entry, property);
    if (!Array.isArray(items) || !items.every(isNode)) return [];
    const lines = this.add(state, part, items, viewing);
    return [{ property, ...toList(lines.map((value) => ({ value, generated: getGeneratedInside(value) }))) }];
  }

  /** Returns the properties of users with numbers or ids of followers and followed users. */
  getFollows({ name }: Resource, schema: string): readonly FollowProperty[] {
    const { users, follow } = this.#inference;
    return follow && name === users?.name && schema !== '' ? findFollowProperties(this.#reader)(schema) : [];
  }

  #computeFollows(properties: readonly FollowProperty[], users: Resource, state: State, user: Entry): Entry {
    const { follow } = this.#inference;
    if (!follow || properties.length === 0) return {};
    return computeFollows(
      properties,
      (list) => listFollows(follow, users, state, user, list),
      (items, one) => this.toUserId(users, items, one),
    );
  }

  /** Returns the id of a user, or else a name, in the form that a schema allows. */
  toUserId(users: Resource, schema: string, user: Entry): unknown {
    const key = getKeyValue(user, users.id);
    const texts = Object.values(user).filter((value) => typeof value === 'string');
    return [key, Number(key), ...texts].find((value) => this.#isValid(schema, value));
  }

  /** Returns the totals of an entry. If its items lack their numbers, uses those that responses generate. */
  #computeTotals(resource: Resource, state: State, entry: Entry): Entry {
    const totals = this.getTotals(resource);
    const list = ({ resource: child, key }: Children) => {
      const entries = findByKeys(
        getEntryList(state, child),
        key ? [key] : [],
        key ? [getParentId(resource, entry)] : [],
      );
      const items = this.add(state, child, entries, { depth: MAX_EMBEDDED_DEPTH });
      return items.map((item) => this.complete(child, item));
    };
    const values = computeTotals(totals, entry, list);
    if (totals.every(({ property }) => Object.hasOwn(values, property))) return values;
    return computeTotals(totals, this.complete(resource, entry), list);
  }

  /**
   * Returns a new or changed entry with the ids that it has from other entries, and whose lines have the values that
   * they keep from other entries: the items of an invoice keep the prices of their books.
   */
  keepCopies(state: State, resource: Resource, entry: Entry): Entry {
    const copy = (of: Resource, one: Embedded, from: Entry) => {
      const value = this.#showEmbedded(of, one, state, from, {})?.value;
      return value === undefined ? [] : [[one.property, value] as const];
    };
    const ids = this.getEmbedded(resource).flatMap((one) =>
      one.isStored ? copy(resource, one, omitKeys(entry, [one.property])) : [],
    );
    const lists = this.getParts(resource).flatMap((part) => {
      const { property = '' } = part.part ?? {};
      const items = getOwn(entry, property);
      const kept = this.getEmbedded(part).filter(({ isKept }) => isKept);
      if (kept.length === 0 || !Array.isArray(items) || !items.every(isNode)) return [];
      const listCopies = (item: Entry) => kept.flatMap((one) => copy(part, one, item));
      return [[property, items.map((item) => ({ ...item, ...Object.fromEntries(listCopies(item)) }))] as const];
    });
    const added = [...ids, ...lists];
    return added.length === 0 ? entry : { ...entry, ...Object.fromEntries(added) };
  }

  /**
   * Returns the ids in the lines of an entry that name no entry, by the names of their properties.
   * Only ids of entries that the lines show are considered, such as `bookId` beside `book` or `price`.
   */
  findUnknownIds(state: State, resource: Resource, entry: Entry): readonly UnknownId[] {
    return this.getParts(resource).flatMap((part) => {
      const items = getOwn(entry, part.part?.property ?? '');
      const lines = Array.isArray(items) ? items.filter(isNode) : [];
      return lines.flatMap((line) => this.listUnknownIds(state, part, line));
    });
  }

  /** Returns the ids of an entry that name no entry, although the entry shows what they name. */
  listUnknownIds(state: State, own: Resource, entry: Entry): readonly UnknownId[] {
    return this.getEmbedded(own).flatMap(({ ids, resource }) => {
      const sent = [ids === undefined ? undefined : getOwn(entry, ids)].flat();
      const unknown = sent.filter((id) => isId(id) && !this.#isKnownId(state, resource, id));
      return unknown.map((id) => ({ property: ids ?? '', id, resource }));
    });
  }

  #isKnownId(state: State, resource: Resource, id: unknown): boolean {
    return findByKeys(getEntryList(state, resource), [resource.id], [String(id)]).length > 0;
  }

  /**
   * Adds the ids of other entries that an entry must have and lacks: those of the first entries.
   * An entry without a `parentId` is at the top.
   */
  #addReferences(own: Resource, references: readonly Reference[], state: State, entry: Entry): Entry {
    const missing = references.filter(({ property }) => !Object.hasOwn(entry, property));
    const ids = missing.flatMap((reference) => {
      const [first] = getEntries(state, reference.target);
      const isTop = reference.target === own && this.#isValid(reference.schema, null);
      const value = isTop ? null : toReferenceValue(this.#isValid, reference, first);
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

  /**
   * Returns what a property such as `author` shows: other entries, as other responses show them, and which of their
   * values are generated.
   */
  #showEmbedded(
    own: Resource,
    embedded: Embedded,
    state: State,
    entry: Entry,
    { sender, getNow, depth = 0, above = [] }: Viewing,
  ): Completed | undefined {
    const { resource, schema, value, shows, children, isKept, isStored, property, ids, isSent, members } = embedded;
    if ((isKept || isStored) && Object.hasOwn(entry, property)) return { value: entry[property], generated: [] };
    if (children?.resource.name === own.name && depth >= MAX_TREE_DEPTH)
      return this.#reader.getRequired(own.schema).includes(property) ? toList([]) : undefined;
    const found = findShown(embedded, state, entry, children && getParentId(own, entry));
    const list = this.#reader.getProperties(own.schema).get(property) ?? '';
    if (found === undefined && showsNone(this.#reader, own, embedded) && this.#isValid(list, [])) return toList([]);
    if (found === undefined)
      return showsNull(this.#reader, this.#isValid, own, embedded, entry) ? { value: null, generated: [] } : undefined;
    const single = value ?? shows;
    if (single !== undefined) {
      const place = value === undefined ? resource.schema : schema;
      const completed = this.#responses.completeEntry(resource, place, found as Entry);
      const isGenerated = completed.generated.includes(formatPointer(single));
      return { value: getOwn(completed.value as Entry, single), generated: isGenerated ? [''] : [] };
    }
    const show = (one: Entry): Completed => {
      // The object of an entry that does not exist has only its id. The response completes and marks it.
      const isNamed = isSent || ids !== undefined;
      const isKnown = !isNamed || this.#isKnownId(state, resource, getKeyValue(one, resource.id));
      if (members || !isKnown) return { value: one, generated: [] };
      // The object of a parent shows no children: they would show the parent again.
      const isParent = resource.name === own.name && !children;
      const [derived = one] = this.add(state, resource, [one], {
        ...{ sender, getNow, schema, above: [...above, own.name] },
        depth: isParent ? MAX_TREE_DEPTH : depth + 1,
      });
      const completed = this.#responses.completeEntry(resource, schema, derived);
      const picked = pickProperties(completed.value as Entry, this.#reader.getProperties(schema));
      return { value: picked, generated: pickPointers(completed.generated, picked) };
    };
    if (!Array.isArray(found)) return show(found as Entry);
    const shown = above.includes(resource.name) ? found.slice(0, MAX_LISTED_AGAIN) : found;
    return toList(shown.map((one) => (isNode(one) ? show(one) : { value: one, generated: [] })));
  }
}
