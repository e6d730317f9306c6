import { isNode, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { type Exchange, getLocationPath, isSuccess, type ReceivedResponse } from './exchange.ts';
import type { Finding } from './findings.ts';
import { isItemPath } from './pool.ts';
import { type RequestValues, toRequest, withParameter } from './requests.ts';
import type { Rule } from './session.ts';

/** The operations that create, read, update and delete a resource. */
export interface LifeCycle {
  readonly create: Route;
  readonly read: Route;
  readonly updates: readonly Route[];
  readonly remove: Route | undefined;
}

/**
 * Returns the life cycles of the resources in an API. A life cycle needs `POST /things` and `GET /things/{id}`. The methods `PUT`, `PATCH` and
 * `DELETE` of `/things/{id}` are optional.
 */
export function findLifeCycles(routes: readonly Route[]): readonly LifeCycle[] {
  return routes
    .filter(({ method }) => method === 'POST')
    .flatMap((create) => {
      const items = routes.filter(({ path }) => isItemPath(path, create.path));
      const read = items.find(({ method }) => method === 'GET');
      const updates = items.filter(({ method }) => method === 'PUT' || method === 'PATCH');
      return read ? [{ create, read, updates, remove: items.find(({ method }) => method === 'DELETE') }] : [];
    });
}

/** Returns the operations of a life cycle. */
export function getRoutes({ create, read, updates, remove }: LifeCycle): readonly Route[] {
  return [create, read, ...updates, ...(remove ? [remove] : [])];
}

/**
 * The maximum number of resources that a check creates in a collection. It is more than one, because a defect can affect a single value of an enum.
 */
const MAX_RESOURCES = 10;

/** Checks that created resources can be read, that updates are stored, and that deleted resources can't be read. */
export async function checkLifeCycle(context: CheckContext, cycle: LifeCycle): Promise<void> {
  for (let number = 0; number < Math.min(context.runs, MAX_RESOURCES); number++) {
    await context.prepare();
    const examine = () => examineLifeCycle({ ...context, seed: context.seed + number }, cycle);
    await addConfirmed(context.session, await examine(), examine);
  }
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

/** Sends a request of a life cycle. Returns the response; undefined if there is none. */
type Send = (route: Route, values: RequestValues, rule?: Rule) => Promise<ReceivedResponse | undefined>;

async function sendLifeCycle(context: CheckContext, cycle: LifeCycle, send: Send): Promise<void> {
  const { requests, seed, note } = context;
  const { create, read, updates, remove } = cycle;
  const values = requests.createValid(create, seed);
  if (!values) return;
  const created = await send(create, values);
  // Status 202 means that the server may create the resource later.
  if (!created || ![200, 201].includes(created.status)) return;
  const id = getCreatedId(create, read, created);
  const skipped = `The life cycle of ${create.operationId} was not checked`;
  if (id === undefined)
    return note(
      `${skipped}: its ${created.status} response must contain the id of the new resource, in a Location header with the path ${read.path} or in a body property id`,
    );
  const readValues = withId(requests.createValid(read, seed), read, id);
  if (!readValues) return note(`${skipped}: no valid request to ${read.operationId} could be generated`);
  const isStored = createStoredRule(values.body, undefined, created);
  let current = await send(read, readValues, (route, exchange) => [
    ...createReadRule(isMissing, 'created resources can be read', 'created')(route, exchange),
    ...isStored(route, exchange),
  ]);
  for (const update of current && isSuccess(current) ? updates : [])
    current = await sendUpdate({ requests, seed, send }, { read, readValues, update, id, current });
  const removal = remove && withId(requests.createValid(remove, seed), remove, id);
  const removed = current && isSuccess(current) && remove && removal ? await send(remove, removal) : undefined;
  // Status 202 means that the server may delete the resource later.
  if (removed && isSuccess(removed) && removed.status !== 202)
    await send(read, readValues, createReadRule(isSuccess, 'deleted resources cannot be read', 'deleted'));
}

/** An update of a resource. `current`: the response to the last request that read the resource. */
interface Update {
  readonly read: Route;
  readonly readValues: RequestValues;
  readonly update: Route;
  readonly id: unknown;
  readonly current: ReceivedResponse | undefined;
}

/** Updates a resource and reads it. Returns the response to the last request that read it. */
async function sendUpdate(
  { requests, seed, send }: Pick<CheckContext, 'requests' | 'seed'> & { readonly send: Send },
  { read, readValues, update, id, current }: Update,
): Promise<ReceivedResponse | undefined> {
  const generated = withId(requests.createValid(update, seed + 1), update, id);
  if (!generated) return current;
  const values = { ...generated, body: replaceOwnId(generated.body, read, id) };
  const updated = await send(update, values);
  // Status 202 means that the server may update the resource later.
  if (!updated || !isSuccess(updated) || updated.status === 202) return current;
  return send(read, readValues, createStoredRule(values.body, current?.body, updated));
}

/**
 * Replaces the id of the resource in the body of an update by the id in the path, because an update must not change the id. Returns a body without an
 * id unchanged.
 */
function replaceOwnId(body: unknown, read: Route, id: unknown): unknown {
  const [name] = ['id', read.pathNames.at(-1) ?? ''].filter((one) => isNode(body) && one in body);
  return name === undefined ? body : { ...toNode(body), [name]: id };
}

/**
 * Creates a rule for the response to a read request after a resource was created or updated. `returned` is the body of the response to that change. A
 * sent property must have the value in `returned`. This value can differ from the sent value, because a server may normalize values. After an update,
 * at least one property that was sent with a new value must have changed.
 */
function createStoredRule(sent: unknown, before: unknown, { body: returned }: ReceivedResponse): Rule {
  return ({ pointer }, { response: { status, body } }) => {
    if (status !== 200 || !isNode(body) || !isNode(sent)) return [];
    const names = Object.keys(sent).filter((name) => isScalar(body[name]) && isScalar(sent[name]));
    const lost = names.find((name) => isScalar(toNode(returned)[name]) && toNode(returned)[name] !== body[name]);
    const createViolation = (message: string) => [{ rule: 'changes are stored', message, pointer }];
    if (lost !== undefined)
      return createViolation(
        `${lost} is ${JSON.stringify(body[lost])}, but the response to the change had ${JSON.stringify(toNode(returned)[lost])}`,
      );
    const changed = isNode(before) ? names.filter((name) => sent[name] !== before[name]) : [];
    const isUnchanged = changed.length > 0 && changed.every((name) => body[name] === toNode(before)[name]);
    return isUnchanged ? createViolation(`The successful update of ${changed.join(', ')} changed nothing`) : [];
  };
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/**
 * Creates a rule for responses to read requests. A response violates the rule if `isWrong` returns true. `done` is "created" or "deleted", for the
 * message.
 */
function createReadRule(isWrong: (response: ReceivedResponse) => boolean, rule: string, done: string): Rule {
  return ({ pointer }, { response }) => {
    const message = `Status ${response.status} for a resource that was ${done} before`;
    return isWrong(response) ? [{ rule, message, pointer }] : [];
  };
}

/** Returns whether a response means that the resource does not exist. */
function isMissing({ status }: ReceivedResponse): boolean {
  return status === 404 || status === 410;
}

/**
 * Returns the id of a created resource: from the `Location` header, else from the body property with the name of the path parameter, else from the
 * body property `id`. Returns undefined if the response has none of them.
 */
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
