import { DomainError } from '../application.ts';
import { omitKeys } from '../openapi/document.ts';
import { findErrorResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { Entry, State } from '../store/state.ts';
import { normalizeName } from '../util/names.ts';
import { findLogin } from './actions.ts';
import { setShownUser } from './embedded.ts';
import { getEntries } from './entries.ts';
import { getKeyValue, getOwn } from './entry-values.ts';
import { toReferenceValue } from './references.ts';
import { type Plan, problems } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { normalizeLogin } from './user-names.ts';

/**
 * Returns a copy of an entry that belongs to the entry that a request names, or to none.
 * Throws a `DomainError` if the named entry does not exist, and the document has a status for it.
 * `sent`: the request body.
 */
export function assign(model: ResourceModel, plan: Plan, state: State, entry: Entry, sent: Entry): Entry {
  const { reader, contract } = model;
  const { resource, effect, route } = plan;
  if (!effect?.assigns) return entry;
  const { from, to, isObject, target } = effect.assigns;
  const value = from === undefined ? null : (getOwn(sent, from) ?? null);
  const login = /^(?:email|username)$/.test(normalizeName(from ?? ''))
    ? findLogin(reader, target, from ?? '')
    : undefined;
  const isNamed = (one: Entry) =>
    login === undefined
      ? getKeyValue(one, target.id) === String(value)
      : normalizeLogin(getOwn(one, login)) === normalizeLogin(value);
  const found = value === null ? undefined : getEntries(state, target).find(isNamed);
  if (value !== null && !found)
    refuseUnknown(route, `${from} ${value}: no ${target.singular} has this ${login ?? 'id'}`);
  // An e-mail address is no id.
  if (value !== null && !found && login !== undefined) return entry;
  const embedded = model.derived.getEmbedded(resource).find(({ property }) => property === to);
  const property = isObject ? embedded?.ids : to;
  if (property === undefined)
    return setShownUser(entry, to, found === undefined ? '' : (getKeyValue(found, target.id) ?? ''));
  const schema = reader.getProperties(resource.schema).get(property);
  const isValid = (pointer: string, id: unknown) => pointer === '' || contract.isValid(pointer, id);
  const reference = { property, schema: schema ?? target.id.schema, target };
  const id = (found ? toReferenceValue(isValid, reference, found) : value) ?? null;
  if (schema === undefined && id === null) return omitKeys(entry, [property]);
  return schema === undefined ? { ...entry, [property]: id } : model.setOrRemove(resource, entry, { [property]: id });
}

/** Throws the error for an unknown id that the document has for an operation. */
function refuseUnknown(route: Route, detail: string): void {
  for (const code of ['unknown-reference', 'entry-not-found', 'invalid-reference'] as const)
    if (findErrorResponse(route.responses, problems[code].status)) throw new DomainError(code, detail);
}
