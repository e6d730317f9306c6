import type { ShopApi } from '../server/api-types.ts';
import type { Options, Storefront } from '../server/options.ts';
import { toFlag } from '../util/text.ts';
import { storeCoverage } from './coverage-files.ts';
import { sandboxAt, type TestSandbox } from './sandbox.ts';

/** Options for creating a sandbox. */
export interface SandboxOptions {
  /** Id of the sandbox. Default: `test-1`, `test-2` and so on. */
  readonly id?: string | undefined;
  /** Name of the snapshot with the initial data. Default: the default data. */
  readonly from?: string | undefined;
}

/** A running server for tests. `Api`: the types of the contract. */
export interface TestStorefront<Api extends object = ShopApi> {
  /** Address of the server, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** The sandbox `default`, which requests use if they name no sandbox. */
  readonly default: TestSandbox<Api>;
  /** Creates a sandbox. Replaces an existing sandbox with the same id. */
  sandbox(options?: SandboxOptions): Promise<TestSandbox<Api>>;
  /** Stops the server. Further calls do nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Returns the object with which tests use a running server. */
export function createTestStorefront<Api extends object>(
  { url, port, close }: Pick<Storefront, 'url' | 'port' | 'close'>,
  token: string | undefined,
): TestStorefront<Api> {
  let count = 0;
  let closing: Promise<void> | undefined;
  const closeOnce = () => {
    closing ??= storeCoverage(url, token).then(close);
    return closing;
  };
  return {
    url,
    port,
    default: sandboxAt<Api>(url, 'default', { token }),
    async sandbox({ id, from, ...rest } = {}) {
      const [unknown] = Object.keys(rest);
      if (unknown !== undefined)
        throw new Error(`Unknown option ${unknown} of a sandbox. The options are id and from.`);
      const sandbox = sandboxAt<Api>(url, id ?? `test-${++count}`, { token });
      await sandbox.recreate({ from });
      return sandbox;
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

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
