import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, vi } from 'vitest';
import { projectFile } from '../fixtures/default-data.ts';

/** The program as its user has it, in a process of its own. */
export interface Program {
  readonly child: ChildProcess;
  /** The folder that it runs in. */
  readonly folder: string;
  stdout(): string;
  stderr(): string;
  /** The address that it has printed, once it has. */
  url(): Promise<string>;
  /** How it ended, once it has. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** How a program is started beside its arguments. */
export interface Circumstances {
  readonly environment?: Readonly<Record<string, string>>;
  /** Fills the folder that it runs in. */
  prepare?(folder: string): Promise<unknown>;
}

/** How long a start may take at most, in ms. */
const START_MS = 15_000;

/** Starts the command line in a folder of its own; what is left of both goes with the test. Its environment has nothing of this one's but the path. */
export async function startProgram(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  args: readonly string[],
  { environment = {}, prepare }: Circumstances = {},
): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-'));
  await prepare?.(folder);
  const child = spawn(process.execPath, [projectFile('dist/main.js'), ...args], {
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

/** Whether this machine has the loopback address of IPv6. */
export const hasIpv6: boolean = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .some(({ address }) => address === '::1');
