import { Command } from 'commander';
import type { ExplainOptions } from '../server/explain.ts';
import { addOptions } from './option-table.ts';
import { EXPLAIN_OPTIONS } from './server-options.ts';

/** Creates the command `explain`. Calls `onExplain` with the parsed options. */
export function createExplainCommand(onExplain: (options: ExplainOptions) => void): Command {
  return addOptions(new Command('explain'), EXPLAIN_OPTIONS)
    .description(
      'List the operations of a contract. Show which operations are real (they read and change data), which are mocked, and why.',
    )
    .argument('[file]', 'contract, an OpenAPI 3.0 or 3.1 document (default: the contract of the built-in shop)')
    .action((contract: string | undefined, options: ExplainOptions) =>
      onExplain({ ...options, ...(contract !== undefined && { contract }) }),
    );
}
