import { DomainError, type Input } from '../../application.ts';
import { pickKeys } from '../../openapi/document.ts';
import { findErrorResponse } from '../../openapi/responses.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { isQuantityName } from '../../util/names.ts';
import { listSentences, namesEntries, readResponseText } from '../document/document-texts.ts';
import { listRequestNames } from '../document/locate.ts';
import { addArticle } from '../document/names.ts';
import {
  findNamesakes,
  findReferenceCode,
  findUnknownReferences,
  listSentReferences,
  type Refusal,
  refuseUnknown,
  type UnknownId,
} from '../inference/references.ts';
import { findOtherName } from '../inference/relations.ts';
import { problems } from '../problems.ts';
import { getTrashName, type Plan, type Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { addOwnSeeds, linkGenerated } from '../seeds.ts';
import { changeAccount, changeOwnId, createAccount } from '../users/accounts.ts';
import { addSenderPath } from '../users/ownership.ts';
import { refuseSelf } from '../users/related-users.ts';
import { isRelation } from '../users/user-names.ts';
import { linkUsers } from '../values/embedded.ts';
import { findEqual, getEntryList, listChildrenOf, removeEntries, setEntries } from './entries.ts';
import { appendEntry, findByKeys, replaceEntry } from './entry-lists.ts';
import { getKeyValue, getOwn } from './entry-values.ts';
import { linkNamed } from './named-objects.ts';
import { updatesExisting } from './refused-creations.ts';
import { requireAllowedValues, requireMovedParent } from './require-entries.ts';
import { getLastId } from './sequences.ts';
import { findUpdatedName } from './server-values.ts';
import { requireUnique } from './unique-values.ts';
import { addFileUrls } from './uploads.ts';

/** The parameters of `addEntry`, which adds a new entry to a state. */
export interface NewEntry {
  readonly state: State;
  readonly nowMs: number;
  readonly body: Entry;
  readonly path: Input['path'];
  readonly newId: () => string;
  /** Whether the server has set the id in the body, which is that of a user. */
  readonly ownId?: boolean | undefined;
  /** The request if it uploads a file. */
  readonly upload?: Input | undefined;
}

/**
 * Adds a new entry to a state.
 * Returns the entry and the next state.
 * Throws a `DomainError` if an entry has the same id, if a user has the same login, or if the entry names an entry that
 * does not exist.
 */
export function addEntry(
  model: ResourceModel,
  plan: Plan,
  { state, nowMs, body, path, newId, upload, ownId }: NewEntry,
) {
  const { resource } = plan;
  requireAllowedValues(model, plan, body);
  const list = getEntryList(state, resource);
  const own = model.createEntry(plan, {
    list,
    lastId: getLastId(state, resource, findNamesakes(model.inference)(resource)),
    body,
    path,
    nowMs,
    newId,
    ownId,
  });
  const named = linkNamed(model.derived.getEmbedded(resource), state, own);
  const entry = linkUsers(model.reader, model.inference, resource, state, named);
  const created = createAccount(model.inference, resource, entry, { state, sent: body, newId });
  const described = upload === undefined ? created : addFileUrls(model, plan, created, upload);
  const result = finishEntry(model, plan, state, described, body);
  const equal = resource.kind === 'collection' ? findEqual(list, resource, result) : undefined;
  const more =
    equal &&
    (updateExisting(model, plan, equal, { created: result, sent: body }) ?? addQuantity(model, plan, equal, result));
  if (more) return { next: setEntries(state, resource, replaceEntry(list, equal, more)), result: more };
  const deleted = findEqual(getEntryList(state, { name: getTrashName(resource) }), resource, result);
  if (equal || deleted) {
    const name = resource.id.property ?? resource.id.parameter;
    const named = `${addArticle(resource.singular)} with the ${name} ${getKeyValue(result, resource.id)}`;
    throw new DomainError(
      'entry-exists',
      equal
        ? `${named} already exists: use another ${name}`
        : `${named} is in the trash: restore it, or use another ${name}`,
    );
  }
  requireUnique(model, plan, state, { entry: result, current: undefined, sent: body });
  const added = setEntries(state, resource, appendEntry(list, result));
  const next = list.entries.length === 0 ? linkGenerated(model, added, resource, result) : added;
  return { next: resource === model.inference.users ? addOwnSeeds(model, next, result) : next, result };
}

/**
 * Returns an entry with the properties in the body of a POST that creates or updates it, and the time of this change.
 * Returns undefined if a POST only creates entries.
 */
function updateExisting(
  model: ResourceModel,
  plan: Plan,
  entry: Entry,
  { created, sent }: { readonly created: Entry; readonly sent: Entry },
): Entry | undefined {
  if (!updatesExisting(model)(plan)) return undefined;
  const names = [...Object.keys(sent), findUpdatedName(Object.keys(created)) ?? ''];
  return { ...entry, ...pickKeys(created, names) };
}

/**
 * Returns an item of a basket with the quantity of another one added, if both name the same book: their id is that of
 * the book.
 * Returns undefined if the document has 409 for an item that already exists.
 */
function addQuantity(
  { derived }: ResourceModel,
  { resource, route }: Plan,
  item: Entry,
  added: Entry,
): Entry | undefined {
  const name = Object.keys(added).find((one) => isQuantityName(one));
  const isReference = derived
    .getEmbedded(resource)
    .some(({ ids }) => ids !== undefined && ids === resource.id.property);
  if (name === undefined || !isReference || route.responses.some((response) => response.name === '409'))
    return undefined;
  const [old, more] = [item[name], added[name]];
  return typeof old === 'number' && typeof more === 'number' ? { ...item, [name]: old + more } : undefined;
}

/**
 * Adds an existing entry to a list, such as a book to a wish list.
 * If the list already has the entry, throws a `DomainError` if the document has 409, else changes nothing.
 * Throws a `DomainError` if the entry does not exist, unless the document has no error for that, and the response does
 * not show the entry: then changes nothing.
 */
export function addMember(model: ResourceModel, plan: Plan, state: State, body: Entry, input: Input) {
  const { resource, reference = '', route } = plan;
  const { users } = model.inference;
  const key = getOwn(body, reference);
  const others = getEntryList(state, { name: resource.memberOf ?? '' });
  const target = findByKeys(others, [resource.id], [String(key)])[0];
  // A document can have no error for an unknown id, and a response that does not show the entry.
  if (!target && plan.hidesEntry && !findErrorResponse(route.responses, problems['entry-not-found'].status))
    return { next: state, result: {} };
  const isUser = users !== undefined && resource.memberOf === users.name && isRelation(resource.singular);
  if (!target && isUser) refuseUnknown(route, [{ property: reference, id: key, resource: users }]);
  if (target && isUser) refuseSelf(model, plan, { state, input }, target);
  if (!target) throw new DomainError('entry-not-found', `no entry of ${resource.memberOf} has the id ${key}`);
  const result = model.createMember(plan, target, input.path);
  const list = getEntryList(state, resource);
  const known = findEqual(list, resource, result);
  if (known && route.responses.some(({ name }) => name === '409'))
    throw new DomainError('entry-exists', `${resource.name} already has the entry ${key}`);
  return known
    ? { next: state, result: known }
    : { next: setEntries(state, resource, appendEntry(list, result)), result };
}

/**
 * Returns a new or changed entry as it is stored: with the prices of the books in its lines.
 * `sent`: the entry in the request body.
 * Throws a `DomainError` if the entry or one of its lines names an entry that does not exist, and the document has a
 * status for it.
 */
function finishEntry(model: ResourceModel, plan: Plan, state: State, entry: Entry, sent: Entry): Entry {
  const { resource, route } = plan;
  const { derived } = model;
  const refusals = getRefusals(model, plan);
  const isLine = derived.getEmbedded(resource).some(({ isKept }) => isKept);
  const lines = [...derived.findUnknownIds(state, resource, sent)];
  const shown = derived.listUnknownIds(state, resource, sent);
  refuseUnknown(route, isLine ? [...lines, ...shown] : lines, refusals.ofLines);
  refuseUnknown(route, shown, refusals.ofShown);
  refuseUnknown(route, findUnknownReferences(listReferences(model)(resource), state, sent), refusals.ofNamed);
  return derived.keepCopies(state, resource, entry);
}

/** Returns the ids of other entries that requests for an entry can have. */
const listReferences = memoizeByObject(({ reader, inference, derived }: ResourceModel) =>
  memoizeByObject((resource: Resource) => listSentReferences(reader, inference, resource, derived.getSent(resource))),
);

/** Returns when an operation refuses unknown ids of lines, of entries that the entry shows, and of others. */
function getRefusals(model: ResourceModel, plan: Plan): Readonly<Record<'ofLines' | 'ofShown' | 'ofNamed', Refusal>> {
  const isDescribed = describesUnknown(model, plan);
  // Documents have 400 for many reasons, and 404 for the ids in the path.
  const ambiguous = plan.route.pathNames.length > 0 ? (['entry-not-found'] as const) : [];
  return {
    ofLines: { others: ['conflict'], isDescribed },
    ofShown: { others: ['invalid-reference', 'conflict'], isDescribed },
    ofNamed: { others: ['invalid-reference', 'conflict', ...ambiguous], isDescribed },
  };
}

/**
 * Returns the properties of a request body with ids of other entries that can name none, because the document has no
 * status for such ids.
 */
export function listUncheckedIds(model: ResourceModel, plan: Plan): readonly string[] {
  const { resource, route, requestPath } = plan;
  if (resource.memberOf !== undefined) return [];
  const { ofLines, ofShown, ofNamed } = getRefusals(model, plan);
  const { derived, reader } = model;
  const { from } = findOtherName(reader, model.inference.users, plan) ?? {};
  const names = listRequestNames(reader, route, requestPath).filter((name) => name !== from);
  const embedded = derived.getEmbedded(resource);
  const refusal = embedded.some(({ isKept }) => isKept) ? ofLines : ofShown;
  const shown = embedded.flatMap(({ ids, resource: target }) =>
    ids === undefined ? [] : { property: ids, target, refusal },
  );
  const named = listReferences(model)(resource).map((one) => ({ ...one, refusal: ofNamed }));
  return names.filter((name) => {
    const own = [...shown, ...named].filter(({ property }) => property === name);
    return own.length > 0 && !own.some((one) => findReferenceCode(route, one.target, one.refusal));
  });
}

/**
 * Returns a function that tells whether the text of a response of an operation says that it is for the id of an entry
 * that does not exist: `Event not found`. A 404 that names an entry in the path can be for this one.
 */
function describesUnknown({ reader, findParents }: ResourceModel, { route, resource, mount }: Plan) {
  return (status: string, target: UnknownId['resource']): boolean => {
    const sentences = listSentences(readResponseText(reader, route, status));
    const inPath = [resource, ...findParents(mount).flatMap((places) => places.map((place) => place.resource))];
    if (status === '404' && inPath.some(({ name }) => name === target.name)) return false;
    return sentences.some((sentence) => namesEntries(sentence, target) && (status === '404' || MISSING.test(sentence)));
  };
}

/** Matches texts that say that an entry does not exist. */
const MISSING =
  /\b(?:not (?:be )?(?:found|exist(?:s|ing)?)|no such|unknown|invalid|non-?exist\w*|must exist)\b|n't exist|\b(?:introuvables?|inconnue?s?|inexist\w+|nicht gefunden|unbekannt\w*|no (?:existe|encontrad[oa])|nao (?:existe|encontrad[oa])|non trovat[oa])\b/i;

/**
 * Returns a changed entry as it is stored: with the prices of its lines, the ids of its users, and the account of a
 * user.
 * `sent`: the properties in the request.
 * Throws a `DomainError` if another user has the login, if another entry has a value that must be unique, or if the
 * current password is wrong.
 */
export function finishChange(
  model: ResourceModel,
  plan: Plan,
  state: State,
  { current, entry, sent }: { readonly current: Entry; readonly entry: Entry; readonly sent: Entry },
): Entry {
  const { inference, reader } = model;
  const { resource } = plan;
  requireMovedParent(model, state, plan, { current, entry, sent });
  const named = linkNamed(model.derived.getEmbedded(resource), state, finishEntry(model, plan, state, entry, sent));
  const linked = linkUsers(reader, inference, resource, state, named);
  requireUnique(model, plan, state, { entry: linked, current, sent });
  const own = plan.isSender ? changeOwnId(model, resource, linked, sent) : linked;
  return changeAccount(inference, resource, own, { state, sent, current });
}

/**
 * Moves the entries of a basket to the list of a new entry: `POST /basket/checkout`.
 * Returns the body with the list, and the state without these entries.
 * Throws a `DomainError` if there are none, and the document has 409.
 */
export function takeParts(
  model: ResourceModel,
  { takes, route }: Plan,
  { state, input }: { readonly state: State; readonly input: Input },
  body: Entry,
): { readonly filled: Entry; readonly rest: State } {
  if (!takes) return { filled: body, rest: state };
  const { from, property, names } = takes;
  const list = getEntryList(state, from);
  const [mount] = from.mounts;
  const entries = mount ? listChildrenOf(list, mount, addSenderPath(model, { mount }, {}, input, state)) : [];
  if (entries.length === 0 && route.responses.some(({ name }) => name === '409'))
    throw new DomainError('conflict', `there are no ${from.name}: add ${addArticle(from.singular)} first`);
  const items = model.derived.add(state, from, entries).map((entry) => {
    return pickKeys(model.derived.complete(from, entry), names);
  });
  return {
    filled: { ...body, [property]: items },
    rest: removeEntries(model.inference, state, from, entries),
  };
}
