import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { catalogueOf } from './catalogue.ts';
import { engines } from './engines.ts';

/** The cost of building an index: the CPU time of all threads in ms, and the used memory in MB. */
export interface Build {
  readonly cpuMs: number;
  readonly MB: number;
}

/** Builds the index of an engine for a catalogue of a size in a new process, so that nothing else is in its memory. */
export function built(engine: string, size: number): Build {
  const own = fileURLToPath(import.meta.url);
  const args = ['--expose-gc', '--import', 'tsx', own, engine, String(size)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

/** The number of products in the index of the warm-up. */
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
