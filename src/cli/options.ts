import { statSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { type CheckCommand, createCheckCommand } from '../check/options.ts';
import type { ControlRequest } from '../client/client.ts';
import type { ControlViolation } from '../control/operation.ts';
import { OPTIONS, type Syntax } from '../options.ts';
import type { ExplainOptions } from '../server/explain.ts';
import type { Options, RepairOptions } from '../server/options.ts';
import type { MigrateOptions } from '../server/repair.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { similarName } from '../util/names.ts';
import { toFlag } from '../util/text.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { ControlCommand } from './control-command.ts';
import { createControlCommands } from './control-commands.ts';
import {
  addOptions,
  type OptionRow,
  parseAuth,
  parseDelay,
  parseHostNames,
  parseList,
  parseOrigins,
  parsePaths,
  parsePort,
  parseText,
  parseVariable,
} from './option-values.ts';

/** Creates the command `explain`. Calls `onExplain` with the parsed options. */
function createExplainCommand(onExplain: (options: ExplainOptions) => void): Command {
  return addOptions(new Command('explain'), EXPLAIN_OPTIONS)
    .description(
      'List the operations of a contract. Show which operations are real (they read and change data), which are mocked, and why.',
    )
    .argument('[file]', 'contract, an OpenAPI 3.0 or 3.1 document (default: the contract of the built-in shop)')
    .action((contract: string | undefined, options: ExplainOptions) =>
      onExplain({ ...options, ...(contract !== undefined && { contract }) }),
    );
}

/**
 * Rewrites an error message of the control API for the command line.
 * Replaces property names with options (`atLeast` with `--at-least`).
 * Replaces requests with commands (`DELETE /_control/sandboxes/w1` with `storefront sandboxes remove --sandbox w1`).
 */
export function useCommandTerms(
  message: string,
  { path }: Pick<ControlRequest, 'path'>,
  violations: readonly ControlViolation[] = [],
): string {
  return violations
    .reduce((text, violation) => replaceSubject(text, violation, path), message)
    .replaceAll(/`(\w+)`/g, (_, property: string) => toOption(property))
    .replaceAll(
      /(PUT|DELETE|POST) \/_control\/sandboxes\/([\w-]+)(\/reset)?/g,
      (_, method: string, id: string) => `${COMMANDS[method]} --sandbox ${id}`,
    )
    .replace('use the address of a running server', 'set the address of a running server with --url or STOREFRONT_URL')
    .replace(/([Ss])end Authorization: Bearer TOKEN/, (_, s: string) => `${s === 'S' ? 'U' : 'u'}se --token TOKEN`);
}

/** The commands that replace HTTP requests in error messages, by the method of the request. */
const COMMANDS: Readonly<Record<string, string>> = {
  PUT: 'storefront sandboxes create',
  DELETE: 'storefront sandboxes remove',
  POST: 'storefront reset',
};

/** Matches the path of a request if each of its body properties and query parameters has a command line option. */
const OPTION_PATHS = /\/(faults|requests)\b/;

/**
 * Replaces the name of an invalid property or parameter in an error message with the name of the command line option.
 */
function replaceSubject(message: string, { in: part, pointer, value }: ControlViolation, path: string): string {
  const [property, ...rest] = parsePointer(pointer);
  if (property === undefined) return message.replace(`the body is ${JSON.stringify(value)}`, () => 'Invalid options');
  const place = [property, ...rest].join('.');
  const subject = part === 'body' ? place : `${part} parameter ${place}`;
  if (part === 'path') return message.replace(subject, () => (property === 'id' ? '--sandbox' : property));
  if (!OPTION_PATHS.test(path)) return message;
  return message.replace(`${subject} `, () => `${[toOption(property), rest.join('.')].join(' ').trim()} `);
}

/** Returns the flag of the option that sets a body property or a query parameter. */
function toOption(property: string): string {
  return toFlag(property === 'headers' ? 'header' : property.replace(/Ms$/, ''));
}

/** A parsed command line: a command to run, a text to print, or the reason why the command line is invalid. */
export type ParsedCommand =
  | { readonly kind: 'serve'; readonly options: Options }
  | { readonly kind: 'repair'; readonly options: RepairOptions }
  | { readonly kind: 'migrate'; readonly options: MigrateOptions }
  | { readonly kind: 'check'; readonly options: CheckCommand }
  | { readonly kind: 'control'; readonly options: ControlCommand }
  | { readonly kind: 'explain'; readonly options: ExplainOptions }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'refuse'; readonly reason: string };

/** A command line, and the environment in which the program runs. */
interface CommandLine {
  /** The arguments, without the name of the program. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  readonly version: string;
}

/** Parses a command line. If it is invalid, returns the reason as one line of text. */
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

/** Returns the options of the server. An option in the command line takes precedence over an environment variable. */
function readServerOptions(program: Command, { environment, isTerminal }: CommandLine): Options {
  for (const { option, name, text, parse } of listVariables(environment))
    if (program.getOptionValueSource(option) !== 'cli')
      program.setOptionValueWithSource(option, parseVariable(name, text, parse), 'env');
  // With a database, there is no data file.
  if (program.getOptionValue('database') !== undefined && program.getOptionValueSource('data') === 'default')
    program.setOptionValue('data', undefined);
  return { log: isTerminal ? 'pretty' : 'json', ...program.opts<Options>() };
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
  { environment, version }: Pick<CommandLine, 'environment' | 'version'>,
  onCommand: (command: ParsedCommand) => void,
): Command {
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
    createCheckCommand(environment, (options) => onCommand({ kind: 'check', options })),
    createExplainCommand((options) =>
      onCommand({ kind: 'explain', options: { ...getExplicitOptions(program), ...options } }),
    ),
    ...createControlCommands(environment, (options) => onCommand({ kind: 'control', options })),
  ];
  for (const command of commands) program.addCommand(command);
  return program;
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
 * If the only argument is the name of a YAML or JSON file, uses this file as the contract and returns true.
 * In all other cases, returns false.
 */
function useContractArgument(program: Command): boolean {
  const [file, ...others] = program.args;
  if (file === undefined || others.length > 0 || !/\.(?:ya?ml|json)$/i.test(file)) return false;
  if (program.getOptionValue('contract') !== undefined)
    program.error(`${file} and --contract both name a contract. Use one of them.`);
  program.setOptionValueWithSource('contract', file, 'cli');
  return true;
}

/** Names that other programs use for the command that starts a server. */
const START_COMMANDS = ['start', 'serve', 'server', 'run', 'dev'];

/** Throws a `CommanderError` if the command line contains an unknown command. */
function rejectUnknownCommand(program: Command): void {
  const [name] = program.args;
  if (name === undefined) return;
  const known = program.commands.map((command) => command.name());
  const similar = START_COMMANDS.includes(name.toLowerCase()) ? undefined : similarName(name, known);
  const hint = similar ? `Did you mean ${similar}?` : 'To start the server, run storefront without a command.';
  program.error(`Unknown command ${JSON.stringify(name)}. ${hint} The commands are ${known.join(', ')}.`);
}

/** Returns the options that the command line contains, without the default values. */
function getExplicitOptions(command: Command): object {
  return Object.fromEntries(
    Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli'),
  );
}

/** An example of `storefront faults`, for the help of the program and of the command. */
const FAULT_EXAMPLE = 'storefront faults add --operation createOrder --status 503 --times 1';

/** An example of `storefront check`, for the help of the program and of the command. */
const CHECK_EXAMPLE = 'storefront check http://localhost:8080 --contract openapi.yaml --allow-writes';

/** The examples of each command, by the name of the command. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  storefront: [
    'storefront',
    'storefront --port 4000 --data shop.json',
    'storefront --contract openapi.yaml',
    'storefront --static dist',
    'storefront reset --sandbox w3',
    FAULT_EXAMPLE,
    CHECK_EXAMPLE,
  ],
  repair: ['storefront repair --data db.json', 'storefront repair --contract openapi.yaml'],
  migrate: ['storefront migrate --database postgres://storefront@localhost:5432/storefront'],
  explain: ['storefront explain openapi.yaml', 'storefront explain openapi.yaml --json'],
  check: ['storefront check', CHECK_EXAMPLE, 'storefront check http://localhost:3000 --only listProducts'],
  reset: ['storefront reset', 'storefront reset --sandbox w3 --url http://localhost:4000'],
  flush: ['storefront flush', 'storefront flush --url http://localhost:4000'],
  snapshot: ['storefront snapshot', 'storefront snapshot before-checkout'],
  restore: ['storefront restore full-cart'],
  clock: ['storefront clock freeze 2025-06-01T12:00:00Z', 'storefront clock advance 86400000'],
  ids: ['storefront ids seed 7', 'storefront ids random'],
  state: ['storefront state > state.json', 'storefront state put state.json'],
  sandboxes: ['storefront sandboxes', 'storefront sandboxes create --sandbox w1 --from full-cart'],
  faults: ['storefront faults', FAULT_EXAMPLE, 'storefront faults clear'],
  journal: ['storefront journal follow', 'storefront journal verify --operation createOrder --times 1'],
};

const COMMON_EXIT_CODES = { 0: 'success', 1: 'failed', 2: 'invalid command line' };

/** The exit codes of each command whose meaning differs from `COMMON_EXIT_CODES`. */
const EXIT_CODES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  storefront: { 0: 'stopped by a signal', 1: 'failed to start or to stop' },
  check: {
    0: 'passed',
    1: 'failed: the server violates the contract',
    2: 'invalid command line, or --allow-writes is missing',
    3: 'incomplete: not everything could be checked',
  },
  journal: { 1: 'the command failed, or the verification failed' },
};

/** Returns example command lines for a command. */
export function getExamples(command: string): readonly string[] {
  return EXAMPLES[command] ?? [];
}

/** Returns the exit codes of a command in ascending order, each with its meaning. */
export function getExitCodes(command: string): readonly (readonly [code: string, meaning: string])[] {
  return Object.entries({ ...COMMON_EXIT_CODES, ...EXIT_CODES[command] });
}

/** Returns the exit codes and the examples of a command, for the end of its help. */
function formatHelpFooter(command: string): string {
  const exitCodes = getExitCodes(command).map(([code, meaning]) => `${code}  ${meaning}`);
  return [formatSection('Exit codes', exitCodes), formatSection('Examples', getExamples(command))].join('\n');
}

function formatSection(title: string, lines: readonly string[]): string {
  return [`\n${title}:`, ...lines].join('\n  ');
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
  auth: parseAuth,
  delay: parseDelay,
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
const EXPLAIN_OPTIONS: readonly OptionRow[] = [
  ...listRows('mock', 'handlers', 'allowRefs'),
  ['--json', 'print JSON instead of a table'],
];

/** The options of the database, for `storefront migrate`. */
const DATABASE_OPTIONS = listRows('database', 'databaseSchema');

/** The values of server options in environment variables. */
function listVariables(
  environment: Readonly<Record<string, string | undefined>>,
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
