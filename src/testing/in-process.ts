/** `storefront/testing` for `import`: the shop runs in the process of the tests. */
import type { Options } from '../server/options.ts';
import { createStorefront } from '../server/storefront.ts';
import { type TestStorefront, testStorefront } from './test-storefront.ts';

export type { Options } from '../server/options.ts';
export * from './exports.ts';
export type { SandboxWish, TestStorefront } from './test-storefront.ts';

/**
 * Starts a shop in this process: on a free port, with its state in memory, unless the options say otherwise. Rejects with an error whose message is one
 * clear sentence where the contract, the data or the address can't be used.
 */
export async function startStorefront(options: Options = {}): Promise<TestStorefront> {
  const { url, port, close } = await createStorefront(options);
  return testStorefront({ url, port, token: options.controlToken, close });
}
