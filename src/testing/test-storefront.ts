import { sandboxAt, type TestSandbox } from './sandbox.ts';

/** What a new sandbox is made from. */
export interface SandboxWish {
  /** Its id; by default one that no other has here. */
  readonly id?: string | undefined;
  /** The snapshot that it begins with, in place of the default data. */
  readonly from?: string | undefined;
}

/** A storefront that was started for tests. */
export interface TestStorefront {
  /** Where it is, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** The shop of those who name no sandbox. */
  readonly default: TestSandbox;
  /** Makes a sandbox, anew where there is one of its id. */
  sandbox(wish?: SandboxWish): Promise<TestSandbox>;
  /** Ends it; once it has ended, ends at once. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A server that runs. */
interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly token: string | undefined;
  close(): Promise<void>;
}

/** A running server, with all that tests need of it. */
export function testStorefront({ url, port, token, close }: RunningServer): TestStorefront {
  let made = 0;
  let closing: Promise<void> | undefined;
  const closeOnce = () => {
    closing ??= close();
    return closing;
  };
  return {
    url,
    port,
    default: sandboxAt(url, 'default', { token }),
    async sandbox({ id, from, ...others } = {}) {
      const [unknown] = Object.keys(others);
      if (unknown !== undefined) throw new Error(`a sandbox has no ${unknown}: give id or from, if any`);
      const sandbox = sandboxAt(url, id ?? `test-${++made}`, { token });
      await sandbox.renew({ from });
      return sandbox;
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}
