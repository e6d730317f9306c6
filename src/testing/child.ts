/**
 * The CommonJS entry point of `storefront/testing`.
 * It starts the server in a child process, which ends together with the process of the tests.
 * The child process inherits the environment variables.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { refuseInvalidOptions } from '../options.ts';
import type { ShopApi } from '../server/api-types.ts';
import { type ChildOptions, createTestStorefront, type TestStorefront, toArguments } from './test-storefront.ts';

export * from './exports.ts';
export type { ChildOptions as Options, SandboxOptions, TestStorefront } from './test-storefront.ts';

/** The maximum duration of a server start, in ms. It is long enough for a busy machine. */
const START_MS = 60_000;

/** The maximum duration of a server stop, in ms. The server itself needs at most 10 s. */
const STOP_MS = 15_000;

/**
 * Starts a server in a child process.
 * By default, it uses a free port and stores its data in memory.
 * The child process also ends if this process is killed.
 * If the start fails, rejects with an error that contains the error output of the child process.
 */
export async function startStorefront<Api extends object = ShopApi>(
  options: ChildOptions = {},
): Promise<TestStorefront<Api>> {
  refuseInvalidOptions(options);
  // The build writes the command line program to the folder of this module.
  const program = fileURLToPath(new URL('./main.js', import.meta.url));
  const child = spawn(process.execPath, [program, '--no-config', ...toArguments(options)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // The tests send only the token in `options`, so the server must not require a token from the environment.
    env: { ...process.env, STOREFRONT_CONTROL_TOKEN: '' },
  });
  const url = await waitForUrl(child).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  detach(child);
  const running = { url, port: Number(new URL(url).port), close: () => stop(child) };
  return createTestStorefront(running, options.controlToken);
}

/**
 * Waits until the child process prints the URL of the server, and returns it.
 * If the start fails, rejects with an error that contains the error output.
 */
function waitForUrl(child: ChildProcess): Promise<string> {
  let output = '';
  let errors = '';
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new Error(`The storefront server ${reason}${errors === '' ? '' : `: ${errors.trim()}`}`));
    const timer = setTimeout(() => fail(`did not start within ${START_MS / 1000} s`), START_MS);
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text;
      const [, url] = /^storefront \S+ listening at (http\S+), /m.exec(output) ?? [];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    child.once('error', (error) => fail(`could not be started (${error.message})`));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      fail(`ended with ${code ?? signal} instead of starting`);
    });
  });
}

/**
 * Forwards the error output of the child process.
 * This process can then end while the child process is still running.
 */
function detach(child: ChildProcess): void {
  child.stderr?.removeAllListeners('data').on('data', (text) => process.stderr.write(text));
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as { unref?(): void } | null)?.unref?.();
}

/** Stops the child process by closing its IPC channel. Kills it if it does not end within 15 s. */
function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.ref();
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    if (child.connected) child.disconnect();
  });
}
