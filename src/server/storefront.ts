import { shop } from '../shop/application.ts';
import type { Options, Storefront } from './options.ts';
import { startApplication } from './start-application.ts';

export type { Storefront } from './options.ts';

/**
 * Starts a server for the shop in this process. Resolves to the server when it listens. By default, the server uses a free port and stores its state in memory.
 * Rejects with an error if the contract, the data, the handlers or the address can't be used.
 */
export function createStorefront(options: Options = {}): Promise<Storefront> {
  return startApplication(shop, options);
}
