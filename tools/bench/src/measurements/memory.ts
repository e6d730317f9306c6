import { setTimeout as sleep } from 'node:timers/promises';
import { bare, type Contestant, isServedByKoa, koa, newDataFile, ours } from '../contestants.ts';
import { load } from '../load.ts';
import type { Bench, Report, Target } from '../measurement.ts';
import { residentMB } from '../proc.ts';
import type { ShopRequest } from '../requests.ts';
import { interleave } from '../rounds.ts';
import { startServer } from '../server.ts';
import { figure, ratio, show } from '../stats.ts';

const ROUNDS = 3;
/** The idle time before the memory is read. In this time, our server builds its search index, whose memory must count. */
const IDLE_MS = 3_000;
/** The total number of requests by method. Requests of the same method get equal shares. */
const TOTAL = { GET: 20_000, POST: 1_000, PUT: 0 };
/** The targets, in MB. */
const WANTED: Held = { idle: 75, loaded: 100 };
const OURS = 'ours';

/** The resident memory of a process, in MB. */
interface Held {
  readonly idle: number;
  readonly loaded: number;
}

/** Measures the resident memory of an idle server after its start, and after a load, in MB. */
export async function memory(bench: Bench): Promise<Report> {
  const contestants = [bare(bench), koa(bench), ours(bench, { name: OURS, log: 'off', data: newDataFile })];
  bench.logProgress(`memory: ${ROUNDS} rounds`);
  const rounds = await interleave(ROUNDS, contestants, (contestant) => holdOnce(contestant, bench));
  return report(rounds);
}

async function holdOnce(contestant: Contestant, bench: Bench): Promise<Held> {
  const { folder } = bench;
  const requests = bench.requests.filter(isServedByKoa);
  const server = await startServer(contestant, folder);
  await sleep(IDLE_MS);
  const idle = residentMB(server.pid);
  for (const request of requests) await load(server, request, share(request, requests));
  await sleep(IDLE_MS);
  const loaded = residentMB(server.pid);
  await server.stop();
  return { idle, loaded };
}

function share({ method }: ShopRequest, requests: readonly ShopRequest[]): number {
  return TOTAL[method] / requests.filter((other) => other.method === method).length;
}

function report(rounds: ReadonlyMap<Contestant, readonly Held[]>): Report {
  const [bareHeld = []] = rounds.values();
  const cells = (held: readonly Held[], when: keyof Held) => {
    const values = held.map((one) => one[when]);
    return [
      show(figure(values), 1),
      show(
        ratio(
          values,
          bareHeld.map((one) => one[when]),
        ),
        2,
      ),
    ];
  };
  return {
    title: 'memory: resident memory of the process',
    how:
      `MB of 1,000,000 bytes (VmRSS): ${IDLE_MS / 1_000} s after the start, and ${IDLE_MS / 1_000} s after ${TOTAL.GET} GETs and ` +
      `${TOTAL.POST} POSTs. Median (lowest–highest) of ${ROUNDS} interleaved rounds, each with a new process.`,
    columns: ['server', 'MB idle', 'times bare', 'MB after the load', 'times bare'],
    rows: [...rounds].map(([{ name }, held]) => [name, ...cells(held, 'idle'), ...cells(held, 'loaded')]),
    targets: [...rounds]
      .filter(([{ name }]) => name === OURS)
      .flatMap(([, held]) => [target(held, 'idle', 'MB idle'), target(held, 'loaded', 'MB after the load')]),
  };
}

function target(held: readonly Held[], when: keyof Held, label: string): Target {
  const { median } = figure(held.map((one) => one[when]));
  return {
    what: `memory, ours, ${label}`,
    reached: `${median.toFixed(1)} (wanted: at most ${WANTED[when]})`,
    isMet: median <= WANTED[when],
  };
}
