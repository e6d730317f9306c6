import { Argument, type Command } from 'commander';
import {
  type CommandRequest,
  type ControlCommand,
  type ControlOptions,
  createControlCommand,
  type RunRequest,
  refuseArgument,
  refuseUnusedOptions,
} from './control-command.ts';
import { createFaultsCommand } from './faults-command.ts';
import { createJournalCommand } from './journal-command.ts';
import { parseMs, parseTime } from './option-values.ts';
import { createIdsCommand, createSandboxesCommand, createStateCommand, type ReadText } from './sandbox-commands.ts';

/** What the control commands depend on. */
export interface ControlCommandParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readText: ReadText;
  /** Receives the parsed command. */
  readonly onCommand: (command: ControlCommand) => void;
}

/** Creates the commands that send requests to the control API of a running server. */
export function createControlCommands({ environment, readText, onCommand }: ControlCommandParts): readonly Command[] {
  const run: RunRequest = ({ path, ...request }, { url, token = environment.STOREFRONT_CONTROL_TOKEN, sandbox }) =>
    onCommand({ url, token, path: path === undefined ? '' : `${encodeURIComponent(sandbox)}${path}`, ...request });
  return [
    createControlCommand('reset', 'Restore the default data of a sandbox.').action((options: ControlOptions) =>
      run({ method: 'POST', path: '/reset' }, options),
    ),
    createSnapshotCommand(run),
    createControlCommand('restore', 'Restore a snapshot in a sandbox.')
      .argument('<name>', 'name of the snapshot')
      .action((name: string, options: ControlOptions) =>
        run({ method: 'POST', path: `/snapshots/${encodeURIComponent(name)}/restore` }, options),
      ),
    createClockCommand(run),
    createIdsCommand(run),
    createStateCommand(run, readText),
    createSandboxesCommand(run),
    createFaultsCommand(run),
    createJournalCommand(run),
  ];
}

function createSnapshotCommand(run: RunRequest): Command {
  return createControlCommand('snapshot', 'Save the state of a sandbox as a snapshot, or list the snapshots.')
    .argument('[name]', 'name of the snapshot (default: list the snapshots)')
    .option('--delete', 'delete the snapshot')
    .action((name: string | undefined, options: ControlOptions & { readonly delete?: true }) => {
      if (name === undefined) {
        refuseUnusedOptions('snapshot without a name', options, []);
        return run({ method: 'GET', path: '/snapshots' }, options);
      }
      run({ method: options.delete ? 'DELETE' : 'PUT', path: `/snapshots/${encodeURIComponent(name)}` }, options);
    });
}

function createClockCommand(run: RunRequest): Command {
  return createControlCommand(
    'clock',
    'Show or change the clock of a sandbox: set, freeze, run (unfreeze), advance, or follow the system clock again.',
  )
    .addArgument(new Argument('[action]', 'action to perform').choices(Object.keys(CLOCK_ACTIONS)).default('show'))
    .argument(
      '[value]',
      'set, freeze: time, such as 2025-06-01T12:00:00Z or milliseconds since 1970; advance: milliseconds',
    )
    .action((action: keyof typeof CLOCK_ACTIONS, value: string | undefined, options: ControlOptions) => {
      const toRequest = CLOCK_ACTIONS[action];
      if (toRequest.length === 0) refuseArgument(`clock ${action}`, value);
      run(toRequest(value), options);
    });
}

const CLOCK_ACTIONS = {
  show: () => ({ method: 'GET', path: '/clock' }),
  set: (value) => ({ method: 'PUT', path: '/clock', body: { now: parseTime(value) } }),
  freeze: (value) => ({
    method: 'PUT',
    path: '/clock',
    body: { ...(value === undefined ? {} : { now: parseTime(value) }), frozen: true },
  }),
  run: () => ({ method: 'PUT', path: '/clock', body: { frozen: false } }),
  advance: (value) => ({ method: 'POST', path: '/clock/advance', body: { ms: parseMs(value) } }),
  follow: () => ({ method: 'DELETE', path: '/clock' }),
} as const satisfies Record<string, (value: string | undefined) => CommandRequest>;
