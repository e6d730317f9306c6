import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contestant, copyDataFile, jsonServer, ours } from '../contestants.ts';
import { CONNECTIONS, load } from '../load.ts';
import { type Bench, BenchError, type Report, type Target } from '../measurement.ts';
import { withOrders } from '../orders-file.ts';
import { addCartItem, replaceCartItem, type ShopRequest } from '../requests.ts';
import { interleave } from '../rounds.ts';
import { sendRequest } from '../send-request.ts';
import { startServer } from '../server.ts';
import { type Figure, figure, ratio, show } from '../stats.ts';
import { bareWriter, hasCart, lowdbWriter, ourWriter, type Writer } from '../writers.ts';

const ORDERS = [0, 1_000, 10_000];
const ROUNDS = 7;
/** The duration of one measurement, in ms. Each round has two measurements for each store: sequential changes and concurrent changes. */
const SAMPLE_MS = 250;
/** The number of concurrent changes. */
const CALLERS = 50;

/**
 * The targets with 40 products and without orders. `sequentialToBare`: the maximum time of a sequential change, as a multiple of a plain file write.
 * `atOnceToSequential`: the minimum speedup by concurrent changes. `overHttp`: the same speedup over HTTP.
 */
const WANTED = { sequentialToBare: 1.5, atOnceToSequential: 20, overHttp: 5 };

/** Measures sequential changes and 50 concurrent changes: with the store alone, and over HTTP. */
export async function store(bench: Bench): Promise<Report> {
  const measured: Row[] = [];
  for (const orders of ORDERS) {
    bench.logProgress(`store: ${orders} orders`);
    const data = withOrders(bench, orders);
    measured.push(...(await atInterface(bench, orders, data)), ...(await overHttp(bench, orders, data)));
  }
  return {
    title: 'store: durable changes',
    how:
      `ms per sequential change, and its ratio to the bare write of the same bytes; changes per second with ${CALLERS} concurrent changes, ` +
      `and their ratio to sequential changes. Median (lowest–highest) of ${ROUNDS} interleaved rounds. All write to the same disk; only bare and ` +
      'ours call fsync. Over HTTP, the client shares the two cores.',
    columns: ['orders', 'what', 'ms one by one', '/ bare', 'at once, changes/s', '× one by one'],
    rows: measured.map(({ orders, name, oneByOneMs, toBare, perSecond, speedUp }) => [
      String(orders),
      name,
      show(oneByOneMs, 2),
      toBare ? show(toBare, 2) : '',
      perSecond.median.toFixed(0),
      show(speedUp, 1),
    ]),
    targets: getTargets(measured),
  };
}

interface Row {
  readonly orders: number;
  readonly name: string;
  readonly oneByOneMs: Figure;
  readonly toBare: Figure | undefined;
  readonly perSecond: Figure;
  readonly speedUp: Figure;
}

/** The time for one change in a round, in ms: with sequential changes, and with 50 concurrent changes. */
interface Times {
  readonly oneByOneMs: number;
  readonly atOnceMs: number;
}

async function atInterface({ folder }: Bench, orders: number, data: string): Promise<Row[]> {
  const file = () => {
    const path = join(mkdtempSync(join(folder, 'store-')), 'db.json');
    writeFileSync(path, readFileSync(data));
    return path;
  };
  const paths = [file(), file(), file()] as const;
  const writers: Writer[] = [bareWriter(paths[0]), await ourWriter(paths[1]), await lowdbWriter(paths[2])];
  const times = await interleave(ROUNDS, writers, getTimes);
  for (const writer of writers) await writer.close();
  for (const path of paths) if (!hasCart(path)) throw new BenchError(`${path} does not contain the written data`);
  const [bare] = [...times.values()];
  return [...times].map(([{ name }, taken]) => getRow(orders, name, taken, bare));
}

async function getTimes({ name, change }: Writer): Promise<Times> {
  const oneByOneMs = await timed(change);
  // The plain file write uses one temporary file, so it can't run concurrently.
  const atOnceMs = name.startsWith('bare') ? oneByOneMs : (await timed(() => allAtOnce(change))) / CALLERS;
  return { oneByOneMs, atOnceMs };
}

function allAtOnce(change: () => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: CALLERS }, change));
}

/** Calls a function repeatedly for 250 ms. Returns the mean time of a call, in ms. */
async function timed(step: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  let steps = 0;
  do {
    await step();
    steps++;
  } while (performance.now() - startedMs < SAMPLE_MS);
  return (performance.now() - startedMs) / steps;
}

async function overHttp(bench: Bench, orders: number, data: string): Promise<Row[]> {
  const { cartItems } = JSON.parse(readFileSync(data, 'utf8'));
  const { productId } = cartItems[0];
  // Each server gets a request that changes the data every time, but does not change the size of the data.
  const contestants: (readonly [Contestant, ShopRequest])[] = [
    [ours(bench, { name: 'ours over HTTP', log: 'off', data: copyDataFile(data) }), addCartItem(productId)],
    [jsonServer(data), replaceCartItem(productId)],
  ];
  const rows: Row[] = [];
  for (const [contestant, request] of contestants) {
    const server = await startServer(contestant, bench.folder);
    const taken: Times[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const oneByOneMs = await timed(() => sendRequest(server.port, request));
      const amount = Math.max(2 * CONNECTIONS, Math.ceil((2 * SAMPLE_MS) / oneByOneMs / CONNECTIONS) * CONNECTIONS);
      const atOnceMs = ((await load(server, request, amount)) * 1_000) / amount;
      // The first round is not used, because V8 compiles the code during this round.
      if (round > 0) taken.push({ oneByOneMs, atOnceMs });
    }
    await server.stop();
    rows.push(getRow(orders, contestant.name, taken));
  }
  return rows;
}

function getRow(orders: number, name: string, taken: readonly Times[], bare?: readonly Times[]): Row {
  const oneByOne = taken.map(({ oneByOneMs }) => oneByOneMs);
  const atOnce = taken.map(({ atOnceMs }) => atOnceMs);
  return {
    orders,
    name,
    oneByOneMs: figure(oneByOne),
    toBare:
      bare &&
      ratio(
        oneByOne,
        bare.map(({ oneByOneMs }) => oneByOneMs),
      ),
    perSecond: figure(atOnce.map((ms) => 1_000 / ms)),
    speedUp: ratio(oneByOne, atOnce),
  };
}

function getTargets(rows: readonly Row[]): Target[] {
  const row = (name: string) => rows.find((one) => one.orders === 0 && one.name === name);
  const [ours, http] = [row('ours'), row('ours over HTTP')];
  if (!ours?.toBare || !http) return [];
  const { sequentialToBare, atOnceToSequential, overHttp } = WANTED;
  return [
    {
      what: 'store, a change one by one / bare',
      reached: `${ours.toBare.median.toFixed(2)} (wanted: at most ${sequentialToBare})`,
      isMet: ours.toBare.median <= sequentialToBare,
    },
    {
      what: 'store, 50 at once / one by one',
      reached: `${ours.speedUp.median.toFixed(1)} (wanted: at least ${atOnceToSequential})`,
      isMet: ours.speedUp.median >= atOnceToSequential,
    },
    {
      what: 'store over HTTP, 50 at once / one by one',
      reached: `${http.speedUp.median.toFixed(1)} (wanted: at least ${overHttp})`,
      isMet: http.speedUp.median >= overHttp,
    },
  ];
}
