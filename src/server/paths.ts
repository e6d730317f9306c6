import { resolve } from 'node:path';
import { shop } from '../shop/application.ts';
import type { Options } from './options.ts';

/** Returns the absolute path of the contract, by default that of the package. */
export function getContractPath({ contract }: Pick<Options, 'contract'>): string {
  return resolve(contract ?? shop.contractFile);
}

/** Returns the absolute path of the default data, by default that of the package. */
export function getDefaultDataPath({ defaultData }: Pick<Options, 'defaultData'>): string {
  return resolve(defaultData ?? shop.defaultDataFile);
}
