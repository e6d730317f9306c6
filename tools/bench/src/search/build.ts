import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { catalogueOf } from './catalogue.ts';
import { engines } from './engines.ts';

/** What it takes to build an index: CPU time of all threads, in ms, and memory held, in MB. */
export interface Build {
  readonly cpuMs: number;
  readonly MB: number;
}

/** Builds an engine's index over a catalogue of so many products in a process of its own, where nothing else is in memory. */
export function built(engine: string, size: number): Build {
  const own = fileURLToPath(import.meta.url);
  const args = ['--expose-gc', '--import', 'tsx', own, engine, String(size)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

/** How many products the index over which the code grows warm has. */
const WARM_SIZE = 300;

function measured(engine: string, size: number): Build {
  const make = engines[engine];
  if (!make) throw new Error(`no engine ${engine}`);
  const items = catalogueOf(size);
  make(catalogueOf(WARM_SIZE));
  globalThis.gc?.();
  const before = heldMB();
  const cpu = process.cpuUsage();
  const find = make(items);
  const { user, system } = process.cpuUsage(cpu);
  globalThis.gc?.();
  const MB = heldMB() - before;
  find('');
  return { cpuMs: (user + system) / 1_000, MB };
}

function heldMB(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

const [, program, engine, size] = process.argv;
if (program === fileURLToPath(import.meta.url) && engine !== undefined) {
  process.stdout.write(JSON.stringify(measured(engine, Number(size))));
}
