import { toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { type Exchange, getLocationPath, isSuccess, type ReceivedResponse } from './exchange.ts';
import type { Finding } from './findings.ts';
import { type RequestValues, toRequest, withParameter } from './requests.ts';
import type { Rule } from './session.ts';

/** The operations that create, read and delete a resource. */
export interface LifeCycle {
  readonly create: Route;
  readonly read: Route;
  readonly remove: Route | undefined;
}

/** Returns the life cycles of an API by their paths: `POST /things` and `GET /things/{id}`, with DELETE if there is one. */
export function findLifeCycles(routes: readonly Route[]): readonly LifeCycle[] {
  return routes
    .filter(({ method }) => method === 'POST')
    .flatMap((create) => {
      const itemPath = `${create.path.replace(/\/$/, '')}/{}`;
      const findRoute = (method: string) =>
        routes.find((route) => route.method === method && route.path.replace(/\{[^/{}]+\}$/, '{}') === itemPath);
      const read = findRoute('GET');
      return read ? [{ create, read, remove: findRoute('DELETE') }] : [];
    });
}

/** Checks that a created resource can be read, and that it is gone after it is deleted. */
export async function checkLifeCycle(context: CheckContext, cycle: LifeCycle): Promise<void> {
  const examine = () => examineLifeCycle(context, cycle);
  await addConfirmed(context.session, await examine(), examine);
}

/** Sends the requests of a life cycle one after the other. Returns the findings, each with all preceding requests. */
async function examineLifeCycle(context: CheckContext, cycle: LifeCycle): Promise<readonly Finding[]> {
  const { session } = context;
  const before: Exchange[] = [];
  const found: Finding[] = [];
  await follow(context, cycle, async (route, values, rule) => {
    const { exchange, findings } = await session.send('behaviour', route, toRequest(route, values), rule);
    for (const finding of findings) found.push({ ...finding, exchanges: [...before, ...finding.exchanges] });
    if (exchange) before.push(exchange);
    return exchange?.response;
  });
  return found;
}

async function follow(
  { requests, seed, note }: CheckContext,
  { create, read, remove }: LifeCycle,
  send: (route: Route, values: RequestValues, rule?: Rule) => Promise<ReceivedResponse | undefined>,
): Promise<void> {
  const values = requests.createValid(create, seed);
  if (!values) return;
  const created = await send(create, values);
  // After 202 the resource may not exist yet.
  const isCreated = created && [200, 201].includes(created.status);
  const id = isCreated ? getCreatedId(create, read, created) : undefined;
  const one = id === undefined ? undefined : withId(requests.createValid(read, seed), read, id);
  if (!one) return note(`The resource that ${create.operationId} creates could not be read: its id is unknown`);
  const found = await send(read, one, rejectStatus(isGone, 'created resources can be read', 'created'));
  const removal = remove && withId(requests.createValid(remove, seed), remove, id);
  const removed = found && isSuccess(found) && remove && removal ? await send(remove, removal) : undefined;
  // After 202 the deletion may take time.
  if (removed && isSuccess(removed) && removed.status !== 202)
    await send(read, one, rejectStatus(isSuccess, 'deleted resources are gone', 'deleted'));
}

/** Returns the rule that a resource, after something was `done` to it, is not read with some statuses. */
function rejectStatus(isWrong: (response: ReceivedResponse) => boolean, rule: string, done: string): Rule {
  return ({ pointer }, { response }) => {
    const message = `Status ${response.status} for a resource that was just ${done}`;
    return isWrong(response) ? [{ rule, message, pointer }] : [];
  };
}

/** Whether a status is that of a resource that does not exist. */
function isGone({ status }: ReceivedResponse): boolean {
  return status === 404 || status === 410;
}

/** Returns the id of a created resource, from its `Location` or its body. */
export function getCreatedId(create: Route, read: Route, { headers, body }: ReceivedResponse): unknown {
  const name = read.pathNames.at(-1) ?? '';
  const properties = toNode(body);
  return parseLocation(headers.location, create, read, name) ?? properties[name] ?? properties.id;
}

/** Returns a request for the resource with an id. */
function withId(values: RequestValues | undefined, route: Route, id: unknown): RequestValues | undefined {
  const parameter = route.parameters.find((one) => one.in === 'path' && one.name === route.pathNames.at(-1));
  return values && parameter ? withParameter(values, parameter, id) : undefined;
}

/** Returns the id in a `Location` that refers to the operation that reads a resource. */
function parseLocation(location: string | undefined, create: Route, read: Route, name: string): string | undefined {
  const path = location === undefined ? undefined : getLocationPath(location);
  if (path === undefined) return undefined;
  const start = Math.max(0, path.indexOf(create.path.split('{')[0] ?? ''));
  // Invalid escapes throw.
  return tryOrUndefined(() => read.pathParameters(path.slice(start))[name]) || undefined;
}
