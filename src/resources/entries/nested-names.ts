import type { Entry } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { isSecretName } from '../../util/redact-secrets.ts';
import { listRequestNames } from '../document/locate.ts';
import { isEnvelopeName, type SchemaReader } from '../document/schema-reader.ts';
import { indexEntrySchemas } from '../inference/references.ts';
import type { Plan } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { matchNames } from '../users/sent-names.ts';
import { setInner } from './entry-values.ts';
import { isUpload } from './file-properties.ts';
import { isLifetime } from './server-values.ts';

/** The object of an entry that has some properties of a request, and their names in it by those in the request. */
interface NestedNames {
  readonly object: string;
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Returns the object of an entry to which properties of a request belong, because the entry lacks them: the `title` and
 * the `authors` of a new book belong to its `details`.
 * It must be the only object that has at least two of them, and most of them, and no entry of another resource.
 */
export const findNestedNames = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((plan: Plan): readonly NestedNames[] => {
    const { reader, inference } = model;
    const { resource } = plan;
    const body = getSentSchema(reader, plan);
    if (body === undefined) return [];
    const known = reader.getProperties(resource.schema);
    const own = new Set([...known.keys()].map(normalizeName));
    const sent = [...reader.getProperties(body).keys()].map((name) => [name, normalizeName(name)] as const);
    const others = sent.filter(([, name]) => !own.has(name));
    const entries = indexEntrySchemas(reader)(inference.resources);
    const found = [...known].flatMap(([object, pointer]): readonly NestedNames[] => {
      const isSent = sent.some(([, name]) => name === normalizeName(object));
      if (isSent || !reader.isObject(pointer) || entries.has(reader.resolve(pointer))) return [];
      const inner = new Map([...reader.getProperties(pointer).keys()].map((name) => [normalizeName(name), name]));
      const names = others.flatMap(([name, one]) => {
        const target = inner.get(one);
        return target === undefined || /^id$/i.test(name) ? [] : [[name, target] as const];
      });
      return names.length > 1 && names.length * 2 > others.length ? [{ object, names: new Map(names) }] : [];
    });
    return found.length === 1 ? found : [];
  }),
);

/** Returns the schema of an entry in a request body; undefined if the properties of entries are not known. */
function getSentSchema(reader: SchemaReader, { route, resource, requestPath, entryPath }: Plan): string | undefined {
  const body = resource.schema === '' || entryPath.length > 0 ? undefined : reader.getRequestInner(route, requestPath);
  return body === undefined ? undefined : (reader.getItems(body) ?? body);
}

/** A list of objects in a request, and the name that it has in entries. */
interface RenamedList {
  readonly from: string;
  readonly to: string;
}

/**
 * Returns the only list of objects in a request that entries have with another name: the `slots` of a request are the
 * `availability` of a participant. It must be the only one without a namesake on both sides, and the objects must have
 * the same properties.
 */
const findRenamedLists = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((plan: Plan): readonly RenamedList[] => {
    const { reader } = model;
    const { resource } = plan;
    const sent = getSentSchema(reader, plan);
    if (sent === undefined) return [];
    const [from, to] = [findOwnList(reader, sent, resource.schema), findOwnList(reader, resource.schema, sent)];
    return from && to && from.names === to.names ? [{ from: from.name, to: to.name }] : [];
  }),
);

/** Returns the only list of objects in a schema whose name another schema does not have. */
function findOwnList(reader: SchemaReader, schema: string, other: string) {
  const known = [...reader.getProperties(other).keys()].map(normalizeName);
  const found = [...reader.getProperties(schema)].flatMap(([name, pointer]) => {
    const items = reader.getItems(pointer);
    const names = items === undefined ? [] : [...reader.getProperties(items).keys()].map(normalizeName).sort();
    return names.length > 1 && !known.includes(normalizeName(name)) ? [{ name, names: names.join(' ') }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/**
 * Returns an entry in a request body with the properties that belong to an object of the entry in this object, and with
 * the names of lists that entries have.
 */
export function nestNames(model: ResourceModel, plan: Plan, body: Entry): Entry {
  const [list] = findRenamedLists(model)(plan);
  const sent = list
    ? Object.fromEntries(Object.entries(body).map(([name, value]) => [name === list.from ? list.to : name, value]))
    : body;
  const [nested] = findNestedNames(model)(plan);
  if (!nested) return sent;
  const { object, names } = nested;
  return Object.entries(sent).reduce<Entry>((entry, [name, value]) => {
    const target = names.get(name);
    return setInner(entry, target === undefined ? [name] : [object, target], value);
  }, {});
}

/** The actions whose requests have the properties of an entry. */
const ENTRY_ACTIONS = ['create', 'update', 'replace', 'updateById', 'replaceById'];

/** Matches the end of a name that refers to another entry: `categoryId` for the `category` that entries show. */
const REFERENCE_END = /(?:ids?|uuids?|names?|slugs?|emails?)$/;

/** Returns the schemas of the entries of a plan's resource in its own response, in lists, and in other responses. */
function listShownSchemas({ reader, inference }: ResourceModel, plan: Plan): readonly string[] {
  const shown = [...inference.plans.values()].filter(
    ({ resource, action }) => resource === plan.resource && (action === 'list' || action === 'read'),
  );
  return [plan, ...shown].flatMap(({ route, responsePath }) => {
    const response = reader.getResponseSchema(route, route.successStatus) ?? '';
    const inner = reader.getInner(response, responsePath);
    return inner === undefined || inner === '' ? [] : [inner, reader.getItems(inner) ?? inner];
  });
}

/**
 * Returns the properties that a request can have, and that no response shows, because entries have no place for them:
 * `attachmentIds`. Properties that refer to something that entries show are left out.
 */
export function listUnshown(model: ResourceModel, plan: Plan): readonly string[] {
  const { reader, inference } = model;
  const { route, resource, requestPath, entryPath, action, reference, mount } = plan;
  const { schema, memberOf } = resource;
  const request = reader.getRequestSchema(route);
  const isOther = resource === inference.users || memberOf !== undefined || reference !== undefined;
  if (request === undefined || schema === '' || isOther || entryPath.length > 0 || isUpload(route)) return [];
  const shown = [schema, ...listShownSchemas(model, plan)];
  const known = new Set(shown.flatMap((one) => [...reader.getProperties(one).keys()].map(normalizeName)));
  if (!ENTRY_ACTIONS.includes(action) || known.size === 0) return [];
  const keys = mount.parents.flatMap(({ property = '', name, parameter }) => [property, name, parameter]);
  const moved = [
    ...findNestedNames(model)(plan).flatMap(({ names }) => [...names.keys()]),
    ...findRenamedLists(model)(plan).map(({ from }) => from),
    ...keys,
  ];
  const isKnown = (name: string) => known.has(name) || known.has(`${name}s`) || known.has(toSingular(name));
  const isMatched = (name: string, value: unknown) =>
    Object.keys(matchNames(reader, schema, { [name]: value })).join() !== name;
  const isShown = (name: string) =>
    isKnown(normalizeName(name)) ||
    isKnown(normalizeName(name).replace(REFERENCE_END, '')) ||
    moved.includes(name) ||
    isSecretName(name) ||
    isLifetime(name, [...known]) ||
    isMatched(name, true) ||
    isMatched(name, 'a b');
  const around = requestPath.length === 0 ? [] : [...reader.getProperties(request).keys()];
  const beside = around.filter((name) => name !== requestPath[0] && !isEnvelopeName(name));
  return [...beside, ...listRequestNames(reader, route, requestPath)].filter((name) => !isShown(name));
}
