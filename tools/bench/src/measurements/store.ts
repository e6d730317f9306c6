import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '../ask.ts';
import { type Contestant, copyOf, jsonServer, ours } from '../contestants.ts';
import { CONNECTIONS, load } from '../load.ts';
import { type Bench, Fault, type Report, type Target } from '../measurement.ts';
import { addCartItem, replaceCartItem, type ShopRequest } from '../requests.ts';
import { interleave } from '../rounds.ts';
import { startServer } from '../server.ts';
import { type Figure, figure, ratio, show } from '../stats.ts';
import { bareWriter, isKept, lowdbWriter, ourWriter, type Writer } from '../writers.ts';

const ORDERS = [0, 1_000, 10_000];
const ROUNDS = 7;
/** How long one contestant is measured in one round, in ms, both one by one and at once. */
const SAMPLE_MS = 250;
/** How many callers change something at once. */
const CALLERS = 50;

/** What we want with 40 products and no order. */
const WANTED = { sequentialToBare: 1.5, atOnceToSequential: 20, overHttp: 5 };

/** Changes kept in a second, one caller after the other and 50 at once: at the store's interface, and over HTTP. */
export async function store(bench: Bench): Promise<Report> {
  const measured: Row[] = [];
  for (const orders of ORDERS) {
    bench.tell(`store: ${orders} orders`);
    const data = withOrders(bench, orders);
    measured.push(...(await atInterface(bench, orders, data)), ...(await overHttp(bench, orders, data)));
  }
  return {
    title: 'store: durable changes',
    how:
      `ms a change takes one caller after the other, beside the bare write of the same bytes; changes per second by ${CALLERS} callers at once, ` +
      `and how many times those one by one. Median (lowest–highest) of ${ROUNDS} interleaved rounds. All write to the same disk; only bare and ` +
      'ours sync it. Over HTTP the client shares the two cores.',
    columns: ['orders', 'what', 'ms one by one', '/ bare', 'at once, changes/s', '× one by one'],
    rows: measured.map(({ orders, name, oneByOneMs, toBare, perSecond, speedUp }) => [
      String(orders),
      name,
      show(oneByOneMs, 2),
      toBare ? show(toBare, 2) : '',
      perSecond.median.toFixed(0),
      show(speedUp, 1),
    ]),
    targets: targetsOf(measured),
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

/** The time of one change in each round, in ms, one by one and when 50 come at once. */
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
  const paths = [file(), file(), file(), file()] as const;
  const writers: Writer[] = [
    bareWriter(paths[0]),
    await ourWriter(paths[1], 'disk'),
    await ourWriter(paths[2], 'os'),
    await lowdbWriter(paths[3]),
  ];
  const times = await interleave(ROUNDS, writers, timesOf);
  for (const writer of writers) await writer.close();
  for (const path of paths) if (!isKept(path)) throw new Fault(`${path} does not hold what was written to it`);
  const [bare] = [...times.values()];
  return [...times].map(([{ name }, taken]) => rowOf(orders, name, taken, bare));
}

async function timesOf({ name, change }: Writer): Promise<Times> {
  const oneByOneMs = await timed(change);
  // Bare has one file to write to at a time.
  const atOnceMs = name.startsWith('bare') ? oneByOneMs : (await timed(() => allAtOnce(change))) / CALLERS;
  return { oneByOneMs, atOnceMs };
}

function allAtOnce(change: () => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: CALLERS }, change));
}

/** How long a step takes, in ms, when it is done again and again for a while. */
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
  // Each in its own words, so that the data changes each time and stays as large as it is.
  const contestants: (readonly [Contestant, ShopRequest])[] = [
    [ours(bench, { name: 'ours over HTTP', log: 'off', data: copyOf(data) }), addCartItem(productId)],
    [jsonServer(data), replaceCartItem(productId)],
  ];
  const rows: Row[] = [];
  for (const [contestant, request] of contestants) {
    const server = await startServer(contestant, bench.folder);
    const taken: Times[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const oneByOneMs = await timed(() => ask(server.port, request));
      const amount = Math.max(2 * CONNECTIONS, Math.ceil((2 * SAMPLE_MS) / oneByOneMs / CONNECTIONS) * CONNECTIONS);
      const atOnceMs = ((await load(server, request, amount)) * 1_000) / amount;
      // The first round is for the compiler.
      if (round > 0) taken.push({ oneByOneMs, atOnceMs });
    }
    await server.stop();
    rows.push(rowOf(orders, contestant.name, taken));
  }
  return rows;
}

function rowOf(orders: number, name: string, taken: readonly Times[], bare?: readonly Times[]): Row {
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

/** A data file like that of a first start, but with so many orders. */
function withOrders({ folder, dataFile }: Bench, count: number): string {
  const data = JSON.parse(readFileSync(dataFile, 'utf8'));
  const [order] = data.orders;
  const orders = Array.from({ length: count }, () => ({ ...order, id: randomUUID() }));
  const path = join(folder, `${count}-orders.json`);
  writeFileSync(path, `${JSON.stringify({ ...data, orders }, null, 2)}\n`);
  return path;
}

function targetsOf(rows: readonly Row[]): Target[] {
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
