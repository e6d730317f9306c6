import { statSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { type CheckCommand, createCheckCommand } from '../check/options.ts';
import type { Config } from '../config.ts';
import { type DiffCommand, FAIL_ON } from '../diff/options.ts';
import { OPTIONS, type Syntax } from '../options.ts';
import type { ExplainOptions } from '../server/explain.ts';
import type { Options, RepairOptions } from '../server/options.ts';
import type { MigrateOptions } from '../server/repair.ts';
import { similarName } from '../util/names.ts';
import { isUrl } from '../util/source-path.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type BackgroundCommand, createBackgroundCommands, START_OPTIONS } from './background-commands.ts';
import { DEFAULT_NAME } from './background-state.ts';
import { applyConfig } from './config.ts';
import type { ControlCommand } from './control-command.ts';
import { createControlCommands } from './control-commands.ts';
import { type Environment, listPlatformHosts } from './environment.ts';
import { formatHelpFooter } from './help-footer.ts';
import {
  addOptions,
  createUsageError,
  type OptionRow,
  parseAuth,
  parseDelay,
  parseHostNames,
  parseList,
  parseOrigins,
  parsePace,
  parsePaths,
  parsePort,
  parsePositive,
  parseText,
  parseUrls,
  parseVariable,
} from './option-values.ts';
import { createSkillCommand, type SkillOptions } from './skill.ts';

/** Creates the command `explain`. Calls `onExplain` with the parsed options. */
function createExplainCommand(onExplain: (options: ExplainOptions) => void): Command {
  return addOptions(new Command('explain'), EXPLAIN_OPTIONS)
    .description(
      'List the operations of a contract. Show which operations are real (they read and change data), which are mocked, and why.',
    )
    .argument(
      '[file]',
      'path or URL of the contract: OpenAPI 3.0 to 3.2, or Swagger 2.0 with the package swagger2openapi (default: the contract of the built-in shop)',
    )
    .action((contract: string | undefined, options: ExplainOptions) =>
      onExplain({ ...options, ...(contract !== undefined && { contract }) }),
    );
}

/** Creates the command `diff`. Calls `onDiff` with the parsed command. */
function createDiffCommand(onDiff: (command: DiffCommand) => void): Command {
  const help = 'path of a file, git:REVISION:PATH, or URL of a document or a running server';
  return addOptions(new Command('diff'), DIFF_OPTIONS)
    .description('Compare two versions of a contract. List the breaking changes first, each with the reason.')
    .argument('<old>', `older version: ${help}`)
    .argument('<new>', 'newer version')
    .allowExcessArguments(false)
    .action((old: string, now: string, options: Omit<DiffCommand, 'old' | 'new'>) =>
      onDiff({ ...options, old, new: now }),
    );
}

/** A parsed command line: a command to run, a text to print, or the reason why the command line is invalid. */
export type ParsedCommand =
  | { readonly kind: 'serve'; readonly options: Options }
  | { readonly kind: 'start'; readonly name: string; readonly options: Options }
  | { readonly kind: 'background'; readonly command: BackgroundCommand }
  | { readonly kind: 'mcp' }
  | { readonly kind: 'skill'; readonly options: SkillOptions }
  | { readonly kind: 'repair'; readonly options: RepairOptions }
  | { readonly kind: 'migrate'; readonly options: MigrateOptions }
  | { readonly kind: 'check'; readonly options: CheckCommand }
  | { readonly kind: 'control'; readonly options: ControlCommand }
  | { readonly kind: 'explain'; readonly options: ExplainOptions }
  | { readonly kind: 'diff'; readonly options: DiffCommand }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'refuse'; readonly reason: string };

/** A command line, and the environment in which the program runs. */
interface CommandLine {
  /** The arguments, without the name of the program. */
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly isTerminal: boolean;
  readonly version: string;
  /** The content of the configuration file. Default: none. */
  readonly config?: Config;
}

/** Parses a command line. If it is invalid, returns the reason as one line of text. */
export function readCommandLine(commandLine: CommandLine): ParsedCommand {
  let output = '';
  let parsed: ParsedCommand | undefined;
  const program = createProgram(commandLine, (command) => {
    parsed = command;
  });
  const { config } = commandLine;
  const writeOut = (text: string) => {
    output += text;
  };
  for (const command of [program, ...program.commands]) {
    command.configureOutput({ writeOut, writeErr: writeOut }).exitOverride();
    command.addHelpText('after', formatHelpFooter(command.name()));
  }
  try {
    if (config) applyConfig(program, config);
    parseArguments(program, commandLine.args);
    return addAllowRefs(
      parsed ?? { kind: 'serve', options: readServerOptions(program, commandLine) },
      commandLine.environment,
    );
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'print', text: output };
    return { kind: 'refuse', reason: formatReason(output || error.message) };
  }
}

/** The option of every command that prints the result and the error as JSON. It is no option of the parsed command. */
export const JSON_FLAG = '--json';
const JSON_HELP = 'print one line of JSON with the result or the error, and everything else to standard error';

/** The options of other formats, which exclude `--json`. */
const OTHER_FORMATS = ['--markdown', '--lcov'];

function parseArguments(program: Command, all: readonly string[]): void {
  const args = all.filter((argument) => argument !== JSON_FLAG);
  program.parse(args, { from: 'user' });
  const format = OTHER_FORMATS.find((flag) => args.includes(flag));
  if (format !== undefined && args.length < all.length)
    throw createUsageError(`Use only one of ${JSON_FLAG} and ${format}.`);
}

/** Returns the name of the command in a command line, which can be invalid: `start` if the line starts the server. */
export function findCommandName({ args, environment, version }: Omit<CommandLine, 'isTerminal'>): string {
  let name = 'start';
  const program = createProgram({ environment, version, isTerminal: false }, () => {});
  for (const command of [program, ...program.commands])
    command.configureOutput({ writeOut() {}, writeErr() {} }).exitOverride();
  program.hook('preSubcommand', (_, command) => {
    name = command.name();
  });
  tryOrUndefined(() => parseArguments(program, args));
  return name;
}

/**
 * Adds the paths in `STOREFRONT_ALLOW_REFS` to a command that loads a contract, if the command line does not have
 * `--allow-refs`.
 */
function addAllowRefs(command: ParsedCommand, environment: CommandLine['environment']): ParsedCommand {
  const found = listVariables(environment).find(({ option }) => option === 'allowRefs');
  if (!found || !('options' in command) || command.kind === 'control' || command.kind === 'migrate') return command;
  const allowRefs = parseVariable(found.name, found.text, found.parse);
  return { ...command, options: { allowRefs, ...command.options } } as ParsedCommand;
}

/** The options of `storefront start` that are no options of the server. */
interface StartOptions {
  readonly background?: boolean;
  readonly name?: string;
}

/** Returns the options of the server. An option in the command line takes precedence over an environment variable. */
function readServerOptions(
  program: Command,
  { environment, isTerminal }: Omit<CommandLine, 'args'>,
): Options & StartOptions {
  for (const { option, name, text, parse } of listVariables(environment))
    if (program.getOptionValueSource(option) !== 'cli')
      program.setOptionValueWithSource(option, parseVariable(name, text, parse), 'env');
  const platformHosts = listPlatformHosts(environment);
  if (platformHosts.length > 0)
    program.setOptionValueWithSource(
      'allowHost',
      [...(program.getOptionValue('allowHost') ?? []), ...platformHosts],
      program.getOptionValueSource('allowHost') ?? 'env',
    );
  // With a database, there is no data file.
  if (program.getOptionValue('database') !== undefined && program.getOptionValueSource('data') === 'default')
    program.setOptionValue('data', undefined);
  const { background } = program.opts<StartOptions>();
  return { log: isTerminal || background ? 'pretty' : 'json', ...program.opts<Options>() };
}

/** Removes the prefix `error:` from an error message of commander, and joins the lines of the message. */
function formatReason(message: string): string {
  return message
    .replace(/^error: (.)/, (_, letter: string) => letter.toUpperCase())
    .trim()
    .replaceAll('\n', ' ');
}

/**
 * Creates the program with its options and commands.
 * Calls `onCommand` with the parsed command.
 * Does not call it if the command line has no command.
 */
export function createProgram(
  commandLine: Omit<CommandLine, 'args'>,
  onCommand: (command: ParsedCommand) => void,
): Command {
  const { environment, version, config } = commandLine;
  const program = new Command('storefront')
    .description(
      'Serve the API that an OpenAPI document describes. Operations on resources read and change stored data. All other operations return mock responses. By default, serve the API of a shop.',
    )
    .version(version)
    .usage('[options] [contract.yaml]\n       storefront <command> [options]')
    // Without a command, the first argument is a contract or the name of an unknown command.
    // For an unknown command, the action throws an error that suggests a command.
    .allowExcessArguments(true)
    .enablePositionalOptions()
    .action(() => {
      if (!useContractArgument(program)) rejectUnknownCommand(program);
    });
  addOptions(program, SERVER_OPTIONS);
  const commands = [
    createRepairCommand(program, (options) => onCommand({ kind: 'repair', options })),
    createMigrateCommand(program, environment, (options) => onCommand({ kind: 'migrate', options })),
    createCheckCommand(environment, ({ url = config?.check?.url, ...options }) =>
      onCommand({ kind: 'check', options: { ...options, url } }),
    ),
    createExplainCommand((options) =>
      onCommand({ kind: 'explain', options: { ...getExplicitOptions(program), ...options } }),
    ),
    createDiffCommand((options) => onCommand({ kind: 'diff', options })),
    createSkillCommand((options) => onCommand({ kind: 'skill', options })),
    createMcpCommand(() => onCommand({ kind: 'mcp' })),
    createStartCommand(program, commandLine, onCommand),
    ...createBackgroundCommands((command) => onCommand({ kind: 'background', command })),
    ...createControlCommands(environment, (options) => onCommand({ kind: 'control', options })),
  ];
  for (const command of commands) program.addCommand(command);
  for (const command of [program, ...commands]) addOptions(command, [[JSON_FLAG, JSON_HELP]]);
  return program;
}

function createMcpCommand(onMcp: () => void): Command {
  return new Command('mcp')
    .description(
      'Serve tools for coding agents over standard input and output (Model Context Protocol). Needs the package @modelcontextprotocol/sdk.',
    )
    .allowExcessArguments(false)
    .action(onMcp);
}

/** Creates the command `start`. It has the options of the server. */
function createStartCommand(
  program: Command,
  commandLine: Omit<CommandLine, 'args'>,
  onCommand: (command: ParsedCommand) => void,
): Command {
  const start = addOptions(new Command('start'), [...SERVER_OPTIONS, ...START_OPTIONS])
    .description('Start the server, with --background in the background.')
    .usage('[options] [contract.yaml]')
    .allowExcessArguments(true)
    .action(() => {
      if (start.args.length > 0 && !useContractArgument(start))
        start.error(`${JSON.stringify(start.args[0])} is not the path or URL of a contract in YAML or JSON.`);
      const { background: isInBackground, name: ownName } = start.opts<StartOptions>();
      if (!isInBackground && ownName !== undefined) start.error('error: --name needs --background.');
      for (const [option, value] of Object.entries(getExplicitOptions(program)))
        if (start.getOptionValueSource(option) !== 'cli')
          start.setOptionValueWithSource(option, value, program.getOptionValueSource(option));
      const { background, name = DEFAULT_NAME, ...options } = readServerOptions(start, commandLine);
      onCommand(background ? { kind: 'start', name, options } : { kind: 'serve', options });
    });
  return start;
}

function createRepairCommand(program: Command, onRepair: (options: RepairOptions) => void): Command {
  return addOptions(new Command('repair'), REPAIR_OPTIONS)
    .description('Replace an invalid data file with the default data, and save a copy of the invalid file.')
    .action((options: RepairOptions, command: Command) =>
      onRepair({ ...options, ...getExplicitOptions(program), ...getExplicitOptions(command) }),
    );
}

function createMigrateCommand(
  program: Command,
  { DATABASE_URL }: CommandLine['environment'],
  onMigrate: (options: MigrateOptions) => void,
): Command {
  return addOptions(new Command('migrate'), DATABASE_OPTIONS)
    .description('Create or update the tables of a PostgreSQL database. The server also does this when it starts.')
    .action((_options: unknown, command: Command) => {
      const given: Partial<MigrateOptions> = { ...getExplicitOptions(program), ...getExplicitOptions(command) };
      const { database = DATABASE_URL, databaseSchema } = given;
      if (!database) command.error('error: missing URL of the database. Use --database URL, or set DATABASE_URL.');
      else onMigrate({ database, databaseSchema });
    });
}

/**
 * If the only argument is a URL or the name of a YAML or JSON file, uses it as the contract and returns true.
 * In all other cases, returns false.
 */
function useContractArgument(program: Command): boolean {
  const [file, ...others] = program.args;
  if (file === undefined || others.length > 0 || (!/\.(?:ya?ml|json)$/i.test(file) && !isUrl(file))) return false;
  if (program.getOptionValueSource('contract') === 'cli')
    program.error(`${file} and --contract both name a contract. Use one of them.`);
  program.setOptionValueWithSource('contract', file, 'cli');
  return true;
}

/** Names that other programs use for the command that starts a server. */
const START_COMMANDS = ['serve', 'server', 'run', 'dev'];

/** Throws a `CommanderError` if the command line contains an unknown command. */
function rejectUnknownCommand(program: Command): void {
  const [name] = program.args;
  if (name === undefined) return;
  const known = program.commands.map((command) => command.name());
  const similar = START_COMMANDS.includes(name.toLowerCase()) ? undefined : similarName(name, known);
  const hint = similar ? `Did you mean ${similar}?` : 'To start the server, run storefront without a command.';
  program.error(`Unknown command ${JSON.stringify(name)}. ${hint} The commands are ${known.join(', ')}.`);
}

/** Returns the options that the command line or the configuration contains, without the default values. */
function getExplicitOptions(command: Command): object {
  return Object.fromEntries(
    Object.entries(command.opts()).filter(([name]) =>
      ['cli', 'config'].includes(command.getOptionValueSource(name) ?? ''),
    ),
  );
}

type Name = keyof typeof OPTIONS;

const PARSERS = {
  text: parseText,
  folder: parseFolder,
  port: parsePort,
  names: parseList,
  paths: parsePaths,
  hosts: parseHostNames,
  origins: parseOrigins,
  urls: parseUrls,
  auth: parseAuth,
  delay: parseDelay,
  pace: parsePace,
  count: parsePositive,
} satisfies Record<Syntax, OptionRow[2]>;

/** Returns the options of the command line with these names. Options without one are left out. */
function listRows(...names: readonly Name[]): readonly OptionRow[] {
  return names.flatMap((name) => {
    const { kind, cli } = OPTIONS[name];
    if (!cli) return [];
    const { flags, help, env, default: value, defaultText } = cli;
    const notes = [env && `env: ${env}`, defaultText && `default: ${defaultText}`].filter(Boolean);
    const description = notes.length > 0 ? `${help} (${notes.join('; ')})` : help;
    return [[flags, description, kind.choices ?? (kind.syntax && PARSERS[kind.syntax]), value] as OptionRow];
  });
}

/** The options of the server. */
const SERVER_OPTIONS = listRows(...(Object.keys(OPTIONS) as Name[]));

/** The options of `storefront repair`. */
const REPAIR_OPTIONS = listRows('data', 'defaultData', 'contract', 'allowRefs');

/** The options of `storefront explain`. */
const EXPLAIN_OPTIONS = listRows('mock', 'handlers', 'allowRefs');

/** The options of `storefront diff`. */
const DIFF_OPTIONS: readonly OptionRow[] = [
  ['--fail-on <changes>', 'changes that make the command fail', FAIL_ON, 'breaking'],
  ['--markdown', 'print Markdown instead of text, for a comment on a pull request'],
  ...listRows('allowRefs'),
];

/** The options of the database, for `storefront migrate`. */
const DATABASE_OPTIONS = listRows('database', 'databaseSchema');

/** The values of server options in environment variables. */
function listVariables(
  environment: Environment,
): readonly { readonly option: Name; readonly name: string; readonly text: string; parse(text: string): unknown }[] {
  return (Object.keys(OPTIONS) as Name[]).flatMap((option) => {
    const { kind, cli } = OPTIONS[option];
    const text = cli?.env && environment[cli.env];
    return cli?.env && text ? [{ option, name: cli.env, text, parse: PARSERS[kind.syntax ?? 'text'] }] : [];
  });
}

function parseFolder(path: string): string {
  if (tryOrUndefined(() => statSync(path).isDirectory())) return path;
  throw new InvalidArgumentError('Use the path of an existing folder.');
}
