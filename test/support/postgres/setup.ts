import type { TestProject } from 'vitest/node';
import { setup as build } from '../harness/build.ts';
import { startCluster } from './cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a PostgreSQL database. Each test uses its own schema in this database. */
    readonly databaseUrl: string;
  }
}

/** Builds the program and starts PostgreSQL before all tests. Returns a function that removes the PostgreSQL cluster. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCluster();
  provide('databaseUrl', cluster.getUrl());
  build();
  return () => cluster.remove();
}
