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
import { createFixedSequences, INVALID_REQUESTS } from './fixed-sequences.ts';
import { STATE_LISTS } from './lists.ts';
import type { Model } from './model.ts';
import { checkPathRules, shopRules } from './rules.ts';
import { checkSearch } from './search.ts';
import { checkFixedSequences, checkInvalidRequests, checkRandomSequences } from './sequences.ts';
import { readInitialState } from './start.ts';

/** The model with which `storefront check` compares a server of the shop's contract. It predicts responses and states. */
export const shopModel: BehaviourModel = {
  subject: 'the shop',
  rules: shopRules,
  probePath: '/api/products',
  resetOperationId: 'resetData',
  applies: isShop,
  open: openShop,
};

/** Returns whether a contract has all operations of the shop. The methods, paths, parameters and request bodies must be the same. */
export function isShop({ normalized: plain, routes }: Contract): boolean {
  return shopContract.routes.every((own) => {
    const route = routes.find(({ operationId }) => operationId === own.operationId);
    return route?.method === own.method && route.path === own.path && hasSameRequest(plain, own, route);
  });
}

/** Reads the initial state of a shop, and creates the checks that compare the shop with the model. `isFresh`: whether the shop already has its default data. */
async function openShop(context: Omit<CheckContext, 'prepare'>, pool: Pool, isFresh: boolean): Promise<OpenedModel> {
  const { session, allowedRoutes, note } = context;
  const isAllowed = (operationId: string) => allowedRoutes.some((route) => route.operationId === operationId);
  const options = { mayReset: isAllowed('resetData'), isFresh };
  const defaultModel = STATE_LISTS.every(isAllowed) ? await readInitialState(session, pool, options) : undefined;
  const canRunSequences = defaultModel && shopContract.routes.every(({ operationId }) => isAllowed(operationId));
  const createModelParts = (model: Model): readonly ModelPart[] => [
    { name: 'searches', check: (current) => checkSearch(current, model) },
    ...(canRunSequences ? createSequenceParts(context, model) : []),
  ];
  return {
    async prepare() {
      if (!canRunSequences || !session.mayHaveChanged) return;
      await fillShop(session, pool, defaultModel);
      session.mayHaveChanged = false;
    },
    checkPath: checkPathRules,
    parts: defaultModel ? createModelParts(defaultModel) : [],
    finish() {
      if (!defaultModel) note(MODEL_SKIPPED);
      else if (!canRunSequences)
        note(
          'Request sequences were skipped: they need all operations of the shop, and this check may not send all of them.',
        );
      else session.results.addAll(allowedRoutes.flatMap((route) => findMissingStatuses(session, route)));
    },
  };
}

const MODEL_SKIPPED =
  'The checks of the shop model were skipped: the state of the shop could not be read, or does not match the contract.';

/** The maximum number of fixed test sequences, or of invalid requests, in one part of the check. */
const FIXED_PER_PART = 12;

/** The maximum number of random test sequences in one part of the check. */
const RANDOM_PER_PART = 5;

/** The difference between the random seeds of two consecutive parts of the check. */
const SEED_STEP = 7_919;

/** Creates the parts of the check that run test sequences. */
function createSequenceParts({ seed, runs }: Pick<CheckContext, 'seed' | 'runs'>, model: Model): readonly ModelPart[] {
  const fixed = split(createFixedSequences(model), FIXED_PER_PART);
  const invalid = split(INVALID_REQUESTS, FIXED_PER_PART);
  const random = split(Array.from({ length: runs }), RANDOM_PER_PART);
  return [
    ...createParts('documented statuses', fixed, (context, part) => checkFixedSequences(context, model, part)),
    ...createParts('invalid requests', invalid, (context, part) => checkInvalidRequests(context, model, part)),
    { name: 'concurrent requests', check: (context) => checkConcurrency(context, model) },
    ...createParts('sequences', random, (context, { length }, index) =>
      checkRandomSequences({ ...context, seed: seed + index * SEED_STEP, runs: length }, model),
    ),
  ];
}

function createParts<Entry>(
  name: string,
  lists: readonly Entry[],
  check: (context: CheckContext, list: Entry, index: number) => Promise<void>,
): readonly ModelPart[] {
  return lists.map((list, index) => ({
    name: `${name}, part ${index + 1} of ${lists.length}`,
    check: (context) => check(context, list, index),
  }));
}

/** Splits a list into parts of at most `size` entries. */
function split<Entry>(entries: readonly Entry[], size: number): readonly (readonly Entry[])[] {
  const count = Math.ceil(entries.length / size);
  return Array.from({ length: count }, (_, index) => entries.slice(index * size, (index + 1) * size));
}

/** Returns a finding for each documented status of an operation that no response had during the check. */
function findMissingStatuses({ results }: Session, { operationId, responses }: Route): readonly Finding[] {
  const missing = responses.filter(
    ({ name }) => /^\d+$/.test(name) && !results.getStatuses(operationId).includes(name),
  );
  return missing.map(({ name, pointer }) => {
    const kind = { status: name, rule: 'documented statuses occur', pointer };
    const message = `No response had the documented status ${name}`;
    return { ...kind, message, check: 'statuses', operationId, exchanges: [] };
  });
}

/**
 * Resets the shop and adds two products to its cart. If the default data has no order, also creates one. Ignores failed requests, because other checks report
 * them.
 */
async function fillShop({ client }: Session, pool: Pool, { products, orders }: Model): Promise<void> {
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
