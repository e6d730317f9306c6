import type { Options } from '../server/options.ts';

/** How a storefront is set up that runs as a child: what its command line can carry. */
export type ChildOptions = Pick<
  Options,
  | 'port'
  | 'host'
  | 'data'
  | 'durability'
  | 'defaultData'
  | 'static'
  | 'strict'
  | 'contract'
  | 'mock'
  | 'verify'
  | 'delay'
  | 'snapshots'
  | 'control'
  | 'controlToken'
  | 'allowHost'
  | 'allowOrigin'
  | 'sandboxes'
> & {
  /** The file of a module with handlers, by operationId. */
  readonly handlers?: string | undefined;
};

/** The arguments of the command that have it start as the options say: on a free port and with its state in memory, unless they say otherwise. */
export function toArguments({
  port = 0,
  data,
  durability,
  delay,
  control,
  ...others
}: ChildOptions): readonly string[] {
  const kept = data === undefined ? 'memory' : durability;
  const wait = typeof delay === 'object' ? `${delay.from}-${delay.to}` : delay;
  const all = { port, data, durability: kept, delay: wait, ...others, log: 'off' };
  const given = Object.entries(all).flatMap(([name, value]) => argument(name, value));
  return control === false ? [...given, '--no-control'] : given;
}

function argument(name: string, value: boolean | string | number | readonly string[] | undefined): readonly string[] {
  if (value === undefined || value === false) return [];
  const option = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return value === true ? [option] : [`${option}=${value}`];
}
