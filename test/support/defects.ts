import { createStorefront, type Options } from '../../src/storefront.ts';
import { answerDefects } from './defects/answer-defects.ts';
import { cartDefects } from './defects/cart-defects.ts';
import { catalogueDefects } from './defects/catalogue-defects.ts';
import type { Defect } from './defects/defect.ts';
import { moneyDefects } from './defects/money-defects.ts';
import { orderDefects } from './defects/order-defects.ts';
import { problemDefects } from './defects/problem-defects.ts';
import { startProxy } from './defects/proxy.ts';
import { requestDefects } from './defects/request-defects.ts';
import { searchDefects } from './defects/search-defects.ts';

export type { Defect } from './defects/defect.ts';

/** Ways in which a shop breaks the contract, each with a name of its own that goes on "a shop that …". */
export const defects: readonly Defect[] = [
  ...answerDefects,
  ...problemDefects,
  ...requestDefects,
  ...searchDefects,
  ...catalogueDefects,
  ...cartDefects,
  ...moneyDefects,
  ...orderDefects,
];

/** No defect at all, planted as those are: what is found in this shop is the fault of whoever finds it, or of the proxy. */
export const soundBehindProxy: Defect = {
  name: 'does all as the contract has it',
  operationId: undefined,
  tamper: () => (asked, pass) => pass(asked),
};

/** The real shop with one defect in it, on a free port, its state in memory; its clock and its ids are those of the machine unless given. */
export async function startDefective(
  { handlers, tamper }: Defect,
  clockAndIds: Pick<Options, 'nowMs' | 'newId'> = {},
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const shop = await createStorefront({
    ...clockAndIds,
    host: '127.0.0.1',
    verify: 'off',
    logTo: { write: () => {} },
    // These answer what the types of handlers don't allow.
    handlers: handlers as Options['handlers'],
  });
  if (!tamper) return shop;
  const proxy = await startProxy(shop.port, tamper());
  return {
    url: proxy.url,
    async close() {
      await proxy.close();
      await shop.close();
    },
  };
}
