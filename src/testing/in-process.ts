/** The ES module entry point of `storefront/testing`. It starts the server in the same process as the tests. */
import type { ShopApi } from '../server/api-types.ts';
import type { Options } from '../server/options.ts';
import { createStorefront } from '../server/storefront.ts';
import { createTestStorefront, type TestStorefront } from './test-storefront.ts';

export type { Options } from '../server/options.ts';
export * from './exports.ts';
export type { SandboxOptions, TestStorefront } from './test-storefront.ts';

/**
 * Starts a server in this process.
 * By default, it uses a free port and stores its data in memory.
 * Rejects with an error if the contract, the data, the handlers or the address can't be used.
 */
export async function startStorefront<Api extends object = ShopApi>(
  options: Options<Api> = {},
): Promise<TestStorefront<Api>> {
  return createTestStorefront(await createStorefront(options), options.controlToken);
}
