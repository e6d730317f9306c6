import { isNode, omitKeys } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { listRequestNames } from '../document/locate.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getEntryList } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { createPropertyKey, getKeyValue, getOwn } from '../entries/entry-values.ts';
import { refuseUnknown, toReferenceValue } from '../inference/references.ts';
import type { Assignment, PathKey, Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { isLoginName, PEOPLE_LIST } from '../users/user-names.ts';
import { findByLogin } from '../users/users.ts';
import { setShownUser } from '../values/embedded.ts';
import { findLogin } from './actions.ts';

/**
 * Returns a copy of an entry that belongs to the entry that a request names, or to none.
 * Throws a `DomainError` if the named entry does not exist, and the document has a status for it.
 * `sent`: the request body.
 */
export function assign(model: ResourceModel, plan: Plan, state: State, entry: Entry, sent: Entry): Entry {
  const { assigns } = plan.effect ?? {};
  if (!assigns) return entry;
  const { from = '', target } = assigns;
  const named = getOwn(sent, from) ?? null;
  if (named === null) return setAssignee(model, plan.resource, assigns, entry, null);
  const login = isLoginName(from) ? findLogin(model.reader, target, from) : undefined;
  const found =
    login === undefined
      ? findByKeys(getEntryList(state, target), [target.id], [String(named)])[0]
      : findByLogin(target, state, login, named);
  if (found) return setAssignee(model, plan.resource, assigns, entry, found);
  refuseUnknown(plan.route, [{ property: from, id: named, resource: target, kind: login }]);
  // An e-mail address is no id.
  return login === undefined ? setAssignee(model, plan.resource, assigns, entry, named) : entry;
}

/**
 * Returns the id of the user whom a request such as `POST /projects/{projectId}/members` names by a login, for a new
 * entry whose id is the `userId`, or for a member with a `userId` that the request lacks.
 * Returns undefined if an entry that is no member shows the login itself, or if no user has it.
 * Throws a `DomainError` for an unknown login, if the document has a status for it.
 * `sent`: the request body.
 */
export function findNamedUser(model: ResourceModel, plan: Plan, state: State, sent: Entry): Entry | undefined {
  const { reader, contract, inference } = model;
  const { users } = inference;
  const { resource, route } = plan;
  if (!users || users === resource || resource.id.property === undefined || resource.schema === '') return undefined;
  const ids = ['userid', `${normalizeName(users.singular)}id`];
  if (getOwn(sent, resource.id.property) !== undefined) return undefined;
  const isMember = PEOPLE_LIST.test(normalizeName(resource.singular));
  const key = findUserKey(reader, resource, ids, isMember);
  const { property, schema = '' } = key ?? {};
  const isId = key === resource.id;
  const hasUserId = ids.includes(normalizeName(resource.id.property));
  const member = hasUserId ? undefined : findMemberById(model, plan, state, { sent, ids });
  if (member || property === undefined || getOwn(sent, property) !== undefined) return member;
  const logins = listRequestNames(reader, route, plan.requestPath).filter((name) => isLoginName(name));
  const [from, ...others] = logins.filter((name) => isMember || findLogin(reader, resource, name) === undefined);
  const login = from === undefined || others.length > 0 ? undefined : findLogin(reader, users, from);
  const named = from === undefined ? undefined : getOwn(sent, from);
  if (login === undefined || from === undefined || typeof named !== 'string') return undefined;
  const user = findByLogin(users, state, login, named);
  // A guest with an id of its own can be no user.
  if (!user && isId) refuseUnknown(route, [{ property: from, id: named, resource: users, kind: login }]);
  const isValid = (pointer: string, value: unknown) => pointer === '' || contract.isValid(pointer, value);
  const id = toReferenceValue(isValid, { property, schema, target: users }, user);
  return id === undefined ? undefined : { [property]: id };
}

/**
 * Returns the id of the user whom a request names by `userId`, for a new entry whose path has this id, and whose own
 * `id` it therefore is: a member at `/teams/{teamId}/members/{userId}` without the property `userId`.
 */
function findMemberById(
  model: ResourceModel,
  { resource, route, requestPath }: Plan,
  state: State,
  { sent, ids }: { readonly sent: Entry; readonly ids: readonly string[] },
): Entry | undefined {
  const { reader, contract, inference } = model;
  const { users } = inference;
  const { parameter, property = '', schema } = resource.id;
  const known = reader.getProperties(resource.schema);
  const from = listRequestNames(reader, route, requestPath).find((name) => ids.includes(normalizeName(name)));
  if (!users || from === undefined || known.has(from) || !ids.includes(normalizeName(parameter))) return undefined;
  const user = findByKeys(getEntryList(state, users), [users.id], [String(getOwn(sent, from))])[0];
  if (!user) refuseUnknown(route, [{ property: from, id: getOwn(sent, from), resource: users }]);
  const id = toReferenceValue(contract.isValid, { property, schema, target: users }, user);
  return id === undefined ? undefined : { [property]: id };
}

/**
 * Returns where an entry has the id of its user: in its id `userId`, and for members also beside their id, or in the id
 * at `/teams/{teamId}/members/{userId}`.
 */
function findUserKey(
  reader: SchemaReader,
  { id, schema }: Resource,
  ids: readonly string[],
  isMember: boolean,
): PathKey | undefined {
  const isUserId = (name: string) => ids.includes(normalizeName(name));
  if (isUserId(id.property ?? '')) return id;
  if (!isMember) return undefined;
  const found = [...reader.getProperties(schema)].find(([name, own]) => isUserId(name) && reader.isScalar(own));
  return found ? createPropertyKey(...found) : isUserId(id.parameter) ? id : undefined;
}

/**
 * Returns a copy of an entry with another assignee.
 * `assignee`: an entry, an id without an entry, or null.
 */
function setAssignee(
  model: ResourceModel,
  resource: Resource,
  { to, isObject, target }: Assignment,
  entry: Entry,
  assignee: unknown,
): Entry {
  const { reader, contract, derived } = model;
  const property = isObject ? derived.getEmbedded(resource).find((one) => one.property === to)?.ids : to;
  if (property === undefined)
    return setShownUser(entry, to, isNode(assignee) ? (getKeyValue(assignee, target.id) ?? '') : '');
  const schema = reader.getProperties(resource.schema).get(property);
  const isValid = (pointer: string, id: unknown) => pointer === '' || contract.isValid(pointer, id);
  const reference = { property, schema: schema ?? target.id.schema, target };
  const id = isNode(assignee) ? (toReferenceValue(isValid, reference, assignee) ?? null) : assignee;
  if (schema !== undefined) return model.setOrRemove(resource, entry, { [property]: id });
  return id === null ? omitKeys(entry, [property]) : { ...entry, [property]: id };
}
