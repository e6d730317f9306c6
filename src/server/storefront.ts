import { refuseInvalidOptions } from '../options.ts';
import type { ShopApi } from './api-types.ts';
import { chooseApplication } from './choose-application.ts';
import type { Options, Storefront } from './options.ts';
import { startApplication } from './start-application.ts';

export type { Storefront } from './options.ts';

/**
 * Starts a server in this process.
 * It serves the shop, or the resources of the contract in the options.
 * Resolves when the server listens.
 * By default, the server uses a free port and has its state in memory.
 * Rejects if an option is unknown or invalid, or if the contract, the data, the handlers or the address can't be used.
 */
export async function createStorefront<Api extends object = ShopApi>(options: Options<Api> = {}): Promise<Storefront> {
  refuseInvalidOptions(options);
  return startApplication(await chooseApplication(options), options);
}
