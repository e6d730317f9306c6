import { isNode, omitKeys } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { normalizeName } from '../util/names.ts';
import { findLogin } from './actions.ts';
import { setShownUser } from './embedded.ts';
import { getEntryList } from './entries.ts';
import { findByKeys } from './entry-lists.ts';
import { getKeyValue, getOwn } from './entry-values.ts';
import { refuseUnknown, toReferenceValue } from './references.ts';
import type { Assignment, Plan, Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { findByLogin } from './users.ts';

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
  const login = /^(?:email|username)$/.test(normalizeName(from)) ? findLogin(model.reader, target, from) : undefined;
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
