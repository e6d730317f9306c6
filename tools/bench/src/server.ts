import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './ask.ts';
import type { Contestant } from './contestants.ts';
import { Fault } from './measurement.ts';
import { freePort } from './port.ts';
import { products } from './requests.ts';

const POLL_MS = 2;
const START_LIMIT_MS = 30_000;
/** How long a server may take to stop before it is killed. */
const STOP_LIMIT_MS = 5_000;

/** A server that runs as a process of its own. */
export interface Server {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** From the call that starts the process to the end of the first answer to GET /api/products, in ms. */
  readonly startMs: number;
  readonly stop: () => Promise<void>;
}

const running = new Set<ChildProcess>();
let isClosing = false;

/** A started server that has answered once. It gets a folder of its own inside `folder`, which is its working directory. */
export async function startServer(contestant: Contestant, folder: string): Promise<Server> {
  const ownFolder = mkdtempSync(join(folder, 'run-'));
  const port = await freePort();
  const args = contestant.prepare(port, ownFolder);
  const startedMs = performance.now();
  const child = launch(contestant.name, args, ownFolder);
  await firstAnswer(child, port, contestant.name);
  const startMs = performance.now() - startedMs;
  return { name: contestant.name, port, pid: child.pid ?? 0, startMs, stop: () => stop(child) };
}

/** Stops every server that still runs; none can be started afterwards. */
export async function stopAll(): Promise<void> {
  isClosing = true;
  await Promise.all([...running].map(stop));
}

/** Kills at once what still runs: for the moment in which this process ends. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

function launch(name: string, args: readonly string[], folder: string): ChildProcess {
  if (isClosing) throw new Fault(`${name} isn't started: the measurements are being stopped`);
  // stderr goes to a file, not a pipe: reading a pipe would take CPU time from the load.
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
        `${name} ended by itself (${signal ?? code}):\n${readFileSync(stderrFile, 'utf8').slice(-2_000)}\n`,
      );
    }
  });
  return child;
}

/** Polls until the server answers as it should; whatever it answers before is a Fault. */
async function firstAnswer(child: ChildProcess, port: number, name: string): Promise<void> {
  const limitMs = performance.now() + START_LIMIT_MS;
  while (performance.now() < limitMs) {
    if (!running.has(child)) throw new Fault(`${name} ended before it answered`);
    try {
      await ask(port, products);
      return;
    } catch (error) {
      if (!isRefusedConnection(error)) throw error;
      await sleep(POLL_MS);
    }
  }
  throw new Fault(`${name} did not answer within ${START_LIMIT_MS} ms`);
}

function isRefusedConnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
}

async function stop(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const exited = once(child, 'exit');
  const killing = setTimeout(() => {
    process.stderr.write(`process ${child.pid} does not stop within ${STOP_LIMIT_MS} ms and is killed\n`);
    child.kill('SIGKILL');
  }, STOP_LIMIT_MS);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(killing);
}
