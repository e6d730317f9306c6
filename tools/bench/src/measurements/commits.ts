import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Report, Target } from '../measurement.ts';
import { interleave } from '../rounds.ts';
import { type Figure, figure, ratio, show } from '../stats.ts';
import { bareWriter, ourWriter, type Writer } from '../writers.ts';

const ROUNDS = 15;
/** The number of sequential changes that each store makes in a round. */
const CHANGES = 300;
/** The number of orders or products in a large data file. */
const MANY = 10_000;

/**
 * The targets. `ms`: the maximum CPU time of a change in a small data file. `largeToSmall`: the maximum CPU time of a change in a large data file, as a
 * multiple of the time in the small data file.
 */
const WANTED = { ms: 0.5, largeToSmall: 1.5 };

interface Product {
  readonly id: string;
  readonly name: string;
}

/** Measures the CPU time of sequential durable changes with a small and with large data files. The CPU time includes the background writes of the data file. */
export async function commits({ folder, dataFile, logProgress }: Bench): Promise<Report> {
  const data = JSON.parse(readFileSync(dataFile, 'utf8'));
  const [order] = data.orders;
  const [product] = data.products as [Product];
  const orders = Array.from({ length: MANY }, () => ({ ...order, id: randomUUID() }));
  const products = Array.from({ length: MANY }, (_, number) => ({
    ...product,
    id: randomUUID(),
    name: `${product.name} ${number}`,
  }));
  const files = [
    ['no orders', { ...data, orders: [] }],
    [`${MANY} orders`, { ...data, orders }],
    [`${MANY} products`, { ...data, orders: [], products: [...data.products, ...products] }],
  ] as const;
  const writers: Writer[] = [];
  for (const [name, content] of files) {
    const path = join(mkdtempSync(join(folder, 'commits-')), 'db.json');
    writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
    writers.push({ ...(await ourWriter(path)), name });
  }
  writers.push({ ...bareWriter(copyOf(folder, dataFile)), name: 'bare write of the small file' });
  logProgress(`commits: ${ROUNDS} rounds`);
  const times = await interleave(ROUNDS, writers, getCpuMs);
  for (const writer of writers) await writer.close();
  const [small] = [...times.values()];
  const rows = [...times].map(([{ name }, ms]) => ({ name, ms: figure(ms), toSmall: ratio(ms, small ?? []) }));
  return {
    title: 'commits: CPU time of a durable change',
    how:
      `ms of CPU time for a sequential durable change, user and system, with the background writes of the data file, and its ratio to a change ` +
      `without orders. Median (lowest–highest) of ${ROUNDS} interleaved rounds of ${CHANGES} changes.`,
    columns: ['data', 'ms CPU', '/ no orders'],
    rows: rows.map(({ name, ms, toSmall }) => [name, show(ms, 3), show(toSmall, 2)]),
    targets: getTargets(rows),
  };
}

function copyOf(folder: string, file: string): string {
  const path = join(mkdtempSync(join(folder, 'commits-')), 'db.json');
  writeFileSync(path, readFileSync(file));
  return path;
}

async function getCpuMs({ change }: Writer): Promise<number> {
  const before = process.cpuUsage();
  for (let number = 0; number < CHANGES; number++) await change();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / CHANGES;
}

function getTargets(
  rows: readonly { readonly name: string; readonly ms: Figure; readonly toSmall: Figure }[],
): Target[] {
  const [small, ...large] = rows.slice(0, -1);
  if (!small) return [];
  return [
    {
      what: 'commits, ms of CPU time of a durable change',
      reached: `${small.ms.median.toFixed(2)} (wanted: at most ${WANTED.ms})`,
      isMet: small.ms.median <= WANTED.ms,
    },
    ...large.map(({ name, toSmall }) => ({
      what: `commits, a change with ${name} / without`,
      reached: `${toSmall.median.toFixed(2)} (wanted: at most ${WANTED.largeToSmall})`,
      isMet: toSmall.median <= WANTED.largeToSmall,
    })),
  ];
}
