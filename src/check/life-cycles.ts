import { toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { type Exchange, getLocationPath, isSuccess, type ReceivedResponse } from './exchange.ts';
import type { Finding } from './findings.ts';
import { isItemPath } from './pool.ts';
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
