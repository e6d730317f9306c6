import { setTimeout as sleep } from 'node:timers/promises';
import type { Contestant } from '../contestants.ts';
import { type Bench, BenchError, type Report, type Target } from '../measurement.ts';
import { residentMB, threadMicros } from '../proc.ts';
import { rotated } from '../rounds.ts';
import { type Server, startServer } from '../server.ts';
import { figure, ratio, show } from '../stats.ts';
import { writeLargeContract, writeTasks } from '../tasks/data.ts';
import { sendEach, toBytes } from '../tasks/send.ts';
import { bare, fastify, jsonServer, ours, oursFor, prism, scalar } from '../tasks/servers.ts';
import { invalid, mocked, page, patch, post, read, replace, type Workload } from '../tasks/workloads.ts';

const ROUNDS = 5;
/** The rounds before them, whose results are not used: V8 compiles frequent code. */
const WARM_UP_ROUNDS = 2;
/** The number of starts, and of operations whose delay of other requests is measured. */
const START_ROUNDS = 3;
/** The time after a start in which a server compiles what it needs first, in ms. */
const SETTLE_MS = 3_000;

const OURS = 'ours';
const IN_MEMORY = 'ours, in memory';

/** The maximum CPU time of our server: in proportion to Fastify, and with 100,000 tasks to that with 100. */
const WANTED = { read: 3, page: 3, post: 5, invalid: 2.5, mocked: 5, flat: 1.3 };
const WANTED_START = { seconds: 3, megabytes: 250 };
const WANTED_OPERATIONS = { seconds: 2, megabytes: 110 };
const WANTED_DELAY_MS = 20;

/** A server, and the number of tasks that it has. */
interface Place {
  readonly server: Server;
  readonly count: number;
  /** The number of requests that it has received. */
  sent: number;
}

/** A workload that several servers get, and the times for each of them, in µs of CPU time for a request. */
interface Row {
  readonly name: string;
  readonly micros: ReadonlyMap<string, readonly number[]>;
}

/** Measures the CPU time of operations on tasks of any contract beside other servers, as the number of tasks grows, and at the start. */
export async function resources(bench: Bench): Promise<Report> {
  const compared = await compare(bench);
  const flat = await compareSizes(bench);
  const starts = await measureStarts(bench);
  const delays = await measureDelays(bench);
  const cells = ({ micros }: Row, base: string) =>
    [...micros].map(
      ([name, values]) =>
        `${name} ${show(figure(values), 0)} = ${ratio(values, micros.get(base) ?? values).median.toFixed(2)}`,
    );
  return {
    title: 'resources: CPU time of operations on the tasks of a contract',
    how:
      'µs of CPU time of the server process for a request (/proc/PID/task/TID/schedstat), and the ratio to Fastify, or to our server with 100 tasks. ' +
      `Median (lowest–highest) of ${ROUNDS} interleaved rounds. 1,000 tasks, unless the row names another number. ` +
      'No request can be answered by a response cache. Starts: seconds of CPU time until the first response, and MB of resident memory 3 s later.',
    columns: ['operation', 'figures'],
    rows: [
      ...compared.map((row) => [row.name, cells(row, 'Fastify').join('; ')]),
      ...flat.map((row) => [row.name, cells(row, '100 tasks').join('; ')]),
      ...starts.map(({ what, seconds, megabytes }) => [
        what,
        `${show(figure(seconds), 2)} s; ${show(figure(megabytes), 0)} MB`,
      ]),
      ...delays.map(({ what, longestMs }) => [
        `longest delay of a GET during: ${what}`,
        `${show(figure(longestMs), 1)} ms`,
      ]),
    ],
    targets: [
      ...compared.flatMap(listTargets),
      ...flat.map(({ name, micros }) =>
        atMost(name, ratio(micros.get('100,000 tasks') ?? [], micros.get('100 tasks') ?? []).median, WANTED.flat),
      ),
      ...starts.flatMap(({ what, seconds, megabytes, wanted }) =>
        wanted
          ? [
              atMost(`${what}, seconds`, figure(seconds).median, wanted.seconds),
              atMost(`${what}, MB`, figure(megabytes).median, wanted.megabytes),
            ]
          : [],
      ),
      ...delays.map(({ what, longestMs }) => atMost(`delay in ms, ${what}`, figure(longestMs).median, WANTED_DELAY_MS)),
    ],
  };
}

function atMost(what: string, value: number, wanted: number): Target {
  return {
    what: `resources, ${what}`,
    reached: `${value.toFixed(2)} (wanted: at most ${wanted})`,
    isMet: value <= wanted,
  };
}

const WANTED_BY_NAME: ReadonlyMap<string, number> = new Map([
  [read.name, WANTED.read],
  [`${page.name}, 10,000 tasks`, WANTED.page],
  [`${post.name}, durable`, WANTED.post],
  [invalid.name, WANTED.invalid],
  [mocked.name, WANTED.mocked],
]);

/** Returns the target of a row beside Fastify, and that no server that mocks or keeps its state on disk is faster. */
function listTargets({ name, micros }: Row): readonly Target[] {
  const own = micros.get(IN_MEMORY) ?? micros.get(OURS) ?? [];
  const wanted = WANTED_BY_NAME.get(name);
  const peers = [...micros].filter(([peer]) => ['json-server', 'Prism', 'Scalar'].includes(peer));
  return [
    ...(wanted === undefined
      ? []
      : [atMost(`${name}, ours / Fastify`, ratio(own, micros.get('Fastify') ?? []).median, wanted)]),
    ...peers.map(([peer, values]) => atMost(`${name}, ours / ${peer}`, ratio(own, values).median, 1)),
  ];
}

async function open(contestants: readonly Contestant[], count: number, { folder }: Bench): Promise<Map<string, Place>> {
  const places = new Map<string, Place>();
  for (const contestant of contestants)
    places.set(contestant.name, { server: await startServer(contestant, folder), count, sent: 0 });
  await sleep(SETTLE_MS);
  return places;
}

async function close(places: ReadonlyMap<string, Place>): Promise<void> {
  for (const { server } of places.values()) await server.stop();
}

/** Takes a sample of a workload. Returns the CPU time of a request in µs, and the ids in the responses. */
async function sample(place: Place, { create, statuses, name, amount }: Workload, isSlow: boolean) {
  const { server, count } = place;
  const dialect = server.name === 'json-server' ? 'json-server' : 'contract';
  const requests = Array.from({ length: isSlow ? Math.ceil(amount / 5) : amount }, () =>
    create(place.sent++, count, dialect),
  );
  const before = threadMicros(server.pid);
  const responses = await sendEach(server.port, requests);
  const micros = (threadMicros(server.pid) - before) / requests.length;
  const unexpected = [...responses.statuses.keys()].find((status) => !statuses.includes(status));
  if (unexpected !== undefined) throw new BenchError(`${server.name}: ${name} returned the status ${unexpected}`);
  return { micros, ids: responses.ids };
}

/** Deletes tasks. Returns the CPU time of a request in µs. */
async function removeAll({ server }: Place, ids: readonly number[]): Promise<number> {
  const before = threadMicros(server.pid);
  const { statuses } = await sendEach(
    server.port,
    ids.map((id) => toBytes('DELETE', `/tasks/${id}`)),
  );
  if ([...statuses.keys()].some((status) => status !== 204 && status !== 200))
    throw new BenchError(`${server.name}: DELETE returned ${[...statuses.keys()].join()}`);
  return (threadMicros(server.pid) - before) / ids.length;
}

/** A workload of a row, and the servers that get it. */
interface Cells {
  readonly name: string;
  readonly workload: Workload;
  readonly places: readonly (readonly [label: string, place: Place])[];
}

/** Measures rows in interleaved rounds. After each POST, the new tasks are deleted, which is a row of its own. */
async function measure(cells: readonly Cells[], title: string, { logProgress }: Bench): Promise<readonly Row[]> {
  const results = new Map<string, Map<string, number[]>>();
  const add = (row: string, label: string, round: number, value: number) => {
    const own = results.get(row) ?? new Map<string, number[]>();
    results.set(row, own.set(label, round < 0 ? [] : [...(own.get(label) ?? []), value]));
  };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    logProgress(round < 0 ? `resources: ${title}, warming up` : `resources: ${title}, round ${round + 1} of ${ROUNDS}`);
    for (const { name, workload, places } of cells)
      for (const [label, place] of rotated(places, round + WARM_UP_ROUNDS)) {
        const { micros, ids } = await sample(place, workload, ['json-server', 'Prism'].includes(place.server.name));
        add(name, label, round, micros);
        const isStored = workload === post && !['Prism', 'Scalar'].includes(label);
        if (isStored) add(name.replace('POST', 'DELETE'), label, round, await removeAll(place, ids));
      }
  }
  return [...results].map(([name, micros]) => ({ name, micros }));
}

/** Compares our server with others at 1,000 tasks, and for a page at 10,000. */
async function compare(bench: Bench): Promise<readonly Row[]> {
  const { serverFile, folder } = bench;
  const data = writeTasks(folder, 1_000);
  const long = writeTasks(folder, 10_000);
  const places = await open(
    [
      bare({ name: 'bare', data }),
      fastify({ name: 'Fastify', data }),
      fastify({ name: 'Fastify, durable', data, isDurable: true }),
      jsonServer({ name: 'json-server', data }),
      prism(),
      scalar(),
      ours(serverFile, { name: IN_MEMORY, data, isInMemory: true }),
      ours(serverFile, { name: OURS, data }),
    ],
    1_000,
    bench,
  );
  const pages = await open(
    [
      bare({ name: 'bare', data: long }),
      fastify({ name: 'Fastify', data: long }),
      jsonServer({ name: 'json-server', data: long }),
      ours(serverFile, { name: IN_MEMORY, data: long, isInMemory: true }),
    ],
    10_000,
    bench,
  );
  const pick = (from: ReadonlyMap<string, Place>, ...names: readonly string[]) =>
    names.map((name) => [name, from.get(name) as Place] as const);
  const stateful = ['bare', 'Fastify', 'json-server', IN_MEMORY];
  const durable = [['Fastify', places.get('Fastify, durable') as Place] as const, ...pick(places, 'json-server', OURS)];
  const rows = await measure(
    [
      { name: read.name, workload: read, places: pick(places, ...stateful) },
      { name: `${page.name}, 10,000 tasks`, workload: page, places: pick(pages, ...stateful) },
      { name: post.name, workload: post, places: pick(places, ...stateful, 'Prism', 'Scalar') },
      { name: `${post.name}, durable`, workload: post, places: durable },
      { name: invalid.name, workload: invalid, places: pick(places, 'bare', 'Fastify', 'Prism', IN_MEMORY) },
      { name: replace.name, workload: replace, places: pick(places, ...stateful) },
      { name: patch.name, workload: patch, places: pick(places, ...stateful) },
      { name: mocked.name, workload: mocked, places: pick(places, 'bare', 'Fastify', 'Prism', 'Scalar', IN_MEMORY) },
    ],
    'beside other servers',
    bench,
  );
  await close(places);
  await close(pages);
  return rows;
}

/** The numbers of tasks for which the same operations are measured. */
const SIZES = [100, 1_000, 10_000, 100_000];

/** Measures operations of our server in memory with more and more tasks. */
async function compareSizes(bench: Bench): Promise<readonly Row[]> {
  const places: (readonly [string, Place])[] = [];
  for (const size of SIZES) {
    const data = writeTasks(bench.folder, size);
    const server = await startServer(ours(bench.serverFile, { name: OURS, data, isInMemory: true }), bench.folder);
    places.push([`${size.toLocaleString('en')} tasks`, { server, count: size, sent: 0 }]);
  }
  await sleep(SETTLE_MS);
  const workloads = [read, replace, patch, post];
  const cells = workloads.map((workload) => ({ name: `${workload.name}, 100 to 100,000 tasks`, workload, places }));
  const rows = await measure(cells, 'number of tasks', bench);
  await close(new Map(places));
  return rows;
}

interface Start {
  readonly what: string;
  readonly seconds: readonly number[];
  readonly megabytes: readonly number[];
  readonly wanted: { readonly seconds: number; readonly megabytes: number } | undefined;
}

/** Measures starts with many tasks, and with many operations. */
async function measureStarts(bench: Bench): Promise<readonly Start[]> {
  const { serverFile, folder } = bench;
  const contract = writeLargeContract(folder, 1_000);
  const path = '/things0';
  const withTasks = (count: number) =>
    ours(serverFile, { name: OURS, data: writeTasks(folder, count), isInMemory: true });
  const kinds = [
    { what: 'start with 10,000 tasks', contestant: withTasks(10_000), wanted: undefined },
    { what: 'start with 100,000 tasks', contestant: withTasks(100_000), wanted: WANTED_START },
    { what: 'start with 1,000 operations', contestant: oursFor(serverFile, contract, path), wanted: WANTED_OPERATIONS },
    { what: 'start with 1,000 operations, Prism', contestant: prism(contract, path), wanted: undefined },
    { what: 'start with 1,000 operations, Scalar', contestant: scalar(contract, path), wanted: undefined },
  ];
  const starts: Start[] = [];
  for (const { what, contestant, wanted } of kinds) {
    bench.logProgress(`resources: ${what}`);
    const seconds: number[] = [];
    const megabytes: number[] = [];
    for (let round = 0; round < START_ROUNDS; round += 1) {
      const server = await startServer(contestant, folder);
      seconds.push(threadMicros(server.pid) / 1e6);
      await sleep(SETTLE_MS);
      megabytes.push(residentMB(server.pid));
      await server.stop();
    }
    starts.push({ what, seconds, megabytes, wanted });
  }
  return starts;
}

/** Measures the longest time that a GET takes while our server with 100,000 tasks handles another request. */
async function measureDelays(
  bench: Bench,
): Promise<readonly { readonly what: string; readonly longestMs: readonly number[] }[]> {
  const count = 100_000;
  const data = writeTasks(bench.folder, count);
  const server = await startServer(ours(bench.serverFile, { name: OURS, data, isInMemory: true }), bench.folder);
  const sandbox = '/_control/sandboxes/default';
  const list = { tasks: Array.from({ length: count }, (_, index) => ({ id: index + 1, title: `Task ${index}` })) };
  const operations: readonly (readonly [what: string, request: Buffer])[] = [
    ['a page', toBytes('GET', '/tasks?limit=100&offset=5000')],
    ['a sorted page', toBytes('GET', '/tasks?sort=-dueDate&limit=20')],
    ['a filtered page', toBytes('GET', '/tasks?status=done&limit=20')],
    ['POST', toBytes('POST', '/tasks', { title: 'New' })],
    ['DELETE', toBytes('DELETE', '/tasks/50000')],
    ['saving a snapshot', toBytes('PUT', `${sandbox}/snapshots/large`)],
    ['restoring a snapshot', toBytes('POST', `${sandbox}/snapshots/large/restore`)],
    ['a reset', toBytes('POST', `${sandbox}/reset`)],
    ['replacing the state', toBytes('PUT', `${sandbox}/state`, list)],
  ];
  const delays = [];
  for (const [what, request] of operations) {
    const longestMs: number[] = [];
    for (let round = 0; round < START_ROUNDS; round += 1) longestMs.push(await measureDelay(server, request));
    delays.push({ what, longestMs });
  }
  await server.stop();
  return delays;
}

/** The number of GET requests that are sent one after the other, before it is checked whether the other request has ended. */
const PINGS = 50;

async function measureDelay({ port }: Server, request: Buffer): Promise<number> {
  const pings = Array.from({ length: PINGS }, (_, index) => toBytes('GET', `/tasks/${1 + index}`));
  const operation = { hasEnded: false };
  const ended = sendEach(port, [request], 1).then(() => {
    operation.hasEnded = true;
  });
  let longestMs = 0;
  do longestMs = Math.max(longestMs, (await sendEach(port, pings, 1)).longestMs);
  while (!operation.hasEnded);
  await ended;
  return longestMs;
}
