import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { getCatalogue } from './catalogue.ts';
import { engines } from './engines.ts';

/** The cost of building a search index: the CPU time of all threads in ms, and the memory in MB. */
export interface Build {
  readonly cpuMs: number;
  readonly MB: number;
}

/**
 * Measures the cost of building the index of a search engine. `size`: the number of products. Builds the index in a new process, so that nothing else
 * affects the memory.
 */
export function measureBuild(engine: string, size: number): Build {
  const own = fileURLToPath(import.meta.url);
  const args = ['--expose-gc', '--import', 'tsx', own, engine, String(size)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
}

/** The number of products in the index that is built first, so that V8 compiles the code. */
const WARM_SIZE = 300;

function measureHere(engine: string, size: number): Build {
  const make = engines[engine];
  if (!make) throw new Error(`no engine ${engine}`);
  const items = getCatalogue(size);
  make(getCatalogue(WARM_SIZE));
  globalThis.gc?.();
  const before = getUsedMB();
  const cpu = process.cpuUsage();
  const find = make(items);
  const { user, system } = process.cpuUsage(cpu);
  globalThis.gc?.();
  const MB = getUsedMB() - before;
  find('');
  return { cpuMs: (user + system) / 1_000, MB };
}

function getUsedMB(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

const [, program, engine, size] = process.argv;
if (program === fileURLToPath(import.meta.url) && engine !== undefined) {
  process.stdout.write(JSON.stringify(measureHere(engine, Number(size))));
}
