import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createCartFile } from '../support/fixtures/cart-file.ts';
import { createFaultyDisk } from '../support/harness/faulty-disk.ts';
import { openTestState } from '../support/harness/open-store.ts';

const MOUNTED =
  /db\.json is a mount of a single file, so changes could not be stored\. Mount its folder instead .* or .* --durability memory\.$/;

describe('a data file that is a mount of a single file', () => {
  it.each(['disk', 'os'] as const)(
    'prevents the start with the remedy and does not change, with durability %s',
    async (durability) => {
      const file = await createCartFile([]);
      const before = await readFile(file.path, 'utf8');
      const disk = createFaultyDisk();
      disk.begin(({ name }) => (name === 'link' ? { code: 'EXDEV' } : undefined));
      await expect(openTestState({ data: file.path, durability, disk })).rejects.toThrow(MOUNTED);
      expect(await readFile(file.path, 'utf8')).toBe(before);
      expect(await file.names()).toEqual(['db.json']);
    },
  );

  it('has its lock released after the failed start', async () => {
    const file = await createCartFile([]);
    const disk = createFaultyDisk();
    disk.begin(({ name }) => (name === 'link' ? { code: 'EXDEV' } : undefined));
    await expect(openTestState({ data: file.path, disk })).rejects.toThrow(MOUNTED);
    disk.end();
    await expect(openTestState({ data: file.path, disk })).resolves.toMatchObject({ path: file.path });
  });
});
