import { Argument, Command, InvalidArgumentError } from 'commander';
import type { ControlRequest, ControlServer } from '../client/client.ts';
import { createUsageError } from './option-values.ts';

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

/** A request of a command before its server is known. */
export interface CommandRequest extends Pick<ControlCommand, 'method' | 'body' | 'format'> {
  /** The path below that of the sandbox; undefined for the list of sandboxes. */
  readonly path?: string;
}

/** Runs the request of a command. */
export type RunRequest = (request: CommandRequest, options: ControlOptions) => void;

/**
 * What an action of a command sends. A fixed request accepts no options beside those of all control commands, and no argument after the name of the action;
 * a function receives them.
 */
type Action =
  | CommandRequest
  | ((argument: string | undefined, options: Readonly<Record<string, unknown>>) => CommandRequest);

/** A command with actions. */
export interface ActionCommand {
  readonly name: string;
  readonly description: string;
  /** The actions by name; the first one is the default. */
  readonly actions: Readonly<Record<string, Action>>;
  /** The options that an action accepts if it is a function. Default: all of the command. */
  readonly accepts?: Readonly<Record<string, readonly string[]>>;
  /** The actions that require the option --sandbox, because their effect on the default sandbox would be a surprise. Default: none. */
  readonly requireSandbox?: readonly string[];
  /** The syntax and the description of the argument after the name of the action. Default: none. */
  readonly argument?: readonly [syntax: string, description: string];
}

/** Creates a command that sends requests to the control API of a running server. */
export function createControlCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--url <address>', 'address of the server', parseAddress, 'http://localhost:3000')
    .option('--sandbox <id>', 'id of the sandbox', 'default')
    .option('--token <token>', 'bearer token of the control API (env: STOREFRONT_CONTROL_TOKEN)');
}

/** Creates a control command whose first argument names an action. An argument or option that the action does not accept is a usage error. */
export function createActionCommand(
  { name, description, actions, accepts = {}, requireSandbox = [], argument }: ActionCommand,
  run: RunRequest,
): Command {
  const names = Object.keys(actions);
  const isAccepted = (actionName: string, option: string) =>
    typeof actions[actionName] === 'function' && (accepts[actionName]?.includes(option) ?? true);
  const command = createControlCommand(name, description)
    .addArgument(new Argument('[action]', 'action to perform').choices(names).default(names[0]))
    .action((actionName: string) => {
      const action = actions[actionName] as Action;
      const value = command.args[1];
      const { url, sandbox, token, ...options } = command.opts();
      const unused = Object.keys(options).find((option) => !isAccepted(actionName, option));
      if (unused !== undefined) {
        const others = names.filter((other) => isAccepted(other, unused)).join(', ');
        refuseArgument(`${name} ${actionName}`, toFlag(unused), `It is an option of ${name} ${others}.`);
      }
      if (typeof action !== 'function') refuseArgument(`${name} ${actionName}`, value);
      if (requireSandbox.includes(actionName) && command.getOptionValueSource('sandbox') === 'default')
        throw createUsageError(
          `Missing option --sandbox. Name the sandbox: storefront ${name} ${actionName} --sandbox w1.`,
        );
      run(typeof action === 'function' ? action(value, options) : action, { url, sandbox, token });
    });
  return argument ? command.argument(...argument) : command;
}

/** Returns the flag of an option. */
export function toFlag(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Throws a usage error if an argument was passed that the command does not accept. */
export function refuseArgument(
  command: string,
  argument: string | undefined,
  remedy = `See storefront ${command.split(' ')[0]} --help.`,
): void {
  if (argument !== undefined) throw createUsageError(`${command} does not accept ${argument}. ${remedy}`);
}

function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && url.username !== '') throw new InvalidArgumentError('Omit the user name and the password.');
  if (/[?#]/.test(text)) throw new InvalidArgumentError('Omit the query and the fragment.');
  if (url && /^https?:$/.test(url.protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('Use an address such as http://localhost:3000.');
}
