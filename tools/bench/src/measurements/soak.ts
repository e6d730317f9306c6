import autocannon from 'autocannon';
import { bare, newDataFile, ours } from '../contestants.ts';
import { CONNECTIONS } from '../load.ts';
import { type Bench, BenchError, type Report } from '../measurement.ts';
import { residentMB } from '../proc.ts';
import { reset, withVariants } from '../requests.ts';
import { LOOPBACK, sendRequest } from '../send-request.ts';
import { type Server, startServer } from '../server.ts';
import { figure, show } from '../stats.ts';

const ROUNDS = 10;
/** The duration of a round, in seconds: of our server, and of the server with only `node:http`. */
const SECONDS = { ours: 60, bare: 10 };
/** The target: the maximum resident memory at the end, divided by the resident memory after the first round. */
const WANTED_GROWTH = 1.1;

interface Round {
  readonly requests: number;
  readonly p99Ms: number;
  readonly residentMB: number;
}

/**
 * Measures our server during ten minutes of mixed requests: reads, searches, changes and requests that it rejects. Throws a `BenchError` if a response has
 * an unexpected status.
 */
export async function soak(bench: Bench): Promise<Report> {
  const own = await startServer(ours(bench, { name: 'ours', log: 'off', data: newDataFile }), bench.folder);
  const peer = await startServer(bare(bench), bench.folder);
  const [ownRounds, bareRounds]: [Round[], Round[]] = [[], []];
  for (let number = 1; number <= ROUNDS; number++) {
    bench.logProgress(`soak: minute ${number} of ${ROUNDS}`);
    // Without the reset, the cart would reach its limits.
    await sendRequest(own.port, reset);
    ownRounds.push(await runRound(bench, own, SECONDS.ours));
    bareRounds.push(await runRound(bench, peer, SECONDS.bare));
  }
  await own.stop();
  await peer.stop();
  return report([
    ['ours', ownRounds],
    ['bare', bareRounds],
  ]);
}

async function runRound(bench: Bench, server: Server, seconds: number): Promise<Round> {
  const requests = bench.requests.flatMap(withVariants);
  const sent = requests.map(({ method, path, body }) => ({
    method,
    path,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
  }));
  const result = await autocannon({
    url: `http://${LOOPBACK}:${server.port}`,
    requests: sent,
    connections: CONNECTIONS,
    duration: seconds,
  });
  const { errors, statusCodeStats = {}, latency } = result;
  const expected = new Set(requests.map(({ status }) => String(status)));
  const unexpected = Object.keys(statusCodeStats).filter((status) => !expected.has(status));
  if (errors > 0 || unexpected.length > 0)
    throw new BenchError(`${server.name}: ${errors} errors, and responses with the status ${unexpected.join(', ')}`);
  return { requests: result.requests.total, p99Ms: latency.p99, residentMB: residentMB(server.pid) };
}

function report(rounds: readonly (readonly [string, readonly Round[]])[]): Report {
  const [[, own] = ['', []]] = rounds;
  const growth = (own.at(-1)?.residentMB ?? 0) / (own[0]?.residentMB ?? 1);
  return {
    title: 'soak: ten minutes of a mixed load',
    how: `All requests of the measurement http in turn, ${CONNECTIONS} connections, without an error. p99: median (lowest–highest) of ${ROUNDS} rounds of ${SECONDS.ours} s (bare: ${SECONDS.bare} s).`,
    columns: ['server', 'requests', 'p99, ms', 'MB after the first round', 'MB at the end'],
    rows: rounds.map(([name, taken]) => [
      name,
      String(taken.reduce((total, { requests }) => total + requests, 0)),
      show(figure(taken.map(({ p99Ms }) => p99Ms)), 1),
      taken[0]?.residentMB.toFixed(1) ?? '',
      taken.at(-1)?.residentMB.toFixed(1) ?? '',
    ]),
    targets: [
      {
        what: 'soak, memory at the end / after the first minute',
        reached: `${growth.toFixed(2)} (wanted: at most ${WANTED_GROWTH})`,
        isMet: growth <= WANTED_GROWTH,
      },
    ],
  };
}
