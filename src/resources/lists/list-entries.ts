import type { Context, HandlerResponse, Input } from '../../application.ts';
import { toNode } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { listFollows } from '../actions/follows.ts';
import { isSearchPath } from '../document/names.ts';
import { nestEntries, selectTop } from '../document/trees.ts';
import { findTrashSelection } from '../entries/deletions.ts';
import { followMembers, getEntryList, listChildrenOf } from '../entries/entries.ts';
import { findByKeys } from '../entries/entry-lists.ts';
import { getKeyValue, getOwn, setInner } from '../entries/entry-values.ts';
import { createNotFound, findEntry, isShared, requireParents } from '../entries/require-entries.ts';
import { type Mount, type Plan, type Resource, SENDER } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { createHeaders } from '../response-headers.ts';
import { listJoined } from '../users/own-members.ts';
import { findCreator } from '../users/ownership.ts';
import { hasFlag } from '../users/sender-flags.ts';
import { findOwnEntry } from '../users/tokens.ts';
import { findByLogin } from '../users/users.ts';
import { selectOverdue } from '../values/timed-values.ts';
import { collectEntries } from './collected-entries.ts';
import { filterEntries } from './filter-entries.ts';
import type { ListParameters } from './list-query.ts';
import { sortEntries } from './sort-entries.ts';
import { hasSelection, selectBetween, takePage } from './take-page.ts';
import { getAllListParameters } from './unshown-filters.ts';
import { isFeed, selectViewed } from './views.ts';

/** Handles the action `list`: selects, sorts and pages entries. */
export function list(model: ResourceModel, plan: Plan, input: Input, context: Context): HandlerResponse {
  const { path, query: sent } = input;
  const { resource, mount } = plan;
  const state = context.read();
  requireParents(model, state, plan, path);
  const all = selectInPath(model, plan, state, input);
  if (plan.follows?.items !== undefined) return respondWithIds(model, plan, plan.follows.items, all);
  const parameters = getAllListParameters(model)(plan);
  // The object has no prototype, so that a filter with a name such as `constructor` has no inherited value.
  const query: Input['query'] = Object.assign(Object.create(null), parameters.defaults, sent);
  const inPath = selectByUser(model, parameters, query, state, all);
  // A search finds what is in the entry, although its results show less.
  const isSearch = isSearchPath(mount.collection);
  const complete = (entry: Entry) => {
    const listed = model.responses.completeListed(plan, entry);
    return isSearch ? { ...model.derived.complete(resource, entry), ...listed } : listed;
  };
  const getId = (entry: Entry) => getKeyValue(entry, resource.id);
  const between = parameters.bounds ? selectBetween(inPath, parameters.bounds, query, getId) : inPath;
  const members = followMembers(state, resource, between);
  // The values that follow from other entries are computed for the whole list only if they can select entries.
  const isSelected = mount.view !== undefined || isFeed(plan.route) || hasSelection(parameters, query);
  const viewing = {
    sender: model.derived.getSender(resource, state, input),
    getNow: context.nowMs,
    schema: model.getShownSchema(plan),
  };
  const listed = isSelected ? model.derived.add(state, resource, members, viewing) : members;
  const followed = isFeed(plan.route) ? model.derived.findFollowed(resource) : undefined;
  const fed = followed
    ? listed.filter((entry) => toNode(getOwn(entry, followed.property))[followed.flag] === true)
    : selectFeed(model, plan, { state, input, entries: listed });
  const viewed = mount.view ? selectViewed(mount.view, fed, complete, context.nowMs) : fed;
  const timed = selectOverdue(parameters, query, selectTop(mount, viewed), { complete, getNow: context.nowMs });
  const found = filterEntries(timed, parameters, query, complete);
  const entries = sortEntries(found, parameters, query, complete);
  const taken = takePage(entries, parameters, query, getId);
  const add = (own: readonly Entry[]) => model.derived.add(state, resource, own, viewing);
  const shown = isSelected ? taken.entries : add(taken.entries);
  const page = { ...taken, found: entries, entries: mount.tree ? nestEntries(mount, add(all), shown) : shown };
  const headers = createHeaders(model, plan, { status: plan.route.successStatus, input, page });
  const response = model.responses.createListResponse(plan, page, input);
  return { ...response, headers: { ...response.headers, ...headers }, notes: model.takeNotes(plan, sent, parameters) };
}

/** Returns the entries of a feed: those of the users whom the sender of the request follows. */
function selectFeed(
  model: ResourceModel,
  plan: Plan,
  { state, input, entries }: { readonly state: State; readonly input: Input; readonly entries: readonly Entry[] },
): readonly Entry[] {
  const { follow, users } = model.inference;
  const getOwner = isFeed(plan.route) && follow ? findCreator(model, plan.resource) : undefined;
  const user = getOwner && users && findOwnEntry(users, state, input);
  if (!getOwner || !user || !follow) return entries;
  const followed = listFollows(follow, users, state, user, 'following').map((one) => getKeyValue(one, users.id));
  const ids = new Set(followed);
  return entries.filter((entry) => ids.has(getOwner(entry)));
}

/** Returns the entries at a path: those of its parents, of followers, or that a user has marked. */
function selectInPath(model: ResourceModel, plan: Plan, state: State, input: Input): readonly Entry[] {
  const { path } = input;
  const { resource, mount, marked } = plan;
  const list = getEntryList(state, resource);
  if (plan.follows) return listFollowed(model, plan, state, path);
  if (isShared(model, plan)) return list.entries;
  if (marked === undefined) return selectUndeleted(model, plan, state, input);
  const { users } = model.inference;
  const [parent] = mount.parents;
  const user = parent || !users ? undefined : findOwnEntry(users, state, input);
  const id = parent ? path[parent.parameter] : users && user && getKeyValue(user, users.id);
  return id === undefined ? [] : list.entries.filter((entry) => hasFlag(entry, marked, id));
}

/** Returns the entries of the parents in a path, and the deleted ones that a query parameter selects. */
function selectUndeleted(model: ResourceModel, plan: Plan, state: State, { path, query }: Input): readonly Entry[] {
  const { resource, mount, trash } = plan;
  const selection = findTrashSelection(plan, query);
  const deleted = trash && selection !== 'none' ? listChildrenOf(getEntryList(state, trash), mount, path) : [];
  if (mount.parents.length === 0 && !trash) return collectEntries(model, resource, state);
  return selection === 'only' ? deleted : [...listOwn(state, resource, mount, path), ...deleted];
}

/** Returns the entries of the parents in a path, and those of which the user who sends the request is a member. */
function listOwn(state: State, resource: Resource, mount: Mount, path: Input['path']): readonly Entry[] {
  const list = getEntryList(state, resource);
  const own = listChildrenOf(list, mount, path);
  const { members } = mount.parents.find(({ isSender }) => isSender) ?? {};
  const joined = members && path[SENDER] !== undefined ? listJoined(members, state, path[SENDER]) : undefined;
  if (!joined?.size) return own;
  const all = new Set(own);
  return list.entries.filter((entry) => all.has(entry) || joined.has(getKeyValue(entry, resource.id)));
}

/** Returns the entries that a user in the query has marked: `?favorited=ann` for the name or the id of a user. */
function selectByUser(
  { inference: { users } }: ResourceModel,
  { byUser = new Map() }: ListParameters,
  query: Input['query'],
  state: State,
  entries: readonly Entry[],
): readonly Entry[] {
  return [...byUser].reduce((rest, [name, flag]) => {
    const { [name]: value } = query;
    if (!users || value === undefined || value === '') return rest;
    const user = findByKeys(getEntryList(state, users), [users.id], [String(value)])[0];
    const id = getKeyValue(user ?? findByLogin(users, state, '', String(value)) ?? {}, users.id);
    return id === undefined ? [] : rest.filter((entry) => hasFlag(entry, flag, id));
  }, entries);
}

/** Returns the users who follow a user, or whom a user follows. */
function listFollowed(model: ResourceModel, plan: Plan, state: State, path: Input['path']): readonly Entry[] {
  const { follow } = model.inference;
  const user = findEntry(plan, state, path);
  if (!user) throw createNotFound(plan, path);
  return follow && plan.follows ? listFollows(follow, plan.resource, state, user, plan.follows.list) : [];
}

/** Returns a response with the ids of users. `items`: the JSON Pointer of the schema of an id. */
function respondWithIds(model: ResourceModel, plan: Plan, items: string, users: readonly Entry[]): HandlerResponse {
  const { route, resource, responsePath } = plan;
  const ids = users.map((user) => model.derived.toUserId(resource, items, user));
  if (responsePath.length === 0) return { status: route.successStatus, body: ids };
  const { value, generated } = model.completeResponse(route, setInner({}, responsePath, ids));
  return { status: route.successStatus, body: value, generated };
}
