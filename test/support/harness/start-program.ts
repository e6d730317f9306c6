import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, vi } from 'vitest';
import { projectFile } from '../fixtures/default-data.ts';

/** The storefront program in a separate process, as a user runs it. */
export interface Program {
  readonly child: ChildProcess;
  /** The working directory. */
  readonly folder: string;
  stdout(): string;
  stderr(): string;
  /** Waits until the program prints its URL. Resolves to the URL. */
  url(): Promise<string>;
  /** Resolves when the program has ended, to its exit code or the signal that has ended it. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** Options for starting the program, in addition to its arguments. */
export interface StartOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** The path of the program. Default: `dist/main.js`. */
  readonly program?: string;
  /** Called before the start with the path of the working directory, for example to create files there. */
  prepare?(folder: string): Promise<unknown>;
}

/** The maximum time until the program prints its URL, in ms. */
const START_MS = 60_000;

/**
 * Starts the program in a new folder. Its only environment variables are PATH and those in `environment`. Kills the program and removes the folder when the
 * test ends.
 */
export async function startProgram(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  args: readonly string[],
  { environment = {}, prepare, program = projectFile('dist/main.js') }: StartOptions = {},
): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-'));
  await prepare?.(folder);
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (part) => (text.stdout += part));
  child.stderr.on('data', (part) => (text.stderr += part));
  const ended: Program['ended'] = new Promise((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  return {
    child,
    folder,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    ended,
    url: () => vi.waitFor(() => addressIn(text.stdout, text.stderr), { timeout: START_MS, interval: 20 }),
  };
}

function addressIn(stdout: string, stderr: string): string {
  const [address] = /http:\/\/[^\s",]+/.exec(stdout) ?? [];
  if (address === undefined) throw new Error(`no address was printed: ${stdout}${stderr}`);
  return address;
}

/** Whether this machine has the IPv6 loopback address. */
export const hasIpv6: boolean = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .some(({ address }) => address === '::1');
