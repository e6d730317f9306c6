import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Lock, lockFile } from '../store/lock.ts';
import { UserError } from '../util/issue.ts';
import { toFlag } from '../util/text.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { readLastLines, restoreLog } from './background-log.ts';
import {
  type BackgroundServer,
  createUnknownServer,
  formatName,
  getPaths,
  isBeingStarted,
  isRunning,
  openFolder,
  readStored,
  type ServerDescription,
  type StoredServer,
  toShown,
  writeStored,
} from './background-state.ts';
import { type Environment, getOptionVariables } from './environment.ts';

/** The environment variable that tells a process that it is a server in the background. Its value is the name. */
const NAME_VARIABLE = 'STOREFRONT_BACKGROUND_NAME';

/** The maximum duration of a start, in ms. */
const START_MS = 120_000;

/** The maximum duration of a stop, in ms. The server itself ends after at most 10.5 s. */
const STOP_MS = 15_000;

/** The interval at which a state is read again while it is waited for, in ms. */
const POLL_MS = 50;

/** The number of log lines that the error of a failed start contains. */
const FAILED_LINES = 20;

/** How a server is started. */
interface Start extends Pick<StoredServer, 'args'> {
  /** The options that result from the command line, the environment variables and the configuration. */
  readonly options: object;
}

/** Why a start has failed: the reason of the `UserError`, and the code of its cause. */
interface Failure {
  readonly reason: UserError['reason'];
  readonly code: string | undefined;
}

/** What the process of a server tells the process that has started it. `taken`: a server with the name runs. */
type Message = 'ready' | 'taken' | Failure;

/** The server in the background that this process is; undefined if it is none. Child processes do not inherit it. */
export function takeBackgroundName(environment: NodeJS.ProcessEnv): string | undefined {
  const name = environment[NAME_VARIABLE];
  delete environment[NAME_VARIABLE];
  return name;
}

/**
 * Runs a server in this process, which was started for it.
 * `serve`: starts the server. The process ends when the server is stopped.
 */
export async function runInBackground(
  name: string,
  { args, options }: Start,
  serve: () => Promise<ServerDescription>,
): Promise<void> {
  const { stateFile, logFile } = getPaths(name);
  let url: string | undefined;
  const lock = await lockFile(stateFile, () => url).catch((error) => {
    if (!(error instanceof UserError)) throw error;
    send('taken');
    return undefined;
  });
  // Without a lock of its own or of the command that has started it, `stop` could not find the process.
  if (!lock || process.connected === false) return;
  // The file has the log of the last start. The process writes to its end.
  ftruncateSync(process.stdout.fd);
  const base = {
    name,
    pid: process.pid,
    logFile,
    startedAt: new Date().toISOString(),
    args,
    environment: getOptionVariables(process.env),
    options: toJson(options),
  };
  writeStored(base);
  // After an error, the file stays, so that `status` shows that the server has ended, and `restart` has its options.
  process.once('exit', (code) => {
    if (readStored(name)?.pid === process.pid) tryOrUndefined(() => restoreLog(logFile));
    if (code === 0) rmSync(stateFile, { force: true });
  });
  const description = await serve().catch((error) => {
    if (error instanceof UserError)
      send({ reason: error.reason, code: (error.cause as NodeJS.ErrnoException | undefined)?.code });
    throw error;
  });
  url = description.url;
  const stored = { ...base, ...description };
  writeStored(stored);
  void keepStored(stored, lock);
  send('ready');
}

/** The interval at which a server looks whether its file still exists, in ms. */
const KEEP_MS = 200;

/**
 * Keeps the files of the server of this process, so that commands find the server and its log also after the files or
 * their folder were deleted. Writes the files again unless another process has the name.
 * Never resolves, and does not keep the process running.
 */
async function keepStored(server: StoredServer, lock: Pick<Lock, 'renew'>): Promise<never> {
  for (;;) {
    await sleep(KEEP_MS, undefined, { ref: false });
    try {
      if (readStored(server.name)?.pid !== server.pid) {
        openFolder(() => {});
        await lock.renew();
        writeStored(server);
      }
      restoreLog(server.logFile);
    } catch {
      // Another process has the name, or the folder cannot be written: the next attempt can succeed.
    }
  }
}

function send(message: Message): void {
  // The process that has started this one can already have ended.
  if (process.connected) process.send?.(message, () => {});
}

/** Returns options as they are stored. Functions and undefined values are left out. */
function toJson(options: object): StoredServer['options'] {
  return JSON.parse(JSON.stringify(options));
}

/** The result of a start. `isNew`: false if the server was already running with the same options. */
export interface Started {
  readonly server: BackgroundServer;
  readonly isNew: boolean;
}

/**
 * Starts a server in the background, and waits until it is ready.
 * `environment`: the environment variables that set options. Default: those of this process.
 * Throws a `UserError` if the start fails, or if a server with the name and other options runs.
 */
export async function startInBackground(
  name: string,
  start: Start & Partial<Pick<StoredServer, 'environment'>>,
): Promise<Started> {
  return runStart(name, () => startServer(name, start));
}

async function startServer(
  name: string,
  { args, environment, options }: Parameters<typeof startInBackground>[1],
): Promise<Started> {
  const running = await waitUntilReady(name);
  if (running) return { server: requireSame(running, toJson(options)), isNew: false };
  const result = await spawnServer(name, args, environment);
  const server = await waitUntilReady(name);
  if (!server) throw new UserError(`The server ended after its start. Its log is ${getPaths(name).logFile}.`);
  return result === 'ready'
    ? { server: toShown(server), isNew: true }
    : { server: requireSame(server, toJson(options)), isNew: false };
}

/** Runs a start or a restart. For one name, only one runs at a time. `stopServer` waits until it has ended. */
async function runStart<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  openFolder(() => {});
  for (const endMs = Date.now() + START_MS; ; ) {
    const lock = await lockFile(getPaths(name).startFile, () => undefined).catch((error) => {
      if (!(error instanceof UserError)) throw error;
    });
    if (lock) return run().finally(lock.release);
    if (Date.now() > endMs) throw createStillStarting(name);
    await sleep(POLL_MS);
  }
}

function createStillStarting(name: string): UserError {
  return new UserError(`The server ${name} is still starting. Stop it: storefront stop${formatName(name)}`);
}

/** Returns a running server. Throws a `UserError` if it was started with other options. */
function requireSame(server: StoredServer, options: StoredServer['options']): BackgroundServer {
  const names = [...new Set([...Object.keys(server.options), ...Object.keys(options)])];
  const different = names.filter((name) => !isDeepStrictEqual(server.options[name], options[name]));
  if (different.length === 0) return toShown(server);
  throw new UserError(
    `The server ${server.name} already runs at ${server.url} with another ${different.map(toFlag).join(', ')}. Stop it first: storefront stop${formatName(server.name)}. Or start another one with --name NAME.`,
  );
}

/** Starts the process of a server. Resolves when it is ready, or when another one has the name. */
async function spawnServer(
  name: string,
  args: readonly string[],
  environment: Environment = {},
): Promise<'ready' | 'taken'> {
  const { logFile } = getPaths(name);
  const log = openFolder(() => openSync(logFile, 'a+', 0o600));
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...args], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    env: { ...process.env, ...environment, [NAME_VARIABLE]: name },
  });
  closeSync(log);
  try {
    return await waitForMessage(child, logFile);
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
  }
}

function waitForMessage(child: ChildProcess, logFile: string): Promise<'ready' | 'taken'> {
  return new Promise((resolve, reject) => {
    let failure: Failure | undefined;
    const fail = (reason: string) => {
      clearTimeout(timer);
      const lines = readLastLines(logFile, FAILED_LINES);
      const text = lines === '' ? '' : ` It ends with:\n${lines}`;
      const message = `The server ${reason}. Its log is ${logFile}.${text}`;
      reject(new UserError(message, { reason: failure?.reason, cause: { code: failure?.code } }));
    };
    const timer = setTimeout(() => {
      endGroup(child.pid, 'SIGKILL');
      fail(`was not ready within ${START_MS / 1_000} s, and was ended`);
    }, START_MS);
    child.once('message', (message: Message) => {
      if (typeof message === 'object') failure = message;
      else {
        clearTimeout(timer);
        resolve(message);
      }
    });
    child.once('error', (error) => fail(`could not be started (${error.message})`));
    child.once('exit', (code, signal) => fail(`ended with ${code ?? signal} instead of starting`));
  });
}

/** Sends a signal to a process and its children. Does nothing if they have ended. */
function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid !== undefined) tryOrUndefined(() => process.kill(-pid, signal));
}

/** Waits until a server that is starting is ready. Returns undefined if no server with the name runs. */
async function waitUntilReady(name: string): Promise<StoredServer | undefined> {
  for (const endMs = Date.now() + START_MS; ; ) {
    if (!(await isRunning(name))) return undefined;
    const stored = readStored(name);
    if (stored?.url !== undefined) return stored;
    if (Date.now() > endMs) throw createStillStarting(name);
    await sleep(POLL_MS);
  }
}

/** A stopped server. `wasKilled`: whether it did not end by itself. `wasRunning`: false if it had ended before. */
export interface Stopped {
  readonly name: string;
  /** Undefined if no server has the name. */
  readonly pid?: number;
  readonly wasRunning: boolean;
  readonly wasKilled: boolean;
}

/**
 * Stops a server, and waits until its process has ended. Returns undefined if there is none with the name.
 * Ends a start or a restart of the server too.
 */
export async function stopServer(name: string): Promise<Stopped | undefined> {
  let stopped: Stopped | undefined;
  for (const endMs = Date.now() + START_MS; ; await sleep(POLL_MS)) {
    const isStarting = await isBeingStarted(name);
    if (!isStarting || (await isRunning(name))) {
      const last = await endServer(name);
      if (!stopped?.wasRunning || last?.wasRunning) stopped = last;
    }
    if (!isStarting) return stopped;
    if (Date.now() > endMs) throw createStillStarting(name);
  }
}

async function endServer(name: string): Promise<Stopped | undefined> {
  const wasRunning = await isRunning(name);
  const stored = readStored(name);
  if (!stored) return undefined;
  const { pid } = stored;
  const wasKilled = wasRunning && !(await endProcess(name, pid));
  // Also ends the processes that handlers have started.
  if (wasRunning) endGroup(pid, wasKilled ? 'SIGKILL' : 'SIGTERM');
  if (readStored(name)?.pid === pid) rmSync(getPaths(name).stateFile, { force: true });
  return { name, pid, wasRunning, wasKilled };
}

/** Asks a process to end. Returns whether it has ended in time. */
async function endProcess(name: string, pid: number): Promise<boolean> {
  tryOrUndefined(() => process.kill(pid, 'SIGTERM'));
  for (const endMs = Date.now() + STOP_MS; Date.now() < endMs; ) {
    if (!(await isRunning(name))) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/** Stops a server, and starts it again as it was started. Throws a `UserError` if there is none. */
export async function restartServer(name: string): Promise<BackgroundServer> {
  return runStart(name, () => restart(name));
}

async function restart(name: string): Promise<BackgroundServer> {
  const stored = readStored(name);
  if (!stored) throw await createUnknownServer(name);
  await endServer(name);
  // A start that fails, for example because of an invalid configuration, can be repeated.
  const { url: _, ...ended } = stored;
  writeStored(ended);
  const environment = { ...getOptionVariables({}), ...stored.environment };
  return (await startServer(name, { ...stored, environment })).server;
}
