import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { ControlRequest, ControlServer } from '../client/client.ts';
import type { CoverageLimits } from '../coverage/limits.ts';
import { toFlag } from '../util/text.ts';
import { addOptions, createUsageError, type OptionRow, parsePort, parseVariable } from './option-values.ts';

/** A request to the control API of a running server, and the format in which the command prints the response. */
export interface ControlCommand extends ControlServer, ControlRequest {
  /**
   * The output format.
   * `journal`: one line for each journal entry.
   * `stream`: the same lines, each printed when its entry arrives.
   * `verification`: the message of a verification.
   * `coverage`: as the options in `coverage` say.
   * Default: the response as JSON with indentation.
   */
  readonly format?: 'journal' | 'verification' | 'stream' | 'coverage';
  readonly coverage?: CoverageOptions;
}

/** The options of the command `coverage`. */
export interface CoverageOptions extends CoverageLimits {
  readonly markdown?: boolean;
  readonly lcov?: boolean;
  /** The path of a JSON report of `storefront check`, whose coverage is printed beside that of the server. */
  readonly checkReport?: string | undefined;
  /** The path of a file to which the Markdown is appended. */
  readonly summary?: string | undefined;
}

/** The options that every command for the control API has. */
export interface ControlOptions {
  readonly url: string;
  readonly sandbox: string;
  readonly token?: string;
}

/** A request that a command sends. The URL of the server and the id of the sandbox are added later. */
export interface CommandRequest extends Pick<ControlCommand, 'method' | 'body' | 'format' | 'coverage'> {
  /** The part of the path after /_control/, for a request that is not about a sandbox. */
  readonly serverPath?: string;
  /** The part of the path after /_control/sandboxes/ID; undefined for the path /_control/sandboxes. */
  readonly path?: string;
}

/** Sends a request to the server and the sandbox that the options specify. */
export type RunRequest = (request: CommandRequest, options: ControlOptions) => void;

/**
 * The request that an action sends.
 * For an action with an argument or with options of its own, a function that creates the request from them.
 * Other actions accept only the options --url, --sandbox and --token.
 */
type Action =
  | CommandRequest
  | ((argument: string | undefined, options: Readonly<Record<string, unknown>>) => CommandRequest);

/** A command with actions. Its first argument is the name of an action, such as `add` in `storefront faults add`. */
export interface ActionCommand {
  readonly name: string;
  readonly description: string;
  /** Whether the command is about all sandboxes, so that --sandbox is not in its help. Default: false. */
  readonly isServerWide?: boolean;
  /**
   * The syntax and the description of the second argument, after the name of the action.
   * Default: no second argument.
   */
  readonly argument?: readonly [syntax: string, description: string];
  /** Additional options. Every command with actions has --url, --sandbox and --token. Default: none. */
  readonly options?: readonly OptionRow[];
  /** The actions by name. The first action is the default. */
  readonly actions: Readonly<Record<string, Action>>;
  /** The names of the additional options that an action accepts, by action. Default: all of them. */
  readonly accepts?: Readonly<Record<string, readonly string[]>>;
  /**
   * The actions that require the option --sandbox, so that they do not change the sandbox `default` by mistake.
   * Default: none.
   */
  readonly requireSandbox?: readonly string[];
}

/** The address of a server with the default port. */
const DEFAULT_URL = 'http://localhost:3000';

/**
 * Sets the address of the server from STOREFRONT_URL or PORT, if the command line has no option --url.
 * Throws an `InvalidArgumentError` if the value of the variable is invalid.
 */
export function setServerAddress(
  command: Command,
  { STOREFRONT_URL, PORT }: Readonly<Record<string, string | undefined>>,
): void {
  if (command.getOptionValueSource('url') !== 'default') return;
  if (STOREFRONT_URL)
    command.setOptionValueWithSource('url', parseVariable('STOREFRONT_URL', STOREFRONT_URL, parseAddress), 'env');
  else if (PORT)
    command.setOptionValueWithSource('url', `http://localhost:${parseVariable('PORT', PORT, parsePort)}`, 'env');
}

/** Creates a command that sends requests to the control API of a running server. */
export function createControlCommand(
  name: string,
  description: string,
  { isServerWide = false }: Pick<ActionCommand, 'isServerWide'> = {},
): Command {
  return new Command(name)
    .description(description)
    .option(
      '--url <address>',
      'address of the server (env: STOREFRONT_URL; if only PORT is set, http://localhost:$PORT)',
      parseAddress,
      DEFAULT_URL,
    )
    .addOption(new Option('--sandbox <id>', 'id of the sandbox').default('default').hideHelp(isServerWide))
    .option('--token <token>', 'bearer token of the control API (env: STOREFRONT_CONTROL_TOKEN)');
}

/**
 * Creates a command with actions.
 * The command throws a usage error if its action does not accept a given argument or option.
 */
export function createActionCommand(definition: ActionCommand, run: RunRequest): Command {
  const { name, description, actions, options = [], argument, requireSandbox = [] } = definition;
  const names = Object.keys(actions);
  const command = addOptions(createControlCommand(name, description, definition), options)
    .addArgument(new Argument('[action]', 'action to perform').choices(names).default(names[0]))
    .action((actionName: string) => {
      const action = actions[actionName] as Action;
      const value = command.args[1];
      const { url, sandbox, token, ...others } = command.opts();
      rejectUnacceptedOption(definition, actionName, Object.keys(others));
      if (typeof action !== 'function') rejectArgument(`${name} ${actionName}`, value);
      const request = typeof action === 'function' ? action(value, others) : action;
      if (request.serverPath !== undefined && command.getOptionValueSource('sandbox') !== 'default')
        rejectArgument(`${name} ${actionName}`, '--sandbox', 'It is about all sandboxes.');
      if (requireSandbox.includes(actionName) && command.getOptionValueSource('sandbox') === 'default')
        throw createUsageError(
          `Missing option --sandbox. Use, for example, storefront ${name} ${actionName} --sandbox w1.`,
        );
      run(request, { url, sandbox, token });
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
