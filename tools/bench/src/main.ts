/**
 * Runs the measurements named on the command line, or all: reports go to stdout as Markdown, progress to stderr. The exit
 * code is 0 whatever the speed, 1 where something could not be measured, 128 + the signal's number after a signal.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, cpus, release, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openBench } from './bench.ts';
import { section, targetList } from './markdown.ts';
import { Fault, type Measurement, type Target } from './measurement.ts';
import { http } from './measurements/http.ts';
import { memory } from './measurements/memory.ts';
import { sandboxes } from './measurements/sandboxes.ts';
import { search } from './measurements/search.ts';
import { start } from './measurements/start.ts';
import { store } from './measurements/store.ts';
import { killAll, stopAll } from './server.ts';

/** All that can be measured, in the order in which it is. */
const MEASUREMENTS: ReadonlyMap<string, Measurement> = new Map(
  Object.entries({ http, store, search, start, memory, sandboxes }),
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
  if (process.platform !== 'linux') throw new Fault('CPU time and memory are read from /proc: run this on Linux');
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

/** What the command line asks for: names of measurements, `--server PATH` and `--beside PATH`, which are resolved against the working directory. */
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
    throw new Fault(`there is no measurement ${name}: choose from ${[...MEASUREMENTS.keys()].join(', ')}`);
  return measurement;
}

/** Says on stderr why it can't be measured, and gives the exit code. */
function explain(error: unknown): number {
  console.error(error instanceof Fault ? error.message : error);
  return 1;
}

/** Settles once a signal asks to end, with the exit code for it. */
function interruption(): Promise<number> {
  return new Promise((settle) => {
    for (const signal of SIGNALS) process.on(signal, () => settle(128 + constants.signals[signal]));
  });
}
