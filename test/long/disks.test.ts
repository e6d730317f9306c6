import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { defaults, defaultText, getProductId } from '../support/fixtures/default-data.ts';
import { bindMount, mountSmallDisk, mountsUnavailable } from '../support/harness/disks.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { createFetchClient, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const DISK_KB = 256;

beforeEach(({ skip }) => skip(mountsUnavailable !== undefined, mountsUnavailable));

describe('a full disk', () => {
  it('causes 503 responses with Retry-After for changes, while reads succeed, until there is space again', async (t) => {
    const { folder } = await mountSmallDisk(DISK_KB);
    const ask = await shopOver(t, join(folder, 'db.json'));
    expect((await add(ask)).status).toBe(201);
    await fill(folder);
    const refused = await add(ask);
    expect(refused).toMatchObject({ status: 503, body: { detail: expect.stringContaining('the disk is full') } });
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await ask('GET', '/api/cart-items')).body).toEqual(await cartIn(folder));
    expect((await add(ask)).status).toBe(503);
    await rm(join(folder, 'filler'));
    const after = await add(ask);
    expect(after).toMatchObject({ status: 201, body: { quantity: 2 } });
    expect(await cartIn(folder)).toContainEqual(after.body);
    expect(await readdir(folder)).toEqual(['db.json']);
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
    expect(await readdir(disk.folder)).toEqual(['db.json']);
  });
});

describe('a bind-mounted data file, like a single file in a container,', () => {
  const MOUNTED =
    /^storefront: \S+db\.json is a mount of a single file, [^\n]*Mount its folder instead[^\n]*--durability memory\.\n$/;

  it('fails the start with one line that names the remedy, and stays unchanged', async (t) => {
    const folder = await tempFolder();
    const data = join(folder, 'db.json');
    await writeFile(data, defaultText);
    await bindMount(data);
    const { ended, stderr } = await startProgram(t, ['--port', '0', '--data', data]);
    expect(await ended).toEqual({ code: 1, signal: null });
    expect(stderr()).toMatch(MOUNTED);
    expect(await readFile(data, 'utf8')).toBe(defaultText);
    expect(await readdir(folder)).toEqual(['db.json']);
  });

  it('is not repaired for the same reason if it is damaged', async (t) => {
    const data = join(await tempFolder(), 'db.json');
    await writeFile(data, '{');
    await bindMount(data);
    const { ended, stderr } = await startProgram(t, ['repair', '--data', data]);
    expect(await ended).toEqual({ code: 1, signal: null });
    expect(stderr()).toMatch(MOUNTED);
    expect(await readFile(data, 'utf8')).toBe('{');
  });

  it('is served from memory with the option that the remedy names', async (t) => {
    const data = join(await tempFolder(), 'db.json');
    await writeFile(data, defaultText);
    await bindMount(data);
    const program = await startProgram(t, ['--port', '0', '--durability', 'memory', '--default-data', data]);
    expect((await add(createFetchClient(await program.url()))).status).toBe(201);
  });
});

async function shopOver(t: TestContext, data: string): Promise<TestShop['ask']> {
  const program = await startProgram(t, ['--port', '0', '--data', data]);
  return createFetchClient(await program.url());
}

function add(ask: TestShop['ask']) {
  return ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
}

async function cartIn(folder: string): Promise<unknown[]> {
  return JSON.parse(await readFile(join(folder, 'db.json'), 'utf8')).cartItems;
}

/** Fills a disk completely. */
async function fill(folder: string): Promise<void> {
  await expect(writeFile(join(folder, 'filler'), Buffer.alloc(2 * DISK_KB * 1024))).rejects.toThrow('ENOSPC');
}
