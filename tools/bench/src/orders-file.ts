import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './measurement.ts';

/** Copies the data file and replaces its orders with `count` orders. Returns the path of the copy. */
export function withOrders({ folder, dataFile }: Bench, count: number): string {
  const data = JSON.parse(readFileSync(dataFile, 'utf8'));
  const [order] = data.orders;
  const orders = Array.from({ length: count }, () => ({ ...order, id: randomUUID() }));
  const path = join(folder, `${count}-orders.json`);
  writeFileSync(path, `${JSON.stringify({ ...data, orders }, null, 2)}\n`);
  return path;
}
