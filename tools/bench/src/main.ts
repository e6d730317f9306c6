/**
 * Runs the measurements that are named on the command line, or all measurements. Writes the reports to stdout as Markdown, and the progress to stderr.
 * The exit code is 1 if a measurement is impossible, and 128 + the number of the signal after a signal. Otherwise it is 0, even if a target is not met.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, cpus, release, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openBench } from './bench.ts';
import { section, targetList } from './markdown.ts';
import { BenchError, type Measurement, type Target } from './measurement.ts';
import { commits } from './measurements/commits.ts';
import { http } from './measurements/http.ts';
import { memory } from './measurements/memory.ts';
import { orders } from './measurements/orders.ts';
import { sandboxes } from './measurements/sandboxes.ts';
import { search } from './measurements/search.ts';
import { soak } from './measurements/soak.ts';
import { start } from './measurements/start.ts';
import { store } from './measurements/store.ts';
import { killAll, stopAll } from './server.ts';

/** The measurements by name, in the order in which they run. */
const MEASUREMENTS: ReadonlyMap<string, Measurement> = new Map(
  Object.entries({ http, orders, commits, store, search, start, memory, sandboxes, soak }),
);
const BUILT_SERVER = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const folder = mkdtempSync(join(tmpdir(), 'storefront-bench-'));
process.on('exit', () => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});
const exitCode = await Promise.race([measureAll(), interruption()]).catch(explain);
await stopAll();
process.exit(exitCode);

async function measureAll(): Promise<number> {
  const { measurements, serverFile, besideFile } = chosen();
  if (process.platform !== 'linux') throw new BenchError('CPU time and memory are read from /proc: run this on Linux');
  const bench = { ...(await openBench(serverFile, folder)), besideFile };
  console.log(
    `Node ${process.version}, Linux ${release()}, ${cpus().length} × ${cpus()[0]?.model}, data in ${tmpdir()}\n`,
  );
  const targets: Target[] = [];
  for (const measurement of measurements) {
    const report = await measurement(bench);
    console.log(section(report));
    targets.push(...report.targets);
  }
  console.log(targetList(targets));
  return 0;
}

/** Parses the command line: the names of measurements, `--server PATH` and `--beside PATH`. The paths are relative to the working directory. */
function chosen(): { measurements: Measurement[]; serverFile: string; besideFile: string | undefined } {
  const options = { server: { type: 'string', default: BUILT_SERVER }, beside: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const names = positionals.length > 0 ? positionals : [...MEASUREMENTS.keys()];
  return {
    measurements: names.map(measurementNamed),
    serverFile: resolve(values.server),
    besideFile: values.beside && resolve(values.beside),
  };
}

function measurementNamed(name: string): Measurement {
  const measurement = MEASUREMENTS.get(name);
  if (measurement === undefined)
    throw new BenchError(`there is no measurement ${name}: choose from ${[...MEASUREMENTS.keys()].join(', ')}`);
  return measurement;
}

/** Writes an error to stderr and returns the exit code. */
function explain(error: unknown): number {
  console.error(error instanceof BenchError ? error.message : error);
  return 1;
}

/** Resolves to the exit code when the process receives a signal that ends it. */
function interruption(): Promise<number> {
  return new Promise((settle) => {
    for (const signal of SIGNALS) process.on(signal, () => settle(128 + constants.signals[signal]));
  });
}
