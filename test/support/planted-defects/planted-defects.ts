import { createStorefront, type Options } from '../../../src/index.ts';
import { cartDefects } from './cart-defects.ts';
import { catalogueDefects } from './catalogue-defects.ts';
import type { Defect } from './defect.ts';
import { idDefects } from './id-defects.ts';
import { listDefects } from './list-defects.ts';
import { moneyDefects } from './money-defects.ts';
import { orderDefects } from './order-defects.ts';
import { problemDefects } from './problem-defects.ts';
import { startProxy } from './proxy.ts';
import { requestDefects } from './request-defects.ts';
import { resetDefects } from './reset-defects.ts';
import { responseDefects } from './response-defects.ts';
import { searchDefects } from './search-defects.ts';
import { searchTermDefects } from './search-term-defects.ts';

export type { Defect } from './defect.ts';

/** Ways in which a shop breaks the contract, each with a unique name that continues "a shop that …". */
export const defects: readonly Defect[] = [
  ...responseDefects,
  ...problemDefects,
  ...requestDefects,
  ...searchDefects,
  ...searchTermDefects,
  ...catalogueDefects,
  ...cartDefects,
  ...moneyDefects,
  ...orderDefects,
  ...listDefects,
  ...resetDefects,
  ...idDefects,
];

/** A shop without a defect behind the same proxy: any finding is a false alarm, or a defect of the proxy. */
export const correctShopBehindProxy: Defect = {
  name: 'follows the contract',
  operationId: undefined,
  tamper: () => (request, pass) => pass(request),
};

/** Starts the real shop with one defect on a free port, in memory, by default with the system clock and random ids. */
export async function startDefective(
  { handlers, tamper }: Defect,
  clockAndIds: Pick<Options, 'nowMs' | 'newId'> = {},
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const shop = await createStorefront({
    ...clockAndIds,
    host: '127.0.0.1',
    verify: 'off',
    logTo: { write: () => {} },
    // These handlers return responses that the types of handlers do not allow.
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
