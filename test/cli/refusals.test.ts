import { mkdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { defaults, defaultText } from '../support/fixtures/default-data.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

describe('createStorefront with a data file that cannot be used', () => {
  const FILES = {
    'is empty': '',
    'is a list': '[]',
    'is cut off': defaultText.slice(0, 500),
    'lacks a list': '{"products": []}',
    'is not UTF-8 text': Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
    'has a product twice': JSON.stringify({ ...defaults, products: [...defaults.products, ...defaults.products] }),
  };

  it.each(Object.entries(FILES))(
    'rejects with one line that names the file, and leaves it unchanged: the file %s',
    async (_, content) => {
      const path = join(await tempFolder(), 'shop.json');
      await writeFile(path, content);
      await expect(createStorefront({ data: path })).rejects.toThrow(oneLineWith(path));
      expect(await readFile(path)).toEqual(Buffer.from(content));
    },
  );

  it('rejects for a folder, a link loop, a path inside a file and a name that is too long', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'folder.json'));
    await symlink('loop.json', join(folder, 'loop.json'));
    await writeFile(join(folder, 'file'), 'text');
    for (const name of ['folder.json', 'loop.json', 'file/shop.json', 'x'.repeat(300)]) {
      const path = join(folder, name);
      await expect(createStorefront({ data: path }), name).rejects.toThrow(oneLineWith(path));
    }
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('text');
  });
});

describe('createStorefront with default data', () => {
  it('rejects before it creates a data file if the default data is missing', async () => {
    const folder = await tempFolder();
    const [data, defaultData] = [join(folder, 'db.json'), join(folder, 'default.json')];
    await expect(createStorefront({ data, defaultData })).rejects.toThrow(oneLineWith(defaultData));
    await expect(readFile(data)).rejects.toThrow('ENOENT');
  });

  it('does not say that missing default data was left as it is', async () => {
    const defaultData = join(await tempFolder(), 'default.json');
    await expect(createStorefront({ defaultData })).rejects.toThrow(/^(?!.*was not changed)/);
  });

  it('warns about default data that is newer than the data file', async () => {
    const folder = await tempFolder();
    const [data, defaultData] = [join(folder, 'db.json'), join(folder, 'default.json')];
    for (const path of [data, defaultData]) await writeFile(path, defaultText);
    await utimes(data, 1_000_000, 1_000_000);
    const { log } = await startStorefront({ data, defaultData });
    expect(log).toContainEqual(expect.objectContaining({ level: 40, msg: expect.stringContaining(defaultData) }));
  });

  it('does not warn about default data that is older than the data file', async () => {
    const folder = await tempFolder();
    const [data, defaultData] = [join(folder, 'db.json'), join(folder, 'default.json')];
    for (const path of [data, defaultData]) await writeFile(path, defaultText);
    await utimes(defaultData, 1_000_000, 1_000_000);
    const { log } = await startStorefront({ data, defaultData });
    expect(log.filter(({ level }) => level >= 40)).toEqual([]);
  });
});

describe('createStorefront with an address that is not of this machine', () => {
  it('rejects with one line that names the address', async () => {
    const host = '203.0.113.9';
    await expect(createStorefront({ host })).rejects.toThrow(oneLineWith(host));
  });
});

/** Returns a pattern of one line that contains `part`. */
function oneLineWith(part: string): RegExp {
  return new RegExp(`^.*${part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}.*$`);
}
