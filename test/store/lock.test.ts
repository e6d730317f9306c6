import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { repair } from '../../src/server/repair.ts';
import { defaultText } from '../support/fixtures/default-data.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

describe('a second server with the same data file', () => {
  it('is refused with the process id and the URL of the first', async () => {
    const { dataFile = '', url } = await startStorefront();
    await expect(createStorefront({ data: dataFile })).rejects.toThrow(
      `${dataFile} is in use by process ${process.pid} at ${url}. Stop that process, or choose another file with --data FILE.`,
    );
  });

  it.each<[string, (folder: string) => string]>([
    ['a relative path with ..', (folder) => relative(process.cwd(), join(folder, 'real/../real/db.json'))],
    ['a link to the file', (folder) => join(folder, 'link.json')],
    ['a link to a link', (folder) => join(folder, 'links.json')],
    ['a link to its folder', (folder) => join(folder, 'folder/db.json')],
  ])('is refused for %s', async (_path, other) => {
    const folder = await linkedFolder();
    await writeFile(join(folder, 'real/db.json'), defaultText);
    await startStorefront({ data: join(folder, 'real/db.json') });
    await expect(createStorefront({ data: other(folder) })).rejects.toThrow(`in use by process ${process.pid} at`);
  });

  it.each([
    ['link.json', 'real/db.json'],
    ['real/db.json', 'link.json'],
    ['link.json', 'folder/db.json'],
  ])('is refused if the first created the file: %s, then %s', async (first, second) => {
    const folder = await linkedFolder();
    await startStorefront({ data: join(folder, first) });
    await expect(createStorefront({ data: join(folder, second) })).rejects.toThrow('in use by process');
  });

  it('is refused after the file was replaced by a change and by an editor', async () => {
    const { dataFile = '', ask } = await startStorefront();
    await ask('POST', '/api/reset');
    await writeFile(`${dataFile}.new`, defaultText);
    await rename(`${dataFile}.new`, dataFile);
    await expect(createStorefront({ data: dataFile })).rejects.toThrow('in use by process');
  });

  it('starts with another file in the folder, and with a file of the same name in another folder', async () => {
    const first = await startStorefront();
    const second = await startStorefront({ data: join(first.folder, 'other.json') });
    const third = await startStorefront({ data: join(first.folder, 'folder/db.json') });
    for (const shop of [first, second, third]) expect((await shop.ask('POST', '/api/reset')).status).toBe(204);
  });

  it('starts after the first is closed', async () => {
    const first = await startStorefront();
    for (let time = 1; time <= 3; time++) {
      await first.close();
      const next = await startStorefront({ data: first.dataFile });
      expect((await next.ask('GET', '/api/orders')).status).toBe(200);
      await next.close();
    }
  });

  it.each(['memory', 'disk'] as const)(
    'needs no lock with durability memory while the first has durability %s',
    async (durability) => {
      const { dataFile = '' } = await startStorefront();
      const shop = await startStorefront({ data: durability === 'memory' ? dataFile : undefined, durability });
      expect(shop.durability).toBe('memory');
    },
  );

  it('prevents a repair of its file', async () => {
    const { dataFile = '', url } = await startStorefront();
    await expect(repair({ data: dataFile })).rejects.toThrow(`in use by process ${process.pid} at ${url}`);
  });
});

describe('a failed start', () => {
  it('releases the lock if the data is damaged', async () => {
    const data = join(await tempFolder(), 'db.json');
    await writeFile(data, '{');
    await expect(createStorefront({ data })).rejects.toThrow('is not JSON');
    await writeFile(data, defaultText);
    await startStorefront({ data });
  });

  it('releases the lock if the port is in use', async () => {
    const { port } = await startStorefront();
    const data = join(await tempFolder(), 'db.json');
    await expect(createStorefront({ data, port })).rejects.toThrow('in use');
    await startStorefront({ data });
  });
});

/** Creates a folder that contains a folder `real`, and symbolic links to this folder and to a future db.json in it. */
async function linkedFolder(): Promise<string> {
  const folder = await tempFolder();
  await mkdir(join(folder, 'real'));
  await symlink('real/db.json', join(folder, 'link.json'));
  await symlink('link.json', join(folder, 'links.json'));
  await symlink('real', join(folder, 'folder'));
  return folder;
}
