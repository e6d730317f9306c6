import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import type { Options } from '../../../src/index.ts';
import { createControlClient } from '../harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../harness/start-storefront.ts';
import { type Cluster, startCluster } from './cluster.ts';

/** A server for one test, with a client of its control API. */
export interface TestServer extends TestShop {
  readonly sendControl: TestShop['ask'];
}

/** A list of at least two servers. */
type Servers = readonly [TestServer, TestServer, ...TestServer[]];

/** Returns the options for a server that stores its state in the test database, in a new schema. */
export function createDatabaseOptions(): { readonly database: string; readonly databaseSchema: string } {
  return { database: inject('databaseUrl'), databaseSchema: `test_${randomBytes(6).toString('hex')}` };
}

/** Starts several servers for one test that use the same database. By default, they use a new schema without tables. */
export async function startServers(
  count: number,
  options: Parameters<typeof startStorefront>[0] = {},
): Promise<Servers> {
  const all = { ...createDatabaseOptions(), ...options };
  const servers = await Promise.all(Array.from({ length: count }, () => startServer(all)));
  return servers as unknown as Servers;
}

/** Starts a server for one test that uses a database. `options` contains the database. */
export async function startServer(options: Parameters<typeof startStorefront>[0]): Promise<TestServer> {
  const server = await startStorefront({ ...options, data: undefined } as Options);
  return { ...server, sendControl: createControlClient(server) };
}

/** Creates and starts a PostgreSQL cluster for one test. */
export async function startTestCluster(options: Parameters<typeof startCluster>[0] = {}): Promise<Cluster> {
  const cluster = await startCluster(options);
  onTestFinished(() => cluster.remove());
  return cluster;
}

/** The error for a statement that PostgreSQL has ended, without an effect, because it and another one waited for each other. */
const DEADLOCK = '40P01';

/**
 * Runs an SQL statement in the database at `url`. Returns the rows.
 * A statement that locks all tables can end in a deadlock with the transactions of a server: then runs it again.
 */
export async function runSql(url: string, statement: string) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    for (;;) {
      try {
        return (await client.query(statement)).rows;
      } catch (error) {
        if ((error as { code?: string }).code !== DEADLOCK) throw error;
      }
    }
  } finally {
    await client.end();
  }
}

/** Returns the number of connections that all storefront servers have to a PostgreSQL server. */
export async function countConnections(url: string): Promise<number> {
  const rows = await runSql(url, "SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'storefront'");
  return rows[0].count;
}
