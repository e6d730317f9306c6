import { Command, InvalidArgumentError } from 'commander';
import type { ControlRequest, ControlServer } from '../client/client.ts';
import { createUsageError, parseJson, parseList } from './option-values.ts';

/** A request to the control API of a running server, and how to print the response. */
export interface ControlCommand extends ControlServer, ControlRequest {
  /** `journal`: one line per entry; `verification`: its message, and the exit code 1 if it failed; `stream`: lines as entries arrive. Default: JSON. */
  readonly format?: 'journal' | 'verification' | 'stream';
}

/** Options that all control commands have. */
export interface ControlOptions {
  readonly url: string;
  readonly sandbox: string;
  readonly token?: string;
}

/** A request of a command before its server is known. The path is relative to the sandbox; undefined for the list of sandboxes. */
export type CommandRequest = Omit<ControlCommand, keyof ControlServer | 'path'> & { readonly path: string | undefined };

/** Runs the request of a command. */
export type RunRequest = (request: CommandRequest, options: ControlOptions) => void;

/** Adds the options that select requests. */
export function addMatcherOptions(command: Command): Command {
  return command
    .option('--operation <ids>', 'operations to match, by id (a,b)', parseList)
    .option('--where <json>', 'matcher of the request: method, path, query, headers, body', parseJson);
}

/** Creates a command that sends requests to the control API of a running server. */
export function createControlCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--url <address>', 'address of the server', parseAddress, 'http://localhost:3000')
    .option('--sandbox <id>', 'id of the sandbox', 'default')
    .option('--token <token>', 'bearer token of the control API (env: STOREFRONT_CONTROL_TOKEN)')
    .allowExcessArguments(false)
    .allowUnknownOption(false)
    .exitOverride();
}

/** Throws a usage error if `options` has options beside the common and the `accepted` ones. */
export function refuseUnusedOptions(command: string, options: object, accepted: readonly string[]): void {
  const unused = Object.keys(options).filter((name) => !['url', 'sandbox', 'token', ...accepted].includes(name));
  if (unused.length === 0) return;
  const names = unused.map((name) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  refuseArgument(command, names.join(', '));
}

/** Throws a usage error if an argument was passed that the command does not accept. */
export function refuseArgument(command: string, argument: string | undefined): void {
  if (argument === undefined) return;
  const [name] = command.split(' ');
  throw createUsageError(`${command} does not accept ${argument}. See storefront ${name} --help.`);
}

function parseAddress(text: string): string {
  if (URL.canParse(text) && new URL(text).username !== '')
    throw new InvalidArgumentError('Omit the user name and the password.');
  if (/[?#]/.test(text)) throw new InvalidArgumentError('Omit the query and the fragment.');
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('Use an address such as http://localhost:3000.');
}
