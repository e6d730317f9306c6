import { resolve } from 'node:path';
import { shop, stateRules } from '../shop/application.ts';
import { repairDataFile } from '../store/repair.ts';
import { createStateValidator } from '../store/validate-state.ts';
import { createLogger } from './logger.ts';
import type { RepairOptions } from './options.ts';

/** Restores the default data in a data file that can't be used, and keeps a copy of it. Returns a sentence about what was done. Throws `DataFileError`. */
export function repair({ data, defaultData = shop.defaultDataFile }: RepairOptions): Promise<string> {
  const check = createStateValidator(stateRules).validate;
  return repairDataFile({ data, defaultData: resolve(defaultData), check, log: createLogger('off') });
}
