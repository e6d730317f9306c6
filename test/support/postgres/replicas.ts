import { onTestFinished } from 'vitest';
import { findFreePort } from '../harness/free-port.ts';
import { startNginx } from '../harness/nginx.ts';
import { type Program, startProgram } from '../harness/start-program.ts';
import { createDatabaseOptions } from './servers.ts';

/** A server that runs in its own process, with nginx as a load balancer in front of it. */
export interface Replica {
  readonly url: string;
  /** Sends a signal to the process, and waits until the process has ended. */
  stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
}

/** Several servers that use the same database. */
export interface Replicas {
  /** The URL of nginx, which sends each request to one of the servers. */
  readonly url: string;
  readonly replicas: readonly Replica[];
}

/** Starts servers for one test, with a new schema of the test database, and starts nginx as a load balancer in front of them. */
export async function startReplicas(count: number): Promise<Replicas> {
  const { database, databaseSchema } = createDatabaseOptions();
  const args = ['--database', database, '--database-schema', databaseSchema];
  const ports = await Promise.all(Array.from({ length: count }, findFreePort));
  const replicas = await Promise.all(ports.map((port) => startReplica([...args, '--port', String(port)])));
  return { url: await startNginx(ports), replicas };
}

async function startReplica(args: readonly string[]): Promise<Replica> {
  let program: Program;
  const start = async () => {
    program = await startProgram({ onTestFinished }, args);
    await program.url();
  };
  await start();
  return {
    url: `http://127.0.0.1:${args.at(-1)}`,
    async stop(signal) {
      program.child.kill(signal);
      await program.ended;
    },
    start,
  };
}
