import type { OperationId } from '../../contract/operation.ts';
import { type Ask, asking } from '../exchange.ts';
import type { Session } from '../session.ts';
import { look } from './looks.ts';
import { type Model, withAdded } from './model.ts';
import { createPlayer, Off, type Player } from './player.ts';
import { resetAlone } from './steps.ts';

/** How many requests are sent at once, and how often. */
const AT_ONCE = 8;
const TIMES = 3;

/** Judges what a shop makes of requests that come at once: none is lost, and one cart makes one order. */
export async function judgeAtOnce(session: Session, start: Model): Promise<void> {
  for (const scene of [additions, orders]) {
    for (let time = 0; time < TIMES; time++) {
      const player = createPlayer(session, 'behaviour', start);
      try {
        await resetAlone(player);
        await scene(player);
      } catch (error) {
        if (!(error instanceof Off)) throw error;
        session.ledger.addAll(error.findings);
      }
    }
  }
}

async function additions(player: Player): Promise<void> {
  const productId = player.model.products.at(-1)?.id;
  if (productId === undefined) return;
  const statuses = await together(player, 'addCartItem', asking('POST', '/api/cart-items', { productId, quantity: 1 }));
  const done = statuses.filter((status) => status >= 200 && status < 300).length;
  for (let time = 0; time < done; time++) player.model = withAdded(player.model, productId, 1);
  await look(player, {
    list: 'listCartItems',
    by: 'addCartItem',
    rule: `none of ${AT_ONCE} additions at once is lost`,
  });
}

async function orders(player: Player): Promise<void> {
  const productId = player.model.products[0]?.id;
  if (productId === undefined) return;
  await player.ask('addCartItem', asking('POST', '/api/cart-items', { productId, quantity: 1 }));
  const statuses = await together(player, 'createOrder', asking('POST', '/api/orders'));
  const done = statuses.filter((status) => status === 201).length;
  const rule = 'one cart makes one order';
  if (done !== 1)
    player.off('createOrder', rule, `${rule}, but of ${AT_ONCE} orders at once ${done} were answered 201`);
}

/** The statuses of one request that is sent many times at once. */
async function together(player: Player, id: OperationId, ask: Ask): Promise<readonly number[]> {
  const replies = await Promise.all(Array.from({ length: AT_ONCE }, () => player.ask(id, ask)));
  return replies.map(({ status }) => status);
}
