import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contestant } from './contestants.ts';
import { BenchError } from './measurement.ts';
import { freePort } from './port.ts';
import { products } from './requests.ts';
import { sendRequest } from './send-request.ts';

const POLL_MS = 2;
const START_LIMIT_MS = 30_000;
/** The time after which a server that does not stop is killed, in ms. */
const STOP_LIMIT_MS = 5_000;

/** A server that runs in a child process. */
export interface Server {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** The time from the start of the process to the end of the first response, in ms. */
  readonly startMs: number;
  readonly stop: () => Promise<void>;
}

const running = new Set<ChildProcess>();
let isClosing = false;

/**
 * Starts a server and waits for its first response. The working directory of the server is a new folder in `folder`. Rejects with a `BenchError` if the
 * server ends or does not respond within 30 s.
 */
export async function startServer(contestant: Contestant, folder: string): Promise<Server> {
  const ownFolder = mkdtempSync(join(folder, 'run-'));
  const port = await freePort();
  const args = contestant.prepare(port, ownFolder);
  const startedMs = performance.now();
  const child = launch(contestant.name, args, ownFolder);
  await waitForResponse(child, port, contestant);
  const startMs = performance.now() - startedMs;
  return { name: contestant.name, port, pid: child.pid ?? 0, startMs, stop: () => stop(child) };
}

/** Stops all running servers. After this, `startServer` rejects. */
export async function stopAll(): Promise<void> {
  isClosing = true;
  await Promise.all([...running].map(stop));
}

/** Kills all running servers immediately. Must be called when this process ends. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

function launch(name: string, args: readonly string[], folder: string): ChildProcess {
  if (isClosing) throw new BenchError(`${name} was not started, because the measurements are being stopped`);
  // stderr goes to a file: to read a pipe, this process would use CPU time that the load needs.
  const stderrFile = join(folder, 'stderr');
  const stderr = openSync(stderrFile, 'w');
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', stderr] });
  closeSync(stderr);
  running.add(child);
  child.on('error', () => running.delete(child));
  child.on('exit', (code, signal) => {
    running.delete(child);
    if (!child.killed && !isClosing) {
      process.stderr.write(
        `${name} ended unexpectedly (${signal ?? code}):\n${readFileSync(stderrFile, 'utf8').slice(-2_000)}\n`,
      );
    }
  });
  return child;
}

/**
 * Sends requests until the server responds. Rejects with a `BenchError` if the server ends, does not respond in time, or responds with an unexpected status.
 */
async function waitForResponse(
  child: ChildProcess,
  port: number,
  { name, ready = products }: Contestant,
): Promise<void> {
  const limitMs = performance.now() + START_LIMIT_MS;
  while (performance.now() < limitMs) {
    if (!running.has(child)) throw new BenchError(`${name} ended before its first response`);
    try {
      await sendRequest(port, ready);
      return;
    } catch (error) {
      if (!isRefusedConnection(error)) throw error;
      await sleep(POLL_MS);
    }
  }
  throw new BenchError(`${name} did not respond within ${START_LIMIT_MS} ms`);
}

function isRefusedConnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

async function stop(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const exited = once(child, 'exit');
  const killing = setTimeout(() => {
    process.stderr.write(`process ${child.pid} did not stop within ${STOP_LIMIT_MS} ms and was killed\n`);
    child.kill('SIGKILL');
  }, STOP_LIMIT_MS);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(killing);
}
