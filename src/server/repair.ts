import { shopContract } from '../shop/contract.ts';
import { repairDataFile } from '../store/repair.ts';
import { createLogger } from './logger.ts';
import type { RepairOptions } from './options.ts';
import { getDefaultDataPath } from './paths.ts';

/** Has a data file that stops the start hold the default data, and keeps a copy of what it held; gives back what was done, a sentence. */
export async function repair(options: RepairOptions): Promise<string> {
  const log = createLogger('off');
  return repairDataFile({
    data: options.data,
    defaultData: getDefaultDataPath(options),
    check: shopContract.checkData,
    warn: (message) => log.warn({}, message),
  });
}
