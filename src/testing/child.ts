/**
 * The entry `storefront/testing` for `require`: starts the server in a child process, which ends with the process of the tests. As an entry of the package it
 * reads `process.env`, which the child process inherits.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type ChildOptions, toArguments } from './arguments.ts';
import { createTestStorefront, type TestStorefront } from './test-storefront.ts';

export type { ChildOptions as Options } from './arguments.ts';
export * from './exports.ts';
export type { SandboxOptions, TestStorefront } from './test-storefront.ts';

/** The maximum duration of a start, in ms. It is long enough for a busy machine. */
const START_MS = 60_000;

/** The maximum duration of a stop, in ms. The server stops within 10 s. */
const STOP_MS = 15_000;

/**
 * Starts a server in a child process, by default on a free port and with its state in memory. The child process ends with this process, even if this process
 * is killed. Rejects with the error output of the child process if the start fails.
 */
export async function startStorefront(options: ChildOptions = {}): Promise<TestStorefront> {
  // The build writes the command line program to the folder of this module.
  const program = fileURLToPath(new URL('./main.js', import.meta.url));
  const child = spawn(process.execPath, [program, ...toArguments(options)], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Without this line, the server would require the token of the environment, which the tests do not send.
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

/** Resolves to the URL in the start message of the child process. Rejects with its error output if the start fails. */
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

/** Forwards the error output of the child process. Allows this process to end while the child process runs. */
function detach(child: ChildProcess): void {
  child.stderr?.removeAllListeners('data').on('data', (text) => process.stderr.write(text));
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as { unref?(): void } | null)?.unref?.();
}

/** Stops the child process: closes its IPC channel, on which the server stops, and kills the process if it does not end in time. */
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
