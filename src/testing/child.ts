/** `storefront/testing` for `require`: the shop runs in a process of its own, which ends with that of the tests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ChildOptions, toArguments } from './arguments.ts';
import { type TestStorefront, testStorefront } from './test-storefront.ts';

export type { ChildOptions as Options } from './arguments.ts';
export * from './exports.ts';
export type { SandboxWish, TestStorefront } from './test-storefront.ts';

/** How long a start may take at most, in ms: a machine may have much else to do. */
const START_MS = 60_000;

/** How long a stop may take at most, in ms: the shop itself gives up after 10 s. */
const STOP_MS = 15_000;

/**
 * Starts a shop in a process of its own: on a free port, with its state in memory, unless the options say otherwise. It ends with this process, however
 * that ends. Rejects with an error that tells what the shop said where it doesn't start.
 */
export async function startStorefront(options: ChildOptions = {}): Promise<TestStorefront> {
  const child = spawn(process.execPath, [program(), ...toArguments(options)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A token in the environment would be wanted of those who don't know it.
    env: { ...process.env, STOREFRONT_CONTROL_TOKEN: '' },
  });
  const url = await greeted(child).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  letGo(child);
  return testStorefront({
    url,
    port: Number(new URL(url).port),
    token: options.controlToken,
    close: () => stopped(child),
  });
}

/** The command: built, this module stands beside it. */
function program(): string {
  return fileURLToPath(new URL('./main.js', import.meta.url));
}

/** The address that the shop greets with. */
function greeted(child: ChildProcess): Promise<string> {
  let said = '';
  let complaints = '';
  return new Promise((resolve, reject) => {
    const fail = (what: string) =>
      reject(new Error(`the storefront ${what}${complaints === '' ? '' : `: ${complaints.trim()}`}`));
    const late = setTimeout(() => fail(`did not start within ${START_MS / 1000} s`), START_MS);
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      complaints += text;
    });
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      said += text;
      const [, url] = /^storefront \S+ at (http\S+), /m.exec(said) ?? [];
      if (url === undefined) return;
      clearTimeout(late);
      resolve(url);
    });
    child.once('error', (error) => fail(`could not be started (${error.message})`));
    child.once('close', (code, signal) => {
      clearTimeout(late);
      fail(`ended with ${code ?? signal} instead of starting`);
    });
  });
}

/** Has the child not keep this process alive, and passes on what it complains of. */
function letGo(child: ChildProcess): void {
  child.stderr?.removeAllListeners('data').on('data', (text) => process.stderr.write(text));
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as { unref?(): void } | null)?.unref?.();
}

/** Ends the shop by letting go of the channel between it and this process, which it ends by too when this process is killed. */
function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.ref();
    child.once('exit', () => {
      clearTimeout(late);
      resolve();
    });
    if (child.connected) child.disconnect();
  });
}
