import { type Ask, createRequestSender } from '../../check/exchange.ts';
import { keyOf } from '../../check/findings.ts';
import type { Session } from '../../check/session.ts';
import type { OperationId } from '../types.ts';
import { look } from './looks.ts';
import { type Model, withAdded } from './model.ts';
import { createPlayer, ModelMismatchError, type Player } from './player.ts';
import { resetAlone } from './steps.ts';

/** How many requests are sent at once, and how often. */
const AT_ONCE = 8;
const TIMES = 3;

/** What may befall any request. */
const FAULTS: readonly string[] = ['no server error', 'responds'];

/** Judges what a shop makes of requests that come at once: none is lost, and one cart makes one order. */
export async function judgeAtOnce(session: Session, start: Model): Promise<void> {
  for (const scene of [additions, orders]) {
    const before = new Set<string>();
    for (let time = 0; time < TIMES; time++) {
      const player = createPlayer(session, 'behaviour', start);
      try {
        await resetAlone(player);
        await scene(player);
      } catch (error) {
        if (!(error instanceof ModelMismatchError)) throw error;
        // A fault by chance has nothing to do with what comes at once; two orders of one cart have.
        const isFault = error.findings.some(({ rule }) => FAULTS.includes(rule));
        const isByChance = isFault && !error.findings.some((finding) => before.has(keyOf(finding)));
        for (const finding of error.findings) before.add(keyOf(finding));
        for (const finding of error.findings) {
          if (isByChance) session.ledger.addUnsteady(finding);
          else session.ledger.add(finding);
        }
      }
    }
  }
}

async function additions(player: Player): Promise<void> {
  const productId = player.model.products.at(-1)?.id;
  if (productId === undefined) return;
  const statuses = await together(
    player,
    'addCartItem',
    createRequestSender('POST', '/api/cart-items', { productId, quantity: 1 }),
  );
  const done = statuses.filter((status) => status >= 200 && status < 300).length;
  for (let time = 0; time < done; time++) player.model = withAdded(player.model, productId, 1);
  await look(player, {
    list: 'listCartItems',
    by: 'addCartItem',
    rule: `none of ${AT_ONCE} concurrent additions is lost`,
  });
}

async function orders(player: Player): Promise<void> {
  const productId = player.model.products[0]?.id;
  if (productId === undefined) return;
  await player.ask('addCartItem', createRequestSender('POST', '/api/cart-items', { productId, quantity: 1 }));
  const statuses = await together(player, 'createOrder', createRequestSender('POST', '/api/orders'));
  const done = statuses.filter((status) => status === 201).length;
  const rule = 'a cart is ordered once';
  if (done !== 1)
    player.off('createOrder', rule, `Rule: ${rule}. ${done} of ${AT_ONCE} concurrent orders received 201.`);
}

/** The statuses of one request that is sent many times at once. */
async function together(player: Player, id: OperationId, ask: Ask): Promise<readonly number[]> {
  const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => player.ask(id, ask)));
  return replies.map(({ status }) => status);
}
