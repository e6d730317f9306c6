import { readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repair } from '../../src/server/repair.ts';
import { defaults, defaultText } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const CUT_OFF = defaultText.slice(0, 2_000);

const damaged: readonly [string, string | Buffer][] = [
  ['cut off', CUT_OFF],
  ['empty', ''],
  ['with a list of another type', JSON.stringify({ ...defaults, orders: {} })],
  ['with a product twice', JSON.stringify({ ...defaults, products: [...defaults.products, defaults.products[0]] })],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])],
];

describe('repair', () => {
  it.each(damaged)(
    'copies the damaged file and restores the default data, so that the server starts: %s',
    async (_description, content) => {
      const data = await createDataFile(content);
      const message = await repair({ data });
      const [copy = ''] = await findCopies(data);
      expect(message).toBe(`${data} contains the default data now. Its previous content is in ${copy}.`);
      expect(await readFile(copy)).toEqual(Buffer.from(content));
      expect(await readFile(data, 'utf8')).toBe(defaultText);
      expect((await readdir(dirname(data))).toSorted()).toEqual(['db.json', basename(copy)]);
      const shop = await startStorefront({ data });
      expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    },
  );

  it.each([defaultText, JSON.stringify({ ...defaults, cartItems: [] })])(
    'does not change a valid data file',
    async (text) => {
      const data = await createDataFile(text);
      const before = await stat(data);
      expect(await repair({ data })).toBe(`${data} is valid. Nothing was changed.`);
      expect(await readFile(data, 'utf8')).toBe(text);
      expect(await stat(data)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
      expect(await readdir(dirname(data))).toEqual(['db.json']);
    },
  );

  it('creates a missing data file and its folder', async () => {
    const data = join(await tempFolder(), 'not/there/db.json');
    expect(await repair({ data })).toBe(`${data} did not exist. It contains the default data now.`);
    expect(await readFile(data, 'utf8')).toBe(defaultText);
    expect(await readdir(dirname(data))).toEqual(['db.json']);
  });

  it('keeps a folder in the place of the data file, with its content', async () => {
    const folder = await folderWith({ 'db.json/notes.txt': 'mine' });
    const data = join(folder, 'db.json');
    await repair({ data });
    const [copy = ''] = await findCopies(data);
    expect(await readFile(join(copy, 'notes.txt'), 'utf8')).toBe('mine');
    expect(await readFile(data, 'utf8')).toBe(defaultText);
  });

  it('repairs the target of a symbolic link and keeps the link', async () => {
    const folder = await folderWith({ 'real/db.json': CUT_OFF });
    const link = join(folder, 'link.json');
    await symlink('real/db.json', link);
    expect(await repair({ data: link })).toContain(join(folder, 'real/db.json.broken-'));
    expect(await readFile(link, 'utf8')).toBe(defaultText);
    expect(await readdir(folder)).toEqual(['link.json', 'real']);
  });

  it('keeps one copy per repair, even if the files have the same time', async () => {
    const data = await createDataFile('');
    for (const content of ['{', '[', '"']) {
      await writeFile(data, content);
      await utimes(data, 1_000_000, 1_000_000);
      await repair({ data });
    }
    const copies = await findCopies(data);
    expect(await Promise.all(copies.map((copy) => readFile(copy, 'utf8')))).toEqual(['{', '[', '"']);
  });

  it('keeps the permissions of the data file', async () => {
    const data = join(await tempFolder(), 'db.json');
    await writeFile(data, CUT_OFF, { mode: 0o600 });
    await repair({ data });
    expect(((await stat(data)).mode & 0o777).toString(8)).toBe('600');
  });

  it('restores the default data of the option defaultData', async () => {
    const text = JSON.stringify({ ...defaults, cartItems: [] });
    const folder = await folderWith({ 'db.json': CUT_OFF, 'default.json': text });
    await repair({ data: join(folder, 'db.json'), defaultData: join(folder, 'default.json') });
    expect(await readFile(join(folder, 'db.json'), 'utf8')).toBe(text);
  });

  it.each([
    ['damaged', CUT_OFF],
    ['missing', undefined],
  ])('changes nothing if the default data is %s', async (_description, text) => {
    const folder = await folderWith({ 'db.json': '{', ...(text === undefined ? {} : { 'default.json': text }) });
    const before = await readdir(folder);
    const defaultData = join(folder, 'default.json');
    await expect(repair({ data: join(folder, 'db.json'), defaultData })).rejects.toThrow(defaultData);
    expect(await readFile(join(folder, 'db.json'), 'utf8')).toBe('{');
    expect(await readdir(folder)).toEqual(before);
  });

  it('does not change the default data if it is also the data file', async () => {
    const data = await createDataFile(defaultText);
    await repair({ data, defaultData: data });
    expect(await readFile(data, 'utf8')).toBe(defaultText);
  });
});

async function createDataFile(content: string | Buffer): Promise<string> {
  return join(await folderWith({ 'db.json': content }), 'db.json');
}

/** Returns the copies of a data file, sorted by name. */
async function findCopies(data: string): Promise<readonly string[]> {
  const names = (await readdir(dirname(data))).filter((name) => name.startsWith(`${basename(data)}.broken-`));
  return names.toSorted().map((name) => join(dirname(data), name));
}
