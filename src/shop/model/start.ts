import { addConfirmed } from '../../check/confirm-findings.ts';
import { createJsonRequest } from '../../check/exchange.ts';
import { getFindingKey } from '../../check/findings.ts';
import type { Pool } from '../../check/pool.ts';
import type { Session } from '../../check/session.ts';
import type { Model } from './model.ts';
import { catchMismatch, isBroken, ModelMismatchError, ShopTester } from './shop-tester.ts';
import { resetAlone } from './steps.ts';

/** What is needed to read the initial state. */
interface StartParts {
  readonly session: Session;
  readonly pool: Pool;
  readonly mayReset: boolean;
  /** Whether the shop has its default data already, so that a reset must change nothing. */
  readonly isFresh: boolean;
}

/** The operations that read the state. */
export const LISTED = ['listProducts', 'listDeliveryOptions', 'listCartItems', 'listOrders'] as const;

/** Returns the state of a shop with its default data, or its current state if it can't be reset; undefined if it can't be read. */
export async function readInitialState({ session, pool, mayReset, isFresh }: StartParts): Promise<Model | undefined> {
  const empty = { products: [], deliveryOptions: [], cart: [], orders: [] };
  const tester = new ShopTester({ session, check: 'statuses' }, empty);
  const model = await recordFindings(session, async () => {
    const before = isFresh ? await readState(session, pool, tester) : undefined;
    if (mayReset) await recordFindings(session, () => resetAlone(tester));
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

/** Returns the result of `read`; undefined on a mismatch, whose findings are added, as not reproducible if a second attempt succeeds. */
async function recordFindings<Value>({ ledger }: Session, read: () => Promise<Value>): Promise<Value | undefined> {
  const first = await catchMismatch(read);
  if (!first.findings) return first.value;
  const second = await catchMismatch(read);
  const again = (second.findings ?? []).map(getFindingKey);
  for (const finding of first.findings) {
    if (again.includes(getFindingKey(finding))) ledger.add(finding);
    else ledger.addUnreproduced(finding);
  }
  return second.value;
}

async function readState(session: Session, pool: Pool, tester: ShopTester): Promise<Model> {
  const listed = async (list: (typeof LISTED)[number]): Promise<readonly never[]> => {
    const route = tester.routes[list];
    const send = () => session.send('statuses', route, createJsonRequest('GET', route.path));
    const { exchange, findings } = await send();
    await addConfirmed(session, findings, async () => (await send()).findings);
    const body = exchange?.response.body;
    if (!Array.isArray(body) || findings.some(isBroken)) throw new ModelMismatchError([]);
    pool.collectValues(route, body);
    return body as never[];
  };
  return {
    products: await listed('listProducts'),
    deliveryOptions: await listed('listDeliveryOptions'),
    cart: await listed('listCartItems'),
    orders: await listed('listOrders'),
  };
}

/** Checks that product ids are unique, and that cart items refer to existing products and delivery options. */
function checkReferences(tester: ShopTester, { products, deliveryOptions, cart }: Model): void {
  const ids = products.map(({ id }) => id);
  if (new Set(ids).size < ids.length)
    tester.fail('listProducts', 'product ids are unique', 'Two products have the same id');
  const isKnown = (optionId: string) => deliveryOptions.some(({ id }) => id === optionId);
  const stray = cart.find(({ productId, deliveryOptionId }) => !ids.includes(productId) || !isKnown(deliveryOptionId));
  if (stray) {
    const rule = 'cart items refer to existing products and delivery options';
    const detail = `The product or delivery option of ${JSON.stringify(stray)} is not listed.`;
    tester.failRule('listCartItems', rule, detail);
  }
}
