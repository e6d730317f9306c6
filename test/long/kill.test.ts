import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { getProductId } from '../support/fixtures/default-data.ts';
import { builtCheckout, lastingFolder } from '../support/harness/checkout.ts';
import { type RunningCommand, startCommand } from '../support/harness/commands.ts';
import { type Api, writeApi } from '../support/harness/start-api.ts';
import { createFetchClient } from '../support/harness/start-storefront.ts';
import { readStoredState } from '../support/harness/stored-state.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const ROUNDS = 20;
const CLIENTS = 6;

/** The maximum number of responses, and then of turns of the event loop, before a round kills the shop. */
const ANSWERS = 60;
const TURNS = 40;

/** The number of additions that the clients sent, and the number that got a 201 response. */
interface Ledger {
  asked: number;
  acknowledged: number;
}

describe('a shop that is killed under load', { timeout: 300_000 }, () => {
  let project = '';
  let remove = async () => {};
  beforeAll(async () => {
    const lasting = await lastingFolder();
    remove = lasting.remove;
    project = await builtCheckout(lasting.folder);
  });
  afterAll(() => remove());

  it('has stored every addition that it acknowledged, and none that was not sent, 20 times', async () => {
    const data = join(await tempFolder(), 'db.json');
    let before = 0;
    let acknowledged = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const ledger = await loadAndKill(data);
      const after = await countKettles(data);
      expect(after - before).toBeGreaterThanOrEqual(ledger.acknowledged);
      expect(after - before).toBeLessThanOrEqual(ledger.asked);
      before = after;
      acknowledged += ledger.acknowledged;
    }
    expect(acknowledged).toBeGreaterThanOrEqual(ROUNDS);
  });

  it('starts again each time with the content of the file, and leaves no other file behind', async () => {
    const folder = join(await tempFolder(), 'data');
    await mkdir(folder);
    const data = join(folder, 'db.json');
    for (let round = 0; round < ROUNDS; round++) {
      await loadAndKill(data);
      const kettles = await countKettles(data);
      const { shop, ask } = await startShop(data);
      const shown = (await ask('GET', '/api/cart-items')).body as Item[];
      expect(shown.find((item) => item.productId === KETTLE)?.quantity ?? 0).toBe(kettles);
      await expect.poll(() => readdir(folder), { timeout: 60_000 }).toEqual(['db.json']);
      shop.kill('SIGKILL');
      await shop.ended;
    }
  });

  async function startShop(data: string) {
    const shop = startCommand('node', [join(project, 'dist/main.js'), '--port', '0', '--log', 'off', '--data', data], {
      cwd: project,
    });
    const [url] = await shop.said(/http:\/\/[^ ,]+/);
    return { shop, ask: createFetchClient(url) };
  }

  /** Starts a shop, adds to one item with several clients at once, and kills the shop at a random time. */
  async function loadAndKill(data: string): Promise<Ledger> {
    const { shop, ask } = await startShop(data);
    const ledger = { asked: 0, acknowledged: 0 };
    const enough = 1 + Math.floor(Math.random() * ANSWERS);
    const client = async () => {
      for (;;) {
        ledger.asked++;
        const { status } = await ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
        expect(status).toBe(201);
        ledger.acknowledged++;
        if (ledger.acknowledged === enough) void killSoon(shop);
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: CLIENTS }, client));
    for (const end of ends) expect(end).toMatchObject({ reason: { message: expect.stringMatching(BROKEN_OFF) } });
    await shop.ended;
    return ledger;
  }
});

/** A document with a trash, and with deletions and restorations of several entries. */
const DOCUMENTS: Api = {
  paths: {
    ...createResourcePaths(
      '/documents/{documentId}',
      refer('Document'),
      createObject({ 'title!': { type: 'string' } }),
    ),
    '/documents/trash': { get: { response: createList(refer('Document')) } },
    '/documents/bulk-delete': {
      post: { request: createObject({ 'ids!': createList({ type: 'integer' }) }), status: 204 },
    },
    '/documents/bulk-restore': {
      post: { request: createObject({ 'ids!': createList({ type: 'integer' }) }), status: 204 },
    },
  },
  schemas: {
    Document: createObject({ 'id!': { type: 'integer' }, 'title!': { type: 'string' } }),
  },
};

const GROUPS = 8;
const GROUP_SIZE = 20;

describe('a server that is killed while it deletes and restores several entries', { timeout: 300_000 }, () => {
  it('has moved all entries of each acknowledged request, and all or none of another one, 12 times', async () => {
    const contract = await writeApi(DOCUMENTS);
    const data = join(await tempFolder(), 'db.json');
    const groups = Array.from({ length: GROUPS }, (_, group) =>
      Array.from({ length: GROUP_SIZE }, (_one, index) => group * GROUP_SIZE + index + 1),
    );
    const first = await startServer(contract, data);
    for (const id of groups.flat()) await first.ask('POST', '/documents', { title: `Document ${id}` });
    first.server.kill('SIGTERM');
    await first.server.ended;
    let settled = new Map<number, boolean>();
    for (let round = 0; round < 12; round++) {
      const { server, ask } = await startServer(contract, data);
      const trash = new Set(await listIds(ask, '/documents/trash'));
      expect([...trash, ...(await listIds(ask, '/documents'))].sort((a, b) => a - b)).toEqual(groups.flat());
      const counts = groups.map((ids) => ids.filter((id) => trash.has(id)).length);
      expect(counts.every((count) => count === 0 || count === GROUP_SIZE)).toBe(true);
      for (const [group, isInTrash] of settled) expect(counts[group] !== 0).toBe(isInTrash);
      settled = new Map();
      const move = async (group: number) => {
        let isInTrash = counts[group] !== 0;
        for (let rest = 1 + Math.floor(Math.random() * 4); rest > 0; rest--) {
          const path = `/documents/bulk-${isInTrash ? 'restore' : 'delete'}`;
          const { status } = await ask('POST', path, { ids: groups[group] });
          expect(status).toBe(204);
          isInTrash = !isInTrash;
        }
        settled.set(group, isInTrash);
        if (settled.size === GROUPS / 2) void killSoon(server);
      };
      const ends = await Promise.allSettled(groups.map((_, group) => move(group)));
      const broken = ends.filter(({ status }) => status === 'rejected');
      for (const end of broken) expect(end).toMatchObject({ reason: { message: expect.stringMatching(BROKEN_OFF) } });
      await server.ended;
    }
  });

  async function startServer(contract: string, data: string) {
    const server = startCommand('node', ['dist/main.js', contract, '--port', '0', '--log', 'off', '--data', data], {
      cwd: process.cwd(),
    });
    const [url] = await server.said(/http:\/\/[^ ,]+/);
    return { server, ask: createFetchClient(url) };
  }

  async function listIds(ask: ReturnType<typeof createFetchClient>, path: string): Promise<readonly number[]> {
    const { body } = await ask('GET', path);
    return (body as readonly { readonly id: number }[]).map(({ id }) => id);
  }
});

/** The message of fetch if the server does not respond. */
const BROKEN_OFF = /fetch failed|terminated/;

interface Item {
  readonly productId: string;
  readonly quantity: number;
}

/** Kills a shop with SIGKILL while its clients continue to send requests. */
async function killSoon(shop: RunningCommand): Promise<void> {
  for (let turns = Math.random() * TURNS; turns > 0; turns--) await setImmediate();
  shop.kill('SIGKILL');
}

/** Returns the number of kettles in the cart that a start with a data file would have. The data file is complete whenever the shop was killed. */
async function countKettles(data: string): Promise<number> {
  if (existsSync(data)) JSON.parse(await readFile(data, 'utf8'));
  const { cartItems } = await readStoredState(data);
  return cartItems.find((item) => item.productId === KETTLE)?.quantity ?? 0;
}
