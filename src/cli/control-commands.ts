import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseExactJson } from '../util/exact-numbers.ts';
import {
  type ActionCommand,
  type ControlCommand,
  type ControlOptions,
  createActionCommand,
  createControlCommand,
  type RunRequest,
  rejectArgument,
  setServerAddress,
} from './control-command.ts';
import { FAULTS_COMMAND } from './faults-command.ts';
import { JOURNAL_COMMAND } from './journal-command.ts';
import { createUsageError, parseMs, parseSeed, parseTime } from './option-values.ts';

/** Creates the commands that send requests to the control API of a running server. Calls `onCommand` with the parsed command. */
export function createControlCommands(
  environment: Readonly<Record<string, string | undefined>>,
  onCommand: (command: ControlCommand) => void,
): readonly Command[] {
  const run: RunRequest = ({ path, ...request }, { url, token = environment.STOREFRONT_CONTROL_TOKEN, sandbox }) =>
    onCommand({ url, token, path: path === undefined ? '' : `${encodeURIComponent(sandbox)}${path}`, ...request });
  const commands = [
    createControlCommand('reset', 'Restore the default data of a sandbox.').action((options: ControlOptions) =>
      run({ method: 'POST', path: '/reset' }, options),
    ),
    createControlCommand(
      'flush',
      'Write all changes of the write-ahead log to the data file now, so that another program can read or edit it.',
    ).action((options: ControlOptions) => run({ method: 'POST', path: '/flush' }, options)),
    createSnapshotCommand(run),
    createControlCommand('restore', 'Replace the state of a sandbox with a snapshot.')
      .argument('<name>', 'name of the snapshot')
      .action((name: string, options: ControlOptions) =>
        run({ method: 'POST', path: `/snapshots/${encodeURIComponent(name)}/restore` }, options),
      ),
    ...ACTION_COMMANDS.map((command) => createActionCommand(command, run)),
  ];
  return commands.map((command) => command.hook('preAction', () => setServerAddress(command, environment)));
}

const ACTION_COMMANDS: readonly ActionCommand[] = [
  {
    name: 'clock',
    description:
      'Show or change the clock of a sandbox. Actions: set, freeze, advance, run (unfreeze the clock: it continues from the frozen time), and follow (unfreeze the clock and use the system time).',
    argument: [
      '[value]',
      'for set and freeze: a time, such as 2025-06-01T12:00:00Z, or milliseconds since 1970 (default for freeze: the current time of the sandbox). For advance: a number of milliseconds, which can be negative',
    ],
    actions: {
      show: { method: 'GET', path: '/clock' },
      set: (time) => ({ method: 'PUT', path: '/clock', body: { now: parseTime(time) } }),
      freeze: (time) => ({
        method: 'PUT',
        path: '/clock',
        body: { now: time === undefined ? undefined : parseTime(time), frozen: true },
      }),
      run: { method: 'PUT', path: '/clock', body: { frozen: false } },
      advance: (ms) => ({ method: 'POST', path: '/clock/advance', body: { ms: parseMs(ms) } }),
      follow: { method: 'DELETE', path: '/clock' },
    },
  },
  {
    name: 'ids',
    description: 'Show or set the seed of the id generator of a sandbox, or return to random ids.',
    argument: ['[seed]', 'for the action seed: an integer'],
    actions: {
      show: { method: 'GET', path: '/ids' },
      seed: (seed) => ({ method: 'PUT', path: '/ids', body: { seed: parseSeed(seed) } }),
      random: { method: 'DELETE', path: '/ids' },
    },
  },
  {
    name: 'state',
    description: 'Print the state of a sandbox as JSON, or replace it.',
    argument: ['[file]', 'for put: JSON file with the whole state, or with the collections to replace'],
    actions: {
      show: { method: 'GET', path: '/state' },
      put: (file) => ({ method: 'PUT', path: '/state', body: readState(file) }),
    },
  },
  {
    name: 'sandboxes',
    description: 'List the sandboxes, or show, create or remove a sandbox.',
    options: [['--from <snapshot>', 'for create: name of the snapshot to start from (default: the default data)']],
    actions: {
      list: { method: 'GET' },
      show: { method: 'GET', path: '' },
      create: (_, { from }) => ({ method: 'PUT', path: '', body: { from } }),
      remove: { method: 'DELETE', path: '' },
    },
    requireSandbox: ['create', 'remove'],
  },
  FAULTS_COMMAND,
  JOURNAL_COMMAND,
];

function createSnapshotCommand(run: RunRequest): Command {
  return createControlCommand(
    'snapshot',
    'Save the state of a sandbox as a snapshot, list the snapshots, or delete a snapshot.',
  )
    .argument('[name]', 'name of the snapshot (default: list the snapshots)')
    .option('--delete', 'delete the snapshot')
    .action((name: string | undefined, options: ControlOptions & { readonly delete?: true }) => {
      if (name === undefined) {
        rejectArgument('snapshot without a name', options.delete && '--delete');
        return run({ method: 'GET', path: '/snapshots' }, options);
      }
      run({ method: options.delete ? 'DELETE' : 'PUT', path: `/snapshots/${encodeURIComponent(name)}` }, options);
    });
}

function readState(file: string | undefined): unknown {
  if (file === undefined) throw createUsageError('Missing file. Create one with `storefront state > FILE`.');
  try {
    return parseExactJson(readFileSync(file, 'utf8'));
  } catch (error) {
    throw createUsageError(`Can't read a state from ${file}: ${(error as Error).message}`);
  }
}
