import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pid, platform } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createDataFileError } from './data-file.ts';

/** The lock of this process on a data file: no other server can open the file. */
export interface Lock {
  /**
   * Acquires the lock again if the folder of the file was replaced by another folder.
   * Throws a `UserError` if another process has the lock.
   */
  renew(): Promise<void>;
  release(): Promise<void>;
}

/**
 * The maximum number of attempts to acquire a lock.
 * A second attempt can succeed, because the other process may be about to end.
 */
const MAX_ATTEMPTS = 25;

/** The delay between two attempts, in ms. */
const RETRY_DELAY_MS = 20;

/** The maximum time to wait for the response of the process that has the lock, in ms. */
const OWNER_TIMEOUT_MS = 1_000;

/**
 * Acquires the lock on the file at `path`.
 * The folder must exist; the file does not have to exist.
 * Throws a `UserError` if another process has the lock.
 * The error message contains the process id and the URL of that process.
 * `address`: returns the URL of this process, or undefined while its server is not listening.
 *
 * The lock is a local socket on which the process listens.
 * The operating system closes the socket when the process ends, even after a crash.
 * The socket is named after a hash of the folder's inode and the file name.
 * The inode of the file can't be used, because each write replaces the file.
 * The lock has no effect between machines that share a folder, nor between containers with separate networks.
 */
export async function lockFile(path: string, address: () => string | undefined): Promise<Lock> {
  let key = getLockKey(path);
  /**
   * Returns whether the folder at `path` is still the one for which the lock was acquired.
   * If not, gives up the lock: a new folder can get the same inode.
   */
  const isCurrent = () => {
    if (tryOrUndefined(() => getLockKey(path)) !== key) key = YIELDED_KEY;
    return key !== YIELDED_KEY;
  };
  const owner = { path, address, isCurrent };
  let release = await acquire(getSocketPath(key), owner);
  return {
    async renew() {
      const currentKey = getLockKey(path);
      if (currentKey === key) return;
      const releasePrevious = release;
      [release, key] = [await acquire(getSocketPath(currentKey), owner), currentKey];
      await releasePrevious();
    },
    release: () => release(),
  };
}

/** The key of a lock that this process has given up, because the folder of the file was replaced. */
const YIELDED_KEY = '';

/** A process that has a lock or tries to acquire it. */
interface Owner {
  /** The path of the data file, for error messages. */
  readonly path: string;
  /** Returns the URL of the server of this process; undefined if the server is not listening. */
  address(): string | undefined;
  /**
   * Returns whether the lock still protects the file.
   * Called when another process connects to the socket.
   * If the result is false, the other process gets the lock.
   */
  isCurrent(): boolean;
}

/**
 * Acquires a lock: listens on its socket.
 * Returns a function that releases the lock.
 * Throws a `UserError` if another process has the lock.
 */
export async function acquire(socketPath: string, owner: Owner): Promise<Lock['release']> {
  for (let attempt = 1; ; attempt++) {
    const server = await listen(socketPath, owner);
    if (server) return () => new Promise((resolve) => server.close(() => resolve()));
    const response = await requestOwner(socketPath);
    if ((response !== undefined && response !== YIELDED) || attempt === MAX_ATTEMPTS)
      throw createDataFileError(
        `${owner.path} is in use by ${describeOwner(response)}. Stop that process, or choose another file with --data FILE.`,
      );
    // The other process has ended. If the socket is a file, the file still exists and must be deleted.
    if (response === undefined && isFileSocket(socketPath)) rmSync(socketPath, { force: true });
    await setTimeout(RETRY_DELAY_MS);
  }
}

/** A process that has a lock. */
export interface LockOwner {
  /** Undefined if the process does not respond, for example because it is suspended. */
  readonly pid: number | undefined;
  /** Undefined while the server of the process is not listening. */
  readonly url: string | undefined;
}

/**
 * Returns the process that has the lock on the file at `path`, whose folder must exist.
 * Returns undefined if no process has it.
 */
export async function findLockOwner(path: string): Promise<LockOwner | undefined> {
  const response = await requestOwner(getSocketPath(getLockKey(path)));
  return response === undefined || response === YIELDED ? undefined : parseOwner(response);
}

/** Returns the text that identifies the lock on a file: the device and inode of the folder, and the file name. */
function getLockKey(path: string): string {
  const { dev, ino } = statSync(dirname(path), { bigint: true });
  return `${dev} ${ino} ${basename(path)}`;
}

/**
 * Returns the path of a lock's socket.
 * On Linux, it is an abstract socket; on Windows, a named pipe; on other systems, a file in the temporary folder.
 */
function getSocketPath(key: string): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 32);
  const name = `storefront-${hash}`;
  if (platform === 'linux') return `\0${name}`;
  return platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
}

function isFileSocket(socketPath: string): boolean {
  return !socketPath.startsWith('\0') && !socketPath.startsWith('\\\\.\\pipe\\');
}

/** The response of a process that gives up its lock, because the lock no longer protects the file. */
const YIELDED = 'given away';

/**
 * Listens on the socket of a lock.
 * Sends the process id and the URL of this process to each client.
 * Resolves to undefined if another process listens on the socket.
 */
function listen(socketPath: string, { address, isCurrent }: Owner): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      const hasLock = isCurrent();
      if (!hasLock) server.close();
      const response = hasLock ? JSON.stringify({ pid, url: address() }) : YIELDED;
      // Ignores the error of a client that disconnects before it has read the response.
      socket.on('error', () => {}).end(response, () => socket.destroy());
    });
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(socketPath, () => resolve(server));
  });
}

/**
 * Connects to the socket of a lock, and resolves to the response of the process that has the lock.
 * Resolves to an empty string if that process does not respond within a second.
 * Resolves to undefined if no process listens on the socket.
 */
function requestOwner(socketPath: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let response = '';
    const socket = connect(socketPath);
    socket.setEncoding('utf8').setTimeout(OWNER_TIMEOUT_MS, () => {
      resolve(response);
      socket.destroy();
    });
    socket.on('data', (chunk) => {
      response += chunk;
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve(undefined);
    });
    // If the socket closes without a response, the other process is releasing the lock.
    socket.on('close', () => resolve(response === '' ? YIELDED : response));
  });
}

/** Reads only the process id and the URL from a response, because any program could have sent it. */
function parseOwner(response: string): LockOwner {
  const [, processId] = /"pid":(\d+)/.exec(response) ?? [];
  const [, url] = /"url":"(https?:\/\/[\w.:[\]-]+)"/.exec(response) ?? [];
  return { pid: processId === undefined ? undefined : Number(processId), url };
}

/** Returns a description of the process that sent a response, for example `process 123 at http://127.0.0.1:3000`. */
function describeOwner(response: string | undefined): string {
  const { pid: processId, url } = parseOwner(response ?? '');
  if (processId === undefined) return 'a process that does not respond';
  return `process ${processId}${url === undefined ? ', which is starting or stopping' : ` at ${url}`}`;
}
