import { bare, type Contestant, copyOf, freshData, koa, ours } from '../contestants.ts';
import type { Bench, Report, Target } from '../measurement.ts';
import { interleave } from '../rounds.ts';
import { startServer } from '../server.ts';
import { type Figure, figure, ratio, show } from '../stats.ts';

const ROUNDS = 12;
/** How slow we may be: our time / bare's. */
const WANTED_RATIO = 8;

/** The time from the spawn of a server to its first answer, in ms, and how many times bare's that is. */
export async function start(bench: Bench): Promise<Report> {
  const contestants = [
    bare(bench),
    koa(bench),
    ours(bench, { name: 'ours, data file exists', log: 'off', data: copyOf(bench.dataFile) }),
    ours(bench, { name: 'ours, first start', log: 'off', data: freshData }),
  ];
  // The first one only fills the file cache.
  await interleave(1, contestants, (contestant) => startOnce(contestant, bench));
  bench.tell(`start: ${ROUNDS} rounds`);
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
      `ms until GET /api/products is answered, asked for every 2 ms; ratio: this one's / bare's. ` +
      `Median (lowest–highest) of ${ROUNDS} interleaved rounds, after one that isn't counted and fills the file cache.`,
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
