import type { Route } from '../openapi/routes.ts';
import { getPathParameters, type PathParameter } from './path-parameters.ts';
import type { Pool } from './pool.ts';
import { validateValues, withParameter } from './requests.ts';
import type { IdSource } from './resource-provider.ts';
import type { Session } from './session.ts';
import { INVALID_REQUEST_STATUSES, MISSING_RESOURCE_STATUSES } from './undocumented-responses.ts';
import type { RequestGenerator } from './valid-requests.ts';

/**
 * What the check knows about the resources of an API: the values in responses (`pool`), and the operations that return
 * or set ids (`sources`).
 */
interface Knowledge {
  readonly session: Session;
  readonly requests: RequestGenerator;
  readonly seed: number;
  readonly pool: Pool;
  readonly sources: readonly IdSource[];
}

/**
 * The statuses that an operation can return if the resource in its path does not exist.
 * They include statuses for invalid requests and undocumented methods, which a server may reject before it looks for
 * the resource.
 */
const UNREACHED_STATUSES: readonly number[] = [
  ...MISSING_RESOURCE_STATUSES,
  ...INVALID_REQUEST_STATUSES,
  405,
  406,
  411,
  413,
  414,
  415,
  417,
  431,
];

/**
 * Returns why the check knew no id of an existing resource for the path of an operation, such as "no operation creates
 * or lists {petId}".
 * Returns undefined if a response contained a valid id, or if the operation returned errors with another cause.
 */
export function explainUnreached(knowledge: Knowledge, route: Route): string | undefined {
  const statuses = knowledge.session.results.getStatusCodes(route.operationId);
  const isMissing = statuses.some((status) => MISSING_RESOURCE_STATUSES.includes(status));
  if (!isMissing || !statuses.every((status) => UNREACHED_STATUSES.includes(status))) return undefined;
  const inner = getPathParameters(route.path).toReversed();
  const known = inner.findIndex((place) => isKnown(knowledge, route, place));
  const outermost = (known === -1 ? inner : inner.slice(0, known)).at(-1);
  return outermost && describeUnknown(outermost, findSource(knowledge, outermost));
}

function findSource({ sources }: Knowledge, { path }: PathParameter): IdSource | undefined {
  return sources.find(({ place, list, create }) => place.path === path && (list ?? create) !== undefined);
}

/**
 * Returns whether a response contained a valid id for a path parameter.
 * Ids from other paths count only if no operation lists or creates the resources of this path.
 */
function isKnown(knowledge: Knowledge, route: Route, place: PathParameter): boolean {
  const { session, requests, seed, pool } = knowledge;
  const all = pool.getAddedResources(place.poolName);
  const known = findSource(knowledge, place) ? all.filter(({ path }) => path === place.path) : all;
  const base = requests.createPath(route, seed);
  const parameter = route.parameters.find((one) => one.in === 'path' && one.name === place.parameter);
  return known.some(({ id }) => {
    const values = parameter ? withParameter(base, parameter, id) : base;
    const result = values && validateValues(session.contract, route, values);
    if (result?.kind !== 'violations') return result !== undefined;
    return !result.violations.some((one) => one.in === 'path' && one.pointer.split('/')[1] === place.parameter);
  });
}

function describeUnknown({ parameter }: PathParameter, source: IdSource | undefined): string {
  const operations = [source?.list, source?.create].flatMap((route) => (route ? [route.operationId] : []));
  return operations.length === 0
    ? `no operation creates or lists {${parameter}}`
    : `no response of ${operations.join(' or ')} has a valid {${parameter}}`;
}
