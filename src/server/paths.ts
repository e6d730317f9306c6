import { resolve } from 'node:path';
import { getPackageFile } from '../package-file.ts';
import type { Options } from './options.ts';

/** The file of the contract that is served: the one that the options name, or ours. */
export function getContractPath({ contract }: Pick<Options, 'contract'>): string {
  return resolve(contract ?? getPackageFile('openapi.yaml'));
}

/** The file with the default data: the one that the options name, or ours. */
export function getDefaultDataPath({ defaultData }: Pick<Options, 'defaultData'>): string {
  return resolve(defaultData ?? getPackageFile('db.json.default'));
}
