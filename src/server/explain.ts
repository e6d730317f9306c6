import { resolve } from 'node:path';
import {
  describeServerHeaders,
  explainOperations,
  formatOperations,
  summarizeOperations,
} from '../http/operation-table.ts';
import { loadContract } from '../openapi/contract.ts';
import { chooseApplication } from './choose-application.ts';
import { loadHandlers } from './handler-registry.ts';
import type { ServerOptions } from './options.ts';
import { createContractSetupFactory } from './served-contract.ts';

/** Options of `explain`. With `json`, the result is JSON instead of a table. */
export interface ExplainOptions extends Pick<ServerOptions, 'contract' | 'mock' | 'handlers' | 'strict' | 'allowRefs'> {
  readonly json?: boolean | undefined;
}

/**
 * Returns a table of the operations of a contract. It shows which operations have a handler, which operations are mocked, and why. Rejects with a
 * `ContractError` or a `UserError` if the contract or the handlers can't be loaded.
 */
export async function explain({ json = false, ...options }: ExplainOptions): Promise<string> {
  const application = await chooseApplication(options);
  const path = resolve(options.contract ?? application.contractFile);
  const contract = await loadContract({ path, strict: options.strict ?? false, allowRefs: options.allowRefs });
  const handlers = await loadHandlers(options.handlers, undefined);
  const setup = await createContractSetupFactory(application, options)(contract, handlers);
  if (json) return `${JSON.stringify(explainOperations(setup), null, 2)}\n`;
  const { overlay, warning } = contract;
  const notes = [
    overlay && `The contract is changed by the overlay ${overlay}`,
    warning && `Warning: ${warning}`,
    describeServerHeaders(setup),
  ].filter(Boolean);
  return `${[...formatOperations(setup), '', summarizeOperations(setup), ...notes].join('\n')}\n`;
}
