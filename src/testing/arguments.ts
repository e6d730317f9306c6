import type { Options } from '../server/options.ts';
import { toFlag } from '../util/text.ts';

/** The options of a server that runs in a child process. The command line has the same options. */
export type ChildOptions = Omit<
  Options,
  'log' | 'logTo' | 'nowMs' | 'elapsedMs' | 'newId' | 'requestTimeoutMs' | 'handlers'
> & {
  /** Path of a module that exports handlers by operationId. Default: none. */
  readonly handlers?: string | undefined;
};

/** Converts options to command line arguments. The defaults are a free port, data in memory, and no log of requests. */
export function toArguments({ port = 0, data, durability, delay, control, ...rest }: ChildOptions): readonly string[] {
  const options = {
    port,
    data,
    durability: data === undefined ? 'memory' : durability,
    delay: typeof delay === 'object' ? `${delay.from}-${delay.to}` : delay,
    ...rest,
    log: 'off',
  };
  const args = Object.entries(options).flatMap(([name, value]) => toArgument(name, value));
  return control === false ? [...args, '--no-control'] : args;
}

function toArgument(name: string, value: boolean | string | number | readonly string[] | undefined): readonly string[] {
  if (value === undefined || value === false) return [];
  return [value === true ? toFlag(name) : `${toFlag(name)}=${value}`];
}
