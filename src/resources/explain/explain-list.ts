import { allowsAnyBody, findValueMedia } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { requiresCredentials } from '../../openapi/security.ts';
import { PAGING_NAMES } from '../../util/pages.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findSources, type Source } from '../lists/collected-entries.ts';
import { describeFilter } from '../lists/list-filters.ts';
import type { ListOrder, ListParameters } from '../lists/list-query.ts';
import { showsDeleted } from '../lists/view-words.ts';
import { describeView, isFeed } from '../lists/views.ts';
import type { Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { mentionsSender } from '../users/own-lists.ts';
import { findCreator } from '../users/ownership.ts';
import { describeTimed } from '../values/derived.ts';

/** Returns `label: one, other` for texts, and nothing without texts. */
export function describe(label: string, texts: readonly string[]): readonly string[] {
  return texts.length > 0 ? [`${label}: ${texts.join(', ')}`] : [];
}

/** Describes what the document lacks about the response body of an operation. */
export function describeBody({ document }: SchemaReader, route: Route): readonly string[] {
  const isExample = findValueMedia(route.responses, route.successStatus)?.exampleSchema !== undefined;
  if (isExample) return ['only an example describes the response body'];
  return allowsAnyBody(document, route) ? ['the document describes no response body'] : [];
}

const PAGING = [...(Object.keys(PAGING_NAMES) as (keyof typeof PAGING_NAMES)[]), 'pageSize' as const];

/** Describes what the query parameters of an operation do with a list, and in which order it is without them. */
export function describeParameters({
  filters,
  byUser = new Map(),
  byMeaning,
  ignored,
  unsorted = [],
  bounds,
  overdue,
  order,
  orderFlag,
}: ListParameters): readonly string[] {
  return [
    ...describe('filters', [
      ...[...filters].map(([name, filter]) => describeFilter(name, filter)),
      ...[...byUser].map(([name, flag]) => `${name} (users with ${flag})`),
      ...(overdue ? [describeTimed({ property: overdue.name, view: overdue.view })] : []),
    ]),
    ...describe('sorted by', order ? [describeOrder(order)] : []),
    ...describe('sorts by', [
      ...(byMeaning.sort === undefined ? [] : [describeSort(byMeaning.sort, unsorted)]),
      ...(orderFlag ? [orderFlag.name] : []),
    ]),
    ...describe('pages by', [
      ...PAGING.flatMap((meaning) => byMeaning[meaning] ?? []),
      ...[bounds?.before, bounds?.after].filter((name) => name !== undefined),
    ]),
    ...describe('ignores', ignored),
  ];
}

/** Describes a sort parameter: `sort (ignores: relevance)`. */
function describeSort(name: string, unsorted: readonly string[]): string {
  return unsorted.length === 0 ? name : `${name} (ignores: ${unsorted.join(', ')})`;
}

/** Describes the order that the text of an operation names: `newest first`, `name` or `rating, descending`. */
function describeOrder({ property, isTime, isDescending }: ListOrder): string {
  if (property === undefined || isTime) return isDescending ? 'newest first' : 'oldest first';
  return isDescending ? `${property} descending` : property;
}

/** Returns why a list for the user who sends a request has the entries of all users. */
function describeUnlimited(route: Route, { singular }: Resource): string {
  return requiresCredentials(route) ? `no property names the ${singular}` : 'requests need no credentials';
}

/** Describes which entries an operation selects: `only those of the user`. */
export function describeSelection(
  model: ResourceModel,
  { action, resource, mount, route, marked }: Plan,
): readonly string[] {
  const followed = action === 'list' && isFeed(route) ? model.derived.findFollowed(resource) : undefined;
  const isOfFollowed = isFeed(route) && model.inference.follow && findCreator(model, resource);
  const whose = mount.parents.length > 0 ? 'in the path' : 'who sends the request';
  const assignee = mount.parents.find(({ isSender, property = '' }) => isSender && /^assign/i.test(property));
  const isOfAll =
    action === 'list' && mount.parents.length === 0 && marked === undefined && !mount.view && !isOfFollowed;
  const { users } = model.inference;
  return [
    ...(isOfAll && users && resource !== users && mentionsSender(model.reader, route)
      ? [`those of all ${users.name}, because ${describeUnlimited(route, users)}`]
      : []),
    ...(assignee ? [`only with the ${model.inference.users?.singular} in ${assignee.property}`] : []),
    ...(action === 'list' && mount.parents.some(({ members }) => members !== undefined)
      ? [`and those with the ${model.inference.users?.singular} among their members`]
      : []),
    ...(mount.view ? describeView(mount.view) : []),
    ...(mount.view && showsDeleted(mount.view) ? ['only the default data has them'] : []),
    ...(mount.tree ? [`only those at the top; the others are in ${mount.tree.children} by ${mount.tree.parent}`] : []),
    ...(marked === undefined ? [] : [`only with ${marked} for the user ${whose}`]),
    ...(followed ? [`only with ${followed.flag} of ${followed.property}`] : []),
    ...(isOfFollowed && !followed ? ['only those of users whom the user follows'] : []),
    ...(action === 'list' ? describeSources(model, resource) : []),
  ];
}

/** Names the resources with entries or objects that are, or are not, also entries of a list without a POST. */
function describeSources(model: ResourceModel, resource: Resource): readonly string[] {
  const sources = findSources(model)(resource);
  const name = ({ resource: one, property }: Source) => (property === undefined ? one.name : `${one.name}.${property}`);
  return [
    ...describe('with those of', sources.filter(({ isListed }) => isListed).map(name)),
    ...describe('lacks those of', sources.filter(({ isListed }) => !isListed).map(name)),
  ];
}
