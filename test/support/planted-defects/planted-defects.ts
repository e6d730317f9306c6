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
import { httpDefects, responseDefects } from './response-defects.ts';
import { searchDefects } from './search-defects.ts';
import { searchTermDefects } from './search-term-defects.ts';

export type { Defect } from './defect.ts';

/** All defects that a shop in tests can have. The name of a defect is unique and continues "a shop that …". */
export const defects: readonly Defect[] = [
  ...responseDefects,
  ...httpDefects,
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

/**
 * A shop without a defect that uses the same proxy as the defects. If a check of this shop has a finding, the finding is a false positive or a defect of the
 * proxy.
 */
export const correctShopBehindProxy: Defect = {
  name: 'follows the contract',
  operationId: undefined,
  tamper: () => (request, pass) => pass(request),
};

/**
 * Starts the shop with one defect in memory on a free port. By default, uses the system clock and random ids. Returns the URL, and a function that stops the
 * shop.
 */
export async function startDefective(
  { handlers, tamper }: Defect,
  clockAndIds: Pick<Options, 'nowMs' | 'newId'> = {},
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const shop = await createStorefront({
    ...clockAndIds,
    host: '127.0.0.1',
    verify: 'off',
    logTo: { write: () => {} },
    // The cast is necessary, because these handlers return responses that the types do not allow.
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
