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
/** The time without requests before the memory is read, in ms. During this time, our server builds its search index, so that the memory includes the index. */
const IDLE_MS = 3_000;
/** The total number of requests for each method. The number is divided equally among the requests with this method. */
const TOTAL = { GET: 20_000, POST: 1_000, PUT: 0 };
/** The targets: the maximum resident memory, in MB. */
const WANTED: MemoryUse = { idle: 80, loaded: 100 };
const OURS = 'ours';

/** The resident memory of a process, in MB. `idle`: before the load. `loaded`: after the load. */
interface MemoryUse {
  readonly idle: number;
  readonly loaded: number;
}

/** Measures the resident memory of a server in MB, after its start and after a load. */
export async function memory(bench: Bench): Promise<Report> {
  const contestants = [bare(bench), koa(bench), ours(bench, { name: OURS, log: 'off', data: newDataFile })];
  bench.logProgress(`memory: ${ROUNDS} rounds`);
  const rounds = await interleave(ROUNDS, contestants, (contestant) => measureOnce(contestant, bench));
  return report(rounds);
}

async function measureOnce(contestant: Contestant, bench: Bench): Promise<MemoryUse> {
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
  return Math.ceil(TOTAL[method] / requests.filter((other) => other.method === method).length);
}

function report(rounds: ReadonlyMap<Contestant, readonly MemoryUse[]>): Report {
  const [bareHeld = []] = rounds.values();
  const cells = (held: readonly MemoryUse[], when: keyof MemoryUse) => {
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

function target(held: readonly MemoryUse[], when: keyof MemoryUse, label: string): Target {
  const { median } = figure(held.map((one) => one[when]));
  return {
    what: `memory, ours, ${label}`,
    reached: `${median.toFixed(1)} (wanted: at most ${WANTED[when]})`,
    isMet: median <= WANTED[when],
  };
}
