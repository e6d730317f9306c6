import { Argument, type Command } from 'commander';
import {
  type CommandRequest,
  type ControlOptions,
  createControlCommand,
  type RunRequest,
  refuseArgument,
  refuseUnusedOptions,
} from './control-command.ts';
import { createUsageError, parseSeed } from './option-values.ts';

/** Returns the text of a file; throws if it can't be read. */
export type ReadText = (path: string) => string;

/** Creates the command that lists, shows, makes and removes sandboxes. */
export function createSandboxesCommand(run: RunRequest): Command {
  return createControlCommand('sandboxes', 'List the sandboxes, or show, make or remove one.')
    .addArgument(new Argument('[action]', 'action to perform').choices(Object.keys(SANDBOX_ACTIONS)).default('list'))
    .option('--from <snapshot>', 'make: snapshot to start with instead of the default data')
    .action((action: keyof typeof SANDBOX_ACTIONS, options: SandboxOptions) => {
      refuseUnusedOptions(`sandboxes ${action}`, options, action === 'make' ? ['from'] : []);
      run(SANDBOX_ACTIONS[action](options), options);
    });
}

interface SandboxOptions extends ControlOptions {
  readonly from?: string;
}

const SANDBOX_ACTIONS = {
  list: () => ({ method: 'GET', path: undefined }),
  show: () => ({ method: 'GET', path: '' }),
  make: ({ from }) => ({ method: 'PUT', path: '', body: from === undefined ? {} : { from } }),
  remove: () => ({ method: 'DELETE', path: '' }),
} as const satisfies Record<string, (options: SandboxOptions) => CommandRequest>;

/** Creates the command that prints and replaces the state of a sandbox. */
export function createStateCommand(run: RunRequest, readText: ReadText): Command {
  return createControlCommand('state', 'Print the state of a sandbox as JSON, or replace it.')
    .addArgument(new Argument('[action]', 'action to perform').choices(['show', 'put']).default('show'))
    .argument('[file]', 'put: JSON file with the state, or with some of its lists')
    .action((action: string, file: string | undefined, options: ControlOptions) => {
      if (action === 'put') return run({ method: 'PUT', path: '/state', body: readState(file, readText) }, options);
      refuseArgument(`state ${action}`, file);
      run({ method: 'GET', path: '/state' }, options);
    });
}

function readState(file: string | undefined, readText: ReadText): unknown {
  if (file === undefined) throw createUsageError('Missing file. Create one with `storefront state > FILE`.');
  try {
    return JSON.parse(readText(file));
  } catch (error) {
    throw createUsageError(`Can't read a state from ${file}: ${(error as Error).message}`);
  }
}

/** Creates the command that shows and sets the seed of the id generator. */
export function createIdsCommand(run: RunRequest): Command {
  return createControlCommand('ids', 'Show or set the seed of new ids in a sandbox, or make them random again.')
    .addArgument(new Argument('[action]', 'action to perform').choices(['show', 'seed', 'random']).default('show'))
    .argument('[seed]', 'seed: a whole number')
    .action((action: string, seed: string | undefined, options: ControlOptions) => {
      if (action === 'seed') return run({ method: 'PUT', path: '/ids', body: { seed: parseSeed(seed) } }, options);
      refuseArgument(`ids ${action}`, seed);
      run({ method: action === 'random' ? 'DELETE' : 'GET', path: '/ids' }, options);
    });
}
