import { sendConfirmed } from '../../check/confirm-findings.ts';
import { createJsonRequest } from '../../check/exchange.ts';
import { getFindingKey } from '../../check/findings.ts';
import type { Pool } from '../../check/pool.ts';
import type { Session } from '../../check/session.ts';
import type { STATE_LISTS } from './lists.ts';
import type { Model } from './model.ts';
import { catchMismatch, isUnusableBody, ModelMismatchError, ShopTester } from './shop-tester.ts';
import { resetUnchecked } from './steps.ts';

/**
 * Reads the initial state of a shop. With `mayReset`, resets the shop first. `isFresh`: the shop already has its default data, so the reset must not change
 * anything. Returns undefined if the state can't be read. Adds errors to the results of the check.
 */
export async function readInitialState(
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
 * Runs a function, and runs it again if it throws a `ModelMismatchError`. Adds the findings of the error to the results if both runs have them. Otherwise
 * records them as not reproducible. Returns the result of the last run, or undefined if that run throws.
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
 * Reads the state of a shop. Adds its ids and other values to `pool`, the values that other checks send. Throws `ModelMismatchError` if a list can't be read.
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
