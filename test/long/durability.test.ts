import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/options.ts';
import { createStorefront } from '../../src/index.ts';
import { defaults, defaultText } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { readStoredState } from '../support/harness/stored-state.ts';

describe('the option --durability', () => {
  it.each([
    ['disk', /data in \/\S+\/db\.json: a committed change survives a crash and a power cut$/],
    ['memory', /data in memory: changes are lost when the process ends$/],
  ] as const)('%s is logged at the start, with what a change survives', async (durability, message) => {
    const { log, durability: actual } = await startStorefront({ durability });
    expect(actual).toBe(durability);
    expect(log[0]).toMatchObject({ level: 30, durability, msg: expect.stringMatching(message) });
  });

  it('is memory without a data file, regardless of the option', async () => {
    const { log, durability } = await startStorefront({ data: undefined, durability: 'disk' });
    expect(durability).toBe('memory');
    expect(log[0]).toMatchObject({
      durability: 'memory',
      msg: expect.stringContaining('changes are lost when the process ends'),
    });
  });

  it('is disk by default', async () => {
    expect(await startStorefront()).toMatchObject({ durability: 'disk' });
  });

  it('disk stores a change before the response', async () => {
    const { ask, dataFile = '' } = await startStorefront({ durability: 'disk' });
    expect((await ask('POST', '/api/orders')).status).toBe(201);
    expect((await readStoredState(dataFile)).orders).toHaveLength(defaults.orders.length + 1);
  });

  it('memory creates no file', async () => {
    const shop = await startStorefront({ durability: 'memory' });
    expect((await shop.ask('POST', '/api/orders')).status).toBe(201);
    expect((await shop.ask('POST', '/api/reset')).status).toBe(204);
    expect(shop.dataFile).toBeUndefined();
    expect(await readdir(shop.folder)).toEqual([]);
  });

  it.each([
    ['another state', JSON.stringify({ ...defaults, cartItems: [] })],
    ['invalid JSON', '{'],
  ])('memory neither reads nor writes an existing data file with %s', async (_content, text) => {
    const folder = await folderWith({ 'db.json': text });
    const before = await stat(join(folder, 'db.json'));
    const shop = await startStorefront({ data: join(folder, 'db.json'), durability: 'memory' });
    expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    await shop.ask('POST', '/api/orders');
    await shop.close();
    expect(await readFile(join(folder, 'db.json'), 'utf8')).toBe(text);
    expect(await stat(join(folder, 'db.json'))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    expect(await readdir(folder)).toEqual(['db.json']);
  });

  it('memory starts with the default data each time', async () => {
    const first = await startStorefront({ durability: 'memory' });
    await first.ask('POST', '/api/orders');
    await first.close();
    const second = await startStorefront({ durability: 'memory' });
    expect((await second.ask('GET', '/api/orders')).body).toEqual(defaults.orders);
  });

  it('with memory fails the start if the default data is damaged', async () => {
    const defaultData = join(await folderWith({ 'default.json': '{' }), 'default.json');
    await expect(createStorefront({ durability: 'memory', defaultData })).rejects.toThrow(
      `${defaultData}:1 is not JSON`,
    );
  });

  it.each([
    ['--durability', 'paper'],
    ['--durability', 'os'],
    ['--durability', ''],
    ['--durability'],
    ['--durability', 'Disk'],
  ])('refuses unknown modes with the list of modes: %j %j', (...args) => {
    const request = readCommandLine({ args, environment: {}, isTerminal: false, version: '1.2.3' });
    expect(request).toEqual({ kind: 'refuse', reason: expect.stringMatching(/^[^\n]*--durability[^\n]*$/) });
  });
});

describe('storefront --durability', () => {
  it('ends with 2 and one line for an unknown mode', async (test) => {
    const program = await startProgram(test, ['--port', '0', '--durability', 'paper']);
    expect(await program.ended).toEqual({ code: 2, signal: null });
    expect(program.stderr()).toMatch(/^storefront: [^\n]*disk, memory[^\n]*\n$/);
    expect(await readdir(program.folder)).toEqual([]);
  });

  it('does not change db.json in its folder with memory, and prints that', async (test) => {
    const prepare = (folder: string) => writeFile(join(folder, 'db.json'), defaultText.slice(0, 2_000));
    const program = await startProgram(test, ['--port', '0', '--durability', 'memory', '--log', 'off'], { prepare });
    const url = await program.url();
    expect((await fetch(`${url}/api/orders`, { method: 'POST' })).status).toBe(201);
    expect(program.stdout()).toMatch(
      /^storefront \S+ listening at \S+, \d+ operations, data in memory: changes are lost when the process ends\n$/,
    );
    expect(await readFile(join(program.folder, 'db.json'), 'utf8')).toBe(defaultText.slice(0, 2_000));
  });
});
