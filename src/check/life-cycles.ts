import type { Contract } from '../openapi/contract.ts';
import { isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { SAFE_METHODS } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { sendAccepted } from './accepted-requests.ts';
import { findActions, returnsSame } from './actions.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed, distribute, getConcurrency, isTimeOver, MAX_REPETITIONS } from './confirm-findings.ts';
import {
  type Exchange,
  getLocationPath,
  isClientError,
  isMocked,
  isSuccess,
  type ReceivedResponse,
} from './exchange.ts';
import type { Finding } from './findings.ts';
import { findId } from './ids.ts';
import { createReadRule, createStoredRule, getEntry, isMarkedDeleted, isMissing, unwrap } from './life-cycle-rules.ts';
import { ListedResource } from './listed-resource.ts';
import { isCollectionElsewhere, isItemPath } from './pool.ts';
import { type RequestValues, toRequest, validateValues } from './requests.ts';
import { RULES } from './rules.ts';
import type { Rule, Session } from './session.ts';
import { findPath, StoredValues } from './stored-values.ts';
import { createReturnTest, type Recorder, ResourceUpdates, type Send, withId } from './updates.ts';

/** The operations that create, list, read, update and delete the resources of one collection. */
export interface LifeCycle {
  readonly create: Route;
  readonly list: Route | undefined;
  readonly read: Route;
  readonly updates: readonly Route[];
  readonly remove: Route | undefined;
}

/**
 * Groups the operations that create, list, read, update and delete the same resources.
 * A group needs the operations `POST /things` and `GET /things/{id}`.
 * It can also have `GET /things`, and the methods `PUT`, `PATCH` and `DELETE` of `/things/{id}`.
 * The collection can be below other resources: `POST /boxes/{boxId}/things`.
 * With a `contract`, it must then have the same schema as `GET /things/{id}`.
 * Ignores operations that document only errors.
 */
export function findLifeCycles(allRoutes: readonly Route[], contract?: Contract): readonly LifeCycle[] {
  const routes = allRoutes.filter(({ successStatus }) => successStatus < 400);
  const creating = routes.filter(({ method }) => method === 'POST');
  return creating.flatMap((create) => {
    const own = routes.filter(({ path }) => isItemPath(path, create.path));
    const items = own.length > 0 ? own : findItemsElsewhere(routes, create, contract);
    const read = items.find(({ method }) => method === 'GET');
    const updates = items.filter(({ method }) => method === 'PUT' || method === 'PATCH');
    const list = routes.find(({ method, path }) => method === 'GET' && path === create.path);
    return read ? [{ create, list, read, updates, remove: items.find(({ method }) => method === 'DELETE') }] : [];
  });
}

/**
 * Groups the operations of resources that `PUT /things/{key}` creates with a key that the client chooses, as its
 * documented status 201 shows, and no `POST /things`.
 */
export function findKeyedCycles(allRoutes: readonly Route[]): readonly LifeCycle[] {
  const routes = allRoutes.filter(({ successStatus }) => successStatus < 400);
  const creating = routes.filter(({ method, responses }) => method === 'PUT' && responses.some(isCreated));
  return creating.flatMap((create) => {
    const items = routes.filter(({ path }) => path === create.path);
    const read = items.find(({ method }) => method === 'GET');
    const others = routes.filter(({ path }) => isItemPath(create.path, path));
    if (!read || others.some(({ method }) => method === 'POST')) return [];
    const updates = items.filter(({ method }) => method === 'PUT' || method === 'PATCH');
    const [list, remove] = [others.find(isGet), items.find(({ method }) => method === 'DELETE')];
    return [{ create, list, read, updates, remove }];
  });
}

const isCreated = ({ name }: { readonly name: string }) => name === '201';
const isGet = ({ method }: Route) => method === 'GET';

/**
 * Returns the operations of the items of a collection that is below other resources.
 * Returns none if the items have a collection of their own, or if a created item has another schema.
 */
function findItemsElsewhere(routes: readonly Route[], create: Route, contract?: Contract): readonly Route[] {
  const read = routes.find(({ method, path }) => method === 'GET' && isCollectionElsewhere(create.path, path));
  if (!read || routes.some(({ method, path }) => method === 'POST' && isItemPath(read.path, path))) return [];
  return !contract || returnsSame(contract, create, read) ? routes.filter(({ path }) => path === read.path) : [];
}

/** Returns the operations of a life cycle. */
export function getRoutes({ create, list, read, updates, remove }: LifeCycle): readonly Route[] {
  return [create, ...(list ? [list] : []), read, ...updates, ...(remove ? [remove] : [])];
}

/** A life cycle. `focus`: the only change of a created resource; undefined for all changes. */
interface FocusedLifeCycle extends LifeCycle {
  readonly focus: Route | undefined;
}

/**
 * The maximum number of resources that a check creates in a collection.
 * It is more than one, because a defect can affect only one value of an enum.
 */
const MAX_RESOURCES = 10;

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 1_009;

/** What the check learns from all life cycles of a collection. */
interface Progress {
  readonly stored: StoredValues;
  /** The statuses that each operation returned. */
  readonly statuses: Map<Route, ReceivedResponse[]>;
}

/**
 * Checks that created resources are listed and can be read, that updates are stored, and that deleted resources are not
 * listed and can't be read.
 * The verdict names the operations that refused all requests, because then the rest of the life cycle was not checked.
 */
export async function checkLifeCycle(context: CheckContext, cycle: LifeCycle): Promise<void> {
  const { session, runs, prepare } = context;
  const progress: Progress = { stored: new StoredValues(session.contract), statuses: new Map() };
  const examineResource = async (number: number) => {
    if (number > 0 && isTimeOver(session)) return;
    await prepare();
    // The first repetition sends the same values. Later ones send others, because the server may require unique values.
    const examine = (attempt: number, focus?: Route) => {
      const seed = context.seed + number + Math.max(0, attempt - 1) * SEED_STEP;
      return examineLifeCycle({ ...context, seed }, { ...cycle, focus }, progress);
    };
    for (const [change, findings] of groupByChange(session, await examine(0))) {
      let attempt = 0;
      // The repetitions send only the change that the findings are about, so that the report has fewer requests.
      const repeat = () => examine(++attempt, attempt < MAX_REPETITIONS ? change : undefined);
      await addConfirmed(session, findings, repeat);
    }
  };
  const [first = 0, ...others] = Array.from({ length: Math.min(runs, MAX_RESOURCES) }, (_, number) => number);
  await examineResource(first);
  await distribute(others, Array.from({ length: getConcurrency(session) }), examineResource);
  addStoredFindings(session, progress.stored);
  const actions = findActions(context, cycle.read);
  for (const [route, responses] of progress.statuses) {
    if (responses.some((response) => isSuccess(response) || isMissing(response))) continue;
    // An action that none of these statuses allows is tried in others.
    if (actions.includes(route)) continue;
    // A server can accept only some keys.
    if (route === cycle.create && isKeyed(cycle)) continue;
    const statuses = [...new Set(responses.map(({ status }) => status))].join(', ');
    session.results.addUnchecked(
      `life cycle of ${cycle.create.operationId} (${route.operationId} responded with ${statuses})`,
    );
  }
}

/** Groups findings by the operation of the last request that can have changed something. */
function groupByChange({ sentTo }: Session, findings: readonly Finding[]): ReadonlyMap<Route | undefined, Finding[]> {
  const groups = new Map<Route | undefined, Finding[]>();
  for (const finding of findings) {
    const last = finding.exchanges.findLast(({ request: { method } }) => !SAFE_METHODS.includes(method));
    const change = last && sentTo.get(last.request);
    groups.set(change, [...(groups.get(change) ?? []), finding]);
  }
  return groups;
}

/**
 * Adds the findings about values that are never stored.
 * Omits those about an update if there already is a finding that it changes nothing.
 */
function addStoredFindings({ results }: Session, stored: StoredValues): void {
  for (const finding of stored.createFindings()) {
    const isKnown = results.has({ ...finding, title: RULES['stored-change'].title });
    const isOfUpdate = finding.exchanges.length > 2 && finding.exchanges.at(-2)?.request.method !== 'POST';
    if (!(isKnown && isOfUpdate)) results.add(finding);
  }
}

/**
 * Creates, lists, reads, updates and deletes a resource.
 * Returns the findings.
 * Each finding contains the requests that were sent before it.
 */
async function examineLifeCycle(
  context: CheckContext,
  cycle: FocusedLifeCycle,
  { stored, statuses }: Progress,
): Promise<readonly Finding[]> {
  const { session } = context;
  const before: Exchange[] = [];
  const found: Finding[] = [];
  const send: Send = async (route, values, rule) => {
    const ownRule: Rule = (one, received) => (isMocked(received.response) ? [] : (rule?.(one, received) ?? []));
    const { exchange, findings } = await session.send('behaviour', route, toRequest(route, values), ownRule);
    for (const finding of findings) found.push({ ...finding, exchanges: [...before, ...finding.exchanges] });
    if (exchange && isMocked(exchange.response)) {
      session.mocked.add(route.operationId);
      return undefined;
    }
    // A refused request changes nothing, so it is no step to reproduce a finding.
    if (exchange && route !== cycle.list && !isClientError(exchange.response)) before.push(exchange);
    if (exchange) statuses.set(route, [...(statuses.get(route) ?? []), exchange.response]);
    return exchange?.response;
  };
  await sendLifeCycle(context, cycle, {
    send,
    record(route, sent, previous, { body }) {
      const { read } = cycle;
      session.results.coverage.countRule('stored-value', route);
      const entry = getEntry(read, body);
      const inner = unwrap(sent, entry);
      stored.add({
        route,
        read,
        sent: isNode(inner.attributes) && !Object.hasOwn(entry, 'attributes') ? inner.attributes : inner,
        before: previous && getEntry(read, previous.body),
        entry,
        entryPath: findPath(body, entry) ?? [],
        exchanges: [...before],
      });
    },
  });
  return found;
}

async function sendLifeCycle(context: CheckContext, cycle: FocusedLifeCycle, recorder: Recorder): Promise<void> {
  const { session, requests, seed, note } = context;
  const { create, read, updates, remove, focus } = cycle;
  const { send } = recorder;
  const { coverage } = session.results;
  coverage.countSequence(create);
  const accepted = await sendAccepted(context, create, (one) => send(create, one));
  // Status 202 means that the server may create the resource later.
  if (!accepted || ![200, 201].includes(accepted.response.status)) return;
  const { values, response: created } = accepted;
  const id = getCreatedId(cycle, values, created);
  const skipped = `The life cycle of ${create.operationId} was not checked`;
  const response = `the ${created.status} response of ${create.operationId}`;
  if (id === undefined)
    return note(
      `${skipped}: ${response} must contain the id of the new resource, in a Location header with the path ${read.path}, or in the body property "id"`,
    );
  const createValues = (route: Route) => withId(requests.createValid(route, seed), route, id, values.path);
  // Optional parameters can select properties of the resource.
  const readValues = withId(requests.createMinimal(read, seed), read, id, values.path);
  if (!readValues) return note(`${skipped}: no valid request to ${read.operationId} could be generated`);
  if (validateValues(session.contract, read, readValues).kind !== 'call')
    return note(`${skipped}: the id in ${response} is not valid in the path of ${read.operationId}`);
  const current = await send(read, readValues, createCreatedRule(session, cycle, values, created));
  if (current) coverage.countRule('created-readable', create);
  if (!current || !isSuccess(current)) return;
  coverage.countRule('stored-change', create);
  recorder.record(create, values.body, undefined, current);
  const listed = new ListedResource(context, cycle, { send, id, path: values.path, shown: current.body });
  await listed.checkListed();
  const changes = new ResourceUpdates(context, recorder, { read, readValues, id, path: values.path, current });
  const isSent = (change: Route) => focus === undefined || focus === change;
  for (const update of updates.filter(isSent)) await changes.update(update);
  for (const action of getActions(context, cycle).filter(isSent)) await changes.act(action);
  const last = changes.current;
  if (!last || !isSuccess(last)) return;
  await listed.checkCurrent(getEntry(read, current.body), getEntry(read, last.body));
  const removal = remove && isSent(remove) && createValues(remove);
  if (removal) await changes.sendWithOldVersion(remove, removal);
  const removed = removal && (await send(remove, removal));
  // Status 202 means that the server may delete the resource later.
  if (!removed || !isSuccess(removed) || removed.status === 202) return;
  const known = { sent: values.body, created: current.body, before: last.body };
  const isMarked = ({ body: after }: ReceivedResponse) =>
    isMarkedDeleted(session.contract, { read, remove }, { ...known, after });
  const isReadable = (one: ReceivedResponse) => isSuccess(one) && !isMarked(one);
  const deleted = `the resource that ${remove.operationId} deleted: respond with 404`;
  const after = await send(read, readValues, createReadRule(isReadable, 'deleted-readable', deleted));
  if (after) coverage.countRule('deleted-readable', remove);
  if (after && isMissing(after)) await listed.checkMissing();
}

/**
 * Returns the actions of a life cycle.
 * Every second life cycle has none, because they can prevent the deletion.
 * In the others, another action comes first each time, because an action can prevent the next one.
 */
function getActions(context: CheckContext, { read, focus }: FocusedLifeCycle): readonly Route[] {
  const { seed } = context;
  if (focus === undefined && seed % 2 !== 0) return [];
  const actions = findActions(context, read);
  const start = Math.floor(seed / 2) % Math.max(1, actions.length);
  return [...actions.slice(start), ...actions.slice(0, start)];
}

/** Returns whether clients choose the keys of resources: `PUT /things/{key}` creates them. */
export function isKeyed({ create }: Pick<LifeCycle, 'create'>): boolean {
  return create.method === 'PUT';
}

/** Returns the path parameters of a collection: those of a request that creates a resource, without its own key. */
export function getCollectionPath(cycle: LifeCycle, { path }: Pick<RequestValues, 'path'>): RequestValues['path'] {
  const key = isKeyed(cycle) ? cycle.read.pathNames.at(-1) : undefined;
  return Object.fromEntries(Object.entries(path).filter(([name]) => name !== key));
}

/**
 * Returns the id of a created resource: its key if the client has chosen it, else that in the `Location` header or in
 * the body.
 * Returns undefined if neither contains an id.
 */
export function getCreatedId(
  { create, read }: Pick<LifeCycle, 'create' | 'read'>,
  { path }: Pick<RequestValues, 'path'>,
  { headers, body }: ReceivedResponse,
): unknown {
  const name = read.pathNames.at(-1) ?? '';
  if (isKeyed({ create })) return path[name];
  return parseLocation(headers.location, create, read, name) ?? findId(name, body)?.id;
}

/** Creates a rule for the first read of a new resource: it exists, and has the values of the response to `create`. */
function createCreatedRule(
  session: Session,
  cycle: LifeCycle,
  { body: sent }: RequestValues,
  created: ReceivedResponse,
): Rule {
  const { create, read } = cycle;
  const canReturn = createReturnTest(session, create, created);
  const change = { route: create, read, sent, before: undefined, returned: created.body, canReturn };
  const exists = createReadRule(isMissing, 'created-readable', describeCreated(cycle, created));
  const isStored = createStoredRule(change);
  return (...received) => [...exists(...received), ...isStored(...received)];
}

/** Describes a created resource, with the place of its id if the response has two different ids. */
function describeCreated({ create, read }: LifeCycle, { headers, body }: ReceivedResponse): string {
  const name = read.pathNames.at(-1) ?? '';
  const located = parseLocation(headers.location, create, read, name);
  const shown = findId(name, body)?.id;
  const isOther = located !== undefined && shown !== undefined && String(shown) !== located;
  const ids = isOther
    ? ` (its Location header has the id ${JSON.stringify(located)}, but its body has the id ${JSON.stringify(shown)})`
    : '';
  return `the resource that ${create.operationId} created${ids}`;
}

/**
 * Returns the id in a `Location` header, such as `7` in `/things/7`.
 * Returns undefined if the header does not match the path of the operation `read`.
 */
function parseLocation(location: string | undefined, create: Route, read: Route, name: string): string | undefined {
  const path = location === undefined ? undefined : getLocationPath(location);
  if (path === undefined) return undefined;
  const start = Math.max(0, path.indexOf(create.path.split('{')[0] ?? ''));
  // `pathParameters` throws an error for invalid escapes.
  return tryOrUndefined(() => read.pathParameters(path.slice(start))[name]) || undefined;
}
