import { readFileSync, statSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type CheckCommand, checkCommand, ids } from '../check/options.ts';
import { similarName } from '../openapi/remedies.ts';
import type { Options, RepairOptions } from '../server/options.ts';
import type { ControlCommand } from './control-command.ts';
import { controlCommands } from './control-commands.ts';
import { helpExamples } from './help-examples.ts';
import { hostNames, origins, parseDelay } from './option-values.ts';
import { type TypesCommand, typesCommand } from './types-options.ts';

/** What a command line asks for: a storefront, a text to print, or nothing that makes sense. */
export type Request =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'repair'; readonly options: RepairOptions }
  | { readonly kind: 'check'; readonly options: CheckCommand }
  | { readonly kind: 'steer'; readonly options: ControlCommand }
  | { readonly kind: 'types'; readonly options: TypesCommand }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'refuse'; readonly reason: string };

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
  command.addCommand(
    typesCommand((options) => {
      chosen = { kind: 'types', options };
    }),
  );
  const readText = (path: string) => readFileSync(path, 'utf8');
  const steering = controlCommands(environment, readText, (options) => {
    chosen = { kind: 'steer', options };
  });
  for (const each of steering) command.addCommand(each);
  for (const each of [command, ...command.commands]) {
    each.configureOutput({ writeOut: print, writeErr: print }).addHelpText('after', helpExamples(each.name()));
  }
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
      'built-in snapshots, NAME.json each: whole states, or what differs from the default data',
      folder,
    )
    .option(
      '--delay <ms>',
      'how late the answers of operations are, in ms, or between which bounds (200-800)',
      parseDelay,
    )
    .option('--no-control', 'answer nothing below /_control but health')
    .option(
      '--control-token <token>',
      'what control wants as Authorization: Bearer; STOREFRONT_CONTROL_TOKEN in the environment does the same',
      notEmpty,
    )
    .option(
      '--allow-host <names>',
      'host names to answer to beside localhost and IP addresses (a,.b.test), * for all',
      hostNames,
    )
    .option(
      '--allow-origin <origins>',
      "origins whose pages may use the shop beside localhost's (https://a.test,https://b.test), * for all",
      origins,
    )
    .addOption(
      new Option('--log <style>', 'one line for each request')
        .choices(['pretty', 'json', 'off'])
        .default(isTerminal ? 'pretty' : 'json', 'pretty on a terminal, else json'),
    )
    .usage('[options] | storefront <command> [options]')
    // An operand is an unknown command, which the action refuses.
    .allowExcessArguments(true)
    .enablePositionalOptions()
    .exitOverride()
    .action(() => refuseUnknownCommand(command));
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

/** Words that other servers start by. */
const START_WORDS = ['start', 'serve', 'server', 'run', 'dev'];

/** Throws where the command line names a command that does not exist. */
function refuseUnknownCommand(program: Command): void {
  const [name] = program.args;
  if (name === undefined) return;
  const known = program.commands.map((each) => each.name());
  const similar = START_WORDS.includes(name.toLowerCase()) ? undefined : similarName(name, known);
  const hint = similar ? `did you mean ${similar}?` : 'to start the server, run storefront without a command.';
  program.error(`unknown command ${JSON.stringify(name)}: ${hint} The commands are ${known.join(', ')}`);
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
