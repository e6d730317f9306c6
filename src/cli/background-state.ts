import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Storefront } from '../server/options.ts';
import { findLockOwner } from '../store/lock.ts';
import { UserError } from '../util/issue.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createFolder } from './create-folder.ts';
import type { Environment } from './environment.ts';

/** The folder with the files of the servers that were started in the background, in the folder of the start. */
export const FOLDER = '.storefront';

/** A started server in the output of commands. */
export interface ServerDescription
  extends Pick<Storefront, 'url' | 'dataFile' | 'database' | 'durability' | 'operations' | 'mocked'> {
  readonly pid: number;
  /** The path or URL of the contract. */
  readonly contract: string;
  /** The address of the console. */
  readonly console: string;
}

/** A server that was started in the background, as commands show it. Until it runs, only its process is known. */
export interface BackgroundServer extends Partial<ServerDescription> {
  readonly name: string;
  /** `stopped`: the process has ended without `storefront stop`, for example because of an error. */
  readonly status: 'starting' | 'running' | 'stopped';
  readonly pid: number;
  /** The path of the log file. */
  readonly logFile: string;
  /** When the process was started: ISO 8601. */
  readonly startedAt: string;
}

/** What is stored about a server. The file can be read only by its owner, because options can have tokens. */
export interface StoredServer extends Omit<BackgroundServer, 'status'> {
  /** The command line and the environment variables with which the server was started, and its options. */
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Returns the paths of the files of a server. */
export function getPaths(name: string) {
  const folder = resolve(FOLDER);
  return {
    stateFile: join(folder, `${name}.json`),
    logFile: join(folder, `${name}.log`),
    /** Is only locked, never written: while the server is started, and has no lock itself yet. */
    startFile: join(folder, `${name}.start`),
  };
}

/** Creates the folder for the files of the servers, which Git ignores, and returns what `open` returns. */
export function openFolder<Result>(open: () => Result): Result {
  try {
    createFolder(FOLDER, 0o700);
    const ignoreFile = join(FOLDER, '.gitignore');
    if (!existsSync(ignoreFile)) writeFileSync(ignoreFile, '*\n');
    return open();
  } catch (cause) {
    const remedy = tryOrUndefined(() => !statSync(FOLDER).isDirectory())
      ? 'Move or rename this file, because a server in the background needs a folder with this name.'
      : 'Start the server in a folder where you can write, or without --background.';
    throw new UserError(`Cannot write to the folder ${resolve(FOLDER)} (${(cause as Error).message}). ${remedy}`, {
      cause,
    });
  }
}

/** Returns what is stored about a server. Undefined if nothing is stored, or if the file is incomplete or changed. */
export function readStored(name: string): StoredServer | undefined {
  const stored = tryOrUndefined(() => JSON.parse(readFileSync(getPaths(name).stateFile, 'utf8')) as StoredServer);
  const { name: ownName, pid, args, environment } = stored ?? {};
  const isValid = ownName === name && Number.isInteger(pid) && Array.isArray(args) && isObject(environment);
  return isValid ? stored : undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

export function writeStored(server: StoredServer): void {
  writeFileSync(getPaths(server.name).stateFile, `${JSON.stringify(server, null, 2)}\n`, { mode: 0o600 });
}

/** Returns whether the process of a server runs. It has a lock until it ends. */
export async function isRunning(name: string): Promise<boolean> {
  return isLocked(getPaths(name).stateFile);
}

/** Returns whether a command starts a server. */
export async function isBeingStarted(name: string): Promise<boolean> {
  return isLocked(getPaths(name).startFile);
}

async function isLocked(file: string): Promise<boolean> {
  return existsSync(FOLDER) && (await findLockOwner(file)) !== undefined;
}

/** Returns the option `--name` for a command about a server. */
export function formatName(name: string): string {
  return name === DEFAULT_NAME ? '' : ` --name ${name}`;
}

/** The name of a server without the option `--name`. */
export const DEFAULT_NAME = 'default';

/** Returns the servers that were started in this folder, or the one with a name. */
export async function listServers(name?: string): Promise<readonly BackgroundServer[]> {
  const files = tryOrUndefined(() => readdirSync(FOLDER)) ?? [];
  const all = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  const servers: BackgroundServer[] = [];
  for (const one of all.filter((own) => name === undefined || own === name).toSorted()) {
    const stored = readStored(one);
    if (!stored) continue;
    const status = !(await isRunning(one)) ? 'stopped' : stored.url === undefined ? 'starting' : 'running';
    servers.push({ ...toShown(stored), status });
  }
  return servers;
}

/** Returns a running server without how it was started, which can have tokens. */
export function toShown({ args: _, environment: __, options: ___, ...server }: StoredServer): BackgroundServer {
  return { ...server, status: 'running' };
}

/** Returns the error of a command about a server that was not started in this folder. */
export async function createUnknownServer(name: string): Promise<UserError> {
  const others = await listOtherNames(name);
  const start = `Start it: storefront start --background${formatName(name)}`;
  const remedy = others.length > 0 ? `${formatRunning(others)} ${start}` : start;
  return new UserError(`No server with the name ${name} was started in this folder. ${remedy}`);
}

/** Returns the names of the running servers without one of them. */
export async function listOtherNames(name: string | undefined): Promise<readonly string[]> {
  const running = (await listServers()).filter(({ status }) => status !== 'stopped');
  return running.map((server) => server.name).filter((other) => other !== name);
}

/** Returns the remedy for a command that does not find its server, while others run. */
export function formatRunning(names: readonly string[]): string {
  return `Use --name with one of those that run: ${names.join(', ')}.`;
}
