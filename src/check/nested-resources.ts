import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { isSuccess, type ReceivedResponse } from './exchange.ts';
import type { Finding } from './findings.ts';
import { containsId, createListRequest, documents } from './life-cycle-rules.ts';
import { findLifeCycles, type LifeCycle } from './life-cycles.ts';
import { findListedEntry } from './listed-resource.ts';
import { isItemPath } from './pool.ts';
import { RequestSequence, type SequenceResource } from './request-sequence.ts';
import type { RequestValues } from './requests.ts';
import { createViolation } from './rules.ts';

/** The status of a response to a request for a resource that does not exist. */
const NOT_FOUND = 404;

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 5_503;

/** The difference between the seeds of the resources below two parents. */
const OTHER_STEP = 8_111;

/** Returns whether the resources of a collection are below others, as in `/books/{bookId}/reviews/{reviewId}`. */
export function isNested({ create, read }: LifeCycle): boolean {
  return create.pathNames.length > 0 && isItemPath(read.path, create.path);
}

/**
 * Creates resources below two parents.
 * The list below one parent must not have the resource of the other one.
 * Reading it below the wrong parent must get the documented 404.
 */
export async function checkNestedResources(context: CheckContext, cycle: LifeCycle): Promise<void> {
  let attempt = 0;
  const examine = async () => {
    await context.prepare();
    const seed = context.seed + attempt++ * SEED_STEP;
    return examineParents({ ...context, seed }, cycle);
  };
  await addConfirmed(context.session, await examine(), examine);
}

async function examineParents(context: CheckContext, cycle: LifeCycle): Promise<readonly Finding[]> {
  const { session, seed } = context;
  const { create, list, read } = cycle;
  const { coverage } = session.results;
  const sequence = new RequestSequence(context);
  const parent = create.pathNames.at(-1) ?? '';
  const other = await sequence.create(cycle, seed);
  const listValues = other && toListRequest(context, cycle, other);
  const before = list && listValues && (await sequence.send(list, listValues));
  const toOtherParent = other && (await createParent(context, cycle, { sequence, other }));
  const own = toOtherParent && (await sequence.create(cycle, seed + OTHER_STEP, toOtherParent));
  if (!other || !own || !canBeCompared(cycle, own, before)) {
    const reason = 'no resources with different ids could be created below two parents';
    for (const [rule, route] of [['nested-item', read] as const, ['nested-list', list ?? read] as const])
      coverage.skipRule(rule, route, reason);
    return sequence.findings;
  }
  const place = `${parent} ${JSON.stringify(other.values.path[parent])}`;
  const ownPlace = JSON.stringify(own.values.path[parent]);
  if (list && listValues) {
    coverage.countRule('nested-list', list);
    await sequence.send(list, listValues, ({ pointer }, { response }) => {
      const isListed = isSuccess(response) && findListedEntry(read, own.id, response) !== undefined;
      const message = `The list for ${place} has the resource ${JSON.stringify(own.id)}, which was created for ${ownPlace}`;
      return isListed ? [createViolation('nested-list', { message, pointer })] : [];
    });
  }
  const values = sequence.toOwn(read, { ...own, values: other.values });
  if (!values || !documents(read, NOT_FOUND)) return sequence.findings;
  coverage.countRule('nested-item', read);
  await sequence.send(read, values, ({ pointer }, { response }) => {
    const isShown = isSuccess(response) && containsId(read.pathNames.at(-1) ?? '', own.id, response.body);
    const message = `Status ${response.status} for ${place}, but the resource was created for ${ownPlace}: respond with ${NOT_FOUND}, as the contract documents`;
    return isShown ? [createViolation('nested-item', { message, pointer })] : [];
  });
  return sequence.findings;
}

/**
 * Creates another parent.
 * Returns a function that changes a request so that it creates a resource below this parent; if none can be created, a
 * function that returns only requests for other known parents.
 */
async function createParent(
  { session, allowedRoutes, seed }: CheckContext,
  { create }: LifeCycle,
  { sequence, other }: { readonly sequence: RequestSequence; readonly other: SequenceResource },
): Promise<(values: RequestValues) => RequestValues | undefined> {
  const name = create.pathNames.at(-1) ?? '';
  const parents = findLifeCycles(allowedRoutes, session.contract).find(
    ({ read }) => create.path.startsWith(`${read.path}/`) && read.pathNames.length === create.pathNames.length,
  );
  const parent = parents && (await sequence.create(parents, seed));
  if (!parent) return (values) => (values.path[name] === other.values.path[name] ? undefined : values);
  return (values) => ({ ...values, path: { ...values.path, ...parent.values.path, [name]: parent.id } });
}

/** Returns the request of the list that has a resource; undefined if there is none. */
function toListRequest(
  { session, requests, seed }: CheckContext,
  { list }: LifeCycle,
  { values }: SequenceResource,
): RequestValues | undefined {
  const minimal = list && requests.createMinimal(list, seed);
  const own = minimal && { ...minimal, path: { ...minimal.path, ...values.path } };
  return list && own && createListRequest(session.contract, list, own);
}

/** Returns whether no resource below the other parent had the same id before: each parent can have its own numbers. */
function canBeCompared({ read }: LifeCycle, { id }: SequenceResource, before: ReceivedResponse | undefined): boolean {
  const isNumber = /^\d+$/.test(id);
  return before && isSuccess(before) ? findListedEntry(read, id, before) === undefined : !isNumber;
}
