import type { Context, HandlerResponse, Input } from '../../application.ts';
import type { Entry, State } from '../../store/state.ts';
import { toIsoTime } from '../../util/iso-time.ts';
import { formatPointer } from '../../util/json-pointer.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getKeyValue, setInner } from '../entries/entry-values.ts';
import { createNotFound, findEntry, requireParents } from '../entries/require-entries.ts';
import { type Derived, NO_ID, type Plan, type View } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { selectOwnState } from '../users/own-state.ts';
import { findOwnEntry } from '../users/tokens.ts';
import type { Completed } from '../values/completed.ts';
import { computeDerived, listShown } from '../values/derived.ts';
import { selectOverdue } from '../values/timed-values.ts';
import { filterEntries } from './filter-entries.ts';
import { isSearchName } from './list-filters.ts';
import { type ListParameters, listQueryFields, listValues, type QueryField } from './list-query.ts';
import { isTotalName } from './page-fields.ts';
import { rank } from './ranked-items.ts';
import { sortEntries } from './sort-entries.ts';
import { hasSelection, takePage } from './take-page.ts';
import { findView } from './view-words.ts';
import { selectViewed } from './views.ts';

/** The maximum number of entries in a list beside other properties, if the request sets no limit, and of a ranking. */
const MAX_SHOWN = 20;

/** A property of a response with entries, such as `posts` in the response of `GET /search`. */
interface ShownList {
  readonly derived: Derived;
  /** The plan of a list with the same entries. */
  readonly plan: Plan;
  readonly parameters: ListParameters;
  /** Which entries the name of the property selects: `recentPosts`. */
  readonly view: View | undefined;
}

/** The properties of an object that describe what a search has found. */
interface Described {
  /** The numbers of all found entries, such as `total`. */
  readonly totals: readonly string[];
  /** The text properties that repeat a query parameter, such as `query`, by their names. */
  readonly repeated: ReadonlyMap<string, string>;
  /** The times of the response, such as `generatedAt`. */
  readonly times: readonly string[];
}

/** Names of the time of a response, without uppercase letters and separators. */
const TIME_NAMES = /^(?:generated|calculated|computed)(?:at|on|time)?$|^asof$/;

/** The lists in a response, and what the query parameters of the operation do with them. */
interface ShownLists extends Described {
  readonly lists: readonly ShownList[];
  /** The query parameter with the names of the lists that are not empty: `type` for `GET /search?type=posts`. */
  readonly selector: string | undefined;
  /** The same in the response, if the lists are in an object such as `results`. */
  readonly outer: Described;
  /** The parameters of all lists together. */
  readonly parameters: ListParameters;
}

/** Returns the lists in the response of an operation that counts or shows entries. */
export const getShownLists = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((plan: Plan): ShownLists => {
    const { reader } = model;
    const fields = listQueryFields(reader, plan.route);
    const shown = (plan.counts ?? []).filter((derived) => derived.shown?.isList);
    const selector = fields.find((field) => isSelector(model, field, shown))?.name;
    const lists = shown.map((derived): ShownList => {
      const { resource } = derived.children;
      const own: Plan = { ...plan, action: 'list', resource, responsePath: [...plan.responsePath, derived.property] };
      // The text of the operation is about several lists.
      const { filters, order: _order, ...parameters } = model.getListParameters(own);
      const view = findView(reader, resource, `/${removeName(derived)}`);
      const others = [...filters].filter(([name]) => name !== selector);
      return { derived, plan: own, parameters: { ...parameters, filters: new Map(others) }, view };
    });
    const all = lists.map(({ parameters }) => parameters);
    const ignored = fields.map(({ name }) => name).filter((name) => name !== selector);
    const parameters: ListParameters = {
      ...(all[0] ?? NO_PARAMETERS),
      filters: new Map(all.flatMap(({ filters }) => [...filters])),
      ignored: ignored.filter((name) => all.every((one) => one.ignored.includes(name))),
    };
    const schema = reader.getInner(
      reader.getResponseSchema(plan.route, plan.route.successStatus) ?? '',
      plan.responsePath,
    );
    const response = reader.getResponseSchema(plan.route, plan.route.successStatus) ?? '';
    const isCounted = (name: string) => (plan.counts ?? []).some(({ property }) => property === name);
    const describe = (place: string): Described => {
      const described = describeFound(reader, place, fields, isCounted);
      return lists.length === 0 ? { ...NOT_DESCRIBED, times: described.times } : described;
    };
    const outer = plan.responsePath.length === 0 ? NOT_DESCRIBED : describe(response);
    return { lists, selector, ...describe(schema ?? ''), outer, parameters };
  }),
);

const NOT_DESCRIBED: Described = { totals: [], repeated: new Map(), times: [] };

/**
 * Finds the properties of an object that describe what a search has found.
 * `isCounted`: returns whether a property has the number of entries of one list.
 */
function describeFound(
  reader: SchemaReader,
  schema: string,
  fields: readonly QueryField[],
  isCounted: (name: string) => boolean,
): Described {
  const properties = schema === '' ? [] : [...reader.getProperties(schema)];
  const totals = properties.flatMap(([name, pointer]) =>
    isTotalName(name) && !isCounted(name) && reader.getTypes(pointer).includes('integer') ? [name] : [],
  );
  const texts = fields.filter(({ name }) => isSearchName(name)).map(({ name }) => name);
  const repeated = properties.flatMap(([name, pointer]) => {
    const text = texts.find((one) => normalizeName(one) === normalizeName(name)) ?? texts[0];
    return text !== undefined && isSearchName(name) && reader.getTypes(pointer).includes('string')
      ? [[name, text] as const]
      : [];
  });
  const times = properties.flatMap(([name, pointer]) =>
    TIME_NAMES.test(normalizeName(name)) && reader.getKeyword(pointer, 'format') === 'date-time' ? [name] : [],
  );
  return { totals, repeated: new Map(repeated), times };
}

const NO_PARAMETERS: ListParameters = {
  byMeaning: {},
  filters: new Map(),
  properties: [],
  defaults: {},
  required: [],
  ignored: [],
  firstPage: 1,
};

/** Returns the name of a property without that of its entries: `recent` for `recentPosts`. */
function removeName({ property, children: { resource } }: Derived): string {
  const ends = [resource.name, resource.singular].map(normalizeName);
  const name = normalizeName(property);
  const end = ends.find((one) => name.endsWith(one));
  return end === undefined ? name : name.slice(0, -end.length);
}

/** Names of query parameters with the names of lists, without uppercase letters and separators. */
const SELECTORS = ['type', 'types', 'kind', 'entity', 'entities', 'entitytype', 'resource', 'resources', 'scope', 'in'];

/** Values of a query parameter that select all lists. */
const ALL_VALUES = ['all', 'any', 'both', 'everything'];

/** Returns whether a query parameter has the names of lists. */
function isSelector({ reader }: ResourceModel, field: QueryField, shown: readonly Derived[]): boolean {
  if (shown.length < 2) return false;
  const values = listValues(field, reader.getKeyword.bind(reader));
  const isNamed = (value: string) => shown.some((derived) => isNameOf(derived, value));
  const isKnown = (value: string) => isNamed(value) || ALL_VALUES.includes(normalizeName(value));
  if (values.length > 0) return values.every(isKnown) && values.some(isNamed);
  return SELECTORS.includes(normalizeName(field.name));
}

/** Returns whether a value names a list, by the name of its property or of its entries. */
function isNameOf({ property, children: { resource } }: Derived, value: string): boolean {
  const own = normalizeName(toSingular(value));
  return [property, resource.name, resource.singular].some((name) => normalizeName(toSingular(name)) === own);
}

/** Handles a GET of numbers of entries, such as `GET /statistics`, or of several lists, such as `GET /search`. */
export function count(model: ResourceModel, plan: Plan, input: Input, context: Context): HandlerResponse {
  const { path, query } = input;
  const { route, counts = [], mount, responsePath } = plan;
  const state = context.read();
  requireParents(model, state, plan, path);
  const id = path[mount.id.parameter];
  if (id !== undefined && !findEntry(plan, state, path)) throw createNotFound(plan, path);
  const { outer, parameters, ...inner } = getShownLists(model)(plan);
  const own = selectOwnState(model, plan, state, input);
  const values = computeDerived(counts, own, id, model.derived.createReading(context.nowMs));
  if (Object.hasOwn(values, '')) return { status: route.successStatus, body: values[''] };
  const { found, mixed } = findListed(model, plan, { state, own, id }, input, context);
  const all = [...found, ...mixed];
  const total = all.reduce((sum, one) => sum + one.total, 0);
  const fill = ({ totals, repeated, times }: Described): Entry => ({
    ...Object.fromEntries(times.map((name) => [name, toIsoTime(context.nowMs())])),
    ...Object.fromEntries(totals.map((name) => [name, total])),
    ...Object.fromEntries([...repeated].map(([name, parameter]) => [name, [query[parameter] ?? ''].flat().join(' ')])),
  });
  const notes = model.takeNotes(plan, query, parameters);
  const whole = all.find(({ property }) => property === '');
  if (whole) {
    const generated = whole.generated.map((pointer) => `/*${pointer}`);
    return { status: route.successStatus, body: whole.shown, generated, notes };
  }
  const singles = showSingle(model, plan, { state, own }, id, input);
  const [ranked] = counts.filter(({ property, ranking }) => property === '' && ranking);
  if (ranked) return { status: route.successStatus, body: rank(model, ranked, own, id) };
  const rankings = counts.filter(({ ranking }) => ranking);
  const known: Entry = {
    ...Object.fromEntries(rankings.map((one) => [one.property, rank(model, one, own, id)])),
    ...values,
    ...countFound(counts, found),
    ...fill(inner),
    ...Object.fromEntries(all.map(({ property, shown }) => [property, shown])),
    ...Object.fromEntries(singles.map(({ property, value }) => [property, value])),
  };
  const { value, generated } = model.completeResponse(route, setInner(fill(outer), responsePath, known));
  const inside = [
    ...all.map((one) => ({ ...one, generated: one.generated.map((pointer) => `/*${pointer}`) })),
    ...singles,
  ].flatMap(({ property, generated: own }) => own.map((pointer) => formatPointer(...responsePath, property) + pointer));
  return {
    status: route.successStatus,
    body: value,
    generated: [...new Set([...inside, ...generated])],
    notes,
  };
}

/**
 * Returns the entries in the lists of a response, and those in lists with entries of several resources (`mixed`).
 * `own`: the state with the entries that the sender of the request can see. `id`: the id of their parent.
 */
function findListed(
  model: ResourceModel,
  plan: Plan,
  { state, own, id }: { readonly state: State; readonly own: State; readonly id: string | undefined },
  input: Input,
  context: Context,
) {
  const { lists, selector } = getShownLists(model)(plan);
  const { query } = input;
  const names =
    selector === undefined ? [] : [query[selector] ?? []].flat().flatMap((value) => String(value).split(','));
  const isNamed = ({ derived }: ShownList) => names.some((name) => isNameOf(derived, name));
  const chosen = lists.some(isNamed) ? lists.filter(isNamed) : lists;
  const listOwn = (list: ShownList) => (chosen.includes(list) ? listShown(list.derived, own, id) : []);
  const reading = { state, input, context };
  const found = lists
    .filter(({ derived }) => !derived.shown?.isMixed)
    .map((list) => ({
      ...{ property: list.derived.property, list },
      ...takeShown(model, list, listOwn(list), reading),
    }));
  return { found, mixed: takeMixed(model, getShownLists(model)(plan), listOwn, reading) };
}

/** The entries that a list in a response shows. */
interface Found {
  /** The number of entries on all pages. */
  readonly total: number;
  readonly shown: readonly unknown[];
  /** The JSON Pointers of the generated values in the entries. */
  readonly generated: readonly string[];
}

/** What a request reads. */
interface Reading {
  readonly state: State;
  readonly input: Input;
  readonly context: Context;
}

/** Returns the entries of a list that a query selects, as responses show them. */
function takeShown(model: ResourceModel, list: ShownList, entries: readonly Entry[], reading: Reading): Found {
  const { resource } = list.plan;
  const { query, selected, show } = selectShown(model, list, entries, reading);
  const page = takePage(selected, list.parameters, query, (entry) => getKeyValue(entry, resource.id));
  const completed = show(page.limit === undefined ? page.entries.slice(0, MAX_SHOWN) : page.entries);
  const generated = new Set(completed.flatMap((one) => one.generated));
  return { total: page.total, shown: completed.map(({ value }) => value), generated: [...generated] };
}

/**
 * Returns the entries of several resources in one list. The pages are those of all entries together.
 * `listEntries`: returns the entries of one resource.
 */
function takeMixed(
  model: ResourceModel,
  { lists: all, parameters }: ShownLists,
  listEntries: (list: ShownList) => readonly Entry[],
  reading: Reading,
): readonly (Found & { readonly property: string })[] {
  const lists = all.filter(({ derived }) => derived.shown?.isMixed);
  return [...new Set(lists.map(({ derived }) => derived.property))].map((property) => {
    const parts = lists
      .filter(({ derived }) => derived.property === property)
      .map((list) => ({ list, ...selectShown(model, list, listEntries(list), reading) }));
    const owners = new Map(parts.flatMap((part) => part.selected.map((entry) => [entry, part] as const)));
    const query = parts[0]?.query ?? {};
    const getId = (entry: Entry) => getKeyValue(entry, owners.get(entry)?.list.plan.resource.id ?? NO_ID);
    const page = takePage([...owners.keys()], parameters, query, getId);
    const taken = page.limit === undefined ? page.entries.slice(0, MAX_SHOWN) : page.entries;
    const completed = taken.flatMap((entry) => owners.get(entry)?.show([entry]) ?? []);
    const generated = new Set(completed.flatMap((one) => one.generated));
    return { property, total: page.total, shown: completed.map(({ value }) => value), generated: [...generated] };
  });
}

/**
 * Selects and sorts the entries of a list as a query says.
 * `show` in the result: returns entries as responses show them.
 */
function selectShown(
  model: ResourceModel,
  { derived, plan, parameters, view }: ShownList,
  entries: readonly Entry[],
  { state, input, context }: Reading,
) {
  const { resource } = plan;
  const schema = derived.shown?.schema ?? resource.schema;
  const query: Input['query'] = Object.assign(Object.create(null), parameters.defaults, input.query);
  const sender = model.derived.getSender(resource, state, input);
  const add = (list: readonly Entry[]) => model.derived.add(state, resource, list, { sender, getNow: context.nowMs });
  const complete = (entry: Entry) => model.responses.completeEntry(resource, schema, entry).value as Entry;
  const isSelected = view !== undefined || hasSelection(parameters, query);
  const listed = isSelected ? add(entries) : entries;
  const viewed = view ? selectViewed(view, listed, complete, context.nowMs) : listed;
  const timed = selectOverdue(parameters, query, viewed, { complete, getNow: context.nowMs });
  const selected = sortEntries(filterEntries(timed, parameters, query, complete), parameters, query, complete);
  const show = (taken: readonly Entry[]) =>
    (isSelected ? taken : add(taken)).map((entry) => model.responses.completeEntry(resource, schema, entry));
  return { query, selected, show };
}

/** Returns the numbers of found entries that stand beside their lists: `postCount` beside `posts`. */
function countFound(counts: readonly Derived[], found: readonly (Found & { readonly list: ShownList })[]): Entry {
  const byResource = new Map(
    found.flatMap(({ list: { derived, view }, total }) => (view ? [] : [[derived.children.resource, total] as const])),
  );
  const plain = counts.filter(
    ({ shown, only, time, group, inside, texts, view, average, ranking }) =>
      !ranking && !shown && !only && !view && !average && !group && !inside && !time && texts === undefined,
  );
  return Object.fromEntries(
    plain.flatMap(({ property, children }) => {
      const total = byResource.get(children.resource);
      return total === undefined ? [] : [[property, total]];
    }),
  );
}

/**
 * Returns the properties of a response with one entry, such as `latestTask`.
 * A single user is the one who sends the request.
 */
function showSingle(
  model: ResourceModel,
  plan: Plan,
  { state, own }: { readonly state: State; readonly own: State },
  id: string | undefined,
  input: Input,
): readonly (Completed & { readonly property: string })[] {
  const { users } = model.inference;
  return (plan.counts ?? []).flatMap((derived) => {
    const { property, shown, children } = derived;
    if (!shown || shown.isList) return [];
    const { resource } = children;
    const user = resource === users ? findOwnEntry(resource, state, input) : undefined;
    const sender = model.derived.getSender(resource, state, input);
    const [entry] = model.derived.add(state, resource, user ? [user] : listShown(derived, own, id).slice(0, 1), {
      sender,
      getNow: input.getNow,
    });
    return entry ? [{ property, ...model.responses.completeEntry(resource, shown.schema, entry) }] : [];
  });
}
