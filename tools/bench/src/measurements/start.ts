import { bare, type Contestant, copyDataFile, koa, newDataFile, ours } from '../contestants.ts';
import type { Bench, Report, Target } from '../measurement.ts';
import { interleave } from '../rounds.ts';
import { startServer } from '../server.ts';
import { type Figure, figure, ratio, show } from '../stats.ts';

const ROUNDS = 12;
/** The target: the start time of our server, divided by the start time of the server with only `node:http`. */
const WANTED_RATIO = 3.5;

/** Measures the time from the start of a server process to its first response, in ms. Computes the ratio to the server with only `node:http`. */
export async function start(bench: Bench): Promise<Report> {
  const contestants = [
    bare(bench),
    koa(bench),
    ours(bench, { name: 'ours, data file exists', log: 'off', data: copyDataFile(bench.dataFile) }),
    ours(bench, { name: 'ours, first start', log: 'off', data: newDataFile }),
  ];
  // The first round is not used, because it fills the file cache of the operating system.
  await interleave(1, contestants, (contestant) => startOnce(contestant, bench));
  bench.logProgress(`start: ${ROUNDS} rounds`);
  const rounds = await interleave(ROUNDS, contestants, (contestant) => startOnce(contestant, bench));
  return report(rounds);
}

async function startOnce(contestant: Contestant, { folder }: Bench): Promise<number> {
  const server = await startServer(contestant, folder);
  await server.stop();
  return server.startMs;
}

function report(rounds: ReadonlyMap<Contestant, readonly number[]>): Report {
  const [bareTimes = []] = rounds.values();
  const measured = [...rounds].map(([{ name }, times]) => ({
    name,
    ms: figure(times),
    toBare: ratio(times, bareTimes),
  }));
  return {
    title: 'start: from spawn to the first 200',
    how:
      `ms until the response to GET /api/products, polled every 2 ms; ratio: the server's time / bare's time. ` +
      `Median (lowest–highest) of ${ROUNDS} interleaved rounds. The round before them fills the file cache and does not count.`,
    columns: ['server', 'ms', 'times bare'],
    rows: measured.map(({ name, ms, toBare }) => [name, show(ms, 0), show(toBare, 2)]),
    targets: measured.filter(({ name }) => name.startsWith('ours')).map(target),
  };
}

function target({ name, toBare }: { readonly name: string; readonly toBare: Figure }): Target {
  return {
    what: `start, ${name}, times bare`,
    reached: `${toBare.median.toFixed(2)} (wanted: at most ${WANTED_RATIO})`,
    isMet: toBare.median <= WANTED_RATIO,
  };
}
