import { resolve } from 'node:path';
import { getPackageFile } from '../package-file.ts';
import type { Options } from './options.ts';

/** Returns the absolute path of the contract, by default that of the package. */
export function getContractPath({ contract }: Pick<Options, 'contract'>): string {
  return resolve(contract ?? getPackageFile('openapi.yaml'));
}

/** Returns the absolute path of the default data, by default that of the package. */
export function getDefaultDataPath({ defaultData }: Pick<Options, 'defaultData'>): string {
  return resolve(defaultData ?? getPackageFile('db.json.default'));
}
