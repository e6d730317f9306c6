import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pid, platform } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { DataFileError } from './data-file.ts';

/** The lock of this process on a data file. */
export interface Lock {
  /** Acquires a new lock if the folder of the file was replaced by another folder. Throws `DataFileError`. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

/** The maximum number of attempts to acquire a lock. There are several attempts, because the owner may be about to end. */
const MAX_ATTEMPTS = 25;

/** The delay between two attempts, in ms. */
const RETRY_DELAY_MS = 20;

/** The time limit for a response of the owner, in ms. */
const OWNER_TIMEOUT_MS = 1_000;

/**
 * Acquires the lock on the file at `path`. The folder must exist, but not the file. Throws `DataFileError` if another process has the lock: the message
 * contains the process id and the URL of that process. `address` returns the URL of this process; undefined while its server is not listening.
 *
 * The lock is a local socket on which the owner listens. The kernel closes the socket when the process ends, even after a crash. The name of the socket
 * is a hash of the inode of the folder and the file name. The inode of the file can't be used, because each write replaces the file. The lock does not
 * work between machines that share a folder, nor between containers with separate networks.
 */
export async function lockFile(path: string, address: () => string | undefined): Promise<Lock> {
  let key = getLockKey(path);
  /** Returns whether the lock still has the key of the folder. If not, gives up the lock, because another folder can get the old inode. */
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

/** The key after the lock was given up. */
const YIELDED_KEY = '';

/** A process that acquires or has a lock. */
interface Owner {
  /** The path of the data file, for error messages. */
  readonly path: string;
  /** Returns the URL of the server of this process; undefined if the server is not listening. */
  address(): string | undefined;
  /**
   * Returns whether the lock still protects the file. Called when another process connects to the socket. If the result is false, that process gets the
   * lock.
   */
  isCurrent(): boolean;
}

/** Listens on the socket of a lock. Throws `DataFileError` if another process has the lock. Returns a function that releases the lock. */
export async function acquire(socketPath: string, owner: Owner): Promise<Lock['release']> {
  for (let attempt = 1; ; attempt++) {
    const server = await listen(socketPath, owner);
    if (server) return () => new Promise((resolve) => server.close(() => resolve()));
    const response = await requestOwner(socketPath);
    if ((response !== undefined && response !== YIELDED) || attempt === MAX_ATTEMPTS)
      throw new DataFileError(
        `${owner.path} is in use by ${describeOwner(response)}. Stop that process, or choose another file with --data FILE.`,
      );
    // The owner has ended without releasing the lock. If the socket is a file, the file still exists.
    if (response === undefined && isFileSocket(socketPath)) rmSync(socketPath, { force: true });
    await setTimeout(RETRY_DELAY_MS);
  }
}

/** Returns the text that identifies the lock on a file: the device and the inode of its folder, and its name. */
function getLockKey(path: string): string {
  const { dev, ino } = statSync(dirname(path), { bigint: true });
  return `${dev} ${ino} ${basename(path)}`;
}

/** Returns the path of the socket of a lock: an abstract socket on Linux, a named pipe on Windows, a file elsewhere. */
function getSocketPath(key: string): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 32);
  const name = `storefront-${hash}`;
  if (platform === 'linux') return `\0${name}`;
  return platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
}

function isFileSocket(socketPath: string): boolean {
  return !socketPath.startsWith('\0') && !socketPath.startsWith('\\\\.\\pipe\\');
}

/** The response of an owner that gives up its lock. */
const YIELDED = 'given away';

/** Starts a server that sends the process id and the URL of the owner to each client. Resolves to undefined if the socket path is in use. */
function listen(socketPath: string, { address, isCurrent }: Owner): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      const hasLock = isCurrent();
      if (!hasLock) server.close();
      const response = hasLock ? JSON.stringify({ pid, url: address() }) : YIELDED;
      // A client can disconnect before it has read the response.
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

/** Resolves to the response of the owner. Resolves to an empty string if the owner does not respond in time, and to undefined if no process is listening. */
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
    // A connection without a response: the owner is releasing the lock.
    socket.on('close', () => resolve(response === '' ? YIELDED : response));
  });
}

/** Returns "process 123 at http://…". Uses only the process id and the URL in the response, because any process could have sent the response. */
function describeOwner(response: string | undefined): string {
  const [, processId] = /"pid":(\d+)/.exec(response ?? '') ?? [];
  const [, url] = /"url":"(https?:\/\/[\w.:[\]-]+)"/.exec(response ?? '') ?? [];
  if (processId === undefined) return 'a process that does not respond';
  return `process ${processId}${url === undefined ? ', which is starting or stopping' : ` at ${url}`}`;
}
