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
  /** Acquires the lock again if another folder has replaced the one that contained the file. Throws `DataFileError`. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

/** How many times to try to acquire the lock of a process that is ending, and the delay between two attempts, in ms. */
const MAX_ATTEMPTS = 25;
const RETRY_DELAY_MS = 20;

/** How long to wait for the owner of a lock to identify itself, in ms. */
const OWNER_TIMEOUT_MS = 1_000;

/**
 * Acquires the lock on the file at `path`. The file does not have to exist, but its folder does. Throws `DataFileError` if another process has the
 * lock. The owner tells others its process id and the URL that `address` returns. The kernel releases the lock when the process ends, however it ends.
 *
 * The lock is a socket, named after the folder itself and the file name, since each commit replaces the file. It works within one machine: not
 * between machines that share a folder, and not between containers with separate networks.
 */
export async function lockFile(path: string, address: () => string | undefined): Promise<Lock> {
  let socketPath = getSocketPath(path);
  /** Whether the folder is still the one in the name of the lock. If not, another folder can have its inode number. */
  const isCurrent = () => {
    if (tryOrUndefined(() => getSocketPath(path)) !== socketPath) socketPath = YIELDED_PATH;
    return socketPath !== YIELDED_PATH;
  };
  const owner = { path, address, isCurrent };
  let release = await acquire(socketPath, owner);
  return {
    async renew() {
      const currentPath = getSocketPath(path);
      if (currentPath === socketPath) return;
      const releasePrevious = release;
      [release, socketPath] = [await acquire(currentPath, owner), currentPath];
      await releasePrevious();
    },
    release: () => release(),
  };
}

/** The socket path of a lock that was yielded to another process. */
const YIELDED_PATH = '';

/** The owner of a lock. */
interface Owner {
  /** The data file, for error messages. */
  readonly path: string;
  /** Returns the URL of its server; undefined if it is not listening. */
  address(): string | undefined;
  /** Whether the lock is still for the current folder. Called when another process wants the lock, which is yielded if not. */
  isCurrent(): boolean;
}

/** Acquires the lock with a socket path. Throws `DataFileError` if another process has it. */
export async function acquire(socketPath: string, owner: Owner): Promise<Lock['release']> {
  for (let attempt = 1; ; attempt++) {
    const server = await listen(socketPath, owner);
    if (server) return () => new Promise((resolve) => server.close(() => resolve()));
    const response = await requestOwner(socketPath);
    if ((response !== undefined && response !== YIELDED) || attempt === MAX_ATTEMPTS)
      throw new DataFileError(
        `${owner.path} is in use by ${describeOwner(response)}. Stop that process, or choose another file with --data FILE.`,
      );
    // No process is listening. The kernel frees an abstract name; the file of a file socket stays.
    if (response === undefined && isFileSocket(socketPath)) rmSync(socketPath, { force: true });
    await setTimeout(RETRY_DELAY_MS);
  }
}

/** Returns the path of the socket: an abstract name on Linux, a named pipe on Windows, a file elsewhere. */
function getSocketPath(path: string): string {
  const { dev, ino } = statSync(dirname(path), { bigint: true });
  const hash = createHash('sha256')
    .update(`${dev} ${ino} ${basename(path)}`)
    .digest('hex')
    .slice(0, 32);
  const name = `storefront-${hash}`;
  if (platform === 'linux') return `\0${name}`;
  return platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
}

function isFileSocket(socketPath: string): boolean {
  return !socketPath.startsWith('\0') && !socketPath.startsWith('\\\\.\\pipe\\');
}

/** The response of an owner that yields its lock. */
const YIELDED = 'given away';

/** Starts a server that tells each client who has the lock; undefined if the socket path is in use. */
function listen(socketPath: string, { address, isCurrent }: Owner): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      const hasLock = isCurrent();
      if (!hasLock) server.close();
      const response = hasLock ? JSON.stringify({ pid, url: address() }) : YIELDED;
      // A client that disconnects early is not an error.
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

/** Returns the response of the owner: empty if it does not respond in time, undefined if no process is listening. */
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
    // An owner that is releasing the lock closes connections that it has not accepted.
    socket.on('close', () => resolve(response === '' ? YIELDED : response));
  });
}

/** Returns "process 123 at http://…". Any process can send the response, so only these two values are taken from it. */
function describeOwner(response: string | undefined): string {
  const [, processId] = /"pid":(\d+)/.exec(response ?? '') ?? [];
  const [, url] = /"url":"(https?:\/\/[\w.:[\]-]+)"/.exec(response ?? '') ?? [];
  if (processId === undefined) return 'a process that does not respond';
  return `process ${processId}${url === undefined ? ', which is starting or stopping' : ` at ${url}`}`;
}
