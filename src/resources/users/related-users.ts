import { DomainError, type Input } from '../../application.ts';
import { omitKeys } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { listSentences, readResponseText } from '../document/document-texts.ts';
import { getEntryList } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { getKeyValue, getOwn } from '../entries/entry-values.ts';
import { refuseUnknown } from '../inference/references.ts';
import { findOtherName } from '../inference/relations.ts';
import { PATH_VALUES, type Plan, type Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { findOwnEntry } from './tokens.ts';
import { isRelation } from './user-names.ts';
import { findByLogin } from './users.ts';

/**
 * Returns the other user of a new relation, such as the friend whom `POST /me/friends` names by `friendId` or by a
 * login: `{ friend: { id, username } }`. Returns undefined if the request names no user.
 * Throws a `DomainError` if the user does not exist, or if it is the sender and the document says that this is refused.
 */
export function findRelatedUser(
  model: ResourceModel,
  plan: Plan,
  { state, input }: { readonly state: State; readonly input: Input },
  sent: Entry,
): Entry | undefined {
  const { reader, inference } = model;
  const { users } = inference;
  const { resource, route } = plan;
  const { object } = resource.relation ?? {};
  if (!users || object === undefined) return undefined;
  const { from, login } = findOtherName(reader, users, plan) ?? {};
  const value = from === undefined ? undefined : getOwn(sent, from);
  if (from === undefined || (typeof value !== 'string' && typeof value !== 'number')) return undefined;
  const user =
    login === undefined
      ? findByKeys(getEntryList(state, users), [users.id], [String(value)])[0]
      : findByLogin(users, state, login, value);
  if (!user) {
    refuseUnknown(route, [{ property: from, id: value, resource: users, kind: login }]);
    throw new DomainError('entry-not-found', `${from} ${value}: no ${users.singular} has this ${login ?? 'id'}`);
  }
  refuseSelf(model, plan, { state, input }, user);
  return { [object]: summarize(model, resource, object, user) };
}

/**
 * Returns the properties of a relation that a PUT without a body adds or changes, such as
 * `PUT /relationships/blocks/{userId}`: the other user, whose id is in the path, and what the path says of the
 * relation. Members that are shown as in another list, such as `/users`, need no properties.
 * Throws a `DomainError` if the user, or the entry of the other list, does not exist.
 */
export function relateByPath(
  model: ResourceModel,
  plan: Plan,
  {
    state,
    input,
    current = {},
  }: { readonly state: State; readonly input: Input; readonly current?: Entry | undefined },
): Entry {
  const { users, resources } = model.inference;
  const { resource, mount, route, sets = {} } = plan;
  const { object } = resource.relation ?? {};
  const target = object === undefined ? resources.find(({ name }) => name === resource.memberOf) : users;
  const id = input.path[mount.id.parameter];
  if (!target || id === undefined || Object.keys(route.bodyMedia).length > 0) return {};
  const [user] = findByKeys(getEntryList(state, target), [target.id], [id]);
  if (!user) throw new DomainError('entry-not-found', `no ${target.singular} has the ${target.id.property} ${id}`);
  if (target === users && isRelation(resource.singular)) refuseSelf(model, plan, { state, input }, user);
  if (object === undefined) return {};
  return { ...omitKeys(current, [PATH_VALUES]), [object]: summarize(model, resource, object, user), ...sets };
}

/** Returns the properties of a user that the object of a relation has. */
function summarize({ reader }: ResourceModel, { schema }: Resource, object: string, user: Entry): Entry {
  const own = reader.getProperties(reader.getProperties(schema).get(object) ?? '');
  return Object.fromEntries(Object.entries(user).filter(([name]) => own.has(name)));
}

/** The documented statuses with which a user is refused who names itself, such as one who follows itself. */
export const SELF_STATUSES = ['409', '422', '400'];

/** Matches texts that say that a user can't be related to itself. */
const SELF = /\b(?:self|yourself|oneself|himself|herself|themsel\w+|own (?:user|account|id)|same user)\b/i;

/** Throws a `DomainError` if a user wants to be related to itself, and an error of the document is for this. */
export function refuseSelf(
  { reader, inference: { users } }: ResourceModel,
  { route, resource }: Plan,
  { state, input }: { readonly state: State; readonly input: Input },
  user: Entry,
): void {
  const isSelf =
    users && getKeyValue(user, users.id) === getKeyValue(findOwnEntry(users, state, input) ?? {}, users.id);
  const isRefused = SELF_STATUSES.some((status) =>
    listSentences(readResponseText(reader, route, status)).some((sentence) => SELF.test(sentence)),
  );
  if (isSelf && isRefused)
    throw new DomainError(
      'conflict',
      `the ${resource.singular} is the ${users.singular} who sends the request: name another ${users.singular}`,
    );
}
