import type { Options } from '../server/options.ts';

/** Options of a storefront in a child process: those that its command line has. */
export type ChildOptions = Omit<
  Options,
  'log' | 'logTo' | 'nowMs' | 'elapsedMs' | 'newId' | 'requestTimeoutMs' | 'handlers'
> & {
  /** Path of a module with handlers by operationId. Default: none. */
  readonly handlers?: string | undefined;
};

/** Converts options to command line arguments. Defaults: a free port, the state in memory, no log. */
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
  const option = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return value === true ? [option] : [`${option}=${value}`];
}
