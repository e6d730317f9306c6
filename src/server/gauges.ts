import type { Metrics } from '../http/metrics.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import type { PoolCounts } from '../store/postgres/database.ts';

/**
 * Adds metrics of the type gauge: the number of sandboxes, the size of the journals, and the number of database connections. `countConnections`: counts the
 * connections; undefined if the server has no database.
 */
export function addGauges(
  metrics: Metrics,
  sandboxes: Sandboxes,
  countConnections: (() => PoolCounts) | undefined,
): void {
  const add = (name: string, help: string, read: () => number) =>
    metrics.addGauge({ name: `storefront_${name}`, help, read });
  add('sandboxes', 'Sandboxes in memory', () => sandboxes.list().length);
  add('journal_bytes', 'Approximate size of the request journals in memory, in bytes', () => sandboxes.journalBytes);
  if (!countConnections) return;
  add('database_connections', 'Open connections to the database', () => countConnections().total);
  add('database_idle_connections', 'Connections to the database that are not used', () => countConnections().idle);
  add('database_waiting_statements', 'Statements that wait for a connection', () => countConnections().waiting);
}
