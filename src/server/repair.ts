import { resolve } from 'node:path';
import { loadContract } from '../openapi/contract.ts';
import { repairDataFile } from '../store/repair.ts';
import { createStateValidator } from '../store/validate-state.ts';
import { chooseApplication } from './choose-application.ts';
import { getDefaultData } from './default-data.ts';
import { createLogger } from './logger.ts';
import type { RepairOptions } from './options.ts';

/**
 * Replaces an invalid data file with the default data, and saves a copy of the invalid file.
 * Resolves to a message for the user.
 * Rejects with a `DataFileError` if the repair fails.
 */
export async function repair({ data, ...options }: RepairOptions): Promise<string> {
  const application = await chooseApplication(options);
  const path = resolve(options.contract ?? application.contractFile);
  const contract = await loadContract({ path, strict: false, allowRefs: options.allowRefs });
  const { validate } = createStateValidator(application.implementContract(contract).stateRules);
  const source = getDefaultData(application, options, () => contract);
  return repairDataFile({ data, ...source, check: validate, log: createLogger('off') });
}
