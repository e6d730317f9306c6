import { readFileSync, statSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type CheckCommand, checkCommand, ids } from './check/options.ts';
import type { Verify } from './contract/answers.ts';
import type { SteeringCommand } from './control/command.ts';
import { delay } from './control/option-values.ts';
import { steeringCommands } from './control/options.ts';
import type { LogStyle } from './logger.ts';
import type { OwnHandlers } from './operations/handler.ts';
import type { Durability } from './store/open-state.ts';

/** How a storefront is set up. */
export interface Options {
  /** The port to listen on; 0 (the default) picks a free one. */
  readonly port?: number | undefined;
  /** The address to listen on; by default 127.0.0.1, and ::1 where the machine has it. */
  readonly host?: string | undefined;
  /** The data file. Without one the state is in memory and ends with the program. */
  readonly data?: string | undefined;
  /** What an answered change survives: `disk` (the default) a power cut, `os` the end of the process, `memory`, which keeps no file, neither. */
  readonly durability?: Durability | undefined;
  /** The default data, which a reset restores; by default the db.json.default that comes along. */
  readonly defaultData?: string | undefined;
  /** A folder with a built front end, to be served at /. */
  readonly static?: string | undefined;
  /** Refuses what the contract doesn't know, instead of ignoring it. */
  readonly strict?: boolean | undefined;
  /** How the log looks; `off` by default, which tells of warnings and faults alone, on standard error. */
  readonly log?: LogStyle | undefined;
  /** Where the log goes instead. */
  readonly logTo?: { write(line: string): void } | undefined;
  /** The time, in ms since 1970; that of the machine by default. */
  readonly nowMs?: (() => number) | undefined;
  /** New ids, uuids; random by default. */
  readonly newId?: (() => string) | undefined;
  /** The contract, an OpenAPI document; by default the openapi.yaml that comes along. What of another one the shop doesn't do is mocked. */
  readonly contract?: string | undefined;
  /** The operations that are answered from the contract alone: all of them (`true`), or those with these ids. */
  readonly mock?: boolean | readonly string[] | undefined;
  /** What becomes of an answer that breaks the contract: told of in the log (the default), refused with 500 (`strict`), or not looked at (`off`). */
  readonly verify?: Verify | undefined;
  /** Handlers beside the shop's own or in place of them, by operationId; `mocked` leaves an operation to the contract's examples. A text is the file of a module that exports them. */
  readonly handlers?: OwnHandlers | string | undefined;
  /** A folder with ready-made snapshots, `NAME.json` each: whole states, or what differs from the default data. */
  readonly snapshots?: string | undefined;
  /** Whether control may be used (the default). */
  readonly control?: boolean | undefined;
  /** What requests to control have to bring along; without one control is on only on loopback. */
  readonly controlToken?: string | undefined;
  /** Names by which control may be asked beside those of loopback. */
  readonly allowHost?: readonly string[] | undefined;
  /** Whether a sandbox is made as soon as a request names it (`any`, the default), or has to be made by control first. */
  readonly sandboxes?: 'any' | 'declared' | undefined;
  /** How long each answer of the contract's operations waits, in ms, or between which bounds; 60,000 at most. */
  readonly delay?: Delay | undefined;
  /** How long a request may take to arrive, in ms; 30,000 by default. */
  readonly requestTimeoutMs?: number | undefined;
}

/** How long something waits, in ms, or between which bounds. */
export type Delay = number | { readonly from: number; readonly to: number };

/** What a command line asks for: a storefront, a text to print, or nothing that makes sense. */
export type Request =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'repair'; readonly options: RepairOptions }
  | { readonly kind: 'check'; readonly options: CheckCommand }
  | { readonly kind: 'steer'; readonly options: SteeringCommand }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'refuse'; readonly reason: string };

/** Which data file is repaired. */
export type RepairOptions = Pick<Options, 'defaultData'> & { readonly data: string };

/** Where the command is given. */
export interface Surroundings {
  /** The arguments, without the program's own name. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  readonly version: string;
}

/** Reads a command line; what is wrong with it is said in one sentence. */
export function readCommandLine({ args, environment, isTerminal, version }: Surroundings): Request {
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  let chosen: Request | undefined;
  const command = storefrontCommand(version, isTerminal, (options) => {
    chosen = { kind: 'repair', options };
  });
  command.addCommand(
    checkCommand(environment, (options) => {
      chosen = { kind: 'check', options };
    }),
  );
  const readText = (path: string) => readFileSync(path, 'utf8');
  const steering = steeringCommands(environment, readText, (options) => {
    chosen = { kind: 'steer', options };
  });
  for (const each of steering) command.addCommand(each);
  for (const each of [command, ...command.commands]) each.configureOutput({ writeOut: print, writeErr: print });
  try {
    command.parse(args, { from: 'user' });
    if (chosen) return chosen;
    if (environment.STOREFRONT_CONTROL_TOKEN && command.opts().controlToken === undefined) {
      command.setOptionValueWithSource('controlToken', environment.STOREFRONT_CONTROL_TOKEN, 'env');
    }
    if (environment.PORT && command.getOptionValueSource('port') === 'default') {
      command.setOptionValueWithSource('port', port(environment.PORT), 'env');
    }
    return { kind: 'run', options: command.opts<Options>() };
  } catch (error) {
    if (error instanceof InvalidArgumentError) {
      return {
        kind: 'refuse',
        reason: `PORT in the environment is ${JSON.stringify(environment.PORT)}. ${error.message}`,
      };
    }
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'print', text: printed };
    return {
      kind: 'refuse',
      reason: (printed || error.message)
        .replace(/^error: /, '')
        .trim()
        .replaceAll('\n', ' '),
    };
  }
}

function storefrontCommand(version: string, isTerminal: boolean, onRepair: (options: RepairOptions) => void): Command {
  const command = new Command('storefront')
    .description('A shop behind openapi.yaml: products, cart, orders and reset, kept in a JSON file.')
    .version(version)
    .option(
      '--port <number>',
      'port to listen on, 0 picks a free one; PORT in the environment does the same',
      port,
      3000,
    )
    .option('--host <address>', 'address to listen on (default: 127.0.0.1 and ::1)', notEmpty)
    .addOption(dataOption())
    .addOption(
      new Option(
        '--durability <mode>',
        'what an answered change survives: a power cut, the end of the process, neither',
      )
        .choices(['disk', 'os', 'memory'])
        .default('disk'),
    )
    .addOption(defaultDataOption())
    .option('--static <folder>', 'serve a built front end from this folder', folder)
    .option('--strict', 'refuse what the contract does not know instead of ignoring it')
    .option(
      '--contract <file>',
      'another contract: an OpenAPI document, 3.0 or 3.1; what the shop does not do of it is mocked',
      notEmpty,
    )
    .option('--mock [operations]', 'answer from the contract alone: all operations, or those with these ids (a,b)', ids)
    .option(
      '--handlers <file>',
      'module with handlers by operationId, beside those of the shop or in place of them',
      notEmpty,
    )
    .addOption(
      new Option('--verify <mode>', 'answers that break the contract: tell in the log, refuse with 500, do not look')
        .choices(['log', 'strict', 'off'])
        .default('log'),
    )
    .addOption(
      new Option('--sandboxes <mode>', 'sandboxes that requests name: make them at once, or only those made by control')
        .choices(['any', 'declared'])
        .default('any'),
    )
    .option(
      '--snapshots <folder>',
      'ready-made snapshots, NAME.json each: whole states, or what differs from the default data',
      folder,
    )
    .option('--delay <ms>', 'how late the answers of operations are, in ms, or between which bounds (200-800)', delay)
    .option('--no-control', 'answer nothing below /_control but health')
    .option(
      '--control-token <token>',
      'what control wants as Authorization: Bearer; STOREFRONT_CONTROL_TOKEN in the environment does the same',
      notEmpty,
    )
    .option('--allow-host <names>', 'names by which control may be asked beside localhost (a,b)', names)
    .addOption(
      new Option('--log <style>', 'one line for each request')
        .choices(['pretty', 'json', 'off'])
        .default(isTerminal ? 'pretty' : 'json', 'pretty on a terminal, else json'),
    )
    .allowExcessArguments(false)
    .enablePositionalOptions()
    .exitOverride()
    .action(() => {});
  command
    .command('repair')
    .description('Keeps a copy of a data file that stops the start, and restores the default data.')
    .addOption(dataOption())
    .addOption(defaultDataOption())
    .allowExcessArguments(false)
    .exitOverride()
    .action((options: RepairOptions, repair: Command) => onRepair({ ...options, ...given(command), ...given(repair) }));
  return command;
}

/** The options of a command that stand on the command line, without those that have their default. */
function given(command: Command): object {
  return Object.fromEntries(
    Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli'),
  );
}

function dataOption(): Option {
  return new Option('--data <file>', 'file that the state is kept in').argParser(notEmpty).default('db.json');
}

function defaultDataOption(): Option {
  return new Option(
    '--default-data <file>',
    'default data, which a reset restores (default: the one that comes along)',
  ).argParser(notEmpty);
}

function port(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= 65_535) return number;
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
}

function names(text: string): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.every((entry) => /^[\w.-]+$/.test(entry))) return entries;
  throw new InvalidArgumentError('Give host names without a port, with commas between them.');
}

function notEmpty(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It is empty.');
}

function folder(path: string): string {
  try {
    if (statSync(path).isDirectory()) return path;
  } catch {
    // Nothing there, or nothing that can be looked at: no folder either way.
  }
  throw new InvalidArgumentError('There is no such folder.');
}
