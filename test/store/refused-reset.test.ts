import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultText } from '../support/fixtures/default-data.ts';
import { getAddedProducts, PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { createFaultyDisk, type StepName } from '../support/harness/faulty-disk.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { openTestState } from '../support/harness/open-store.ts';
import { readStoredState } from '../support/harness/stored-state.ts';

const [A, B] = PRODUCT_IDS as [string, string];

describe('a reset that is refused while the data file still has the default data', () => {
  it.each<[StepName]>([['link'], ['rename']])('keeps the changes before and after it: %s fails', async (failing) => {
    const data = join(await folderWith({ 'db.json': defaultText }), 'db.json');
    const disk = createFaultyDisk();
    const { store } = await openTestState({ data, disk });
    disk.begin(({ name }) => (name === failing ? { code: 'ENOSPC' } : undefined));
    await store.update(putItem(A));
    await expect(store.reset()).rejects.toThrow('the disk is full');
    expect(getAddedProducts(await readStoredState(data))).toEqual([A]);
    await store.update(putItem(B));
    expect(readFileSync(data, 'utf8')).toBe(defaultText);
    expect(getAddedProducts(await readStoredState(data))).toEqual([A, B]);
  });
});
