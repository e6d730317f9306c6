import { resolvePointer } from '../openapi/document.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { ChangeKind } from '../store/state.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { normalizeName } from '../util/names.ts';
import { getOverrides } from './document/document-paths.ts';
import { listVariants } from './document/mixed-lists.ts';
import { getLastSegment, getParameterName, getParentPath, getPathForm } from './document/names.ts';
import { findPlaceOfForm, renameParameters } from './document/places.ts';
import type { SchemaReader } from './document/schema-reader.ts';
import { getRouteKey, type Inference, isTopLevel, type Mount, type Resource } from './resource.ts';

/** The texts by which an item names a change; a change without a text has no item. */
type VerbTexts = Readonly<Partial<Record<ChangeKind, string>>>;

/** One form of the items of a stream: where they have the entry, and what is said about the change. */
export interface ItemForm {
  /** The JSON Pointer of the schema of the data of an event, or of the item. */
  readonly schema: string;
  /**
   * Where the entry is: `['task']` in `{ type, task }`, and `[]` if the item is the entry.
   * Undefined if the form only has the id of a deleted entry.
   */
  readonly path: readonly string[] | undefined;
  /** The JSON Pointer of the schema of the entry; empty if `path` is undefined. */
  readonly entry: string;
  /** The property with the id of the entry, if `path` is undefined. */
  readonly id: string | undefined;
  /** The property that names the change, and its texts. */
  readonly verb: { readonly property: string; readonly texts: VerbTexts } | undefined;
  /** The property with the time of the change. */
  readonly time: string | undefined;
  /** The texts in the field `event` of the event. */
  readonly event: VerbTexts | undefined;
}

/** What a stream of the changes of a resource sends. */
export interface StreamPlan {
  readonly route: Route;
  readonly resource: Resource;
  /** The path of the list whose changes are sent, with the parameters of the route. */
  readonly mount: Mount;
  /** Whether only the changes of the entry in the path are sent. */
  readonly isOne: boolean;
  readonly forms: readonly ItemForm[];
  /** Whether the items are whole events, with `data`. */
  readonly areEvents: boolean;
  /** Whether the data of an event is a text with JSON. */
  readonly isEncoded: boolean;
}

/** The words of a path for a stream: `/tasks/events`, `/live-tasks`, `/tasks/stream`. */
const STREAM_WORDS =
  /^(?:events?|streams?|streaming|changes|changefeed|feed|live|updates|watch|subscribe|subscriptions?|follow|tail|listen|sse|notify|realtime)$/i;

/** Returns the plans of the streams of a document, by the key of the route. */
export function planStreams(
  reader: SchemaReader,
  { plans, resources }: Pick<Inference, 'plans' | 'resources'>,
  routes: readonly Route[],
): ReadonlyMap<string, StreamPlan> {
  const planned = routes.flatMap((route) => {
    const key = getRouteKey(route);
    const isKnown = plans.has(key) || getOverrides(reader.document, route).off;
    const plan = isKnown ? undefined : planStream(reader, resources, route);
    return plan ? [[key, plan] as const] : [];
  });
  return new Map(planned);
}

/**
 * Returns the plan of a stream whose items are entries of a resource, such as `/tasks/events`.
 * Returns undefined if the operation is none, or if the resource is not certain.
 */
function planStream(reader: SchemaReader, resources: readonly Resource[], route: Route): StreamPlan | undefined {
  const media = Object.values(findResponse(route.responses, route.successStatus)?.media ?? {});
  const [items] = media.flatMap((one) => one.items ?? []);
  const isStream = items !== undefined && media.every((one) => one.items !== undefined);
  if (route.method !== 'GET' || !isStream || items.data === undefined || items.schema === undefined) return undefined;
  const words = getLastSegment(route.path)
    .split(/[-_.]|(?<=[a-z])(?=[A-Z])/)
    .filter((word) => word !== '');
  if (!words.some((word) => STREAM_WORDS.test(word))) return undefined;
  const { schema, data, areEvents, isEncoded } = items;
  for (const { resource, mount, isOne } of listPlaces(resources, route)) {
    const forms = listVariants(reader, data).flatMap((variant) => findForm(reader, resource, variant) ?? []);
    if (!forms.some(({ path }) => path !== undefined)) continue;
    const named = areEvents ? nameEvents(reader, schema, forms) : forms;
    return { route, resource, mount, isOne, forms: named, areEvents, isEncoded };
  }
  return undefined;
}

interface StreamPlace {
  readonly resource: Resource;
  readonly mount: Mount;
  readonly isOne: boolean;
}

/** Returns the resources whose changes a path can mean: first that above the path, and then all top-level ones. */
function listPlaces(resources: readonly Resource[], { path, pathNames }: Route): readonly StreamPlace[] {
  const usable = resources.filter(({ kind, schema, part, memberOf }) => {
    return kind === 'collection' && schema !== '' && part === undefined && memberOf === undefined;
  });
  const above = getParentPath(path);
  const place = findPlaceOfForm(usable, above);
  if (place && !place.isItem)
    return [{ resource: place.resource, mount: renameParents(place.mount, above), isOne: false }];
  if (place) {
    const own = { resource: place.resource, mount: renameParameters(place.mount, above), isOne: true };
    const form = getPathForm(above);
    const below = usable.flatMap((resource) =>
      resource.mounts
        .filter(({ collection }) => getPathForm(getParentPath(collection)) === form)
        .map((mount) => ({ resource, mount: renameParents(mount, above), isOne: false })),
    );
    return [own, ...below];
  }
  if (pathNames.length > 0) return [];
  return usable.flatMap((resource) => {
    const mount = resource.mounts.find((one) => isTopLevel(one) && one.view === undefined);
    return mount ? [{ resource, mount, isOne: false }] : [];
  });
}

/** Returns the mount of a list with the names that the parameters have in a path. */
function renameParents(mount: Mount, path: string): Mount {
  const names = path.split('/').flatMap((segment) => getParameterName(segment) ?? []);
  const rest = [...names];
  const parents = mount.parents.map((parent) =>
    parent.isSender ? parent : { ...parent, parameter: rest.shift() ?? parent.parameter },
  );
  return { ...mount, parents };
}

/** The maximum number of objects around an entry. */
const MAX_DEPTH = 2;

/** Returns where the items of one form have the entry; undefined if the form has neither the entry nor its id. */
function findForm(reader: SchemaReader, resource: Resource, schema: string): ItemForm | undefined {
  const found = findEntryPath(reader, resource, schema);
  const verb = found?.path.length === 0 ? undefined : findVerb(reader, schema);
  const properties = reader.getProperties(schema);
  const time = [...properties].find(
    ([, pointer]) => reader.getKeyword(pointer, 'format') === 'date-time' && found?.path.length !== 0,
  )?.[0];
  const base = { schema, verb, time, event: undefined };
  if (found) return { ...base, path: found.path, entry: found.schema, id: undefined };
  const names = ['id', `${normalizeName(resource.singular)}id`];
  const id = [...properties.keys()].find((name) => names.includes(normalizeName(name)));
  // Without the entry, only a deletion can be shown.
  const texts = verb?.texts.deleted === undefined ? undefined : { deleted: verb.texts.deleted };
  if (id === undefined || !verb || !texts) return undefined;
  return { ...base, verb: { ...verb, texts }, path: undefined, entry: '', id };
}

/** Finds the entry in an item: the item itself, or a property at up to two levels. */
function findEntryPath(
  reader: SchemaReader,
  resource: Resource,
  schema: string,
  depth = 0,
): { readonly path: readonly string[]; readonly schema: string } | undefined {
  if (isEntry(reader, resource, schema)) return { path: [], schema };
  if (depth === MAX_DEPTH || !reader.isObject(schema)) return undefined;
  for (const [name, pointer] of reader.getProperties(schema)) {
    const inner = findEntryPath(reader, resource, pointer, depth + 1);
    if (inner) return { path: [name, ...inner.path], schema: inner.schema };
  }
  return undefined;
}

/** Returns whether a schema describes entries of a resource: it is the same, or has its id and no other properties. */
function isEntry(reader: SchemaReader, resource: Resource, schema: string): boolean {
  if (reader.contains(schema, resource.schema) || reader.isAlike(schema, resource.schema)) return true;
  const names = [...reader.getProperties(schema).keys()];
  const known = reader.getProperties(resource.schema);
  return names.length > 1 && reader.hasId(schema, resource.singular) && names.every((name) => known.has(name));
}

/** The names of properties that say what has changed. */
const VERB_NAMES = ['type', 'event', 'action', 'kind', 'change', 'changetype', 'eventtype', 'operation', 'op', 'name'];

/** Finds the property of an item that names the change. */
function findVerb(reader: SchemaReader, schema: string): ItemForm['verb'] {
  const required = reader.getRequired(schema);
  for (const [property, pointer] of reader.getProperties(schema)) {
    if (!VERB_NAMES.includes(normalizeName(property))) continue;
    const texts = getVerbTexts(reader, pointer, required.includes(property));
    if (texts) return { property, texts };
  }
  return undefined;
}

const VERB_PATTERNS: readonly (readonly [ChangeKind, RegExp])[] = [
  ['created', /creat|add|insert|\bnew\b|opened/i],
  ['updated', /updat|chang|modif|edit|patch/i],
  ['deleted', /delet|remov|destroy/i],
];

/**
 * Returns the texts for changes that a schema allows, such as `task.created`.
 * A text without an `enum` is that of the example, with the word for the change.
 * Returns undefined if nothing says what the text is; the names of changes, if the text is required.
 */
function getVerbTexts(reader: SchemaReader, schema: string, isRequired: boolean): VerbTexts | undefined {
  const node = { enum: reader.getKeyword(schema, 'enum'), const: reader.getKeyword(schema, 'const') };
  const values = Array.isArray(node.enum) ? node.enum : node.const === undefined ? undefined : [node.const];
  if (values) {
    const texts = values.filter((value): value is string => typeof value === 'string');
    const found = VERB_PATTERNS.flatMap(([verb, pattern]) => {
      const text = texts.find((one) => pattern.test(one));
      return text === undefined ? [] : [[verb, text] as const];
    });
    return found.length === 0 ? undefined : Object.fromEntries(found);
  }
  const example = [reader.getKeyword(schema, 'example'), reader.getKeyword(schema, 'examples')].flat()[0];
  const match = typeof example === 'string' ? /created|updated|deleted/.exec(example) : null;
  const replace = (verb: ChangeKind) => String(example).replace(match?.[0] ?? '', verb);
  if (match) return { created: replace('created'), updated: replace('updated'), deleted: replace('deleted') };
  const isText = reader.getTypes(schema).includes('string') && example === undefined;
  return isRequired && isText ? { created: 'created', updated: 'updated', deleted: 'deleted' } : undefined;
}

/**
 * Adds the texts of the field `event` to the forms of the data of events.
 * If each form of an event has its own data, the texts belong to the form with this data.
 */
function nameEvents(reader: SchemaReader, schema: string, forms: readonly ItemForm[]): readonly ItemForm[] {
  const variants = listVariants(reader, schema);
  return forms.flatMap((form) => {
    const own = variants.filter((variant) => {
      const data = reader.getProperties(variant).get('data');
      if (data === undefined) return false;
      const content = `${resolvePointer(reader.document, data)}/contentSchema`;
      return [data, content].some((pointer) =>
        listVariants(reader, pointer).some((one) => reader.isSame(one, form.schema)),
      );
    });
    return (own.length > 0 ? own : variants).map((variant) => {
      const event = reader.getProperties(variant).get('event');
      const isRequired = reader.getRequired(variant).includes('event');
      return { ...form, event: event === undefined ? undefined : getVerbTexts(reader, event, isRequired) };
    });
  });
}

/** Returns the changes that the forms of a stream can show. */
const listVerbs = memoizeByObject(({ forms }: StreamPlan): readonly ChangeKind[] =>
  (['created', 'updated', 'deleted'] as const).filter((verb) => forms.some((form) => showsVerb(form, verb))),
);

/** Returns whether items of a form can show a change. An entry alone does not say that it was deleted. */
export function showsVerb({ path, verb: property, event }: ItemForm, verb: ChangeKind): boolean {
  if (property && property.texts[verb] === undefined) return false;
  if (event && event[verb] === undefined) return false;
  return verb === 'deleted' ? (property ?? event) !== undefined : path !== undefined;
}

/** Describes a stream, such as `streams the changes of tasks (created, updated)`. */
export function explainStream(plan: StreamPlan): string {
  const { resource, isOne, mount } = plan;
  const parents = mount.parents.filter(({ isSender }) => !isSender);
  const below = parents.length > 0 ? ` of ${parents.at(-1)?.path}` : '';
  const what = isOne ? `the ${resource.singular} in the path` : `${resource.name}${below}`;
  return `streams the changes of ${what}, as they are committed (${listVerbs(plan).join(', ')})`;
}
