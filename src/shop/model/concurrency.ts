import { createJsonRequest, type RequestToSend } from '../../check/exchange.ts';
import { getFindingKey } from '../../check/findings.ts';
import type { Session } from '../../check/session.ts';
import type { OperationId } from '../types.ts';
import { checkList } from './lists.ts';
import { type Model, withAdded } from './model.ts';
import { createPlayer, ModelMismatchError, type Player } from './player.ts';
import { resetAlone } from './steps.ts';

/** The number of concurrent requests, and of repetitions. */
const CONCURRENT_REQUESTS = 8;
const TIMES = 3;

/** Rules that any request can violate. */
const FAULTS: readonly string[] = ['no server error', 'responds'];

/** Checks concurrent requests: no addition is lost, and a cart is ordered once. */
export async function checkConcurrency(session: Session, start: Model): Promise<void> {
  for (const scene of [additions, orders]) {
    const before = new Set<string>();
    for (let time = 0; time < TIMES; time++) {
      const player = createPlayer(session, 'behaviour', start);
      try {
        await resetAlone(player);
        await scene(player);
      } catch (error) {
        if (!(error instanceof ModelMismatchError)) throw error;
        // A server error by chance has nothing to do with concurrency; two orders of one cart have.
        const isFault = error.findings.some(({ rule }) => FAULTS.includes(rule));
        const isByChance = isFault && !error.findings.some((finding) => before.has(getFindingKey(finding)));
        for (const finding of error.findings) before.add(getFindingKey(finding));
        for (const finding of error.findings) {
          if (isByChance) session.ledger.addUnreproduced(finding);
          else session.ledger.add(finding);
        }
      }
    }
  }
}

async function additions(player: Player): Promise<void> {
  const productId = player.model.products.at(-1)?.id;
  if (productId === undefined) return;
  const statuses = await sendConcurrently(
    player,
    'addCartItem',
    createJsonRequest('POST', '/api/cart-items', { productId, quantity: 1 }),
  );
  const done = statuses.filter((status) => status >= 200 && status < 300).length;
  for (let time = 0; time < done; time++) player.model = withAdded(player.model, productId, 1);
  await checkList(player, {
    list: 'listCartItems',
    by: 'addCartItem',
    rule: `none of ${CONCURRENT_REQUESTS} concurrent additions is lost`,
  });
}

async function orders(player: Player): Promise<void> {
  const productId = player.model.products[0]?.id;
  if (productId === undefined) return;
  await player.send('addCartItem', createJsonRequest('POST', '/api/cart-items', { productId, quantity: 1 }));
  const statuses = await sendConcurrently(player, 'createOrder', createJsonRequest('POST', '/api/orders'));
  const done = statuses.filter((status) => status === 201).length;
  const rule = 'a cart is ordered once';
  if (done !== 1)
    player.fail(
      'createOrder',
      rule,
      `Rule: ${rule}. ${done} of ${CONCURRENT_REQUESTS} concurrent orders received 201.`,
    );
}

/** Sends a request several times concurrently. Returns the statuses. */
async function sendConcurrently(player: Player, id: OperationId, request: RequestToSend): Promise<readonly number[]> {
  const replies = await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, () => player.send(id, request)));
  return replies.map(({ status }) => status);
}
