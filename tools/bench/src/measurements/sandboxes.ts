import { setTimeout as sleep } from 'node:timers/promises';
import { newDataFile, ours } from '../contestants.ts';
import { type Bench, BenchError, type Report } from '../measurement.ts';
import { residentMB } from '../proc.ts';
import { startServer } from '../server.ts';

const SANDBOXES = 1_000;
const ORDERS = 10;
/** The number of sandboxes that are filled at the same time. */
const AT_ONCE = 20;
const SETTLE_MS = 3_000;
/** The target: the maximum resident memory of all sandboxes in MB of 1,000,000 bytes, without the memory of a server that has only one sandbox. */
const WANTED_MB = 50;

/** Measures the resident memory of 1,000 sandboxes with 10 orders each. */
export async function sandboxes(bench: Bench): Promise<Report> {
  bench.logProgress(`sandboxes: ${SANDBOXES} with ${ORDERS} orders each`);
  const server = await startServer(ours(bench, { name: 'ours', log: 'off', data: newDataFile }), bench.folder);
  const url = `http://127.0.0.1:${server.port}`;
  await fill(url, 'warm-up', ORDERS);
  await sleep(SETTLE_MS);
  const emptyMB = residentMB(server.pid);
  for (let first = 0; first < SANDBOXES; first += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, place) => fill(url, `s${first + place}`, ORDERS)));
  }
  await sleep(SETTLE_MS);
  const filledMB = residentMB(server.pid);
  await server.stop();
  const takenMB = filledMB - emptyMB;
  return {
    title: 'sandboxes: resident memory',
    how: `MB of 1,000,000 bytes (VmRSS), ${SETTLE_MS / 1_000} s after the last of ${SANDBOXES} sandboxes was filled with ${ORDERS} orders, journal included.`,
    columns: ['MB empty', 'MB filled', 'MB taken'],
    rows: [[emptyMB, filledMB, takenMB].map((mb) => mb.toFixed(1))],
    targets: [
      {
        what: `sandboxes, MB that ${SANDBOXES} take`,
        reached: `${takenMB.toFixed(1)} (wanted: at most ${WANTED_MB})`,
        isMet: takenMB <= WANTED_MB,
      },
    ],
  };
}

/** Creates orders in a sandbox. The first order has the items of the initial cart. Each other order has one product. */
async function fill(url: string, id: string, orders: number): Promise<void> {
  const headers = { 'x-sandbox': id, 'content-type': 'application/json' };
  const sendRequest = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!response.ok) throw new BenchError(`${method} ${path} in ${id} returned ${response.status}`);
    return response.json();
  };
  const [product] = (await sendRequest('GET', '/api/products?search=kettle')) as { readonly id: string }[];
  for (let order = 0; order < orders; order += 1) {
    if (order > 0) await sendRequest('POST', '/api/cart-items', { productId: product?.id, quantity: 1 });
    await sendRequest('POST', '/api/orders');
  }
}
