import { addArticle, getLastSegment, getParameterName } from './names.ts';
import type { Action, Plan, Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';

const VERBS: Readonly<Record<Action, string>> = {
  list: 'lists',
  create: 'creates',
  read: 'reads',
  replace: 'replaces',
  replaceById: 'replaces',
  update: 'updates',
  delete: 'deletes',
  clear: 'deletes all',
};

/** Explains what the handler of an operation does: `lists pets of /owners/{ownerId} (filters: status; ignores: q)`. */
export function explainPlan(model: ResourceModel, plan: Plan): string {
  const { action, resource, mount, route } = plan;
  const isMany = action === 'list' || action === 'clear';
  const target = isMany ? resource.name : nameEntry(resource);
  const parent = mount.parents.at(-1);
  const below = parent ? ` of ${parent.path}` : '';
  const details = [
    ...(action === 'list' ? describeList(model, plan) : []),
    ...(resource.canCreate || resource.kind === 'singleton' ? [] : ['starts with examples or generated entries']),
    ...(getParameterName(getLastSegment(route.path)) !== undefined && action === 'read' ? [describeId(plan)] : []),
  ];
  return `${getVerb(plan)} ${target}${below}${details.length > 0 ? ` (${details.join('; ')})` : ''}`;
}

function getVerb({ action, resource, route }: Plan): string {
  // PUT without a body adds a member to a parent.
  if (action === 'replace' && resource.kind === 'collection' && Object.keys(route.bodyMedia).length === 0)
    return 'adds';
  return VERBS[action === 'replaceById' && route.method === 'PATCH' ? 'update' : action];
}

function describeId({ mount: { id } }: Plan): string {
  return id.property === undefined ? 'the id is only in the path' : `id: ${id.property}`;
}

function describeList(model: ResourceModel, plan: Plan): readonly string[] {
  const { filters, byMeaning, ignored } = model.getListParameters(plan);
  const { sort, order: _order, ...paging } = byMeaning;
  const describe = (label: string, names: readonly string[]) =>
    names.length > 0 ? [`${label}: ${names.join(', ')}`] : [];
  return [
    ...describe('filters', [...filters.keys()]),
    ...describe('sorts by', sort === undefined ? [] : [sort]),
    ...describe('pages by', Object.values(paging)),
    ...describe('ignores', ignored),
  ];
}

/** Returns the name of an entry with its article: `a pet`, `an order`; without one for a singleton such as `settings`. */
function nameEntry({ kind, singular }: Resource): string {
  return kind === 'singleton' ? singular : addArticle(singular);
}
