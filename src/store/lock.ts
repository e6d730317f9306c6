import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pid, platform } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { DataFileError } from './data-file.ts';
import { tryOrUndefined } from './disk.ts';

/** Lets go of a lock. */
export type Release = () => Promise<void>;

/** The lock on a data file. */
export interface Lock {
  /** Takes the lock anew where another folder has taken the place of the one that the file was in. Throws `DataFileError`. */
  renew(): Promise<void>;
  readonly release: Release;
}

/** Another program has the lock; `owner` says which, as far as it can be known. */
export class DataFileLockedError extends Error {
  override readonly name = 'DataFileLockedError';
  constructor(readonly owner: string) {
    super(`locked by ${owner}`);
  }
}

/** How often it is tried to take over from a process that is just ending, and how long in between, in ms. */
const TRIES = 25;
const PAUSE_MS = 20;

/** How long the owner of a lock has to say who it is, in ms. */
const ANSWER_MS = 1_000;

/**
 * Takes the lock on the file at `path`, which needs not be there, unlike its folder, and gives back how to let go of it. Throws `DataFileError` where
 * another process has it. The kernel frees it with the process, however that ends. The owner tells who asks its process and, by `address`, where it is to be reached.
 *
 * The lock is a socket, named by the folder itself and the name in it, not by the file, which is another one after each change. It holds
 * within one machine: not between two that share a folder, nor between containers that share no network.
 */
export async function lockFile(path: string, address: () => string | undefined): Promise<Lock> {
  let place = placeOf(path);
  /** Whether the folder is still the one that the lock is named by; where it isn't, another folder may have got its number. */
  const isStill = () => {
    if (tryOrUndefined(() => placeOf(path)) !== place) place = NOWHERE;
    return place !== NOWHERE;
  };
  let release = await taken(path, place, { address, isStill });
  return {
    async renew() {
      const now = placeOf(path);
      if (now === place) return;
      const last = release;
      [release, place] = [await taken(path, now, { address, isStill }), now];
      await last();
    },
    release: () => release(),
  };
}

async function taken(path: string, place: string, owner: Owner): Promise<Release> {
  try {
    return await getLockAddress(place, owner);
  } catch (cause) {
    if (!(cause instanceof DataFileLockedError)) throw cause;
    throw new DataFileError(
      `${path} is in use by ${cause.owner}: stop that one, or give this one a file of its own with --data FILE`,
      { cause },
    );
  }
}

/** What stands for the place of a lock that was given away. */
const NOWHERE = '';

/** Who has a lock. */
export interface Owner {
  /** Where it is to be reached, once it is. */
  address(): string | undefined;
  /** Whether it still is what the lock is for: asked when another wants the lock, which is given away where it isn't. */
  isStill(): boolean;
}

/** Takes the lock at a place that a socket can listen at. Throws `DataFileLockedError`. */
export async function getLockAddress(place: string, owner: Owner): Promise<Release> {
  for (let attempt = 1; ; attempt++) {
    const server = await listening(place, owner);
    if (server) return () => new Promise((resolve) => server.close(() => resolve()));
    const answer = await ask(place);
    if ((answer !== undefined && answer !== GIVEN_AWAY) || attempt === TRIES)
      throw new DataFileLockedError(ownerIn(answer));
    // Nobody is there any more. The kernel frees the name by itself, but where it is that of a file, which stays.
    if (answer === undefined && isFile(place)) rmSync(place, { force: true });
    await setTimeout(PAUSE_MS);
  }
}

/** Where the socket listens: a name that is no file on Linux, a pipe on Windows, a file elsewhere. */
function placeOf(path: string): string {
  const { dev, ino } = statSync(dirname(path), { bigint: true });
  const name = `storefront-${createHash('sha256')
    .update(`${dev} ${ino} ${basename(path)}`)
    .digest('hex')
    .slice(0, 32)}`;
  if (platform === 'linux') return `\0${name}`;
  return platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
}

function isFile(place: string): boolean {
  return !place.startsWith('\0') && !place.startsWith('\\\\.\\pipe\\');
}

/** What an owner tells who gives its lock away. */
const GIVEN_AWAY = 'given away';

/** A server at a place that tells each who connects who has the lock; undefined where the place is taken. */
function listening(place: string, { address, isStill }: Owner): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      const isOurs = isStill();
      if (!isOurs) server.close();
      const told = isOurs ? JSON.stringify({ pid, url: address() }) : GIVEN_AWAY;
      // Who goes away before it has heard is no trouble of ours.
      socket.on('error', () => {}).end(told, () => socket.destroy());
    });
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(place, () => resolve(server));
  });
}

/** What the owner of a place tells; "" where it tells nothing in time, undefined where nobody is there. */
function ask(place: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(place);
    socket.setEncoding('utf8').setTimeout(ANSWER_MS, () => socket.destroy());
    socket.on('data', (part) => {
      answer += part;
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' || code === 'ENOENT') resolve(undefined);
    });
    socket.on('close', () => resolve(answer));
  });
}

/** "process 123 at http://…", as far as an answer says so: it may come from anybody. */
function ownerIn(answer: string | undefined): string {
  const [, process] = /"pid":(\d+)/.exec(answer ?? '') ?? [];
  const [, url] = /"url":"(https?:\/\/[\w.:[\]-]+)"/.exec(answer ?? '') ?? [];
  if (process === undefined) return 'a process that does not answer';
  return `process ${process}${url === undefined ? ', which is starting or stopping' : ` at ${url}`}`;
}
