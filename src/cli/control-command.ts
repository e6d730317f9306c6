import { Argument, Command, InvalidArgumentError } from 'commander';
import type { ControlRequest, ControlServer } from '../client/client.ts';
import { toFlag } from '../util/option-flag.ts';
import { addOptions, type OptionRow } from './option-table.ts';
import { createUsageError } from './option-values.ts';

/** A request to the control API of a running server, and the output format of the response. */
export interface ControlCommand extends ControlServer, ControlRequest {
  /**
   * `journal` prints a line for each journal entry, and `stream` prints each line when the entry arrives. `verification` prints the message of a verification.
   * Default: JSON.
   */
  readonly format?: 'journal' | 'verification' | 'stream';
}

/** The options of every control command. */
export interface ControlOptions {
  readonly url: string;
  readonly sandbox: string;
  readonly token?: string;
}

/** A request of a command, without the server and the sandbox. */
export interface CommandRequest extends Pick<ControlCommand, 'method' | 'body' | 'format'> {
  /** The path below /_control/sandboxes/ID. Undefined for the list of sandboxes. */
  readonly path?: string;
}

/** Sends a request to the server and the sandbox that the options name. */
export type RunRequest = (request: CommandRequest, options: ControlOptions) => void;

/**
 * The request of an action, or a function that creates it from the argument and the options of the command. An action with a fixed request accepts only the
 * options --url, --sandbox and --token.
 */
type Action =
  | CommandRequest
  | ((argument: string | undefined, options: Readonly<Record<string, unknown>>) => CommandRequest);

/** A command whose first argument is the name of an action. */
export interface ActionCommand {
  readonly name: string;
  readonly description: string;
  /** The syntax and the description of the argument after the name of the action. Default: no argument. */
  readonly argument?: readonly [syntax: string, description: string];
  /** The options in addition to --url, --sandbox and --token. Default: none. */
  readonly options?: readonly OptionRow[];
  /** The actions by name. The first action is the default. */
  readonly actions: Readonly<Record<string, Action>>;
  /** The names of the options that each action accepts. Default: all options of the command. */
  readonly accepts?: Readonly<Record<string, readonly string[]>>;
  /** The actions that require the option --sandbox, so that nobody changes the default sandbox by mistake. Default: none. */
  readonly requireSandbox?: readonly string[];
}

/** Creates a command that sends requests to the control API of a running server. */
export function createControlCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--url <address>', 'address of the server', parseAddress, 'http://localhost:3000')
    .option('--sandbox <id>', 'id of the sandbox', 'default')
    .option('--token <token>', 'bearer token of the control API (env: STOREFRONT_CONTROL_TOKEN)');
}

/** Creates a command whose first argument is the name of an action. Throws a usage error for an argument or an option that the action does not accept. */
export function createActionCommand(definition: ActionCommand, run: RunRequest): Command {
  const { name, description, actions, options = [], argument, requireSandbox = [] } = definition;
  const names = Object.keys(actions);
  const command = addOptions(createControlCommand(name, description), options)
    .addArgument(new Argument('[action]', 'action to perform').choices(names).default(names[0]))
    .action((actionName: string) => {
      const action = actions[actionName] as Action;
      const value = command.args[1];
      const { url, sandbox, token, ...others } = command.opts();
      rejectUnacceptedOption(definition, actionName, Object.keys(others));
      if (typeof action !== 'function') rejectArgument(`${name} ${actionName}`, value);
      if (requireSandbox.includes(actionName) && command.getOptionValueSource('sandbox') === 'default')
        throw createUsageError(
          `Missing option --sandbox. Name the sandbox: storefront ${name} ${actionName} --sandbox w1.`,
        );
      run(typeof action === 'function' ? action(value, others) : action, { url, sandbox, token });
    });
  return argument ? command.argument(...argument) : command;
}

function rejectUnacceptedOption({ name, actions, accepts }: ActionCommand, action: string, options: readonly string[]) {
  const isAccepted = (other: string, option: string) =>
    typeof actions[other] === 'function' && (accepts?.[other]?.includes(option) ?? true);
  const option = options.find((candidate) => !isAccepted(action, candidate));
  if (option === undefined) return;
  const others = Object.keys(actions).filter((other) => isAccepted(other, option));
  rejectArgument(`${name} ${action}`, toFlag(option), `It is an option of ${name} ${others.join(', ')}.`);
}

/** Throws a usage error for an argument that the command does not accept. Does nothing if there is no argument. */
export function rejectArgument(
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
