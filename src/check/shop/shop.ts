import type { Contract } from '../../contract/contract.ts';
import type { Order } from '../../contract/operation.ts';
import type { Route } from '../../contract/routes.ts';
import { shopContract } from '../../contract/shop.ts';
import type { Bases } from '../bases.ts';
import { type Ask, asking } from '../exchange.ts';
import type { Chance } from '../exploring.ts';
import type { Pool } from '../pool.ts';
import type { Session } from '../session.ts';
import { judgeAtOnce } from './at-once.ts';
import { judgeFront } from './front.ts';
import type { Model } from './model.ts';
import { judgeSearch } from './search.ts';
import { judgeSequences, judgeStatuses } from './sequences.ts';
import { startOf } from './start.ts';

export interface ModelParts {
  readonly fc: Chance;
  readonly bases: Bases;
  readonly seed: number;
  /** How many sequences are played. */
  readonly runs: number;
}

/** What is known of a server that is a shop. */
export interface Shop {
  /** Has something be in the cart, and an order made, as far as that may be. */
  prepare(): Promise<void>;
  /** Judges it by the model of the shop, and says what could not be judged so. */
  judge(parts: ModelParts): Promise<readonly string[]>;
}

/** Whether a contract has all that the shop does. */
export function isShop({ routes }: Contract): boolean {
  return shopContract.routes.every(({ operationId, method, path }) =>
    routes.some((route) => route.operationId === operationId && route.method === method && route.path === path),
  );
}

/** The shop behind a session, in its default data where it may be reset. `asked`: the operations that may be asked; `isFresh`: whether it is in its default data to begin with. */
export async function shopAt(session: Session, pool: Pool, asked: readonly Route[], isFresh: boolean): Promise<Shop> {
  const may = (operationId: string) => asked.some((route) => route.operationId === operationId);
  const start = await startOf({ session, pool, mayReset: may('resetData'), isFresh });
  const mayPlay = start !== undefined && shopContract.routes.every(({ operationId }) => may(operationId));
  return {
    async prepare() {
      if (!mayPlay || !session.isTouched) return;
      await stock(session, pool, start);
      session.isTouched = false;
    },
    async judge({ fc, bases, seed, runs }) {
      for (const path of new Set(asked.map((route) => route.path))) {
        await judgeFront(
          session,
          bases,
          seed,
          session.contract.routes.filter((route) => route.path === path),
        );
      }
      if (!start)
        return ['the model of the shop was left out: what the shop holds could not be read as the contract has it'];
      if (may('listProducts')) await judgeSearch(session, start, seed);
      if (!mayPlay) return ['sequences were left out: they ask all operations of the cart, of orders, and a reset'];
      await judgeStatuses(session, start);
      await judgeAtOnce(session, start);
      await judgeSequences(session, fc, start, seed, runs);
      return [];
    },
  };
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
