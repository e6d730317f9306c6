import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { bare, type Contestant, isChange, isServedByKoa, koa, newDataFile, ours } from '../contestants.ts';
import { CONNECTIONS, load } from '../load.ts';
import { type Bench, BenchError, type Report, type Target } from '../measurement.ts';
import { CPU_ERROR_SECONDS } from '../proc.ts';
import { checkResponses, type RecordedResponse } from '../recorded-responses.ts';
import { reset, type ShopRequest } from '../requests.ts';
import { interleave, rotated } from '../rounds.ts';
import { amountFor, cpuGoal, cpuMicros, latest, perSecond, type Sample, takeSample } from '../sample.ts';
import { type Server, startServer } from '../server.ts';
import { type Figure, figure, ratio, show } from '../stats.ts';

const ROUNDS = 5;
/** The maximum duration of the whole measurement, in seconds. */
const LIMIT_SECONDS = 720;
/** The planned duration of the whole measurement, in seconds. The difference to the maximum is a reserve for rounds that take longer than planned. */
const PLANNED_SECONDS = 540;
/** The time between the start of our server and the first request, in ms. During this time, our server compiles its validators. */
const SETTLE_MS = 3_000;
/**
 * The number of rounds whose results are not used, and the number of requests in each sample of these rounds. V8 compiles frequent code during the first
 * 10,000 requests, and some of it again after the first reset. The results of the second round determine how many requests the next round sends.
 */
const WARM_UP_ROUNDS = 2;
const WARM_UP_AMOUNT = 10_000;
/**
 * The number of requests directly before each sample, which do not count. A server that was idle for 30 s needs a third more CPU time at first, also bare
 * node:http, because V8 reduced its memory. The servers that receive changes only are idle while the GET requests are measured.
 */
const AFTER_IDLE_AMOUNT = 5_000;
/**
 * The durabilities that are measured in addition to the default, and their target for changes: the CPU time of the server `bare` divided by the CPU time of
 * our server.
 */
const DURABILITIES = ['memory'] as const;
const WANTED_RATIO_NOT_DURABLE = 0.35;

/** The names of the server with targets, and of the server with only `node:http` to which all others are compared. */
const OURS = 'ours';
const BARE = 'bare';
const KOA = 'koa';
/** The target for changes and rejected requests: the CPU time of the Koa server divided by the CPU time of our server. */
const WANTED_RATIO_TO_KOA = 0.9;
const BESIDE = 'the other build';
/** The name of our server without verification of its responses, and the target: the maximum fraction of the CPU time that the verification takes. */
const UNVERIFIED = 'ours, --verify off';
const WANTED_VERIFYING = 0.1;

/** A server and a request. Each round measures each cell once. */
interface Cell {
  readonly server: Server;
  readonly request: ShopRequest;
}

interface Measured extends Cell {
  /** The samples in the order of the rounds. */
  readonly samples: readonly Sample[];
}

/** Measures the CPU time per request, in µs, of our server, of a handwritten Koa server, and of a server with only `node:http`. */
export async function http(bench: Bench): Promise<Report> {
  const startedMs = performance.now();
  const servers = await startAll(bench);
  await sleep(SETTLE_MS);
  const groups = bench.requests.map((request) =>
    servers.filter(({ serves }) => serves(request)).map(({ server }) => ({ server, request })),
  );
  const measured = await measure(groups, startedMs, bench);
  for (const { server } of servers) await server.stop();
  return report(measured);
}

/** A running server. `serves` returns whether the server gets a request. */
interface Started {
  readonly server: Server;
  readonly serves: (request: ShopRequest) => boolean;
}

async function startAll(bench: Bench): Promise<Started[]> {
  const responses: RecordedResponse[] = JSON.parse(readFileSync(bench.responsesFile, 'utf8'));
  const contestants = bench.besideFile === undefined ? all(bench) : builds(bench, bench.besideFile);
  const servers: Started[] = [];
  for (const contestant of contestants) {
    const { serves = () => true } = contestant;
    const server = await startServer(contestant, bench.folder);
    // The Koa server describes the errors of a rejected request in its own words.
    const isCompared = ({ status }: ShopRequest) => status < 400 || contestant.name !== KOA;
    const expected = responses.filter(
      ({ request }) => (serves(request) && isCompared(request)) || request.path === reset.path,
    );
    await checkResponses(server.port, expected);
    servers.push({ server, serves });
  }
  return servers;
}

function all(bench: Bench): Contestant[] {
  return [
    bare(bench),
    koa(bench),
    ours(bench, { name: OURS, log: 'off', data: newDataFile }),
    ...DURABILITIES.map((durability) =>
      ours(bench, { name: toName(durability), log: 'off', durability, data: newDataFile, serves: isChange }),
    ),
    ours(bench, { name: 'ours, --log json', log: 'json', data: newDataFile, serves: isServedByKoa }),
    ours(bench, { name: UNVERIFIED, log: 'off', verify: 'off', data: newDataFile, serves: isServedByKoa }),
  ];
}

function toName(durability: (typeof DURABILITIES)[number]): string {
  return `ours, --durability ${durability}`;
}

/** Returns two builds of our server, and the server with only `node:http` to which both builds are compared. */
function builds(bench: Bench, serverFile: string): Contestant[] {
  return [
    bare(bench),
    ours({ serverFile }, { name: BESIDE, log: 'off', data: newDataFile }),
    ours(bench, { name: OURS, log: 'off', data: newDataFile }),
  ];
}

/** Takes a sample of every cell in each round, with as many requests as the remaining time allows. The cells of a group are measured one after the other. */
async function measure(
  groups: readonly (readonly Cell[])[],
  startedMs: number,
  { logProgress }: Bench,
): Promise<Measured[]> {
  const secondsLeft = (limit: number) => limit - (performance.now() - startedMs) / 1_000;
  const sample = async ({ server, request }: Cell, amount: number) => {
    if (secondsLeft(LIMIT_SECONDS) < 0)
      throw new BenchError(`not done within ${LIMIT_SECONDS} s: the machine is too busy or too slow`);
    await load(server, request, AFTER_IDLE_AMOUNT);
    return takeSample(server, request, amount);
  };
  logProgress('http: warming up');
  const taken = await interleave(WARM_UP_ROUNDS, groups.flat(), (cell) => sample(cell, WARM_UP_AMOUNT));
  for (let round = 0; round < ROUNDS; round += 1) {
    const budget = { wallSeconds: secondsLeft(PLANNED_SECONDS), rounds: ROUNDS - round };
    const goal = cpuGoal([...taken.values()].map(latest), budget);
    logProgress(`http: round ${round + 1} of ${ROUNDS}, ${goal.toFixed(2)} s of CPU time a sample`);
    for (const cell of groups.flatMap((group) => rotated(group, round))) {
      const samples = taken.get(cell) ?? [];
      samples.push(await sample(cell, amountFor(goal, latest(samples))));
    }
  }
  return [...taken].map(([cell, samples]) => ({ ...cell, samples: samples.slice(WARM_UP_ROUNDS) }));
}

function report(measured: readonly Measured[]): Report {
  const compared = measured.map((one) => ({ ...one, toBare: ratioTo(BARE, one, measured) }));
  const leastCpu = Math.min(...measured.flatMap(({ samples }) => samples.map((sample) => sample.cpuSeconds)));
  return {
    title: 'http: CPU time per request',
    how:
      `µs of the server process, user and system (/proc/PID/stat), ${CONNECTIONS} connections over loopback; ratio: bare's time / the server's time. ` +
      `1.00 is as fast as bare. Median (lowest–highest) of ${ROUNDS} interleaved rounds. Each sample used ${leastCpu.toFixed(2)} s ` +
      `of CPU time or more, with an error of ${CPU_ERROR_SECONDS} s. Requests/s are limited by the load, which uses the other core.`,
    columns: ['request', 'server', 'µs CPU / request', 'ratio to bare', 'requests/s'],
    rows: compared.map(({ request, server, samples, toBare }) => [
      request.name,
      server.name,
      show(figure(samples.map(cpuMicros)), 1),
      show(toBare, 2),
      figure(samples.map(perSecond)).median.toFixed(0),
    ]),
    targets: compared.flatMap((one) => [
      ...targets(one.server, one.request, one.toBare),
      ...(one.server.name === OURS ? [...verifying(one, measured), ...besideKoa(one, measured)] : []),
    ]),
  };
}

/** Returns the CPU time of another server, divided by the CPU time of this one, for the same request. */
function ratioTo(name: string, { request, samples }: Measured, all: readonly Measured[]): Figure {
  const beside = all.find((other) => other.server.name === name && other.request === request);
  return ratio((beside?.samples ?? []).map(cpuMicros), samples.map(cpuMicros));
}

/** Returns the target for a change or a rejected request, compared with the Koa server. */
function besideKoa(one: Measured, all: readonly Measured[]): readonly Target[] {
  const { request } = one;
  if (request.method === 'GET' || !all.some((other) => other.server.name === KOA && other.request === request))
    return [];
  const { median } = ratioTo(KOA, one, all);
  return [
    {
      what: `http, ${request.name}, CPU time of koa / ours`,
      reached: `${median.toFixed(2)} (wanted: at least ${WANTED_RATIO_TO_KOA})`,
      isMet: median >= WANTED_RATIO_TO_KOA,
    },
  ];
}

/** Returns the target for the fraction of the CPU time of a request that the verification of the response takes. */
function verifying({ request, samples }: Measured, all: readonly Measured[]): readonly Target[] {
  const beside = all.find((other) => other.server.name === UNVERIFIED && other.request === request);
  if (!beside) return [];
  const part = 1 - ratio(beside.samples.map(cpuMicros), samples.map(cpuMicros)).median;
  return [
    {
      what: `http, ${request.name}, part of CPU time for verifying`,
      reached: `${part.toFixed(3)} (wanted: at most ${WANTED_VERIFYING})`,
      isMet: part <= WANTED_VERIFYING,
    },
  ];
}

function targets(server: Server, { name, wantedRatio }: ShopRequest, { median }: Figure): readonly Target[] {
  const isNotDurable = DURABILITIES.map(toName).includes(server.name);
  const wanted = isNotDurable ? WANTED_RATIO_NOT_DURABLE : wantedRatio;
  if (wanted === undefined || (!isNotDurable && server.name !== OURS)) return [];
  return [
    {
      what: `http, ${name}, CPU time of bare / ${server.name}`,
      reached: `${median.toFixed(2)} (wanted: at least ${wanted})`,
      isMet: median >= wanted,
    },
  ];
}
