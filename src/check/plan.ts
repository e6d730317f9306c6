import { isJsonType } from '../openapi/media-types.ts';
import type { Route } from '../openapi/routes.ts';
import { requiresCredentials } from '../openapi/security.ts';
import { joinList } from '../util/text.ts';
import type { CheckContext } from './check-context.ts';
import type { CheckOptions } from './check-options.ts';
import { createCollectionParts, createLifeCyclePart, toIds } from './collection-parts.ts';
import { sendIfAvailable } from './confirm-findings.ts';
import { isLogout } from './credentials.ts';
import { checkConditionalRequests } from './etag-rules.ts';
import { isSuccess } from './exchange.ts';
import { explainUnreached, findFailingOperations, retryFailingOperations } from './failing-operations.ts';
import { checkHostileInput, checkNestedInput } from './hostile-input.ts';
import { checkCoreInput, checkInput } from './input.ts';
import { checkKeptConnection } from './kept-connections.ts';
import { LateList } from './late-lists.ts';
import { getListDelayMs } from './life-cycle-rules.ts';
import { findKeyedCycles, findLifeCycles, getRoutes, type LifeCycle } from './life-cycles.ts';
import { checkLinks } from './links.ts';
import { checkMethods } from './methods.ts';
import { Pool } from './pool.ts';
import { findCompleteRefusal } from './refusals.ts';
import { retryAsRegistered } from './registered-users.ts';
import { getBodyType, toRequest } from './requests.ts';
import { findIdSources, ResourceProvider, removeDeletedId } from './resource-provider.ts';
import { type CheckPart, type Worker, withOwnKeys } from './run-parts.ts';
import { getAllowedRoutes, isWriteOperation, MAX_LISTED_OPERATIONS, sortByRisk } from './selection.ts';
import type { Session } from './session.ts';
import { findWorkingRequest } from './single-edits.ts';
import { REFUSAL_STATUSES } from './undocumented-responses.ts';
import { checkCredentials } from './unprotected-operations.ts';
import { createRequestGenerator } from './valid-requests.ts';
/** Creates a worker, which runs parts of the check. The checks add sentences for the report to `notes`. */
export async function createWorker(session: Session, options: CheckOptions, notes: string[]): Promise<Worker> {
  const { contract, seed, runs, mayWrite, isFresh } = options;
  const pool = new Pool();
  const basics = {
    session,
    fc: await import('fast-check'),
    requests: createRequestGenerator(contract, pool, options.getSettings),
    seed,
    runs,
    mayWrite,
    allowedRoutes: getAllowedRoutes(options),
    note: (message: string) => void (notes.includes(message) || notes.push(message)),
  };
  const model = await options.model?.open(basics, pool, isFresh);
  if (model) return { ...basics, prepare: () => model.prepare(), model, explainUnreached: () => undefined };
  session.onResponse = (route, exchange) => removeDeletedId(pool, route, exchange);
  await collectIds(basics, pool);
  const sources = findIdSources(basics.allowedRoutes);
  const provider = new ResourceProvider(basics, sources, pool);
  return {
    ...basics,
    prepare: () => provider.prepare(),
    model,
    explainUnreached: (route) => explainUnreached({ ...basics, pool, sources }, route),
  };
}

/**
 * The checks that run for each operation.
 * The key is the first part of the progress message, as in `input of getItem`.
 */
const OPERATION_CHECKS = { input: checkInput, links: checkLinks };

/**
 * The checks that run for each operation at the end, because a server can store their input, and then fail for other
 * requests.
 * The worst comes last.
 */
const LAST_OPERATION_CHECKS = { 'hostile input': checkHostileInput, 'nested input': checkNestedInput };

/**
 * A contract with more operations is checked in breadth first: all operations get a few requests before one gets many.
 */
const MAX_DEPTH_FIRST = 100;

/**
 * Returns the parts of `storefront check` for the operations `routes`, in groups.
 * The parts of a group can run in any order, one group after another.
 * For a large contract, the first group has a short part for each operation.
 * The operations of a large contract are in the order of risk.
 * Without a behaviour model, the other parts are optional.
 */
export function createParts(worker: Worker, routes: readonly Route[]): readonly (readonly CheckPart[])[] {
  const isLarge = routes.length > MAX_DEPTH_FIRST;
  const ordered = isLarge ? sortByRisk(worker.session.contract, routes) : routes;
  const groups = createGroups(worker, ordered).filter((group) => group.length > 0);
  if (worker.model) return groups;
  const optional = groups.map((group) => group.map((part) => ({ ...part, isOptional: true })));
  if (!isLarge) return optional;
  const first = getAllowed(worker, ordered).filter((route) => !isLogout(route));
  return [createOperationParts({ 'first input': checkCoreInput }, first), ...optional];
}

/** Returns the operations that the check may request, deletions last. */
function getAllowed({ allowedRoutes, model }: Worker, routes: readonly Route[]): readonly Route[] {
  return (model ? routes : moveDeletionsToEnd(routes)).filter((route) => allowedRoutes.includes(route));
}

function createGroups(worker: Worker, routes: readonly Route[]): readonly (readonly CheckPart[])[] {
  const { allowedRoutes, model } = worker;
  const isChecked = (cycle: LifeCycle) => getRoutes(cycle).some((route) => routes.includes(route));
  const all = model
    ? []
    : [...findLifeCycles(allowedRoutes, worker.session.contract), ...findKeyedCycles(allowedRoutes)];
  const cycles = all.filter(isChecked);
  const isLate = (list: Route) => getListDelayMs(worker.session.contract, list) > 0;
  const lateLists = cycles.flatMap(({ list, ...cycle }) =>
    list && routes.includes(list) && isLate(list) ? [new LateList({ ...cycle, list })] : [],
  );
  const permitted = getAllowed(worker, routes);
  // After a logout, the server refuses the credentials of all other requests.
  const logouts = model ? [] : permitted.filter(isLogout);
  const allowed = permitted.filter((route) => !logouts.includes(route));
  return [
    // A connection that cannot be used makes the other checks fail.
    createConnectionParts(worker, routes),
    [
      // The life cycles come first, because the requests of the other checks can reach a quota.
      ...lateLists.map((late) => ({
        name: `resources for the late list ${late.cycle.list.operationId}`,
        operationIds: [late.cycle.create.operationId],
        isAlone: true,
        check: (worker: Worker) => late.start(withOwnKeys(worker, late.cycle)),
      })),
      ...cycles.map(createLifeCyclePart),
    ],
    cycles.flatMap((cycle) => createCollectionParts(worker, cycle, routes)),
    lateLists.map((late) => ({
      name: `late list ${late.cycle.list.operationId}`,
      operationIds: [late.cycle.list.operationId],
      isAlone: true,
      check: () => late.finish(),
    })),
    (model?.parts ?? []).flatMap((part) => (part.isOptional ? [] : { ...part, operationIds: toIds(routes) })),
    createOperationParts(
      OPERATION_CHECKS,
      allowed.filter((route) => !isDeletion(route)),
    ),
    // A deletion can delete all users.
    [createLoginPart(routes)],
    [
      ...createOperationParts(OPERATION_CHECKS, allowed.filter(isDeletion)),
      ...createPathParts(routes),
      ...(model?.parts ?? []).flatMap((part) => (part.isOptional ? { ...part, operationIds: toIds(routes) } : [])),
    ],
    [createRetryPart(routes), createConditionalPart(routes), ...createCredentialsParts(allowed)],
    ...createLastParts(allowed),
    [...createOperationParts(OPERATION_CHECKS, logouts), ...createCredentialsParts(logouts)],
    ...createLastParts(logouts),
  ];
}

/** Returns the parts that check the methods of each path. */
function createPathParts(routes: readonly Route[]): readonly CheckPart[] {
  return [...new Set(routes.map(({ path }) => path))].map((path) => ({
    name: `methods of ${path}`,
    operationIds: toIds(routes.filter((route) => route.path === path)),
    check: (worker) => checkPath(worker, path),
  }));
}

/** The maximum number of operations whose refusals are checked for the connection. */
const MAX_CONNECTION_CHECKS = 3;

/** Returns the parts that check whether a connection can be used after a refused request. */
function createConnectionParts({ allowedRoutes }: Worker, routes: readonly Route[]): readonly CheckPart[] {
  const isPlain = ({ pathNames, successStatus }: Route) => pathNames.length === 0 && successStatus < 400;
  const probe = allowedRoutes.find((route) => route.method === 'GET' && isPlain(route));
  const creates = routes.filter(
    (route) => route.method === 'POST' && isPlain(route) && !isLogout(route) && isJsonType(getBodyType(route) ?? ''),
  );
  return creates
    .filter((route) => probe && allowedRoutes.includes(route))
    .slice(0, MAX_CONNECTION_CHECKS)
    .map((route) => ({
      name: `connection after ${route.operationId}`,
      operationIds: [route.operationId],
      isAlone: true,
      check: (worker: Worker) => checkKeptConnection(worker, route, probe as Route),
    }));
}

function createOperationParts(
  checks: Readonly<Record<string, (worker: Worker, route: Route) => Promise<void>>>,
  routes: readonly Route[],
): readonly CheckPart[] {
  return routes.flatMap((route) =>
    Object.entries(checks).map(([name, check]) => ({
      name: `${name} of ${route.operationId}`,
      operationIds: [route.operationId],
      canBeShortened: true,
      check: (worker: Worker) => check(worker, route),
    })),
  );
}

/** Returns the part that checks whether operations refuse requests without credentials, if some require them. */
function createCredentialsParts(routes: readonly Route[]): readonly CheckPart[] {
  const secured = routes.filter(requiresCredentials);
  if (secured.length === 0) return [];
  const check = (worker: Worker) => checkCredentials(worker, secured);
  return [{ name: 'credentials', isAlone: true, operationIds: toIds(secured), check }];
}

/** Returns the parts that run at the end, in groups. */
function createLastParts(routes: readonly Route[]): readonly (readonly CheckPart[])[] {
  return Object.entries(LAST_OPERATION_CHECKS).map(([name, check]) =>
    createOperationParts({ [name]: check }, routes).map((part) => ({ ...part, isOptional: true })),
  );
}

/** Returns the part that sends requests with `If-None-Match`. */
function createConditionalPart(routes: readonly Route[]): CheckPart {
  return {
    name: 'conditional requests',
    operationIds: [],
    check: ({ session }) => checkConditionalRequests(session, routes),
  };
}

/** Returns the part that logs in as registered users, if the operations for it returned only errors. */
function createLoginPart(routes: readonly Route[]): CheckPart {
  return {
    name: 'logins',
    operationIds: [],
    isAlone: true,
    check: async (worker) => {
      if (!worker.model) await retryAsRegistered(worker, () => findFailingOperations(worker, routes));
    },
  };
}

/** Returns the part that sends further requests to the operations that returned only errors. */
function createRetryPart(routes: readonly Route[]): CheckPart {
  return {
    name: 'operations that never succeeded',
    operationIds: [],
    isAlone: true,
    check: async (worker) => {
      if (!worker.model) await retryFailingOperations(worker, routes);
    },
  };
}

/**
 * Moves the operations that delete resources to the end.
 * Nested resources are deleted before the resources that contain them.
 */
function moveDeletionsToEnd(routes: readonly Route[]): readonly Route[] {
  const deletions = routes.filter(isDeletion);
  const compareDepths = (one: Route, other: Route) =>
    other.pathNames.length - one.pathNames.length || other.path.split('/').length - one.path.split('/').length;
  const innerFirst = deletions.toSorted(compareDepths);
  return [...routes.filter((route) => !deletions.includes(route)), ...innerFirst];
}

function isDeletion({ method }: Route): boolean {
  return method === 'DELETE';
}

async function checkPath(worker: Worker, path: string): Promise<void> {
  const routes = worker.session.contract.routes.filter((route) => route.path === path);
  await worker.prepare();
  await checkMethods(worker, routes);
  await worker.model?.checkPath(worker, routes);
}

/** Descriptions of what was not checked completely. */
export interface UncheckedItems {
  /** Parts that did not end, and operations that returned only errors. */
  readonly unchecked: readonly string[];
  /** Operations that returned only errors because no response contained an id for their path. */
  readonly unreached: readonly string[];
}

/**
 * Called after all parts of the check have run.
 * Adds findings and notes that need all results, for example about operations that never succeeded.
 * Returns the operations that returned only errors.
 */
export function finishChecks(workers: readonly [Worker, ...Worker[]], routes: readonly Route[]): UncheckedItems {
  const [{ allowedRoutes, note, model, session }] = workers;
  model?.finish();
  const skipped = routes.filter((route) => !allowedRoutes.includes(route)).map(({ operationId }) => operationId);
  if (skipped.length > 0)
    note(`Operations that need --allow-writes were skipped: ${joinList(skipped, MAX_LISTED_OPERATIONS)}`);
  const mocked = [...new Set(workers.flatMap((worker) => [...worker.session.mocked]))];
  if (mocked.length > 0)
    note(
      `Mocked operations store nothing, so their life cycles were checked only in part: ${joinList(mocked, MAX_LISTED_OPERATIONS)}`,
    );
  if (!model) noteUndocumentedErrors(session, note);
  // A behaviour model checks on its own whether each documented status occurs.
  const failing = (model ? [] : findFailingOperations({ session, allowedRoutes }, routes)).map((route) => {
    const reasons = workers.map((worker) => worker.explainUnreached(route));
    const statusCodes = session.results.getStatusCodes(route.operationId);
    return { ...route, statusCodes, reason: reasons.includes(undefined) ? undefined : reasons[0] };
  });
  const unreached = failing.flatMap(({ operationId, reason }) => (reason ? [`${operationId} (${reason})`] : []));
  const unchecked = failing
    .filter(({ reason }) => reason === undefined)
    .map(({ operationId, statusCodes }) => `${operationId} (only ${statusCodes.join(', ')} received)`);
  if (!model) session.results.addAll(failing.flatMap((route) => findCompleteRefusal(session, route) ?? []));
  if (unchecked.length > 0) note(NEVER_SUCCEEDED);
  if (unreached.length > 0) note(UNREACHED);
  return { unchecked, unreached };
}

/**
 * Adds notes about refusals with an undocumented status that are no violations: a note about ordinary requests, and one
 * with the kinds of unusual requests.
 */
function noteUndocumentedErrors({ results }: Session, note: (message: string) => void): void {
  const names = results.undocumented
    .filter(({ status, kind }) => kind === undefined && REFUSAL_STATUSES.includes(status))
    .flatMap(({ status, operationIds }) => [...operationIds].map((operationId) => `${operationId} ${status}`));
  if (names.length > 0)
    note(`Refused requests with an undocumented error status: ${joinList(names, MAX_LISTED_OPERATIONS)}`);
  const kinds = results.undocumented.flatMap(({ status, kind, operationIds }) =>
    kind === undefined ? [] : `${status} for ${kind} (${joinList([...operationIds], MAX_NAMED_OPERATIONS)})`,
  );
  if (kinds.length > 0) note(`Undocumented refusals of unusual requests, which are no findings: ${kinds.join('; ')}`);
}

/** The maximum number of operations that a note names for each kind of unusual requests. */
const MAX_NAMED_OPERATIONS = 3;

const NEVER_SUCCEEDED =
  'Some operations never succeeded. Add examples of successful requests to the contract, send credentials with --header, or exclude the operations with --exclude.';

const UNREACHED =
  'Some operations were not reached, because the check found no id for their paths. Add the id of an existing resource to the contract, as an example of the parameter.';

/**
 * Sends requests to operations without path parameters: first the safe methods, then POST.
 * Adds the ids in the responses to `pool`.
 */
async function collectIds({ session, requests, seed, allowedRoutes }: Omit<CheckContext, 'prepare'>, pool: Pool) {
  const collections = allowedRoutes.filter((route) => route.pathNames.length === 0 && !isLogout(route));
  const creating = collections.filter(({ method }) => method === 'POST');
  for (const route of [...collections.filter((one) => !isWriteOperation(one)), ...creating]) {
    const values = await findWorkingRequest({ session, requests }, route, seed);
    if (!values) continue;
    const exchange = await sendIfAvailable(session, 'input', route, toRequest(route, values));
    if (exchange && isSuccess(exchange.response)) pool.collectValues(route, exchange.response.body);
  }
}
