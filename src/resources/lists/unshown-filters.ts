import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { listUnshown } from '../entries/nested-names.ts';
import type { Plan } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import type { ListFilter } from './list-filters.ts';
import type { ListParameters } from './list-query.ts';

/**
 * Returns how the query parameters of a list operation filter, sort and page. One with the name of a property that
 * requests have and no response shows, such as the `email` of a booking, filters by the stored value.
 */
export const getAllListParameters = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((plan: Plan): ListParameters => {
    const parameters = model.getListParameters(plan);
    const filters = findUnshownFilters(model, plan, parameters.ignored);
    if (filters.size === 0) return parameters;
    return {
      ...parameters,
      filters: new Map([...parameters.filters, ...filters]),
      ignored: parameters.ignored.filter((name) => !filters.has(name)),
    };
  }),
);

function findUnshownFilters(
  model: ResourceModel,
  { resource }: Plan,
  parameters: readonly string[],
): ReadonlyMap<string, ListFilter> {
  const { inference, reader } = model;
  const plans = parameters.length === 0 ? [] : [...inference.plans.values()].filter((one) => one.resource === resource);
  const sent = plans.flatMap((plan) => {
    const request = reader.getRequestInner(plan.route, plan.requestPath);
    const properties = request === undefined ? undefined : reader.getProperties(request);
    return listUnshown(model, plan).filter((name) => reader.isScalar(properties?.get(name) ?? ''));
  });
  return new Map(
    parameters.flatMap((parameter) => {
      const property = sent.find((name) => normalizeName(name) === normalizeName(parameter));
      return property === undefined ? [] : [[parameter, { property, comparison: 'equal' }] as const];
    }),
  );
}
