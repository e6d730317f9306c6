import { isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/names.ts';
import type { CheckContext } from './check-context.ts';
import { sendConfirmed } from './confirm-findings.ts';
import { changesPassword, isLogin } from './credentials.ts';
import { isSuccess } from './exchange.ts';
import { findId, findLists, isPathValue } from './ids.ts';
import type { Pool } from './pool.ts';
import { getCollectionName, getPathParameters, isItemPath, type PathParameter } from './pool.ts';
import { type RequestValues, toRequest, validateValues, withParameter } from './requests.ts';
import type { IdSource } from './resource-provider.ts';
import type { Session } from './session.ts';
import { INVALID_REQUEST_STATUSES, MISSING_RESOURCE_STATUSES } from './undocumented-responses.ts';
import type { RequestGenerator } from './valid-requests.ts';

/**
 * Returns the operations that returned only errors (status 400 or higher).
 * Omits operations that document only errors, and operations that received no requests.
 */
export function findFailingOperations(
  { session, allowedRoutes }: Pick<CheckContext, 'session' | 'allowedRoutes'>,
  routes: readonly Route[],
): readonly Route[] {
  return routes.filter((route) => {
    const statusCodes = session.results.getStatusCodes(route.operationId);
    const canSucceed = allowedRoutes.includes(route) && route.successStatus < 400 && statusCodes.length > 0;
    return canSucceed && statusCodes.every((status) => status >= 400);
  });
}

/**
 * Sends further requests to operations that have path parameters and returned only errors.
 * First creates the resource for the path, because an earlier request may have deleted it, and requests the path again.
 * If this fails, lists the resources, and tries each value of the first resource as its id, because the id property can
 * have any name.
 */
export async function retryFailingOperations(context: CheckContext, routes: readonly Route[]): Promise<void> {
  for (const route of findFailingOperations(context, routes).filter(({ pathNames }) => pathNames.length > 0))
    if (!(await retryWithCreated(context, route))) await retryWithListed(context, route);
  await findLostAccess(context, routes);
}

/**
 * Sends another request to each operation that succeeded, and then responded with 401.
 * A login and a change of a password also respond with 401 to the wrong password.
 * If the response is 401 again, the verdict names the operation, because its later requests were not checked.
 */
async function findLostAccess(context: CheckContext, routes: readonly Route[]): Promise<void> {
  const { session, requests, seed, allowedRoutes, prepare } = context;
  const { results } = session;
  const isChecked = (route: Route) => allowedRoutes.includes(route) && !isLogin(route) && !changesPassword(route);
  for (const route of routes.filter((one) => isChecked(one) && results.hasLostAccess(one))) {
    await prepare();
    const values = requests.createValid(route, seed);
    const { exchange } = values ? await sendConfirmed(session, 'input', route, toRequest(route, values)) : {};
    if (exchange?.response.status === 401)
      results.addUnchecked(
        `${route.operationId} (status 401 after it had succeeded: send valid credentials with --header)`,
      );
  }
}

/**
 * Creates the resource for the path of an operation, and then sends a request to the operation.
 * Returns whether the request succeeds.
 */
async function retryWithCreated(context: CheckContext, route: Route): Promise<boolean> {
  for (const creator of findCreators(context.allowedRoutes, route)) {
    await context.prepare();
    const path = await createPath(context, creator, route);
    if (path && (await sendRetry(context, route, path))) return true;
  }
  return false;
}

/** The maximum number of values of a listed resource that are tried as its id. */
const MAX_VALUES = 30;

/**
 * Lists resources.
 * Then tries each value of the first resource as the last path parameter, until a request succeeds.
 */
async function retryWithListed(context: CheckContext, route: Route): Promise<void> {
  const { session, requests, seed, allowedRoutes } = context;
  const list = allowedRoutes.find(({ method, path }) => method === 'GET' && isItemPath(route.path, path));
  const values = list && requests.createMinimal(list, seed);
  const name = route.pathNames.at(-1);
  if (!list || !values || name === undefined) return;
  const { exchange } = await sendConfirmed(session, 'input', list, toRequest(list, values));
  const [[entry = {}] = []] = exchange && isSuccess(exchange.response) ? findLists(exchange.response.body) : [];
  const all = Object.values(entry).flatMap((value) => [value, ...(isNode(value) ? Object.values(value) : [])]);
  for (const value of new Set(all.filter(isPathValue).slice(0, MAX_VALUES)))
    if (await sendRetry(context, route, { ...values.path, [name]: String(value) })) return;
}

/**
 * Returns the operations that may create the resource in the path of `route`, such as `POST /things` for
 * `GET /things/{id}`.
 * These are the PUT and POST operations of the same path, and of the path without some parameters.
 */
function findCreators(routes: readonly Route[], route: Route): readonly Route[] {
  const others = routes.filter((one) => one !== route && (one.method === 'PUT' || one.method === 'POST'));
  const isBare = ({ path }: Route) => removeParameters(path) === removeParameters(route.path);
  return others.filter(
    (one) => one.path === route.path || (one.pathNames.length < route.pathNames.length && isBare(one)),
  );
}

function removeParameters(path: string): string {
  return path.replaceAll(/\/\{[^/]*\}/g, '');
}

/**
 * Creates a resource.
 * Returns the path parameters of the resource, taken from the request or the response.
 * Returns undefined if the request fails, or if a parameter is missing.
 */
async function createPath(
  { session, requests, seed }: CheckContext,
  creator: Route,
  { path: template, pathNames }: Route,
): Promise<RequestValues['path'] | undefined> {
  const values = requests.createValid(creator, seed);
  if (!values) return undefined;
  const { exchange } = await sendConfirmed(session, 'input', creator, toRequest(creator, values));
  if (!exchange || !isSuccess(exchange.response)) return undefined;
  const { body } = exchange.response;
  const part = isItemPath(template, creator.path) ? findPart(body, getCollectionName(creator.path)) : undefined;
  const path = pathNames.map((name) => [name, values.path[name] ?? findId(name, part ?? body)?.id] as const);
  if (!path.every(([, value]) => isPathValue(value))) return undefined;
  return Object.fromEntries(path.map(([name, value]) => [name, String(value)]));
}

/**
 * Returns the last entry of the list in a response that has the name of a path: the response to `POST
 * /tasks/{id}/tags` can be the task with its `tags`.
 */
function findPart(body: unknown, segment: string): unknown {
  if (!isNode(body) || Array.isArray(body)) return undefined;
  const entries = Object.entries(body);
  const [, list] = entries.find(([name]) => normalizeName(name) === normalizeName(segment)) ?? [];
  if (Array.isArray(list)) return list.at(-1);
  return entries.map(([, inner]) => findPart(inner, segment)).find((part) => part !== undefined);
}

/** Sends a valid request with the path parameters `path`. Returns whether the request succeeds. */
async function sendRetry({ session, requests, seed }: CheckContext, route: Route, path: RequestValues['path']) {
  const values = requests.createValid(route, seed);
  if (!values) return false;
  const { exchange } = await sendConfirmed(session, 'input', route, toRequest(route, { ...values, path }));
  return exchange !== undefined && isSuccess(exchange.response);
}

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
 * They include statuses for invalid requests and undocumented methods, which a server may refuse before it looks for
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
 * Returns why the check knew no id of an existing resource for the path of an operation, such as "no operation of /pets
 * creates or lists {petId}".
 * Returns undefined if a response contained a valid id, or if the operation returned errors with another cause.
 */
export function explainUnreached(knowledge: Knowledge, route: Route): string | undefined {
  const statuses = knowledge.session.results.getStatusCodes(route.operationId);
  const isMissing = statuses.some((status) => MISSING_RESOURCE_STATUSES.includes(status));
  if (!isMissing || !statuses.every((status) => UNREACHED_STATUSES.includes(status))) return undefined;
  const inner = getPathParameters(route.path).toReversed();
  const known = inner.findIndex((place) => isKnown(knowledge, route, place));
  const outermost = (known === -1 ? inner : inner.slice(0, known)).at(-1);
  return outermost && describeUnknown(route, outermost, findSource(knowledge, outermost));
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

function describeUnknown({ path }: Route, { parameter }: PathParameter, source: IdSource | undefined): string {
  const operations = [source?.list, source?.create].flatMap((route) => (route ? [route.operationId] : []));
  const collection = path.slice(0, path.indexOf(`{${parameter}}`)).replace(/\/[^/]*$/, '') || '/';
  return operations.length === 0
    ? `no operation of ${collection} creates or lists {${parameter}}`
    : `no response of ${operations.join(' or ')} has a valid {${parameter}}`;
}
