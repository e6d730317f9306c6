import type { BehaviourModel, ModelPart, OpenedModel } from '../../check/behaviour-model.ts';
import type { CheckContext } from '../../check/check-context.ts';
import { sendConfirmed } from '../../check/confirm-findings.ts';
import { createJsonRequest, type RequestToSend } from '../../check/exchange.ts';
import { type Finding, getFindingKey } from '../../check/findings.ts';
import type { Pool } from '../../check/pool.ts';
import type { Session } from '../../check/session.ts';
import type { Contract } from '../../openapi/contract.ts';
import type { Route } from '../../openapi/routes.ts';
import { hasSameRequest, shopContract } from '../contract.ts';
import type { CartItem, Order } from '../types.ts';
import { checkList, STATE_LISTS } from './lists.ts';
import { type Model, withAdded } from './model.ts';
import { checkPathRules, shopRules } from './rules.ts';
import { checkSearch } from './search.ts';
import {
  checkFixedSequences,
  checkInvalidRequests,
  checkRandomSequences,
  createFixedSequences,
  INVALID_REQUESTS,
} from './sequences.ts';
import { catchMismatch, isUnusableBody, ModelMismatchError, ShopTester } from './shop-tester.ts';
import { resetUnchecked } from './steps.ts';

/**
 * Reads the initial state of a shop.
 * With `mayReset`, resets the shop first.
 * `isFresh`: the shop already has its default data, so the reset must not change anything.
 * Returns undefined if the state can't be read.
 * Adds errors to the results of the check.
 */
async function readInitialState(
  session: Session,
  pool: Pool,
  { mayReset, isFresh }: { readonly mayReset: boolean; readonly isFresh: boolean },
): Promise<Model | undefined> {
  const empty = { products: [], deliveryOptions: [], cart: [], orders: [] };
  const tester = new ShopTester({ session, check: 'statuses' }, empty);
  const model = await recordFindings(session, async () => {
    const before = isFresh ? await readState(session, pool, tester) : undefined;
    if (mayReset) await recordFindings(session, () => resetUnchecked(tester));
    const after = await readState(session, pool, tester);
    if (before) {
      const values = { expected: before, actual: after };
      await recordFindings(session, async () =>
        tester.expectEqual('resetData', 'a reset restores the default data', values),
      );
    }
    return after;
  });
  if (model) await recordFindings(session, async () => checkReferences(tester, model));
  return model;
}

/**
 * Runs a function, and runs it again if it throws a `ModelMismatchError`.
 * Adds the findings of the error to the results if both runs have them.
 * Otherwise records them as not reproducible.
 * Returns the result of the last run, or undefined if that run throws.
 */
async function recordFindings<Value>({ results }: Session, run: () => Promise<Value>): Promise<Value | undefined> {
  const first = await catchMismatch(run);
  if (!first.findings) return first.value;
  const second = await catchMismatch(run);
  const repeatedKeys = (second.findings ?? []).map(getFindingKey);
  for (const finding of first.findings) {
    if (repeatedKeys.includes(getFindingKey(finding))) results.add(finding);
    else results.addUnreproduced(finding);
  }
  return second.value;
}

/**
 * Reads the state of a shop.
 * Adds its ids and other values to `pool`, the values that other checks send.
 * Throws `ModelMismatchError` if a list can't be read.
 */
async function readState(session: Session, pool: Pool, tester: ShopTester): Promise<Model> {
  const readList = async (list: (typeof STATE_LISTS)[number]): Promise<readonly never[]> => {
    const route = tester.routes[list];
    const request = createJsonRequest('GET', route.path);
    const { exchange, findings } = await sendConfirmed(session, 'statuses', route, request);
    const body = exchange?.response.body;
    if (!Array.isArray(body) || findings.some(isUnusableBody)) throw new ModelMismatchError([]);
    pool.collectValues(route, body);
    return body as never[];
  };
  return {
    products: await readList('listProducts'),
    deliveryOptions: await readList('listDeliveryOptions'),
    cart: await readList('listCartItems'),
    orders: await readList('listOrders'),
  };
}

/** Checks that product ids are unique. Also checks that cart items refer to existing products and delivery options. */
function checkReferences(tester: ShopTester, { products, deliveryOptions, cart }: Model): void {
  const ids = products.map(({ id }) => id);
  if (new Set(ids).size < ids.length)
    tester.fail('listProducts', 'product ids are unique', 'Two products have the same id');
  const isOption = (optionId: string) => deliveryOptions.some(({ id }) => id === optionId);
  const invalid = cart.find((item) => !ids.includes(item.productId) || !isOption(item.deliveryOptionId));
  if (invalid) {
    const rule = 'cart items refer to existing products and delivery options';
    const detail = `The product or the delivery option of ${JSON.stringify(invalid)} does not exist.`;
    tester.failRule('listCartItems', rule, detail);
  }
}

/** The number of requests that are sent at the same time. */
const CONCURRENT_REQUESTS = 8;

/**
 * How often each check of concurrent requests is repeated, because a race condition does not cause an error each time.
 */
const REPETITIONS = 3;

/**
 * The rules that a server can also break without concurrent requests, such as the rule against responses with status
 * 500.
 */
const GENERAL_RULES: readonly string[] = ['no server error', 'responds'];

/**
 * Sends concurrent requests to a shop.
 * Checks that no addition to the cart is lost.
 * Also checks that only one request succeeds if several requests order the same cart.
 */
async function checkConcurrency({ session }: CheckContext, defaultModel: Model): Promise<void> {
  for (const check of [checkAdditions, checkOrders]) {
    const knownKeys = new Set<string>();
    for (let time = 0; time < REPETITIONS; time++) {
      const tester = new ShopTester({ session, check: 'behaviour' }, defaultModel);
      const { findings } = await catchMismatch(async () => {
        await resetUnchecked(tester);
        await check(tester);
      });
      if (!findings) continue;
      // A server error may have a cause other than concurrency, so it counts only if it occurs twice.
      // If one cart is ordered twice, the cause is always concurrency.
      const isGeneral = findings.some(({ title }) => GENERAL_RULES.includes(title));
      const isUnconfirmed = isGeneral && !findings.some((finding) => knownKeys.has(getFindingKey(finding)));
      for (const finding of findings) {
        knownKeys.add(getFindingKey(finding));
        if (isUnconfirmed) session.results.addUnreproduced(finding);
        else session.results.add(finding);
      }
    }
  }
}

async function checkAdditions(tester: ShopTester): Promise<void> {
  const productId = tester.model.products.at(-1)?.id;
  if (productId === undefined) return;
  const responses = await sendConcurrently(tester, 'addCartItem', '/api/cart-items', { productId, quantity: 1 });
  for (const { status, body } of responses) {
    const { id } = (body ?? {}) as Partial<CartItem>;
    if (status >= 200 && status < 300) tester.model = withAdded(tester.model, { productId, quantity: 1, id });
  }
  const rule = `none of ${CONCURRENT_REQUESTS} concurrent additions is lost`;
  await checkList(tester, { list: 'listCartItems', operationId: 'addCartItem', rule });
}

async function checkOrders(tester: ShopTester): Promise<void> {
  const productId = tester.model.products[0]?.id;
  if (productId === undefined) return;
  await tester.sendJson('addCartItem', '/api/cart-items', { productId, quantity: 1 });
  const responses = await sendConcurrently(tester, 'createOrder', '/api/orders');
  const orders = responses.filter(({ status }) => status === 201).length;
  const detail = `${orders} of ${CONCURRENT_REQUESTS} concurrent requests to order the same cart received 201.`;
  if (orders !== 1) tester.failRule('createOrder', 'a cart can be ordered only once', detail);
}

/** Sends several copies of a request at the same time. Returns their responses. */
async function sendConcurrently(tester: ShopTester, ...request: Parameters<ShopTester['sendJson']>) {
  return Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, () => tester.sendJson(...request)));
}

/**
 * The model with which `storefront check` compares a server of the shop's contract.
 * It predicts responses and states.
 */
export const shopModel: BehaviourModel = {
  subject: 'the shop',
  rules: shopRules,
  probePath: '/api/products',
  resetOperationId: 'resetData',
  // Operations of one's own are checked like those of any API.
  applies: (contract) => contract.routes.length === shopContract.routes.length && isShop(contract),
  open: openShop,
};

/**
 * Returns whether a contract has all operations of the shop.
 * The methods, paths, parameters and request bodies must be the same.
 */
export function isShop({ normalized: plain, routes }: Contract): boolean {
  return shopContract.routes.every((own) => {
    const route = routes.find(({ operationId }) => operationId === own.operationId);
    return route?.method === own.method && route.path === own.path && hasSameRequest(plain, own, route);
  });
}

/**
 * Reads the initial state of a shop, and creates the checks that compare the shop with the model.
 * `isFresh`: whether the shop already has its default data.
 */
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
    ).map((part) => ({ ...part, isOptional: true })),
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
    const kind = { status: name, rule: 'model' as const, title: 'documented statuses occur', pointer };
    const message = `No response had the documented status ${name}`;
    return { ...kind, message, check: 'statuses', operationId, exchanges: [] };
  });
}

/**
 * Resets the shop and adds two products to its cart.
 * If the default data has no order, also creates one.
 * Ignores failed requests, because other checks report them.
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
