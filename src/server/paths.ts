import { resolve } from 'node:path';
import { shop } from '../shop/application.ts';
import type { Options } from './options.ts';

/**
 * Returns the absolute path of the contract in the options.
 * Default: the contract of the shop, which ships with this package.
 */
export function getContractPath({ contract }: Pick<Options, 'contract'>): string {
  return resolve(contract ?? shop.contractFile);
}
