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
  ['of another shape', JSON.stringify({ ...defaults, orders: {} })],
  ['with a product twice', JSON.stringify({ ...defaults, products: [...defaults.products, defaults.products[0]] })],
  ['no text', Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])],
];

describe('a repair', () => {
  it.each(damaged)(
    'keeps a copy byte for byte, and restores the default data, so that the shop starts: %s',
    async (_what, content) => {
      const data = await fileWith(content);
      const said = await repair({ data });
      const [copy = ''] = await copiesOf(data);
      expect(said).toBe(`${data} holds the default data now; what it held is in ${copy}`);
      expect(await readFile(copy)).toEqual(Buffer.from(content));
      expect(await readFile(data, 'utf8')).toBe(defaultText);
      expect((await readdir(dirname(data))).toSorted()).toEqual(['db.json', basename(copy)]);
      const shop = await startStorefront({ data });
      expect((await shop.ask('GET', '/api/cart-items')).body).toEqual(defaults.cartItems);
    },
  );

  it.each([defaultText, JSON.stringify({ ...defaults, cartItems: [] })])(
    'leaves a file alone that can be used',
    async (text) => {
      const data = await fileWith(text);
      const before = await stat(data);
      expect(await repair({ data })).toBe(`${data} is as it should be: nothing was changed`);
      expect(await readFile(data, 'utf8')).toBe(text);
      expect(await stat(data)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
      expect(await readdir(dirname(data))).toEqual(['db.json']);
    },
  );

  it('makes a file that is not there, and its folder', async () => {
    const data = join(await tempFolder(), 'not/there/db.json');
    expect(await repair({ data })).toBe(`${data} holds the default data now`);
    expect(await readFile(data, 'utf8')).toBe(defaultText);
    expect(await readdir(dirname(data))).toEqual(['db.json']);
  });

  it('keeps a folder that stands in the place of the file, with what is in it', async () => {
    const folder = await folderWith({ 'db.json/notes.txt': 'mine' });
    const data = join(folder, 'db.json');
    await repair({ data });
    const [copy = ''] = await copiesOf(data);
    expect(await readFile(join(copy, 'notes.txt'), 'utf8')).toBe('mine');
    expect(await readFile(data, 'utf8')).toBe(defaultText);
  });

  it('is done where a symbolic link leads, and the link stays', async () => {
    const folder = await folderWith({ 'real/db.json': CUT_OFF });
    const link = join(folder, 'link.json');
    await symlink('real/db.json', link);
    expect(await repair({ data: link })).toContain(join(folder, 'real/db.json.broken-'));
    expect(await readFile(link, 'utf8')).toBe(defaultText);
    expect(await readdir(folder)).toEqual(['link.json', 'real']);
  });

  it('keeps a copy each time, of files of the same second too', async () => {
    const data = await fileWith('');
    for (const content of ['{', '[', '"']) {
      await writeFile(data, content);
      await utimes(data, 1_000_000, 1_000_000);
      await repair({ data });
    }
    const copies = await copiesOf(data);
    expect(await Promise.all(copies.map((copy) => readFile(copy, 'utf8')))).toEqual(['{', '[', '"']);
  });

  it('keeps the mode of the file', async () => {
    const data = join(await tempFolder(), 'db.json');
    await writeFile(data, CUT_OFF, { mode: 0o600 });
    await repair({ data });
    expect(((await stat(data)).mode & 0o777).toString(8)).toBe('600');
  });

  it('restores the default data that it is given', async () => {
    const text = JSON.stringify({ ...defaults, cartItems: [] });
    const folder = await folderWith({ 'db.json': CUT_OFF, 'default.json': text });
    await repair({ data: join(folder, 'db.json'), defaultData: join(folder, 'default.json') });
    expect(await readFile(join(folder, 'db.json'), 'utf8')).toBe(text);
  });

  it.each([
    ['damaged', CUT_OFF],
    ['not there', undefined],
  ])('leaves all as it was where the default data is %s', async (_what, text) => {
    const folder = await folderWith({ 'db.json': '{', ...(text === undefined ? {} : { 'default.json': text }) });
    const before = await readdir(folder);
    const defaultData = join(folder, 'default.json');
    await expect(repair({ data: join(folder, 'db.json'), defaultData })).rejects.toThrow(defaultData);
    expect(await readFile(join(folder, 'db.json'), 'utf8')).toBe('{');
    expect(await readdir(folder)).toEqual(before);
  });

  it('leaves the default data alone where it is named as the data file', async () => {
    const data = await fileWith(defaultText);
    await repair({ data, defaultData: data });
    expect(await readFile(data, 'utf8')).toBe(defaultText);
  });
});

async function fileWith(content: string | Buffer): Promise<string> {
  return join(await folderWith({ 'db.json': content }), 'db.json');
}

/** The copies beside a data file, in the order of their names. */
async function copiesOf(data: string): Promise<readonly string[]> {
  const names = (await readdir(dirname(data))).filter((name) => name.startsWith(`${basename(data)}.broken-`));
  return names.toSorted().map((name) => join(dirname(data), name));
}
