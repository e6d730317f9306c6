import { Command } from 'commander';

/** A parsed `storefront types` command. */
export interface TypesCommand {
  /** The path of the contract, an OpenAPI document. */
  readonly contract: string;
  /** The path of the file to write; undefined for standard output. */
  readonly output?: string | undefined;
}

/** Creates the command `types`. `onTypes` receives the parsed command. */
export function createTypesCommand(onTypes: (command: TypesCommand) => void): Command {
  return new Command('types')
    .description('Generate TypeScript types from a contract, for openapi-fetch and similar clients.')
    .argument('<file>', 'contract, an OpenAPI document 3.0 or 3.1')
    .option('-o, --output <file>', 'file to write (default: standard output)')
    .allowExcessArguments(false)
    .exitOverride()
    .action((contract: string, { output }: { readonly output?: string }) => onTypes({ contract, output }));
}
