import { toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { type Exchange, isMocked, isSuccess } from './exchange.ts';
import type { Finding, Violation } from './findings.ts';
import { isPathValue } from './ids.ts';
import { getEntry } from './life-cycle-rules.ts';
import { getCreatedId, type LifeCycle } from './life-cycles.ts';
import { getBodySchema, type RequestValues, toRequest, validateValues } from './requests.ts';
import { createFinding } from './session.ts';

/** The status of a request that contradicts the state of a resource (RFC 9110, section 15.5.10). */
const CONFLICT = 409;

/** The difference between the seeds of two resources with different values. */
const SEED_STEP = 4_001;

/** The maximum number of attempts to create a resource with new values. */
const MAX_TRIALS = 5;

/** The difference between the seeds of these attempts. Other parts of the check use the seeds near the first one. */
const TRIAL_STEP = 577;

/** Returns whether an operation documents 409. */
export function documentsConflict({ responses }: Route): boolean {
  return responses.some(({ name }) => name === String(CONFLICT));
}

/**
 * Checks values that must be unique.
 * If the server refuses a second resource with the same values with 409, it must also refuse it if two requests create
 * it at once, and if a PUT that documents 409 gives another resource these values.
 */
export async function checkUniqueValues(context: CheckContext, cycle: LifeCycle): Promise<void> {
  let attempt = 0;
  const examine = async () => {
    await context.prepare();
    return examineUniqueValues({ ...context, seed: context.seed + attempt++ * SEED_STEP * 2 }, cycle);
  };
  await addConfirmed(context.session, await examine(), examine);
}

async function examineUniqueValues(context: CheckContext, cycle: LifeCycle): Promise<readonly Finding[]> {
  const { session, requests, seed } = context;
  const { create, read } = cycle;
  const send = async (route: Route, values: RequestValues) => {
    const { exchange } = await session.send('behaviour', route, toRequest(route, values));
    return exchange && !isMocked(exchange.response) ? exchange : undefined;
  };
  const found = await sendNew();
  if (!found) return [];
  const { values: first, exchange: created } = found;
  const repeated = await send(create, first);
  const second = requests.createValid(create, seed + SEED_STEP);
  if (!second || repeated?.response.status !== CONFLICT) return [];
  const other = { ...second, path: first.path };
  const [one, two] = await Promise.all([send(create, other), send(create, other)]);
  const winner = [one, two].find((exchange) => exchange && isSuccess(exchange.response));
  const findings: Finding[] = [];
  const areBoth = one && two && isSuccess(one.response) && isSuccess(two.response);
  if (areBoth && getCreatedId(create, read, one.response) !== getCreatedId(create, read, two.response)) {
    const message = `Two concurrent requests created two resources with the same values. The server refuses such values with ${CONFLICT} in sequential requests`;
    const violation = { rule: 'values stay unique in concurrent requests', message, pointer: create.pointer };
    findings.push(createUniqueFinding(create, [created, repeated, one, two], violation));
  }
  const id = winner && getCreatedId(create, read, winner.response);
  for (const update of cycle.updates.filter((route) => route.method === 'PUT' && documentsConflict(route))) {
    const values = isPathValue(id) ? toUpdate(context, { update, first, id: String(id) }) : undefined;
    const exchange = values && (await send(update, values));
    if (!winner || !exchange || !isSuccess(exchange.response)) continue;
    // A server can ignore a value that it does not change.
    const shown = getEntry(read, exchange.response.body);
    const isTaken = Object.entries(toNode(first.body)).every(([name, value]) => shown[name] === value);
    if (!isTaken) continue;
    const message = `${update.operationId} gave a resource the values of another one, but ${create.operationId} refuses them with ${CONFLICT}`;
    const violation = { rule: 'updates keep values unique', message, pointer: update.pointer };
    findings.push(createUniqueFinding(update, [created, repeated, winner, exchange], violation));
  }
  return findings;

  /** Creates a resource. Tries other values if the server already has the first ones. */
  async function sendNew() {
    for (let trial = 1; trial <= MAX_TRIALS; trial++) {
      const values = requests.createValid(create, seed + trial * TRIAL_STEP);
      const exchange = values && (await send(create, values));
      if (exchange && isSuccess(exchange.response)) return { values, exchange };
    }
    return undefined;
  }
}

function createUniqueFinding(route: Route, exchanges: readonly Exchange[], violation: Violation): Finding {
  const last = exchanges.at(-1) as Exchange;
  return { ...createFinding('behaviour', route, last, violation), exchanges };
}

/**
 * Returns a PUT that gives a resource the values of another one.
 * Returns undefined if these include an id, or if they are not valid for the PUT.
 */
function toUpdate(
  { session: { contract }, requests, seed }: CheckContext,
  { update, first, id }: { readonly update: Route; readonly first: RequestValues; readonly id: string },
): RequestValues | undefined {
  const name = update.pathNames.at(-1) ?? '';
  const own = requests.createValid(update, seed);
  const sent = toNode(first.body);
  if (!own || [name, 'id'].some((one) => Object.hasOwn(sent, one))) return undefined;
  const known = getPartProperties(getSchemaParts(contract.normalized, getBodySchema(update) ?? ''));
  const shared = Object.fromEntries(Object.entries(sent).filter(([one]) => known.has(one)));
  if (Object.keys(shared).length < Object.keys(sent).length) return undefined;
  const path = { ...own.path, ...first.path, [name]: id };
  const values = { ...own, path, body: { ...toNode(own.body), ...shared } };
  return validateValues(contract, update, values).kind === 'call' ? values : undefined;
}
