import type { Storefront } from '../server/options.ts';
import { sandboxAt, type TestSandbox } from './sandbox.ts';

/** Options of a new sandbox. */
export interface SandboxOptions {
  /** Id of the sandbox. Default: a new id, `test-1` and so on. */
  readonly id?: string | undefined;
  /** Snapshot to start with. Default: the default data. */
  readonly from?: string | undefined;
}

/** A storefront server that was started for tests. */
export interface TestStorefront {
  /** Address of the server, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The sandbox `default`, which requests use that name no sandbox. */
  readonly default: TestSandbox;
  /** Creates a sandbox, or recreates the one with this id. */
  sandbox(options?: SandboxOptions): Promise<TestSandbox>;
  /** Stops the server. Can be called several times. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Adds what tests need to a running server. */
export function createTestStorefront(
  { url, port, close }: Pick<Storefront, 'url' | 'port' | 'close'>,
  token: string | undefined,
): TestStorefront {
  let count = 0;
  let closing: Promise<void> | undefined;
  const closeOnce = () => {
    closing ??= close();
    return closing;
  };
  return {
    url,
    port,
    default: sandboxAt(url, 'default', { token }),
    async sandbox({ id, from, ...rest } = {}) {
      const [unknown] = Object.keys(rest);
      if (unknown !== undefined)
        throw new Error(`Unknown option ${unknown} of a sandbox. The options are id and from.`);
      const sandbox = sandboxAt(url, id ?? `test-${++count}`, { token });
      await sandbox.recreate({ from });
      return sandbox;
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}
