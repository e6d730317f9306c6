import type { CheckContext } from '../../check/check-context.ts';
import { getFindingKey } from '../../check/findings.ts';
import { checkList } from './lists.ts';
import { type Model, withAdded } from './model.ts';
import { catchMismatch, ShopTester } from './shop-tester.ts';
import { resetAlone } from './steps.ts';

/** The number of concurrent requests, and of repetitions. */
const CONCURRENT_REQUESTS = 8;
const REPETITIONS = 3;

/** Rules that any request can violate. */
const GENERAL_RULES: readonly string[] = ['no server error', 'responds'];

/** Checks concurrent requests: no addition is lost, and a cart is ordered once. */
export async function checkConcurrency({ session }: CheckContext, start: Model): Promise<void> {
  for (const scene of [additions, orders]) {
    const before = new Set<string>();
    for (let time = 0; time < REPETITIONS; time++) {
      const tester = new ShopTester({ session, check: 'behaviour' }, start);
      const { findings } = await catchMismatch(async () => {
        await resetAlone(tester);
        await scene(tester);
      });
      if (!findings) continue;
      // A server error by chance has nothing to do with concurrency; two orders of one cart have.
      const isFault = findings.some(({ rule }) => GENERAL_RULES.includes(rule));
      const isByChance = isFault && !findings.some((finding) => before.has(getFindingKey(finding)));
      for (const finding of findings) {
        before.add(getFindingKey(finding));
        if (isByChance) session.ledger.addUnreproduced(finding);
        else session.ledger.add(finding);
      }
    }
  }
}

async function additions(tester: ShopTester): Promise<void> {
  const productId = tester.model.products.at(-1)?.id;
  if (productId === undefined) return;
  const statuses = await sendConcurrently(tester, 'addCartItem', '/api/cart-items', { productId, quantity: 1 });
  const done = statuses.filter((status) => status >= 200 && status < 300).length;
  for (let time = 0; time < done; time++) tester.model = withAdded(tester.model, productId, 1);
  const rule = `none of ${CONCURRENT_REQUESTS} concurrent additions is lost`;
  await checkList(tester, { list: 'listCartItems', by: 'addCartItem', rule });
}

async function orders(tester: ShopTester): Promise<void> {
  const productId = tester.model.products[0]?.id;
  if (productId === undefined) return;
  await tester.sendJson('addCartItem', '/api/cart-items', { productId, quantity: 1 });
  const statuses = await sendConcurrently(tester, 'createOrder', '/api/orders');
  const done = statuses.filter((status) => status === 201).length;
  const detail = `${done} of ${CONCURRENT_REQUESTS} concurrent orders received 201.`;
  if (done !== 1) tester.failRule('createOrder', 'a cart is ordered once', detail);
}

/** Sends a request several times concurrently. Returns the statuses. */
async function sendConcurrently(
  tester: ShopTester,
  ...request: Parameters<ShopTester['sendJson']>
): Promise<readonly number[]> {
  const replies = await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, () => tester.sendJson(...request)));
  return replies.map(({ status }) => status);
}
