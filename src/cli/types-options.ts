import { Command } from 'commander';

/** What `storefront types` is asked for. */
export interface TypesCommand {
  /** The file of the contract, an OpenAPI document. */
  readonly contract: string;
  /** The file that the types are written to; standard output where there is none. */
  readonly output?: string | undefined;
}

/** The subcommand `types`. `onTypes` gets the parsed command. */
export function typesCommand(onTypes: (command: TypesCommand) => void): Command {
  return new Command('types')
    .description('Writes TypeScript types of a contract, for openapi-fetch and the like.')
    .argument('<file>', 'the contract, an OpenAPI document, 3.0 or 3.1')
    .option('-o, --output <file>', 'file to write to (default: standard output)')
    .allowExcessArguments(false)
    .exitOverride()
    .action((contract: string, { output }: { readonly output?: string }) => onTypes({ contract, output }));
}
