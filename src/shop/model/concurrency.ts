import type { CheckContext } from '../../check/check-context.ts';
import { getFindingKey } from '../../check/findings.ts';
import type { CartItem } from '../types.ts';
import { checkList } from './lists.ts';
import { type Model, withAdded } from './model.ts';
import { catchMismatch, ShopTester } from './shop-tester.ts';
import { resetUnchecked } from './steps.ts';

/** The number of requests that are sent at the same time. */
const CONCURRENT_REQUESTS = 8;

/** How often each check of concurrent requests is repeated, because a race condition does not cause an error each time. */
const REPETITIONS = 3;

/** The rules that a server can also break without concurrent requests, such as the rule against responses with status 500. */
const GENERAL_RULES: readonly string[] = ['no server error', 'responds'];

/**
 * Sends concurrent requests to a shop. Checks that no addition to the cart is lost. Also checks that only one request succeeds if several requests order the
 * same cart.
 */
export async function checkConcurrency({ session }: CheckContext, defaultModel: Model): Promise<void> {
  for (const check of [checkAdditions, checkOrders]) {
    const knownKeys = new Set<string>();
    for (let time = 0; time < REPETITIONS; time++) {
      const tester = new ShopTester({ session, check: 'behaviour' }, defaultModel);
      const { findings } = await catchMismatch(async () => {
        await resetUnchecked(tester);
        await check(tester);
      });
      if (!findings) continue;
      // A server error may have a cause other than concurrency, so it counts only if it occurs twice. If one cart is ordered twice, the cause is always
      // concurrency.
      const isGeneral = findings.some(({ rule }) => GENERAL_RULES.includes(rule));
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
