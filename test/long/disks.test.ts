import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { defaults, defaultText, getProductId } from '../support/fixtures/default-data.ts';
import { bindMount, mountSmallDisk, mountsUnavailable } from '../support/harness/disks.ts';
import { type Program, startProgram } from '../support/harness/start-program.ts';
import { createFetchClient, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const DISK_KB = 256;

/** The maximum number of additions before a test kills the server. */
const MAX_ADDITIONS = 100;

beforeEach(({ skip }) => skip(mountsUnavailable !== undefined, mountsUnavailable));

describe('a full disk', () => {
  it('causes 503 responses with Retry-After for changes, while reads succeed, until there is space again', async (t) => {
    const { folder } = await mountSmallDisk(DISK_KB);
    const ask = await shopOver(t, join(folder, 'db.json'));
    expect((await add(ask)).status).toBe(201);
    await expectDataFileOnly(folder);
    await fill(folder);
    const refused = await add(ask);
    expect(refused).toMatchObject({ status: 503, body: { detail: expect.stringContaining('the disk is full') } });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await ask('GET', '/api/cart-items')).body).toEqual(await cartIn(folder));
    expect((await add(ask)).status).toBe(503);
    await rm(join(folder, 'filler'));
    const after = await add(ask);
    expect(after).toMatchObject({ status: 201, body: { quantity: 2 } });
    await expectDataFileOnly(folder);
    expect(await cartIn(folder)).toContainEqual(after.body);
  });

  it('does not affect anything but changes if the data file exists', async (t) => {
    const { folder } = await mountSmallDisk(DISK_KB);
    await writeFile(join(folder, 'db.json'), defaultText);
    await fill(folder);
    const ask = await shopOver(t, join(folder, 'db.json'));
    expect((await ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    expect((await add(ask)).status).toBe(503);
    expect(await readFile(join(folder, 'db.json'), 'utf8')).toBe(defaultText);
  });

  it('fails the start of a shop without a data file, and leaves no file behind', async (t) => {
    const { folder } = await mountSmallDisk(DISK_KB);
    await fill(folder);
    const { ended, stderr } = await startProgram(t, ['--port', '0', '--data', join(folder, 'db.json')]);
    expect((await ended).code).toBe(1);
    expect(stderr()).toMatch(/db\.json can't be written \(the disk is full, ENOSPC\)/);
    expect(await readdir(folder)).toEqual(['filler']);
  });
});

describe('a read-only disk', () => {
  it('is reported at the start, and changes get 503 responses until it is writable', async (t) => {
    const disk = await mountSmallDisk(DISK_KB);
    await writeFile(join(disk.folder, 'db.json'), defaultText);
    await disk.remount('ro');
    const program = await startProgram(t, ['--port', '0', '--data', join(disk.folder, 'db.json')]);
    const ask = createFetchClient(await program.url());
    expect(program.stdout()).toContain("can't be written now (the disk is read-only, EROFS)");
    expect((await ask('GET', '/api/products')).status).toBe(200);
    expect(await add(ask)).toMatchObject({ status: 503, body: { detail: expect.stringContaining('read-only') } });
    await disk.remount('rw');
    expect((await add(ask)).status).toBe(201);
  });

  it('causes 503 responses for changes while the shop runs, until it is writable again', async (t) => {
    const disk = await mountSmallDisk(DISK_KB);
    const ask = await shopOver(t, join(disk.folder, 'db.json'));
    await disk.remount('ro');
    expect((await add(ask)).status).toBe(503);
    expect((await ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    await disk.remount('rw');
    expect((await add(ask)).status).toBe(201);
    await expectDataFileOnly(disk.folder);
  });
});

describe('a bind-mounted data file, like a single file in a container,', () => {
  it('stores changes and resets, also if the server is killed', async (t) => {
    const { folder, data } = await createMount(defaultText);
    const program = await startProgram(t, ['--port', '0', '--data', data]);
    const ask = createFetchClient(await program.url());
    for (let quantity = 1; quantity <= 20; quantity++) expect(await add(ask)).toMatchObject({ body: { quantity } });
    program.child.kill('SIGKILL');
    await program.ended;
    const again = createFetchClient(await (await startProgram(t, ['--port', '0', '--data', data])).url());
    expect((await again('GET', '/api/cart-items')).body).toContainEqual(expect.objectContaining({ quantity: 20 }));
    expect((await again('POST', '/api/reset')).status).toBe(204);
    expect(await readFile(data, 'utf8')).toBe(defaultText);
    await expectDataFileOnly(folder);
  });

  it('has all acknowledged changes after a kill under load, or an edit before the next start', async (t) => {
    const { data } = await createMount(defaultText);
    let expected = { least: 0, most: 0 };
    for (let round = 0; round < 20; round++) {
      const program = await startProgram(t, ['--port', '0', '--data', data]);
      const ask = createFetchClient(await program.url());
      const { body } = await ask('GET', '/api/cart-items');
      const quantity = body.find((item: { productId: string }) => item.productId === KETTLE)?.quantity ?? 0;
      expect(quantity).toBeGreaterThanOrEqual(expected.least);
      expect(quantity).toBeLessThanOrEqual(expected.most);
      const { sent, acknowledged } = await addAndKill(program, ask);
      expected = { least: quantity + acknowledged, most: quantity + sent };
      if (round % 2 === 0) continue;
      const cartItems = [{ id: 1, productId: KETTLE, quantity: 1_000 * round, deliveryOptionId: '1' }];
      await writeFile(data, JSON.stringify({ ...defaults, cartItems }));
      expected = { least: 1_000 * round, most: 1_000 * round };
    }
  }, 300_000);

  it('is repaired if it is damaged, and its content is saved', async (t) => {
    const { folder, data } = await createMount('{');
    const { ended, stdout } = await startProgram(t, ['repair', '--data', data]);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(await readFile(data, 'utf8')).toBe(defaultText);
    const [, saved = ''] = /Its previous content is in (\S+)\.$/m.exec(stdout()) ?? [];
    expect(await readFile(saved, 'utf8')).toBe('{');
    expect(await readdir(folder)).toHaveLength(2);
  });

  it('can be the default data of a server without a data file', async (t) => {
    const { data } = await createMount(defaultText);
    const program = await startProgram(t, ['--port', '0', '--durability', 'memory', '--default-data', data]);
    expect((await add(createFetchClient(await program.url()))).status).toBe(201);
  });
});

async function createMount(text: string) {
  const folder = await tempFolder();
  const data = join(folder, 'db.json');
  await writeFile(data, text);
  await bindMount(data);
  return { folder, data };
}

async function shopOver(t: TestContext, data: string): Promise<TestShop['ask']> {
  const program = await startProgram(t, ['--port', '0', '--data', data]);
  return createFetchClient(await program.url());
}

function add(ask: TestShop['ask']) {
  return ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
}

/** Adds kettles with six clients at once, and kills the server meanwhile. Counts the additions. */
async function addAndKill({ child, ended }: Program, ask: TestShop['ask']) {
  const counts = { sent: 0, acknowledged: 0 };
  const enough = 1 + Math.floor(Math.random() * MAX_ADDITIONS);
  const addUntilEnd = async () => {
    for (;;) {
      counts.sent++;
      expect(await add(ask)).toMatchObject({ status: 201 });
      counts.acknowledged++;
      if (counts.acknowledged === enough) child.kill('SIGKILL');
    }
  };
  await Promise.allSettled(Array.from({ length: 6 }, addUntilEnd));
  await ended;
  return counts;
}

/** Resolves when the data file contains all changes, so that there is no write-ahead log. */
async function expectDataFileOnly(folder: string): Promise<void> {
  await expect.poll(() => readdir(folder), { timeout: 60_000 }).toEqual(['db.json']);
}

async function cartIn(folder: string): Promise<unknown[]> {
  return JSON.parse(await readFile(join(folder, 'db.json'), 'utf8')).cartItems;
}

/** Fills a disk completely. */
async function fill(folder: string): Promise<void> {
  await expect(writeFile(join(folder, 'filler'), Buffer.alloc(2 * DISK_KB * 1024))).rejects.toThrow('ENOSPC');
}
