import type { Route } from '../openapi/routes.ts';
import { findReturningActions } from './actions.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { isSuccess, type ReceivedResponse } from './exchange.ts';
import type { Finding } from './findings.ts';
import { findId } from './ids.ts';
import { documents } from './life-cycle-rules.ts';
import type { LifeCycle } from './life-cycles.ts';
import { RequestSequence } from './request-sequence.ts';
import { type RequestValues, validateValues } from './requests.ts';
import { createViolation } from './rules.ts';
import type { Rule } from './session.ts';

/** The status of a response to a request for a resource that does not exist. */
const NOT_FOUND = 404;

/** Digits that are added to an id that is a number. */
const DIGITS = '00000';

/** The largest id that is tried. Many databases have ids of 32 bits. */
const MAX_NUMBER = 2 ** 31 - 1;

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 3_001;

/**
 * Checks that the operations of a resource respond to unknown ids with the documented 404: to generated ids, and to the
 * id of an existing resource with other characters at its end.
 * The operations of a collection below another resource must respond so to unknown ids of that resource.
 * A server may create the resource of an unknown id.
 */
export async function checkUnknownIds(context: CheckContext, cycle: LifeCycle): Promise<void> {
  let attempt = 0;
  const examine = async () => {
    await context.prepare();
    const seed = context.seed + attempt++ * SEED_STEP;
    return examineUnknownIds({ ...context, seed }, cycle);
  };
  await addConfirmed(context.session, await examine(), examine);
}

async function examineUnknownIds(context: CheckContext, cycle: LifeCycle): Promise<readonly Finding[]> {
  const { create, list, read, updates, remove } = cycle;
  const collection = [...(list ? [list] : []), create].filter(({ pathNames }) => pathNames.length > 0);
  const routes = [read, ...updates, ...findReturningActions(context, read), ...(remove ? [remove] : []), ...collection];
  const findings: Finding[] = [];
  for (const route of routes.filter((one) => documents(one, NOT_FOUND))) {
    // With several ids in the path, an idempotent deletion can use 404 for the resource that contains the others.
    if (route.method === 'DELETE' && route.pathNames.length > 1) {
      const reason = 'a DELETE of a nested resource can have 404 for its parent';
      context.session.results.coverage.skipRule('unknown-id', route, reason);
      continue;
    }
    findings.push(...(await examineGeneratedIds(context, cycle, route)));
  }
  if (documents(read, NOT_FOUND)) findings.push(...(await examineLongerId(context, cycle)));
  return findings;
}

/**
 * Sends a request with two generated ids.
 * Returns a finding if both succeed, and the operation has created no resource.
 * A single id can exist by chance.
 */
async function examineGeneratedIds(context: CheckContext, cycle: LifeCycle, route: Route): Promise<readonly Finding[]> {
  const { requests, seed } = context;
  const name = route.pathNames.at(-1) ?? '';
  let first: ReceivedResponse | undefined;
  for (const isLast of [false, true]) {
    const sequence = new RequestSequence(context);
    const known = requests.createValid(route, seed);
    const unknown = known && requests.withUnknownIds(route, known, seed + Number(isLast))?.path[name];
    if (!known || unknown === undefined || known.path[name] === unknown) return [];
    const values = { ...known, path: { ...known.path, [name]: unknown } };
    const isOfItem = route.pathNames.length === cycle.read.pathNames.length;
    const rule = createRule(unknown, cycle, isOfItem || hasCollection(context, route));
    const response = await sequence.send(route, values, isLast ? rule : undefined);
    if (response) context.session.results.coverage.countRule('unknown-id', route);
    if (!response || !isSuccess(response) || response.status === 202) return [];
    const isShown = isOfItem && findShownId(cycle, response) === unknown;
    if (route.method === 'GET' && isShown && isLast && !hasSameValues(cycle, first, response)) return [];
    if (isOfItem && route.method !== 'GET' && (await exists(sequence, context, cycle, values.path))) return [];
    if (isLast) return sequence.findings;
    first = response;
  }
  return [];
}

/** Returns the id of the resource in a response; undefined if there is none. */
function findShownId({ read }: Pick<LifeCycle, 'read'>, { body }: ReceivedResponse): string | undefined {
  const id = findId(read.pathNames.at(-1) ?? '', body)?.id;
  return id === undefined ? undefined : String(id);
}

/**
 * Returns whether two responses show the same resource, except for its id.
 * Resources that exist by chance have different values.
 */
function hasSameValues({ read }: LifeCycle, first: ReceivedResponse | undefined, second: ReceivedResponse): boolean {
  const parameter = read.pathNames.at(-1) ?? '';
  const [one, other] = [first, second].map((response) => {
    const { id, entry = {} } = findId(parameter, response?.body) ?? {};
    return JSON.stringify(Object.entries(entry).filter(([, value]) => value !== id));
  });
  return one === other;
}

/** Returns whether a resource can be read after a change that was sent to its unknown id. */
async function exists(
  sequence: RequestSequence,
  { requests, seed }: CheckContext,
  { read }: LifeCycle,
  path: RequestValues['path'],
): Promise<boolean> {
  const values = requests.createValid(read, seed);
  const response = values && (await sequence.send(read, { ...values, path: { ...values.path, ...path } }));
  if (!response || !isSuccess(response)) return false;
  return findShownId({ read }, response) === path[read.pathNames.at(-1) ?? ''];
}

/**
 * Reads a resource with other characters at the end of its id.
 * Returns a finding if the server returns the resource, or an older one whose id is the start of its id.
 */
async function examineLongerId(context: CheckContext, cycle: LifeCycle): Promise<readonly Finding[]> {
  const { read } = cycle;
  const sequence = new RequestSequence(context);
  const created = await sequence.create(cycle, context.seed);
  const known = created && sequence.toOwn(read, created);
  if (!created || !known) return [];
  // A path such as `/things/7-title` often stands for the resource 7.
  const id = /^\d+$/.test(created.id) ? `${created.id}${DIGITS}` : `${created.id}0z`;
  if (Number(id) > MAX_NUMBER) return [];
  const values = { ...known, path: { ...known.path, [read.pathNames.at(-1) ?? '']: id } };
  if (validateValues(context.session.contract, read, values).kind !== 'call') return [];
  await sequence.send(read, values, (...received) => {
    const shown = findShownId(cycle, received[1].response);
    return shown !== undefined && created.id.startsWith(shown) ? createRule(id, cycle)(...received) : [];
  });
  return sequence.findings;
}

/**
 * Returns whether the contract has an operation that creates or lists what the last parameter in the path of an
 * operation names.
 * If it has none, the server can get these resources from elsewhere, or accept any id.
 */
function hasCollection({ session: { contract } }: CheckContext, { path }: Route): boolean {
  const collection = path.slice(0, path.lastIndexOf('/{'));
  return contract.routes.some((one) => one.path === collection && ['GET', 'POST'].includes(one.method));
}

/** Creates a rule for the response to a request with an unknown id. */
function createRule(id: string, { read }: LifeCycle, isCertain = true): Rule {
  return ({ pointer, operationId }, { response }) => {
    if (!isSuccess(response)) return [];
    const shown = findId(read.pathNames.at(-1) ?? '', response.body)?.id;
    const other =
      shown === undefined || String(shown) === id ? '' : ` and with the resource whose id is ${JSON.stringify(shown)}`;
    const message = `${operationId} with the id ${JSON.stringify(id)}, which no resource has, responded with status ${response.status}${other}: respond with ${NOT_FOUND}, as the contract documents`;
    // A server can create a resource when it is read.
    const isLikely = !isCertain || String(shown) === id;
    return [createViolation('unknown-id', { message, pointer, ...(isLikely && { confidence: 'likely' }) })];
  };
}
