import { NOW_MS, startStorefront, type TestShop } from './start-storefront.ts';

/** Starts a storefront with a fixed time and sequential ids, so that two storefronts have the same responses, with and without the response cache. */
export async function startAlike(responseCache: boolean): Promise<TestShop> {
  let ids = 0;
  const newId = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`;
  return startStorefront({ durability: 'memory', nowMs: () => NOW_MS, newId, responseCache });
}
