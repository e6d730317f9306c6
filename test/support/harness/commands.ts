import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';

/** Where a command runs. */
export interface CommandOptions {
  readonly cwd: string;
  /** A folder that is searched for programs before the folders in PATH. */
  readonly programs?: string | undefined;
}

/** The result of a command. */
export interface CommandResult {
  /** The exit code of the command; null if a signal has ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The standard output and the standard error, in the order in which they were received. */
  readonly output: string;
}

/** A running command. */
export interface RunningCommand {
  /** Waits until the output matches a pattern. Resolves to the match. Rejects if the command ends without a match. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<CommandResult>;
  /** Sends a signal to the command, but not to its child processes. */
  kill(signal: NodeJS.Signals): void;
}

/** The maximum duration of a command, in ms. After this time, the command and all its child processes are killed. */
const DEADLINE_MS = 150_000;

/** Runs a command and waits until it ends. */
export async function runCommand(
  command: string,
  args: readonly string[],
  place: CommandOptions,
): Promise<CommandResult> {
  const child = spawned(command, args, place);
  const late = setTimeout(() => killGroup(child), DEADLINE_MS);
  try {
    return await watched(child).ended;
  } finally {
    clearTimeout(late);
  }
}

/** Starts a command for one test. Kills the command and all its child processes when the test ends. */
export function startCommand(command: string, args: readonly string[], place: CommandOptions): RunningCommand {
  const child = spawned(command, args, place);
  onTestFinished(() => killGroup(child));
  return watched(child);
}

function spawned(command: string, args: readonly string[], { cwd, programs }: CommandOptions): ChildProcess {
  const { PATH = '', ...environment } = outerEnvironment();
  const env = { ...environment, PATH: programs === undefined ? PATH : `${programs}:${PATH}` };
  return spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Returns the environment variables, except those that npm and Vitest have set. These variables would affect an npm that a test runs. */
function outerEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_(registry|cache)$)|vitest|node_env$|port$)/i.test(name),
  );
  return Object.fromEntries(inherited);
}

function watched(child: ChildProcess): RunningCommand {
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
      for (const listener of [...listeners]) listener();
    });
  }
  const ended = new Promise<CommandResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, output }));
  });
  const said = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(output);
        if (!found) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
      ended.then(() => reject(new Error(`ended without saying ${pattern}: ${output}`)), reject);
    });
  return { said, ended, kill: (signal) => void child.kill(signal) };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes have already ended.
  }
}
