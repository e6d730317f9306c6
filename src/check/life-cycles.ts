import { toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed, sendConfirmed } from './confirm-findings.ts';
import { type Exchange, getLocationPath, isSuccess, type ReceivedResponse } from './exchange.ts';
import type { Finding } from './findings.ts';
import { getPoolName, isItemPath, type PathValues, type Pool } from './pool.ts';
import { type RequestValues, toRequest, withParameter } from './requests.ts';
import type { Rule } from './session.ts';

/** The operations that create, read and delete a resource. */
export interface LifeCycle {
  readonly create: Route;
  readonly read: Route;
  readonly remove: Route | undefined;
}

/** Returns the life cycles in an API: operations such as `POST /things` and `GET /things/{id}`, with `DELETE /things/{id}` if it exists. */
export function findLifeCycles(routes: readonly Route[]): readonly LifeCycle[] {
  return routes
    .filter(({ method }) => method === 'POST')
    .flatMap((create) => {
      const findRoute = (method: string) =>
        routes.find((route) => route.method === method && isItemPath(route.path, create.path));
      const read = findRoute('GET');
      return read ? [{ create, read, remove: findRoute('DELETE') }] : [];
    });
}

/** Checks that a created resource can be read, and that a deleted resource can't be read. */
export async function checkLifeCycle(context: CheckContext, cycle: LifeCycle): Promise<void> {
  const examine = () => examineLifeCycle(context, cycle);
  await addConfirmed(context.session, await examine(), examine);
}

/** Sends the requests of a life cycle one after another. Returns the findings, each with all previous requests. */
async function examineLifeCycle(context: CheckContext, cycle: LifeCycle): Promise<readonly Finding[]> {
  const { session } = context;
  const before: Exchange[] = [];
  const found: Finding[] = [];
  await sendLifeCycle(context, cycle, async (route, values, rule) => {
    const { exchange, findings } = await session.send('behaviour', route, toRequest(route, values), rule);
    for (const finding of findings) found.push({ ...finding, exchanges: [...before, ...finding.exchanges] });
    if (exchange) before.push(exchange);
    return exchange?.response;
  });
  return found;
}

async function sendLifeCycle(
  { requests, seed, note }: CheckContext,
  { create, read, remove }: LifeCycle,
  send: (route: Route, values: RequestValues, rule?: Rule) => Promise<ReceivedResponse | undefined>,
): Promise<void> {
  const values = requests.createValid(create, seed);
  if (!values) return;
  const created = await send(create, values);
  // Status 202 means that the server may create the resource later.
  const isCreated = created && [200, 201].includes(created.status);
  const id = isCreated ? getCreatedId(create, read, created) : undefined;
  const one = id === undefined ? undefined : withId(requests.createValid(read, seed), read, id);
  if (!one) return note(`The resource that ${create.operationId} creates could not be read: its id is unknown`);
  const found = await send(read, one, createReadRule(isMissing, 'created resources can be read', 'created'));
  const removal = remove && withId(requests.createValid(remove, seed), remove, id);
  const removed = found && isSuccess(found) && remove && removal ? await send(remove, removal) : undefined;
  // Status 202 means that the server may delete the resource later.
  if (removed && isSuccess(removed) && removed.status !== 202)
    await send(read, one, createReadRule(isSuccess, 'deleted resources cannot be read', 'deleted'));
}

/** Creates a rule that responses violate if `isWrong` returns true for them. `done` is "created" or "deleted". */
function createReadRule(isWrong: (response: ReceivedResponse) => boolean, rule: string, done: string): Rule {
  return ({ pointer }, { response }) => {
    const message = `Status ${response.status} for a resource that was ${done} before`;
    return isWrong(response) ? [{ rule, message, pointer }] : [];
  };
}

/** Returns whether the status of a response means that the resource does not exist. */
function isMissing({ status }: ReceivedResponse): boolean {
  return status === 404 || status === 410;
}

/** Returns the id of a created resource, from the `Location` header or the body of the response; undefined if they have none. */
export function getCreatedId(create: Route, read: Route, { headers, body }: ReceivedResponse): unknown {
  const name = read.pathNames.at(-1) ?? '';
  const properties = toNode(body);
  return parseLocation(headers.location, create, read, name) ?? properties[name] ?? properties.id;
}

/** Returns a request with `id` as its last path parameter. */
function withId(values: RequestValues | undefined, route: Route, id: unknown): RequestValues | undefined {
  const parameter = route.parameters.find((one) => one.in === 'path' && one.name === route.pathNames.at(-1));
  return values && parameter ? withParameter(values, parameter, id) : undefined;
}

/** Returns the id in a `Location` header with the path of the operation `read`; undefined for any other path. */
function parseLocation(location: string | undefined, create: Route, read: Route, name: string): string | undefined {
  const path = location === undefined ? undefined : getLocationPath(location);
  if (path === undefined) return undefined;
  const start = Math.max(0, path.indexOf(create.path.split('{')[0] ?? ''));
  // `pathParameters` throws an error for invalid escapes.
  return tryOrUndefined(() => read.pathParameters(path.slice(start))[name]) || undefined;
}

/** The maximum number of attempts to create a resource. An attempt can fail if a value must be unique. */
const MAX_ATTEMPTS = 3;

/**
 * Returns a function that creates a resource in each collection that has no id in the pool. Starts with the outer collections, since a nested resource
 * needs the resource that contains it.
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

/** Returns the name in the pool of the last path parameter of an operation. */
function getItemName({ path, pathNames }: Route): string {
  return getPoolName(pathNames.at(-1) ?? '', path);
}

function toPoolValues({ path }: Route, values: PathValues): PathValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [getPoolName(name, path), value]));
}
