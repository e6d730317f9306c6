import { stateRules } from '../shop/application.ts';
import { repairDataFile } from '../store/repair.ts';
import { createStateValidator } from '../store/validate-state.ts';
import { createLogger } from './logger.ts';
import type { RepairOptions } from './options.ts';
import { getDefaultDataPath } from './paths.ts';

/** Restores the default data in a data file that can't be used, and keeps a copy of it. Returns a sentence about what was done. Throws `DataFileError`. */
export async function repair(options: RepairOptions): Promise<string> {
  const log = createLogger('off');
  return repairDataFile({
    data: options.data,
    defaultData: getDefaultDataPath(options),
    check: createStateValidator(stateRules).validate,
    warn: (message) => log.warn({}, message),
  });
}
