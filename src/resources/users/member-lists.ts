import { DomainError, type Input } from '../../application.ts';
import type { Contract } from '../../openapi/contract.ts';
import { isNode, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry, State } from '../../store/state.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { isOnlyEnvelope } from '../document/envelopes.ts';
import { locateResponse } from '../document/locate.ts';
import { getLastSegment, getParameterName, getParentPath } from '../document/names.ts';
import { findPlaceOfForm, renameParameters } from '../document/places.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getEntryList } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { getOwn } from '../entries/entry-values.ts';
import { refuseUnknown, toReferenceValue } from '../inference/references.ts';
import type { Effect, MemberChange, Plan, Resource } from '../resource.ts';
import { PEOPLE_LIST, SHOWN_NAMES } from './user-names.ts';

/** A list of an entry with users, such as `members: [{ id, name, role }]` of a project. */
export interface MemberList {
  /** The JSON Pointer of the schema of a member. */
  readonly schema: string;
  /** The property of a member with the id of the user: `id` or `userId`. */
  readonly key: string;
  /** The properties of a member that are those of the user, such as `name`. */
  readonly copies: readonly string[];
}

/** Matches the names of properties that a member has from its user, beside the names in `SHOWN_NAMES`. */
const COPIED = /^(?:first|last|given|family)name$|^surname$|avatar|photo|picture|phone/;

/**
 * Returns what a property of an entry says about its members, who are users. Other properties than their names, such as
 * a `role`, belong to the member.
 * Returns undefined for other properties.
 */
export function findMemberList(
  reader: SchemaReader,
  users: Resource | undefined,
  property: string,
  pointer: string,
): MemberList | undefined {
  const schema = reader.getItems(pointer);
  const isPeople = PEOPLE_LIST.test(normalizeName(property)) && schema !== undefined && reader.isObject(schema);
  if (!isPeople || users?.id.property === undefined || reader.isSame(schema, users.schema)) return undefined;
  const known = reader.getProperties(users.schema);
  const names = [...reader.getProperties(schema)];
  const ids = ['userid', normalizeName(users.id.property)];
  const [key, place] = names.find(([name]) => ids.includes(normalizeName(name))) ?? [];
  const copies = names.flatMap(([name]) => {
    const own = normalizeName(name);
    return name !== key && known.has(name) && (SHOWN_NAMES.includes(own) || COPIED.test(own)) ? [name] : [];
  });
  const isId = place !== undefined && reader.getTypes(place).join() === reader.getTypes(users.id.schema).join();
  return key !== undefined && isId && copies.length > 0 ? { schema, key, copies } : undefined;
}

/**
 * Returns the plan of an operation that adds a user to a list of an entry, such as `POST /projects/{projectId}/members`
 * with `userId`, or that changes or removes a member: `DELETE /projects/{projectId}/members/{userId}`.
 * Returns undefined if the response shows something else than the entry, the member or the members.
 */
export function planMember(
  reader: SchemaReader,
  resources: readonly Resource[],
  users: Resource | undefined,
  route: Route,
): Plan | undefined {
  const isOne = getParameterName(getLastSegment(route.path)) !== undefined;
  const collection = isOne ? getParentPath(route.path) : route.path;
  const item = getParentPath(collection);
  const place = users && findPlaceOfForm(resources, item);
  if (!users || !place?.isItem || place.resource.kind !== 'collection' || place.resource.schema === '')
    return undefined;
  const { resource } = place;
  const name = normalizeName(getLastSegment(collection));
  const [list, pointer] = [...reader.getProperties(resource.schema)].find(([one]) => normalizeName(one) === name) ?? [];
  const found = list === undefined || pointer === undefined ? undefined : findMemberList(reader, users, list, pointer);
  if (!found || list === undefined) return undefined;
  const known = findChange(reader, users, route, { ...found, list });
  if (!known) return undefined;
  const response = reader.getResponseSchema(route, route.successStatus);
  const isEmpty = response === undefined || isOnlyEnvelope(reader, response);
  const located = isEmpty ? [] : locateResponse(reader, { resource, action: 'read' }, route, {});
  const shown = isEmpty || typeof located === 'string' ? undefined : reader.getInner(response, located);
  const isEntry = shown !== undefined && reader.contains(shown, resource.schema);
  // The response to a removal can't show the member from the list.
  const own = isEmpty || isEntry || known.action === 'remove' ? undefined : findShown(reader, response, list, found);
  const hidesEntry = isEmpty || own !== undefined;
  if (!hidesEntry && !isEntry) return undefined;
  const change = own ? { ...known, responsePath: own } : known;
  const effect: Effect = { values: [], time: undefined, counter: undefined, setsBody: false, members: change };
  const mount = renameParameters(place.mount, item);
  const base = { route, action: 'act', resource, mount, requestPath: [], entryPath: [], effect } as const;
  return hidesEntry ? { ...base, responsePath: [], hidesEntry } : { ...base, responsePath: located as string[] };
}

/** Returns the property names that lead to a member, or to a list of members, in a response. */
function findShown(
  reader: SchemaReader,
  response: string,
  list: string,
  { schema }: MemberList,
): readonly string[] | undefined {
  const found = reader.findEntry(response, toSingular(list), schema);
  const all = reader.findList(response, list);
  if (reader.isSame(found.schema, schema)) return found.path;
  return all && reader.isSame(all.schema, schema) ? all.path : undefined;
}

/**
 * Returns the member that an operation has added or changed, or all members if the response has a list.
 * `entry`: the entry with its members as responses show them.
 */
export function getShownMember(
  { reader }: { readonly reader: SchemaReader },
  { route }: Plan,
  { list, key, from = '', parameter = '', responsePath = [] }: MemberChange,
  entry: Entry,
  input: Input,
): unknown {
  const response = reader.getResponseSchema(route, route.successStatus) ?? '';
  const inner = reader.getInner(response, responsePath);
  const members = [getOwn(entry, list)].flat().filter(isNode);
  if (inner !== undefined && reader.getItems(inner) !== undefined) return members;
  const id = String(from === '' ? input.path[parameter] : toNode(input.body)[from]);
  return members.find((one) => String(getOwn(one, key)) === id);
}

/** Returns what an operation does with a list of members: its method, its path and its body must say it. */
function findChange(
  reader: SchemaReader,
  users: Resource,
  route: Route,
  { list, key, schema }: MemberList & { readonly list: string },
): MemberChange | undefined {
  const parameter = getParameterName(getLastSegment(route.path));
  const request = reader.getRequestSchema(route);
  const sent = request === undefined ? [] : [...reader.getProperties(request).keys()];
  const known = reader.getProperties(schema);
  const ids = ['userid', `${normalizeName(users.singular)}id`, 'memberid'];
  const from = sent.find((name) => ids.includes(normalizeName(name)));
  const isKnown = sent.every((name) => name === from || known.has(name));
  const base = { list, key, schema, target: users };
  if (parameter === undefined)
    return route.method === 'POST' && from !== undefined && isKnown ? { ...base, from, action: 'add' } : undefined;
  if (route.method === 'DELETE') return { ...base, parameter, action: 'remove' };
  const isChange = ['PUT', 'PATCH'].includes(route.method) && sent.length > 0 && isKnown && from === undefined;
  return isChange ? { ...base, parameter, action: 'change' } : undefined;
}

/**
 * Explains why an operation adds no member: its request can lack the id of the user, and does.
 * Returns undefined for other requests, and for an operation that responds with the member: it refuses such a request.
 */
export function explainNoMember({ action, from = '', target, responsePath }: MemberChange, { body }: Input) {
  const isLeftOut = action === 'add' && responsePath === undefined && toNode(body)[from] === undefined;
  return isLeftOut ? `the request has no ${from}, so no ${target.singular} was added: send ${from}` : undefined;
}

/**
 * Returns an entry with another list of members.
 * Throws a `DomainError` if a new member is no user and the document has a status for it, if the entry already has the
 * member and the document has 409, or if the member in the path does not exist.
 */
export function changeMembers(
  { reader, contract }: { readonly reader: SchemaReader; readonly contract: Contract },
  plan: Plan,
  state: State,
  entry: Entry,
  input: Input,
): Entry {
  const { members } = plan.effect ?? {};
  if (!members) return entry;
  const { list, key, schema, from = '', parameter = '', action, target } = members;
  const { [from]: sentId, ...sent } = toNode(input.body);
  const wanted = String(action === 'add' ? sentId : input.path[parameter]);
  const stored = getOwn(entry, list);
  const items = (Array.isArray(stored) ? stored : []).filter(isNode);
  const position = items.findIndex((one) => String(getOwn(one, key)) === wanted);
  const setItems = (next: readonly Entry[]) => ({ ...entry, [list]: next });
  if (action !== 'add') {
    if (position < 0)
      throw new DomainError('entry-not-found', `the ${plan.resource.singular} has no ${target.singular} ${wanted}`);
    if (action === 'remove') return setItems(items.toSpliced(position, 1));
    return setItems(items.with(position, { ...items[position], ...sent }));
  }
  const user = findByKeys(getEntryList(state, target), [target.id], [wanted])[0];
  if (!user) refuseUnknown(plan.route, [{ property: from, id: sentId, resource: target }]);
  if (position >= 0 && plan.route.responses.some(({ name }) => name === '409'))
    throw new DomainError('conflict', `the ${plan.resource.singular} already has the ${target.singular} ${wanted}`);
  const place = reader.getProperties(schema).get(key) ?? '';
  const id = toReferenceValue(contract.isValid, { property: key, schema: place, target }, user) ?? sentId;
  const member = { ...items[position], [key]: id, ...sent };
  return setItems(position < 0 ? [...items, member] : items.with(position, member));
}

/** Returns a member with the names of its user. Values of the member itself are not changed. */
export function showMember(member: Entry, user: Entry | undefined, copies: readonly string[]): Entry {
  const names = user ? copies.filter((name) => Object.hasOwn(user, name)) : [];
  return { ...member, ...Object.fromEntries(names.map((name) => [name, user?.[name]])) };
}

/** Describes a change of a list of members: `adds the user in userId to the members of a project`. */
export function describeMemberChange({ list, from, parameter, action, target }: MemberChange, entry: string): string {
  if (action === 'add') return `adds the ${target.singular} in ${from} to the ${list} of ${entry}`;
  const one = `the ${target.singular} in the path parameter ${parameter}`;
  return action === 'remove'
    ? `removes ${one} from the ${list} of ${entry}`
    : `changes ${one} in the ${list} of ${entry}`;
}

/** Returns the property of a member with the id of its user: `id` at `/teams/{teamId}/members/{userId}`. */
export function findMemberId(users: Resource | undefined, { id, mounts, memberOf, name }: Resource) {
  const ids = ['userid', `${normalizeName(users?.singular ?? '')}id`];
  const isMember = [id.property ?? '', id.parameter].some((one) => ids.includes(normalizeName(one)));
  const isPeople = mounts[0]?.parents.length !== 0 && memberOf === undefined && PEOPLE_LIST.test(normalizeName(name));
  if (!users || id.property === undefined || !isMember || !isPeople) return undefined;
  return { target: users, ids: id.property, parent: undefined, prefix: ' ' };
}
