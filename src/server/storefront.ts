import { shop } from '../shop/application.ts';
import type { Options, Storefront } from './options.ts';
import { startApplication } from './start-application.ts';

export type { Storefront } from './options.ts';

/**
 * Starts a storefront in this process, and returns it once it listens: on a free port, with its state in memory, unless the options say otherwise.
 * Rejects with an error whose message is one clear sentence if the contract, the data or the address can't be used.
 */
export function createStorefront(options: Options = {}): Promise<Storefront> {
  return startApplication(shop, options);
}
