import type { BehaviourModel, ModelPart, OpenedModel } from '../../check/behaviour-model.ts';
import type { CheckContext } from '../../check/check-context.ts';
import { createJsonRequest, type RequestToSend } from '../../check/exchange.ts';
import type { Finding } from '../../check/findings.ts';
import type { Pool } from '../../check/pool.ts';
import type { Session } from '../../check/session.ts';
import type { Contract } from '../../openapi/contract.ts';
import type { Route } from '../../openapi/routes.ts';
import { hasSameRequest, shopContract } from '../contract.ts';
import type { Order } from '../types.ts';
import { checkConcurrency } from './concurrency.ts';
import { createFixedSequences, endsWithInvalidRequest } from './fixed-sequences.ts';
import type { Model } from './model.ts';
import { checkPathRules } from './path-rules.ts';
import { shopRules } from './rules.ts';
import { checkSearch } from './search.ts';
import { checkFixedSequences, checkRandomSequences } from './sequences.ts';
import { LISTED, readInitialState } from './start.ts';

/** The behaviour of the shop. */
export const shopModel: BehaviourModel = {
  subject: 'the shop',
  rules: shopRules,
  probePath: '/api/products',
  resetOperationId: 'resetData',
  applies: isShop,
  open: openShop,
};

/** Whether a contract is the shop's: it has all of its operations, with the same requests. */
export function isShop({ normalized: plain, routes }: Contract): boolean {
  return shopContract.routes.every((own) => {
    const served = routes.find(({ operationId }) => operationId === own.operationId);
    return served?.method === own.method && served.path === own.path && hasSameRequest(plain, own, served);
  });
}

/** Creates the checks of a shop, and resets it if allowed. `isFresh`: whether it has its default data already. */
async function openShop(context: Omit<CheckContext, 'prepare'>, pool: Pool, isFresh: boolean): Promise<OpenedModel> {
  const { session, allowedRoutes, note } = context;
  const may = (operationId: string) => allowedRoutes.some((route) => route.operationId === operationId);
  const parts = { session, pool, mayReset: may('resetData'), isFresh };
  const start = LISTED.every(may) ? await readInitialState(parts) : undefined;
  let stoppedEarly = 0;
  const canRunSequences = start !== undefined && shopContract.routes.every(({ operationId }) => may(operationId));
  return {
    async prepare() {
      if (!canRunSequences || !session.mayHaveChanged) return;
      await stock(session, pool, start);
      session.mayHaveChanged = false;
    },
    checkPath: checkPathRules,
    parts: [
      ...(start ? [createPart('searches', checkSearch, start)] : []),
      ...(canRunSequences
        ? [...createFixedParts(start), createPart('concurrent requests', checkConcurrency, start)]
        : []),
      ...(canRunSequences ? createRandomParts(context, start, (count) => (stoppedEarly += count)) : []),
    ],
    finish() {
      if (!start) note(MODEL_SKIPPED);
      else if (!canRunSequences) note('Sequences were skipped: they need all operations of the shop.');
      else session.ledger.addAll(allowedRoutes.flatMap((route) => findMissingStatuses(session, route)));
      if (stoppedEarly > 0)
        note(`${stoppedEarly} sequences stopped early at findings that were already known. Fix these and check again.`);
    },
  };
}

const MODEL_SKIPPED =
  'The shop model was skipped: the state of the shop could not be read, or does not match the contract.';

function createPart(name: string, check: typeof checkSearch, start: Model): ModelPart {
  return { name, check: (context) => check(context, start) };
}

/** The number of sequences, and of generated sequences, in one part. */
const SEQUENCES_PER_PART = 12;
const RUNS_PER_PART = 5;

function createFixedParts(start: Model): readonly ModelPart[] {
  const sorted = createFixedSequences(start).toSorted(
    (one, other) => Number(endsWithInvalidRequest(one)) - Number(endsWithInvalidRequest(other)),
  );
  const count = Math.ceil(sorted.length / SEQUENCES_PER_PART);
  return Array.from({ length: count }, (_, at) => ({
    name: `documented statuses, part ${at + 1} of ${count}`,
    check: (context) =>
      checkFixedSequences(context, start, sorted.slice(at * SEQUENCES_PER_PART, (at + 1) * SEQUENCES_PER_PART)),
  }));
}

/** The distance between the seeds of two parts. */
const SEED_STEP = 7_919;

function createRandomParts(
  { seed, runs }: Pick<CheckContext, 'seed' | 'runs'>,
  start: Model,
  addStoppedEarly: (count: number) => void,
): readonly ModelPart[] {
  const count = Math.ceil(runs / RUNS_PER_PART);
  return Array.from({ length: count }, (_, at) => ({
    name: `sequences, part ${at + 1} of ${count}`,
    async check(context) {
      const chances = { seed: seed + at * SEED_STEP, runs: Math.min(RUNS_PER_PART, runs - at * RUNS_PER_PART) };
      addStoppedEarly(await checkRandomSequences(context, start, chances));
    },
  }));
}

/** Returns findings for the documented statuses that no request led to. */
function findMissingStatuses({ ledger }: Session, { operationId, responses }: Route): readonly Finding[] {
  const missing = responses.filter(({ name }) => /^\d+$/.test(name) && !ledger.getStatuses(operationId).includes(name));
  return missing.map(({ name, pointer }) => {
    const kind = { status: name, rule: 'documented statuses occur', pointer };
    const message = `No request led to the documented status ${name}`;
    return { ...kind, message, check: 'statuses', operationId, exchanges: [] };
  });
}

/** Puts two products into the cart of a reset shop, and creates an order if it has none. Its errors are found by other checks. */
async function stock({ client }: Session, pool: Pool, { products, orders }: Model): Promise<void> {
  const ids = products.slice(0, 2).map(({ id }) => id);
  const send = (request: RequestToSend) => client.send(request).catch(() => undefined);
  const add = async () => {
    for (const productId of ids) await send(createJsonRequest('POST', '/api/cart-items', { productId, quantity: 1 }));
  };
  await send(createJsonRequest('POST', '/api/reset'));
  pool.setValues('productId', ids);
  if (orders.length === 0) {
    await add();
    const order = await send(createJsonRequest('POST', '/api/orders'));
    const { id } = (order?.body ?? {}) as Partial<Order>;
    pool.setValues('orderId', id === undefined ? [] : [id]);
  }
  await add();
}
