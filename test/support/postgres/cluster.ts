import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from '../harness/free-port.ts';
import { findInstallation, type Installation } from './installation.ts';

/** The maximum time until PostgreSQL has started, in ms. */
const MAX_START_MS = 60_000;

const exec = promisify(execFile);

/** The password of the PostgreSQL user `postgres` in all test clusters. A server must never write it to a message or its log. */
export const PASSWORD = 'secret-9b1f';

/**
 * A shell script that waits until its standard input is closed, and then stops and removes a cluster. The input is also closed if the process that created
 * the cluster is killed.
 */
const REMOVAL = `
  cat >/dev/null
  pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
  if [ -n "$pid" ]; then kill -QUIT "$pid"; while kill -0 "$pid"; do sleep 0.1; done; fi 2>/dev/null
  rm -rf "$1"
`;

/** Options for creating a PostgreSQL cluster. */
interface ClusterOptions {
  /** Settings of PostgreSQL, for example `max_connections=10`. */
  readonly settings?: readonly string[];
  /** The folder in which the new folder of the cluster is created. Default: the system's folder for temporary files. */
  readonly parent?: string;
}

/** Creates a PostgreSQL cluster and starts it on a free port. The cluster is removed when `remove` is called, or when this process ends. */
export async function startCluster({ settings = [], parent = tmpdir() }: ClusterOptions = {}): Promise<Cluster> {
  const installation = findInstallation();
  const { uid = -1, gid = -1 } = installation.user;
  const folder = await mkdtemp(join(parent, 'storefront-postgres-'));
  const removal = spawn('sh', ['-c', REMOVAL, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  await writeFile(join(folder, 'password'), PASSWORD);
  for (const path of [folder, join(folder, 'password')]) await chown(path, uid, gid);
  const cluster = new Cluster(folder, await findFreePort(), { settings, installation, removal });
  try {
    await cluster.create();
    await cluster.start();
    return cluster;
  } catch (error) {
    await cluster.remove();
    throw error;
  }
}

/** A PostgreSQL cluster for tests: a PostgreSQL server with its own data folder. */
export class Cluster {
  readonly #data: string;

  constructor(
    readonly folder: string,
    readonly port: number,
    private readonly parts: {
      readonly settings: readonly string[];
      readonly installation: Installation;
      readonly removal: ChildProcess;
    },
  ) {
    this.#data = join(folder, 'data');
  }

  /** Returns the URL of a database. `port`: the port of the PostgreSQL server, or of a proxy in front of it. */
  getUrl(database = 'postgres', port = this.port): string {
    return `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/${database}`;
  }

  /** Creates the data folder. */
  async create(): Promise<void> {
    const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${join(this.folder, 'password')}`];
    await this.#run('initdb', ['-D', this.#data, ...access, '--no-sync', '--encoding=UTF8', '--locale=C']);
  }

  /** Starts PostgreSQL. After a crash, repeats the start until all processes of the crashed server have ended. */
  async start(): Promise<void> {
    const settings = [
      `port=${this.port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      ...this.parts.settings,
    ];
    const options = settings.map((setting) => `-c ${setting}`).join(' ');
    const log = join(this.folder, 'log');
    const endMs = performance.now() + MAX_START_MS;
    for (;;) {
      try {
        return await this.#run('pg_ctl', ['-D', this.#data, '-w', '-t', '60', '-l', log, '-o', options, 'start']);
      } catch (cause) {
        if (performance.now() > endMs)
          throw new Error(`PostgreSQL does not start: ${readFileSync(log, 'utf8')}`, { cause });
        await wait(100);
      }
    }
  }

  /** Stops PostgreSQL. `fast` disconnects all clients and shuts down. `immediate` stops without a shutdown, as in a crash. */
  stop(mode: 'fast' | 'immediate'): Promise<void> {
    return this.#run('pg_ctl', ['-D', this.#data, '-w', '-t', '60', '-m', mode, 'stop']);
  }

  /** Kills the main process of PostgreSQL with SIGKILL. */
  kill(): void {
    const [pid] = readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
  }

  /** Copies the data folder while PostgreSQL is stopped, and then starts PostgreSQL again. */
  async backUp(): Promise<void> {
    await this.stop('fast');
    await cp(this.#data, join(this.folder, 'backup'), { recursive: true });
    await exec('chown', ['-R', `--reference=${this.#data}`, join(this.folder, 'backup')]);
    await this.start();
  }

  /** Replaces the data folder by the copy from `backUp`, and starts PostgreSQL again. All commits since the copy are lost. */
  async restoreBackUp(): Promise<void> {
    await this.stop('immediate');
    await rm(this.#data, { recursive: true });
    await exec('mv', [join(this.folder, 'backup'), this.#data]);
    await this.start();
  }

  /** Stops PostgreSQL and removes its folder. */
  async remove(): Promise<void> {
    const { removal } = this.parts;
    const ended = once(removal, 'close');
    removal.stdin?.end();
    await ended;
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    const { programs, user } = this.parts.installation;
    // Without pipes, because the main process of PostgreSQL would keep them open.
    const child = spawn(join(programs, program), args, { ...user, cwd: this.folder, stdio: 'ignore', detached: true });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${code}`);
  }
}
