import type { Route } from '../openapi/routes.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { CheckContext } from './check-context.ts';
import { sendConfirmed } from './confirm-findings.ts';
import { type Exchange, isSuccess } from './exchange.ts';
import { findLifeCycles, getCreatedId, type LifeCycle } from './life-cycles.ts';
import { getPoolName, type PathValues, type Pool } from './pool.ts';
import { toRequest } from './requests.ts';

/** The maximum number of attempts to create a resource. An attempt can fail if a value must be unique. */
const MAX_ATTEMPTS = 3;

/**
 * Returns a function that creates one resource in each collection for which the pool contains no id. The function starts with the outer collections,
 * because a request that creates a nested resource contains the id of the outer resource.
 */
export function createResourceProvider(
  context: Pick<CheckContext, 'session' | 'requests' | 'seed' | 'allowedRoutes'>,
  pool: Pool,
): () => Promise<void> {
  const cycles = findLifeCycles(context.allowedRoutes).toSorted(
    (one, other) => one.create.pathNames.length - other.create.pathNames.length,
  );
  const failed = new Set<LifeCycle>();
  let attempts = 0;

  async function createResource({ create, read }: LifeCycle): Promise<boolean> {
    const values = context.requests.createValid(create, context.seed + attempts++);
    if (!values) return false;
    const { exchange } = await sendConfirmed(context.session, 'input', create, toRequest(create, values));
    const id = exchange && isSuccess(exchange.response) ? getCreatedId(create, read, exchange.response) : undefined;
    if (id !== undefined) pool.addResource(getItemName(read), id, toPoolValues(create, values.path));
    return id !== undefined;
  }

  return async () => {
    for (const cycle of cycles) {
      const { create, read } = cycle;
      const hasParents = create.pathNames.every((name) => pool.getValues(getPoolName(name, create.path)).length > 0);
      if (failed.has(cycle) || !hasParents || pool.getValues(getItemName(read)).length > 0) continue;
      let isCreated = false;
      for (let attempt = 0; attempt < MAX_ATTEMPTS && !isCreated; attempt++) isCreated = await createResource(cycle);
      if (!isCreated) failed.add(cycle);
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

/** Returns the pool name of the last path parameter of an operation, such as `bookId`. */
function getItemName({ path, pathNames }: Route): string {
  return getPoolName(pathNames.at(-1) ?? '', path);
}

function toPoolValues({ path }: Route, values: PathValues): PathValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [getPoolName(name, path), value]));
}
