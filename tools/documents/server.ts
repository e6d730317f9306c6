import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A running server of a document. */
export interface DocumentServer {
  readonly origin: string;
  /** The time from the start of the process to its first response, in ms. */
  readonly startMs: number;
  /** Returns the memory of the process in MB: now, and at most. Undefined where /proc is missing. */
  memory(): { readonly nowMb: number; readonly peakMb: number } | undefined;
  stop(): Promise<void>;
}

/** The command that starts a server: `{file}`, `{port}` and `{folder}` (an empty folder) are replaced. */
export type Command = readonly string[];

/** Our server. */
export const STOREFRONT: Command = [
  process.execPath,
  'dist/main.js',
  '--contract',
  '{file}',
  '--port',
  '{port}',
  '--data',
  '{folder}/db.json',
  '--log',
  'off',
];

const HOST = '127.0.0.1';
/** The time limit of a start in ms. */
const START_MS = 120_000;
const POLL_MS = 10;

/** Starts a server of a document. Throws an `Error` with the end of its output if it does not start. */
export async function startServer(command: Command, file: string): Promise<DocumentServer> {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'));
  const port = await findFreePort();
  const [program = '', ...args] = command.map((part) => fill(part, { file, folder, port: String(port) }));
  const startedMs = performance.now();
  // A group of its own, because a command can start the server as a child.
  const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = collect(child);
  const ended = new Promise((resolve) => child.once('close', resolve));
  const kill = () => killGroup(child);
  process.once('exit', kill);
  const stop = async () => {
    kill();
    process.off('exit', kill);
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const origin = `http://${HOST}:${port}`;
  if (!(await responds(origin, child))) {
    await stop();
    throw new Error(`The server does not start: ${output().slice(-600)}`);
  }
  return { origin, startMs: performance.now() - startedMs, memory: () => readMemory(child.pid), stop };
}

/** An operation in the output of `storefront explain`. */
export interface ExplainedOperation {
  readonly method: string;
  readonly path: string;
  readonly mocked: boolean;
  readonly explanation: string;
}

/** Runs `storefront explain`. Returns undefined if the command fails. */
export async function explain(file: string): Promise<readonly ExplainedOperation[] | undefined> {
  const args = ['dist/main.js', 'explain', file, '--json'];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64_000_000 });
    const { data } = JSON.parse(stdout) as { readonly data: { readonly operations: readonly ExplainedOperation[] } };
    return data.operations;
  } catch (error) {
    process.stderr.write(`storefront explain ${file}: ${(error as Error).message.slice(0, 300)}\n`);
    return undefined;
  }
}

function fill(part: string, values: Readonly<Record<string, string>>): string {
  return part.replace(/\{(file|port|folder)\}/g, (_, name) => values[name] ?? '');
}

function collect(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => {
      output = `${output}${data}`.slice(-10_000);
    });
  child.on('error', (error) => {
    output += error.message;
  });
  return () => output;
}

async function responds(origin: string, child: ChildProcess): Promise<boolean> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const response = await fetch(origin, { redirect: 'manual' }).catch(() => undefined);
    if (response) {
      await response.arrayBuffer();
      return true;
    }
    await sleep(POLL_MS);
  }
  return false;
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, HOST, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

function readMemory(pid: number | undefined): ReturnType<DocumentServer['memory']> {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
    return { nowMb: read('VmRSS'), peakMb: read('VmHWM') };
  } catch {
    // Not Linux.
    return undefined;
  }
}
