import { shopContract } from '../shop/contract.ts';
import { repairDataFile } from '../store/repair.ts';
import { createLogger } from './logger.ts';
import type { RepairOptions } from './options.ts';
import { getDefaultDataPath } from './paths.ts';

/** Restores the default data in a data file that can't be used, and keeps a copy of it. Returns a sentence about what was done. Throws `DataFileError`. */
export async function repair(options: RepairOptions): Promise<string> {
  const log = createLogger('off');
  return repairDataFile({
    data: options.data,
    defaultData: getDefaultDataPath(options),
    check: shopContract.checkData,
    warn: (message) => log.warn({}, message),
  });
}
