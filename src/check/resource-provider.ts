import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/normalize-name.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { CheckContext } from './check-context.ts';
import { sendConfirmed } from './confirm-findings.ts';
import { type Exchange, isSuccess } from './exchange.ts';
import { findListedIds } from './ids.ts';
import { getCreatedId } from './life-cycles.ts';
import { getPoolName, isItemPath, type PathValues, type Pool } from './pool.ts';
import { type RequestValues, toRequest } from './requests.ts';

/** The maximum number of attempts to create a resource. An attempt can fail if a value must be unique. */
const MAX_ATTEMPTS = 3;

/** The maximum number of listed resources whose ids are stored. */
const MAX_LISTED = 20;

/** The operations whose requests or responses have the ids for a path such as `/things/{id}`. */
interface Source {
  /** The name of the path parameter `id`, and its name in the pool. */
  readonly parameter: string;
  readonly poolName: string;
  /** The parameters before it. */
  readonly parents: readonly string[];
  readonly item: Route;
  readonly list: Route | undefined;
  readonly create: Route | undefined;
  /** `PUT /things/{id}`. */
  readonly put: Route | undefined;
}

/** Returns the sources of ids, those of the outer resources first. */
function findSources(routes: readonly Route[]): readonly Source[] {
  const paths = [...new Set(routes.map(({ path }) => path))].filter((path) => path.endsWith('}'));
  const sources = paths.flatMap((path) => {
    const [item, ...others] = routes.filter((route) => route.path === path);
    const parameter = item?.pathNames.at(-1);
    if (!item || parameter === undefined) return [];
    const find = (method: string) => routes.find((one) => one.method === method && isItemPath(path, one.path));
    const put = [item, ...others].find(({ method }) => method === 'PUT');
    const parents = item.pathNames.slice(0, -1);
    const poolName = getPoolName(parameter, path);
    return [{ parameter, poolName, parents, item, list: find('GET'), create: find('POST'), put }];
  });
  return sources.toSorted((one, other) => one.parents.length - other.parents.length);
}

/**
 * Returns a function that finds the id of a resource for each path parameter without one: it lists the resources, or creates one. The function starts with the
 * outer collections, because a request for a nested resource contains the id of the outer resource.
 */
export function createResourceProvider(
  context: Pick<CheckContext, 'session' | 'requests' | 'seed' | 'allowedRoutes'>,
  pool: Pool,
): () => Promise<void> {
  const { session, requests, seed, allowedRoutes } = context;
  const sources = findSources(allowedRoutes);
  const failed = new Set<Source>();
  let attempts = 0;

  /** Sends a request. Returns its path parameters and its response, if it succeeds. */
  async function send(route: Route, values: RequestValues | undefined) {
    if (!values) return undefined;
    const { exchange } = await sendConfirmed(session, 'input', route, toRequest(route, values));
    const isFound = exchange && isSuccess(exchange.response);
    return isFound ? { path: values.path, response: exchange.response } : undefined;
  }

  async function findListed({ list, parameter, item, poolName }: Source): Promise<void> {
    const found = list && (await send(list, requests.createMinimal(list, seed)));
    for (const id of findListedIds(parameter, found?.response.body, MAX_LISTED))
      pool.addResource(poolName, id, toPoolValues(item, found?.path ?? {}));
  }

  async function createResource({ create, put, parameter, item, poolName }: Source): Promise<void> {
    const route = create ?? put;
    const made = route && (await send(route, requests.createValid(route, seed + attempts++)));
    if (!made) return;
    const id = create ? getCreatedId(create, item, made.response) : made.path[parameter];
    const { [parameter]: _, ...parents } = made.path;
    if (id !== undefined) pool.addResource(poolName, id, toPoolValues(item, create ? made.path : parents));
  }

  return async () => {
    for (const source of sources) {
      const { parents, poolName, item } = source;
      const hasParents = parents.every((name) => {
        const parent = getPoolName(name, item.path);
        // No operation returns the ids of some parents, so any value may be valid.
        return (
          pool.getValues(parent).length > 0 ||
          !sources.some((other) => normalizeName(other.poolName) === normalizeName(parent))
        );
      });
      if (failed.has(source) || !hasParents || pool.hasResource(poolName)) continue;
      await findListed(source);
      for (let attempt = 0; attempt < MAX_ATTEMPTS && !pool.hasResource(poolName); attempt++)
        await createResource(source);
      if (!pool.hasResource(poolName)) failed.add(source);
    }
  };
}

/** Removes the id of a resource from the pool if the exchange is a successful DELETE request. */
export function removeDeletedId(pool: Pool, { path, pathNames, pathParameters }: Route, exchange: Exchange): void {
  const { request, response } = exchange;
  const name = pathNames.at(-1);
  if (request.method !== 'DELETE' || !isSuccess(response) || name === undefined) return;
  // `pathParameters` throws an error for invalid escapes.
  const id = tryOrUndefined(() => pathParameters(request.target.split('?')[0] ?? '')[name]);
  if (id !== undefined) pool.removeId(getPoolName(name, path), id);
}

function toPoolValues({ path }: Route, values: PathValues): PathValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [getPoolName(name, path), value]));
}
