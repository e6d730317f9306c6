import { resolve } from 'node:path';
import { shop, stateRules } from '../shop/application.ts';
import { repairDataFile } from '../store/repair.ts';
import { createStateValidator } from '../store/validate-state.ts';
import { createLogger } from './logger.ts';
import type { RepairOptions } from './options.ts';

/** Replaces an invalid data file with the default data, and saves a copy of the invalid file. Returns a message about the result. Throws a `DataFileError`. */
export function repair({ data, defaultData = shop.defaultDataFile }: RepairOptions): Promise<string> {
  const check = createStateValidator(stateRules).validate;
  return repairDataFile({ data, defaultData: resolve(defaultData), check, log: createLogger('off') });
}
