import type { Contract } from '../../contract/contract.ts';
import type { Order } from '../../contract/operation.ts';
import type { Route } from '../../contract/routes.ts';
import { asksAsWritten, shopContract } from '../../contract/shop.ts';
import { type Ask, asking } from '../exchange.ts';
import type { Finding } from '../findings.ts';
import type { Judging } from '../judging.ts';
import type { Pool } from '../pool.ts';
import type { Session } from '../session.ts';
import { judgeAtOnce } from './at-once.ts';
import { judgeFront } from './front.ts';
import type { Model } from './model.ts';
import { judgeSearch } from './search.ts';
import { judgeSequences, judgeStatuses } from './sequences.ts';
import { LISTED, startOf } from './start.ts';

/** What is known of a server that is a shop. */
export interface Shop {
  /** Has something be in the cart, and an order made, as far as that may be and as it isn't so. */
  prepare(): Promise<void>;
  /** Judges what its contract says of a path, given by its operations, in words alone. */
  judgePath(judging: Judging, routes: readonly Route[]): Promise<void>;
  /** Judges it by the model of the shop, each judge by way of `attempt`. */
  judge(judging: Judging, attempt: (work: () => Promise<void>) => Promise<void>): Promise<void>;
}

/** Whether a contract is that of the shop: it has all that the shop does, and asks of requests what the shop asks. */
export function isShop({ plain, routes }: Contract): boolean {
  return shopContract.routes.every((own) => {
    const served = routes.find(({ operationId }) => operationId === own.operationId);
    return served?.method === own.method && served.path === own.path && asksAsWritten(plain, own, served);
  });
}

/** The shop behind a session, in its default data where it may be reset. `isFresh`: whether it is in its default data to begin with. */
export async function shopAt(judging: Omit<Judging, 'prepare'>, pool: Pool, isFresh: boolean): Promise<Shop> {
  const { session, asked, note } = judging;
  const may = (operationId: string) => asked.some((route) => route.operationId === operationId);
  const start = LISTED.every(may) ? await startOf({ session, pool, mayReset: may('resetData'), isFresh }) : undefined;
  const mayPlay = start !== undefined && shopContract.routes.every(({ operationId }) => may(operationId));
  return {
    async prepare() {
      if (!mayPlay || !session.isTouched) return;
      await stock(session, pool, start);
      session.isTouched = false;
    },
    judgePath: (all, routes) => judgeFront(all, routes),
    async judge(all, attempt) {
      if (!start) {
        note(
          'the model of the shop was left out: what the shop holds could not be read, or not as the contract has it',
        );
        return;
      }
      if (may('listProducts')) await attempt(() => judgeSearch(session, start, all.seed));
      if (!mayPlay) {
        note('sequences were left out: they ask all operations of the shop');
        return;
      }
      await attempt(() => judgeStatuses(session, start));
      await attempt(() => judgeAtOnce(session, start));
      await attempt(() => judgeSequences(all, start));
      session.ledger.addAll(asked.flatMap((route) => neverAnswered(session, route)));
    },
  };
}

/** Documented statuses that no request has led to, though some was meant to. */
function neverAnswered({ ledger }: Session, { operationId, responses }: Route): readonly Finding[] {
  const never = responses.filter(({ name }) => /^\d+$/.test(name) && !ledger.statusesOf(operationId).includes(name));
  return never.map(({ name, pointer }) => {
    const said = `no request led to the documented ${name}`;
    return {
      judge: 'statuses',
      operationId,
      status: name,
      rule: 'each documented status',
      said,
      pointer,
      exchanges: [],
    };
  });
}

/** Puts two products into the cart of a shop in its default data, and makes an order where it has none. What goes wrong there others find. */
async function stock({ client }: Session, pool: Pool, { products, orders }: Model): Promise<void> {
  const ids = products.slice(0, 2).map(({ id }) => id);
  const send = (ask: Ask) => client.send(ask).catch(() => undefined);
  const add = async () => {
    for (const productId of ids) await send(asking('POST', '/api/cart-items', { productId, quantity: 1 }));
  };
  await send(asking('POST', '/api/reset'));
  pool.fix('productId', ids);
  if (orders.length === 0) {
    await add();
    const made = await send(asking('POST', '/api/orders'));
    pool.fix(
      'orderId',
      [(made?.body as Partial<Order> | undefined)?.id].filter((id) => id !== undefined),
    );
  }
  await add();
}
