/**
 * Runs the measurements with the names on the command line, or all measurements. Writes the reports to stdout as Markdown, and the progress to stderr. The
 * exit code is 1 if a measurement is impossible. After a signal, it is 128 plus the number of the signal. Otherwise it is 0, even if a figure misses its
 * target.
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
import { resources } from './measurements/resources.ts';
import { sandboxes } from './measurements/sandboxes.ts';
import { search } from './measurements/search.ts';
import { soak } from './measurements/soak.ts';
import { start } from './measurements/start.ts';
import { store } from './measurements/store.ts';
import { titles } from './measurements/titles.ts';
import { killAll, stopAll } from './server.ts';

/** The measurements by name. They run in this order. */
const MEASUREMENTS: ReadonlyMap<string, Measurement> = new Map(
  Object.entries({ http, resources, orders, commits, store, search, titles, start, memory, sandboxes, soak }),
);
const BUILT_SERVER = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const folder = mkdtempSync(join(tmpdir(), 'storefront-bench-'));
process.on('exit', () => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});
const exitCode = await Promise.race([measureAll(), waitForSignal()]).catch(reportError);
await stopAll();
process.exit(exitCode);

async function measureAll(): Promise<number> {
  const { measurements, serverFile, besideFile, titlesFolder } = parseCommandLine();
  if (process.platform !== 'linux') throw new BenchError('CPU time and memory are read from /proc: run this on Linux');
  const bench = { ...(await openBench(serverFile, folder)), besideFile, titlesFolder };
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

/** Parses the command line: the names of measurements, and the options `--server PATH`, `--beside PATH` and `--titles FOLDER`. Makes the paths absolute. */
function parseCommandLine(): {
  measurements: Measurement[];
  serverFile: string;
  besideFile: string | undefined;
  titlesFolder: string | undefined;
} {
  const options = {
    server: { type: 'string', default: BUILT_SERVER },
    beside: { type: 'string' },
    titles: { type: 'string' },
  } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const names = positionals.length > 0 ? positionals : [...MEASUREMENTS.keys()];
  return {
    measurements: names.map(measurementNamed),
    serverFile: resolve(values.server),
    besideFile: values.beside && resolve(values.beside),
    titlesFolder: values.titles && resolve(values.titles),
  };
}

function measurementNamed(name: string): Measurement {
  const measurement = MEASUREMENTS.get(name);
  if (measurement === undefined)
    throw new BenchError(`there is no measurement ${name}: choose from ${[...MEASUREMENTS.keys()].join(', ')}`);
  return measurement;
}

/** Writes an error to stderr. Returns the exit code of the process. */
function reportError(error: unknown): number {
  console.error(error instanceof BenchError ? error.message : error);
  return 1;
}

/** Waits for a signal that ends the process. Resolves to the exit code of the process. */
function waitForSignal(): Promise<number> {
  return new Promise((settle) => {
    for (const signal of SIGNALS) process.on(signal, () => settle(128 + constants.signals[signal]));
  });
}
