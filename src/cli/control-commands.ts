import { Argument, type Command } from 'commander';
import {
  type CommandRequest,
  type ControlCommand,
  createControlCommand,
  type Flags,
  type RunControlCommand,
  refuseUnusedOptions,
} from './control-command.ts';
import { faultsCommand } from './faults-command.ts';
import { journalCommand } from './journal-command.ts';
import { createUsageError, parseMoment, parseMs } from './option-values.ts';
import { idsCommand, type ReadText, sandboxesCommand, stateCommand } from './sandbox-commands.ts';

/** The subcommands by which a running server is steered. `readText` reads the files that they name, `onSteer` is told what is asked for. */
export function controlCommands(
  environment: Readonly<Record<string, string | undefined>>,
  readText: ReadText,
  onSteer: (command: ControlCommand) => void,
): readonly Command[] {
  const steer: RunControlCommand = (
    { path, ...asked },
    { url, token = environment.STOREFRONT_CONTROL_TOKEN, sandbox },
  ) => onSteer({ url, token, path: path === undefined ? '' : `${encodeURIComponent(sandbox)}${path}`, ...asked });
  return [
    createControlCommand('reset', 'Restores the default data of a running shop.').action((flags: Flags) =>
      steer({ method: 'POST', path: '/reset' }, flags),
    ),
    createControlCommand(
      'snapshot',
      'Saves the state of a running shop under a name; without one, lists the snapshots.',
    )
      .argument('[name]', 'name of the snapshot')
      .option('--delete', 'deletes it')
      .action((name: string | undefined, flags: Flags & { readonly delete?: true }) => {
        if (name === undefined) refuseUnusedOptions('snapshot', 'without a name', flags, []);
        const path = name === undefined ? '/snapshots' : `/snapshots/${encodeURIComponent(name)}`;
        steer({ method: name === undefined ? 'GET' : flags.delete ? 'DELETE' : 'PUT', path }, flags);
      }),
    createControlCommand('restore', 'Restores a snapshot in a running shop.')
      .argument('<name>', 'name of the snapshot')
      .action((name: string, flags: Flags) =>
        steer({ method: 'POST', path: `/snapshots/${encodeURIComponent(name)}/restore` }, flags),
      ),
    clockCommand(steer),
    idsCommand(steer),
    stateCommand(steer, readText),
    sandboxesCommand(steer),
    faultsCommand(steer),
    journalCommand(steer),
  ];
}

function clockCommand(steer: RunControlCommand): Command {
  return createControlCommand('clock', 'Shows the clock of a running shop, or steers it.')
    .addArgument(new Argument('[what]', 'what is to be done').choices(Object.keys(CLOCK)).default('show'))
    .argument('[value]', 'a moment (2025-06-01T12:00:00Z, or ms since 1970) for set and freeze, ms for advance')
    .action((what: string, value: string | undefined, flags: Flags) => {
      const request = CLOCK[what as keyof typeof CLOCK];
      if (value !== undefined && request.length === 0) throw createUsageError(`clock ${what} has no use for ${value}`);
      steer(request(value), flags);
    });
}

/** What can be done with a clock, and the request that does it. */
const CLOCK = {
  show: () => ({ method: 'GET', path: '/clock' }),
  set: (value) => ({ method: 'PUT', path: '/clock', body: { now: parseMoment(value) } }),
  freeze: (value) => ({
    method: 'PUT',
    path: '/clock',
    body: { ...(value === undefined ? {} : { now: parseMoment(value) }), frozen: true },
  }),
  run: () => ({ method: 'PUT', path: '/clock', body: { frozen: false } }),
  advance: (value) => ({ method: 'POST', path: '/clock/advance', body: { ms: parseMs(value) } }),
  follow: () => ({ method: 'DELETE', path: '/clock' }),
} as const satisfies Record<string, (value: string | undefined) => CommandRequest>;
