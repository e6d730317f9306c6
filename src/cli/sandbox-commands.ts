import { Argument, type Command } from 'commander';
import {
  type CommandRequest,
  createControlCommand,
  type Flags,
  type RunControlCommand,
  refuseUnusedOptions,
} from './control-command.ts';
import { createUsageError, parseSeed } from './option-values.ts';

/** The text of a file; throws where it can't be read. */
export type ReadText = (path: string) => string;

/** Lists the sandboxes, shows one, makes one anew and removes it. */
export function sandboxesCommand(steer: RunControlCommand): Command {
  return createControlCommand(
    'sandboxes',
    'Lists the sandboxes of a running shop, or makes or removes the one that --sandbox names.',
  )
    .addArgument(new Argument('[what]', 'what is to be done').choices(Object.keys(SANDBOXES)).default('list'))
    .option('--from <snapshot>', 'for make: the snapshot that it begins with, in place of the default data')
    .action((what: string, flags: SandboxFlags) => {
      refuseUnusedOptions('sandboxes', what, flags, what === 'make' ? ['from'] : []);
      steer(SANDBOXES[what as keyof typeof SANDBOXES](flags), flags);
    });
}

interface SandboxFlags extends Flags {
  readonly from?: string;
}

/** What can be done with sandboxes, and the request that does it. */
const SANDBOXES = {
  list: () => ({ method: 'GET', path: undefined }),
  show: () => ({ method: 'GET', path: '' }),
  make: ({ from }) => ({ method: 'PUT', path: '', body: from === undefined ? {} : { from } }),
  remove: () => ({ method: 'DELETE', path: '' }),
} as const satisfies Record<string, (flags: SandboxFlags) => CommandRequest>;

/** Shows the state of a sandbox, or puts another in its place. */
export function stateCommand(steer: RunControlCommand, readText: ReadText): Command {
  return createControlCommand('state', 'Shows the state of a running shop as JSON, or replaces it.')
    .addArgument(new Argument('[what]', 'what is to be done').choices(['show', 'put']).default('show'))
    .argument('[file]', 'for put: a file with the state, or with what of it is to be other')
    .action((what: string, file: string | undefined, flags: Flags) => {
      if (what === 'put') return steer({ method: 'PUT', path: '/state', body: stateIn(file, readText) }, flags);
      if (file !== undefined) throw createUsageError(`state ${what} has no use for ${file}`);
      steer({ method: 'GET', path: '/state' }, flags);
    });
}

function stateIn(file: string | undefined, readText: ReadText): unknown {
  if (file === undefined) throw createUsageError('state put wants a file: storefront state > FILE makes one');
  try {
    return JSON.parse(readText(file));
  } catch (error) {
    throw createUsageError(`${file} can't be put: ${(error as Error).message}`);
  }
}

/** Shows how new ids are made, or has it be by a seed, or by chance. */
export function idsCommand(steer: RunControlCommand): Command {
  return createControlCommand('ids', 'Shows by which seed a running shop makes new ids, or sets it.')
    .addArgument(new Argument('[what]', 'what is to be done').choices(['show', 'seed', 'random']).default('show'))
    .argument('[seed]', 'for seed: a whole number')
    .action((what: string, text: string | undefined, flags: Flags) => {
      if (what === 'seed') return steer({ method: 'PUT', path: '/ids', body: { seed: parseSeed(text) } }, flags);
      if (text !== undefined) throw createUsageError(`ids ${what} has no use for ${text}`);
      steer({ method: what === 'random' ? 'DELETE' : 'GET', path: '/ids' }, flags);
    });
}
