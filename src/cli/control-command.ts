import { Command, InvalidArgumentError } from 'commander';
import type { ControlRequest, ControlServer } from '../client/client.ts';
import { createUsageError, parseJson, parseList } from './option-values.ts';

/** A request to the control of a running server, as a command asks for it. */
export interface ControlCommand extends ControlServer, ControlRequest {
  /** How the answer is printed: as it is unless said otherwise; as lines of the journal; as a verdict, which may end the command with 1; as lines while they come. */
  readonly shownAs?: 'journal' | 'verdict' | 'stream';
}

/** What of a command is the same for all. */
export interface Flags {
  readonly url: string;
  readonly sandbox: string;
  readonly token?: string;
}

/** What a command asks for, of whichever server. Its path is below the sandbox's; where there is none it is about all sandboxes. */
export type CommandRequest = Omit<ControlCommand, keyof ControlServer | 'path'> & { readonly path: string | undefined };

/** Is told what a command asks for. */
export type RunControlCommand = (request: CommandRequest, flags: Flags) => void;

/** A command that says which requests are meant. */
export function addMatcherOptions(command: Command): Command {
  return command
    .option('--operation <ids>', 'the operations that are meant (a,b)', parseList)
    .option('--where <json>', 'what the request has to be like: method, path, query, headers, body', parseJson);
}

/** A command that is given to a running server. */
export function createControlCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--url <address>', 'address of the server', address, 'http://localhost:3000')
    .option('--sandbox <id>', 'the sandbox that is meant', 'default')
    .option('--token <token>', 'what the server wants; STOREFRONT_CONTROL_TOKEN in the environment does the same')
    .allowExcessArguments(false)
    .allowUnknownOption(false)
    .exitOverride();
}

/** Throws where options are given that what is to be done has no use for. `flags`: those that were given; `takes`: those that it has a use for. */
export function refuseUnusedOptions(command: string, what: string, flags: object, takes: readonly string[]): void {
  const stray = Object.keys(flags).filter((name) => !['url', 'sandbox', 'token', ...takes].includes(name));
  if (stray.length === 0) return;
  const options = stray.map((name) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  throw createUsageError(`${command} ${what} has no use for ${options.join(', ')}`);
}

function address(text: string): string {
  if (URL.canParse(text) && new URL(text).username !== '')
    throw new InvalidArgumentError('Leave user and password out of it.');
  if (/[?#]/.test(text)) throw new InvalidArgumentError('Leave ? and # out of it, and what stands behind them.');
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('Give an address such as http://localhost:3000.');
}
