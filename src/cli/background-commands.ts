import { Command, InvalidArgumentError } from 'commander';
import { restartServer, type Started, type Stopped, stopServer } from './background.ts';
import { printLog } from './background-log.ts';
import { type BackgroundServer, DEFAULT_NAME, formatRunning, listOtherNames, listServers } from './background-state.ts';
import type { CommandError, CommandResult } from './json-output.ts';
import { addOptions, type OptionRow, parseCount } from './option-values.ts';

/** A command about servers that run in the background. */
export interface BackgroundCommand {
  readonly action: 'status' | 'stop' | 'restart' | 'logs';
  /** The name of the server. Without it, `status` shows all servers of the folder. */
  readonly name: string | undefined;
  /** Whether new lines of the log are printed until the server ends. */
  readonly follow: boolean;
  /** The number of last lines of the log; undefined for all. */
  readonly lines: number | undefined;
}

/** The option that names a server. */
export const NAME_ROW: OptionRow = [
  '--name <name>',
  `name of the server, if several run in the folder (default: ${DEFAULT_NAME})`,
  parseName,
];

/** The options of `storefront start` that are no options of the server. */
export const START_OPTIONS: readonly OptionRow[] = [
  ['--background', 'return when the server is ready, and let it run until storefront stop'],
  NAME_ROW,
];

/** A command, its description, and its options. */
const COMMANDS: readonly (readonly [
  BackgroundCommand['action'],
  description: string,
  options: readonly OptionRow[],
])[] = [
  ['status', 'Show the servers that were started in the background in this folder.', [NAME_ROW]],
  ['stop', 'Stop a server that runs in the background, and wait until it has ended.', [NAME_ROW]],
  ['restart', 'Stop a server that runs in the background, and start it again with the same options.', [NAME_ROW]],
  [
    'logs',
    'Print the log of a server that was started in the background.',
    [
      NAME_ROW,
      ['--follow', 'also print new lines until the server ends'],
      ['--lines <number>', 'print only this number of last lines', parseCount],
    ],
  ],
];

/** Creates the commands `status`, `stop`, `restart` and `logs`. Calls `onCommand` with the parsed command. */
export function createBackgroundCommands(onCommand: (command: BackgroundCommand) => void): readonly Command[] {
  return COMMANDS.map(([action, description, options]) =>
    addOptions(new Command(action), options)
      .description(description)
      .allowExcessArguments(false)
      .action(({ name, follow = false, lines }: Partial<BackgroundCommand>) =>
        onCommand({ action, name, follow, lines }),
      ),
  );
}

function parseName(text: string): string {
  if (/^\w[\w-]{0,63}$/.test(text)) return text;
  throw new InvalidArgumentError(
    'Use up to 64 letters, digits, underscores and hyphens, without a hyphen at the start.',
  );
}

/**
 * Runs a command about servers in the background, and prints its result.
 * Returns an error if `status` finds no running server, or `stop` without a name only others.
 * Returns undefined if `printData` has printed the lines of a log.
 * Rejects with a `UserError` if there is no server that can be restarted, or no log.
 */
export async function runBackgroundCommand(
  { action, name, follow, lines }: BackgroundCommand,
  print: (text: string) => void,
  printData?: (data: object) => void,
): Promise<CommandResult | undefined> {
  const own = name ?? DEFAULT_NAME;
  switch (action) {
    case 'status': {
      const servers = await listServers(name);
      print(servers.length > 0 ? formatServers(servers) : `${(await describeNotRunning(name)).message}\n`);
      const error = await describeNotRunning(name);
      return { data: { servers }, ...(servers.every(({ status }) => status === 'stopped') && { error }) };
    }
    case 'stop': {
      const found = await stopServer(own);
      const stopped = found ?? { name: own, wasRunning: false, wasKilled: false };
      const others = found ? [] : await listOtherNames(own);
      // Without a name, the user means the server that runs. With one, a script can stop a server that has ended.
      const error = name === undefined && others.length > 0 ? await describeNotRunning(own) : undefined;
      print(error ? `${error.message}\n` : formatStopped(stopped, others));
      return { data: stopped, error };
    }
    case 'restart': {
      const server = await restartServer(own);
      print(formatServer(server));
      return { data: server };
    }
    case 'logs': {
      let text = '';
      await printLog(own, { lines, follows: follow }, (part) => {
        text += part;
        if (!follow || !printData) return print(part);
        const complete = text.split('\n');
        text = complete.pop() ?? '';
        if (complete.length > 0) printData({ lines: complete });
      });
      return follow && printData ? undefined : { data: { lines: text.split('\n').slice(0, -1) } };
    }
  }
}

/** Returns the error of a command that finds no running server, or none with a name. It names the other ones. */
async function describeNotRunning(name: string | undefined): Promise<CommandError> {
  const others = await listOtherNames(name);
  const which = name === undefined ? 'No server runs' : `No server with the name ${name} runs`;
  const remedy = others.length > 0 ? formatRunning(others) : 'Start one: storefront start --background';
  return { code: 'not_running', message: `${which} in the background in this folder. ${remedy}` };
}

/** Formats a server that was started, or that was already running. */
export function formatStarted({ server, isNew }: Started): string {
  return `${isNew ? '' : 'Already running. '}${formatServer(server)}`;
}

function formatServers(servers: readonly BackgroundServer[]): string {
  return servers.map(formatServer).join('');
}

function formatServer({ name, status, url, pid, contract, dataFile, database, logFile }: BackgroundServer): string {
  if (status === 'stopped') return `${name}: has ended unexpectedly (process ${pid}), log ${logFile}\n`;
  if (status === 'starting') return `${name}: is starting (process ${pid}), log ${logFile}\n`;
  return `${name}: running at ${url} (process ${pid}), contract ${contract}, data in ${database ?? dataFile ?? 'memory'}, log ${logFile}\n`;
}

function formatStopped({ name, pid, wasRunning, wasKilled }: Stopped, others: readonly string[]): string {
  if (!wasRunning) return `${name}: was not running${others.length > 0 ? `. ${formatRunning(others)}` : ''}\n`;
  return `${name}: stopped (process ${pid})${wasKilled ? '. It did not end in time, so it was killed' : ''}\n`;
}
