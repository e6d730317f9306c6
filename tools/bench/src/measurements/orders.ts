import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bare, type Contestant, copyDataFile, ours } from '../contestants.ts';
import { CONNECTIONS } from '../load.ts';
import type { Bench, Report } from '../measurement.ts';
import { withOrders } from '../orders-file.ts';
import { recordResponses } from '../recorded-responses.ts';
import { gets, products, type ShopRequest } from '../requests.ts';
import { interleave } from '../rounds.ts';
import { cpuMicros, type Sample, takeSampleOfState } from '../sample.ts';
import { type Server, startServer } from '../server.ts';
import { figure, ratio, show } from '../stats.ts';

const ORDERS = 10_000;
const ROUNDS = 15;
const AMOUNT = 10 * CONNECTIONS;
/** The target: the CPU time of the server with only `node:http`, divided by the CPU time of our server. */
const WANTED_RATIO = 0.85;

/** Measures the CPU time of a response with the list of 10,000 orders (2 MB). Our server sends it from its response cache. */
export async function orders(bench: Bench): Promise<Report> {
  bench.logProgress(`orders: ${ORDERS} orders`);
  const request = gets.find(({ path }) => path === '/api/orders') as ShopRequest;
  const data = copyDataFile(withOrders(bench, ORDERS));
  const own = await startServer(ours(bench, { name: 'ours', log: 'off', data }), bench.folder);
  const responsesFile = join(bench.folder, 'orders-responses.json');
  writeFileSync(responsesFile, JSON.stringify(await recordResponses(own.port, [products, request], [])));
  const peer: Contestant = bare({ ...bench, responsesFile });
  const servers: Server[] = [await startServer(peer, bench.folder), own];
  const taken = await interleave(ROUNDS, servers, (server) => takeSampleOfState(server, request, AMOUNT));
  for (const server of servers) await server.stop();
  return report(taken);
}

function report(taken: ReadonlyMap<Server, readonly Sample[]>): Report {
  // The first round is not used, because V8 compiles the code during this round.
  const figures = [...taken].map(([{ name }, samples]) => ({ name, micros: samples.slice(1).map(cpuMicros) }));
  const toBare = figures.map(({ micros }) => ratio(figures[0]?.micros ?? [], micros));
  const median = toBare.at(-1)?.median ?? 0;
  return {
    title: `orders: CPU time of GET /api/orders with ${ORDERS} orders`,
    how: `µs of the server process, ${CONNECTIONS} connections. Median (lowest–highest) of ${ROUNDS - 1} interleaved rounds of ${AMOUNT} requests.`,
    columns: ['server', 'µs CPU / request', 'ratio to bare'],
    rows: figures.map(({ name, micros }, index) => [
      name,
      show(figure(micros), 0),
      show(toBare[index] ?? figure([0]), 2),
    ]),
    targets: [
      {
        what: `orders, GET /api/orders with ${ORDERS} orders, CPU time of bare / ours`,
        reached: `${median.toFixed(2)} (wanted: at least ${WANTED_RATIO})`,
        isMet: median >= WANTED_RATIO,
      },
    ],
  };
}
