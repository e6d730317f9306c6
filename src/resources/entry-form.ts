import type { EntryForm, Reference } from '../application.ts';
import { getNode, pickKeys } from '../openapi/document.ts';
import { isReadOrWriteOnly } from '../openapi/schema-validator.ts';
import type { Entry, State } from '../store/state.ts';
import { isIdName, normalizeName } from '../util/names.ts';
import { getEntryList } from './entries/entries.ts';
import { getPathValues } from './entries/entry-values.ts';
import { isUpload } from './entries/file-properties.ts';
import { getLastId } from './entries/sequences.ts';
import { findNamesakes, findReferences, indexReferences } from './inference/references.ts';
import { PATH_VALUES, type PathKey, type Plan, type Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { createDefaultAccount } from './users/accounts.ts';
import { findEmbedded } from './values/embedded.ts';

/** Returns the properties of a form for a new entry, and the properties that name other entries. */
export function createEntryForm(model: ResourceModel, resource: Resource): EntryForm {
  const plan = findCreatePlan(model, resource);
  const parents = (plan?.mount ?? resource.mounts[0])?.parents ?? [];
  const names = plan ? listSentNames(model, plan) : [];
  const properties = [...new Set([...parents.map(nameProperty), ...names])];
  const defaults = { ...model.getDefaults(resource), ...(plan && model.getRequestDefaults(plan)) };
  return {
    properties,
    defaults: pickKeys(defaults, properties),
    references: listReferences(model, resource),
  };
}

/** Adds what the server sets in a new entry: its id, times and default values. Keeps all values of `entry`. */
export function completeNewEntry(
  model: ResourceModel,
  resource: Resource,
  { entry, state, nowMs, newId }: { entry: Entry; state: State; nowMs: number; newId: () => string },
): Entry {
  const plan = findCreatePlan(model, resource);
  if (!plan) return entry;
  const list = getEntryList(state, resource);
  const body = model.addRequestDefaults(plan, entry);
  const created = model.createEntry(plan, {
    list,
    lastId: getLastId(state, resource, findNamesakes(model.inference)(resource)),
    body,
    path: {},
    nowMs,
    newId,
  });
  const hidden = { ...getPathValues(created), ...getPathValues(entry) };
  const added = { ...created, ...entry, ...(Object.keys(hidden).length > 0 ? { [PATH_VALUES]: hidden } : {}) };
  return createDefaultAccount(model.inference, resource, added);
}

/** Returns the plan of the operation that creates entries, else another plan of the resource. */
function findCreatePlan({ inference }: ResourceModel, resource: Resource): Plan | undefined {
  const plans = [...inference.plans.values()].filter((plan) => plan.resource === resource && !isUpload(plan.route));
  return plans.find(({ action }) => action === 'create') ?? plans[0];
}

/**
 * Returns the properties that a client may send to create an entry: those of the request body.
 * Without such an operation, all properties that the server does not set.
 */
function listSentNames(model: ResourceModel, plan: Plan): readonly string[] {
  const { reader, contract } = model;
  const { resource, route, action, requestPath, entryPath } = plan;
  if (resource.schema === '') return [];
  const own = reader.getProperties(resource.schema);
  const body = action === 'create' ? reader.getRequestInner(route, requestPath) : undefined;
  const sent = body === undefined ? [] : [...reader.getProperties(body).keys()];
  const known = entryPath.length > 0 ? entryPath.slice(0, 1) : sent.filter((name) => own.has(name));
  const isSet = (name: string) =>
    model.getTimeNames({ ...plan, action: 'create' }).includes(name) ||
    (name === resource.id.property && isIdName(name)) ||
    isReadOrWriteOnly(contract.normalized, getNode(contract.normalized, own.get(name) ?? ''), 'readOnly');
  return (known.length > 0 ? known : [...own.keys()]).filter((name) => !isSet(name));
}

/** Finds the properties with ids of other entries: those of parents, of users, and of resources such as `projectId`. */
function listReferences(model: ResourceModel, resource: Resource): readonly Reference[] {
  const { inference, reader, findParents } = model;
  const parents = resource.mounts.flatMap((mount) =>
    mount.parents.flatMap((parent, index): readonly Reference[] => {
      const place = findParents(mount)[index]?.[0];
      return place ? [{ property: nameProperty(parent), collection: place.resource.name }] : [];
    }),
  );
  const embedded = findEmbedded(reader, inference, resource, new Set()).flatMap((one): readonly Reference[] =>
    one.ids === undefined ? [] : [{ property: one.ids, collection: one.resource.name }],
  );
  const named = findReferences(reader, inference, resource.schema, resource).map(
    ({ property, target }): Reference => ({ property, collection: target.name }),
  );
  const all = [...parents, ...embedded, ...named, ...listIdLists(model, resource)];
  return all.filter(({ property }, index) => all.findIndex((one) => one.property === property) === index);
}

/** Finds the lists of ids of entries, such as `tagIds`. */
function listIdLists({ inference, reader }: ResourceModel, resource: Resource): readonly Reference[] {
  const index = indexReferences(inference);
  return [...reader.getProperties(resource.schema)].flatMap(([property, pointer]): readonly Reference[] => {
    const name = normalizeName(property);
    const target = name.endsWith('ids') ? index.get(name.slice(0, -1)) : undefined;
    const items = target && reader.getItems(pointer);
    return target && items !== undefined && reader.isScalar(items) ? [{ property, collection: target.name }] : [];
  });
}

/** Returns the name of the property with the value of a path parameter: `ownerId`, or `$path.ownerId`. */
function nameProperty({ property, name }: PathKey): string {
  return property ?? `${PATH_VALUES}.${name}`;
}
