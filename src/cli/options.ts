import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { type CheckCommand, createCheckCommand } from '../check/options.ts';
import type { Options, RepairOptions } from '../server/options.ts';
import { similarName } from '../util/similar-names.ts';
import type { ControlCommand } from './control-command.ts';
import { createControlCommands } from './control-commands.ts';
import { formatHelpFooter } from './help-footer.ts';
import { parsePort } from './option-values.ts';
import { createDataOptions, createServerOptions } from './server-options.ts';
import { createTypesCommand, type TypesCommand } from './types-command.ts';

/** A parsed command line: a command to run, text to print, or the reason why it is invalid. */
export type ParsedCommand =
  | { readonly kind: 'serve'; readonly options: Options }
  | { readonly kind: 'repair'; readonly options: RepairOptions }
  | { readonly kind: 'check'; readonly options: CheckCommand }
  | { readonly kind: 'control'; readonly options: ControlCommand }
  | { readonly kind: 'types'; readonly options: TypesCommand }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'refuse'; readonly reason: string };

/** A command line and its environment. */
export interface CommandLine {
  /** The arguments, without the name of the program. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  readonly version: string;
}

/** Parses a command line. The reason of an invalid one is a single line. */
export function readCommandLine(commandLine: CommandLine): ParsedCommand {
  let output = '';
  let parsed: ParsedCommand | undefined;
  const program = createProgram(commandLine, (command) => {
    parsed = command;
  });
  const writeOut = (text: string) => {
    output += text;
  };
  for (const command of [program, ...program.commands]) {
    command.configureOutput({ writeOut, writeErr: writeOut }).exitOverride();
    command.addHelpText('after', formatHelpFooter(command.name()));
  }
  try {
    program.parse(commandLine.args, { from: 'user' });
    return parsed ?? { kind: 'serve', options: readServerOptions(program, commandLine.environment) };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'print', text: output };
    return { kind: 'refuse', reason: formatReason(output || error.message) };
  }
}

/** Returns the options of the server. Environment variables apply only where the command line has no value. */
function readServerOptions(program: Command, environment: CommandLine['environment']): Options {
  const { PORT, STOREFRONT_CONTROL_TOKEN } = environment;
  if (STOREFRONT_CONTROL_TOKEN && program.getOptionValue('controlToken') === undefined)
    program.setOptionValueWithSource('controlToken', STOREFRONT_CONTROL_TOKEN, 'env');
  if (PORT && program.getOptionValueSource('port') === 'default')
    program.setOptionValueWithSource('port', parsePortVariable(PORT), 'env');
  return program.opts<Options>();
}

function parsePortVariable(text: string): number {
  try {
    return parsePort(text);
  } catch (error) {
    const { message } = error as InvalidArgumentError;
    throw new InvalidArgumentError(`The environment variable PORT is ${JSON.stringify(text)}. ${message}`);
  }
}

/** Returns an error message of commander on one line. */
function formatReason(message: string): string {
  return message
    .replace(/^error: (.)/, (_, letter: string) => letter.toUpperCase())
    .trim()
    .replaceAll('\n', ' ');
}

/** Creates the program with its options and commands. `onCommand` gets the command that is parsed. */
export function createProgram(
  { environment, isTerminal, version }: CommandLine,
  onCommand: (command: ParsedCommand) => void,
): Command {
  const program = new Command('storefront')
    .description('Serve the API of an OpenAPI contract, real and mocked. Without options: the API of a shop.')
    .version(version)
    .usage('[options]\n       storefront <command> [options]')
    // An argument is an unknown command, which the action refuses.
    .allowExcessArguments(true)
    .enablePositionalOptions()
    .action(() => refuseUnknownCommand(program));
  for (const option of createServerOptions(isTerminal)) program.addOption(option);
  const commands = [
    createRepairCommand(program, (options) => onCommand({ kind: 'repair', options })),
    createCheckCommand(environment, (options) => onCommand({ kind: 'check', options })),
    createTypesCommand((options) => onCommand({ kind: 'types', options })),
    ...createControlCommands(environment, (options) => onCommand({ kind: 'control', options })),
  ];
  for (const command of commands) program.addCommand(command);
  return program;
}

function createRepairCommand(program: Command, onRepair: (options: RepairOptions) => void): Command {
  const command = new Command('repair')
    .description('Restore the default data in a data file that cannot be used, and keep a copy of the old file.')
    .action((options: RepairOptions) =>
      onRepair({ ...options, ...getExplicitOptions(program), ...getExplicitOptions(command) }),
    );
  for (const option of createDataOptions()) command.addOption(option);
  return command;
}

/** Names of the command that starts other servers. */
const START_COMMANDS = ['start', 'serve', 'server', 'run', 'dev'];

/** Throws if the command line names a command that does not exist. */
function refuseUnknownCommand(program: Command): void {
  const [name] = program.args;
  if (name === undefined) return;
  const known = program.commands.map((command) => command.name());
  const similar = START_COMMANDS.includes(name.toLowerCase()) ? undefined : similarName(name, known);
  const hint = similar ? `Did you mean ${similar}?` : 'To start the server, run storefront without a command.';
  program.error(`Unknown command ${JSON.stringify(name)}. ${hint} The commands are ${known.join(', ')}.`);
}

/** Returns the options that the command line has, without defaults. */
function getExplicitOptions(command: Command): object {
  return Object.fromEntries(
    Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli'),
  );
}
