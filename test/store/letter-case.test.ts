import { readdirSync } from 'node:fs';
import { link, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { getListedPath } from '../../src/store/data-path.ts';
import { type Disk, machineDisk } from '../../src/store/disk.ts';
import { lockFile } from '../../src/store/lock.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

/**
 * Simulates a case-insensitive disk, because the machines that run these tests may not have one. It does not simulate how a real disk lists names and
 * numbers files.
 */
const caseless: Disk = {
  ...machineDisk,
  stats: (path) => machineDisk.stats(found(path)),
  linkStats: (path) => machineDisk.linkStats(found(path)),
};

function found(path: string): string {
  const wanted = basename(path).toLowerCase();
  const name = readdirSync(dirname(path)).find((each) => each.toLowerCase() === wanted);
  return name === undefined ? path : join(dirname(path), name);
}

describe('the path of a data file on a case-insensitive file system', () => {
  it.each(['db.json', 'DB.JSON', 'Db.Json'])('has the name that the folder lists for %s', async (name) => {
    const folder = await folderWithData();
    expect(getListedPath(caseless, join(folder, name))).toBe(join(folder, 'db.json'));
  });

  it('does not change if there is no file', async () => {
    const folder = await tempFolder();
    expect(getListedPath(caseless, join(folder, 'DB.JSON'))).toBe(join(folder, 'DB.JSON'));
  });

  it('leads to the same lock in any letter case', async () => {
    const folder = await folderWithData();
    const first = await lockFile(getListedPath(caseless, join(folder, 'db.json')), () => undefined);
    onTestFinished(first.release);
    await expect(lockFile(getListedPath(caseless, join(folder, 'DB.JSON')), () => undefined)).rejects.toThrow(
      'in use by',
    );
  });
});

describe('the path of a data file on a case-sensitive file system', () => {
  it('does not change, even if another name leads to the same file', async () => {
    const folder = await folderWithData();
    await link(join(folder, 'db.json'), join(folder, 'other.json'));
    for (const name of ['db.json', 'other.json', 'DB.JSON'])
      expect(getListedPath(machineDisk, join(folder, name))).toBe(join(folder, name));
  });
});

async function folderWithData(): Promise<string> {
  const folder = await tempFolder();
  await writeFile(join(folder, 'another.json'), '{}');
  await writeFile(join(folder, 'db.json'), '{}');
  return folder;
}
