import type { Context, HandlerResponse, Input } from '../application.ts';
import { toNode } from '../openapi/document.ts';
import type { Entry } from '../store/state.ts';
import { followMembers, getEntries, listChildrenOf } from './entries.ts';
import { getKeyValue, getOwn } from './entry-values.ts';
import { filterEntries } from './list-filters.ts';
import { hasSelection, sortEntries, takePage } from './list-query.ts';
import { selectOwn } from './log-in.ts';
import { requireParents } from './require-entries.ts';
import type { Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { createHeaders } from './response-headers.ts';
import { isFeed, selectViewed } from './views.ts';

/** Handles the action `list`: selects, sorts and pages entries. */
export function list(model: ResourceModel, plan: Plan, input: Input, context: Context): HandlerResponse {
  const { path, query: sent } = input;
  const { resource, mount } = plan;
  const state = context.read();
  requireParents(model, state, plan, path);
  const inPath = listChildrenOf(getEntries(state, resource), mount, path);
  const parameters = model.getListParameters(plan);
  // The object has no prototype, so that a filter with a name such as `constructor` has no inherited value.
  const query: Input['query'] = Object.assign(Object.create(null), parameters.defaults, sent);
  const complete = (entry: Entry) => model.responses.completeListed(plan, entry);
  const members = followMembers(state, resource, inPath);
  // The values that follow from other entries are computed for the whole list only if they can select entries.
  const isSelected = mount.view !== undefined || isFeed(plan.route) || hasSelection(parameters, query);
  const sender = model.derived.getSender(resource, state, input);
  const listed = isSelected ? model.derived.add(state, resource, members, { sender }) : members;
  const own = mount.view?.isMine ? selectOwn(model, plan, state, input, listed) : listed;
  const followed = isFeed(plan.route) ? model.derived.findFollowed(resource) : undefined;
  const fed = followed ? own.filter((entry) => toNode(getOwn(entry, followed.property))[followed.flag] === true) : own;
  const viewed = mount.view ? selectViewed(mount.view, fed, complete, context.nowMs) : fed;
  const found = filterEntries(viewed, parameters, query, complete);
  const entries = sortEntries(found, parameters, query, complete);
  const taken = takePage(entries, parameters, query, (entry) => getKeyValue(entry, resource.id));
  const page = isSelected
    ? taken
    : { ...taken, entries: model.derived.add(state, resource, taken.entries, { sender }) };
  const headers = createHeaders(model, plan, { status: plan.route.successStatus, input, page });
  const response = model.responses.createListResponse(plan, page, input);
  return { ...response, headers: { ...response.headers, ...headers }, notes: model.takeNotes(plan, sent) };
}
