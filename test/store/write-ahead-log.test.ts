import {
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { State } from '../../src/shop/state.ts';
import { applyChanges, compareStates } from '../../src/store/state-change.ts';
import { createCartFile, createDataText } from '../support/fixtures/cart-file.ts';
import { defaults, defaultText } from '../support/fixtures/default-data.ts';
import { getAddedProducts, PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { createFaultyDisk } from '../support/harness/faulty-disk.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { openTestState } from '../support/harness/open-store.ts';
import { readStoredState } from '../support/harness/stored-state.ts';

const [A, B, C, D] = PRODUCT_IDS as [string, string, string, string];

describe('the difference between two states', () => {
  it('gives the last state if the differences are applied to the first state', () => {
    const entry = fc.constantFrom(...Array.from({ length: 6 }, (_, id) => ({ id })));
    const state = fc.record({ a: fc.array(entry), b: fc.array(entry) });
    fc.assert(
      fc.property(state, state, state, (first, second, third) => {
        const changes = [compareStates(first, second), compareStates(second, third)];
        expect(applyChanges(first, JSON.parse(JSON.stringify(changes)))).toEqual(third);
      }),
    );
  });

  it('contains only the entries that changed', () => {
    const list = Array.from({ length: 1_000 }, (_, id) => ({ id }));
    const next = { a: list.with(500, { id: -1 }), b: list };
    expect(compareStates({ a: list, b: list }, next)).toEqual({ a: [500, 1, [{ id: -1 }]] });
  });
});

describe('a change', () => {
  it('is in the write-ahead log, and then in the data file, whose log is deleted', async () => {
    const { file, disk, store } = await openBusy();
    expect(await file.cart()).toEqual([A]);
    expect(await readFile(`${file.path}.wal`, 'utf8')).toContain(B);
    disk.end();
    await store.flush();
    expect(await file.cart()).toEqual([A, B]);
    expect(await file.names()).toEqual(['db.json']);
  });

  it('is in the data file soon, without a flush', async () => {
    const file = await createCartFile([A]);
    const { store } = await openTestState({ data: file.path });
    await store.update(putItem(B));
    await expect.poll(() => file.cart(), { timeout: 60_000 }).toEqual([A, B]);
    await expect.poll(() => file.names(), { timeout: 60_000 }).toEqual(['db.json']);
  });

  it('gives the log the mode of the data file', async () => {
    const { file } = await openBusy();
    expect(statSync(`${file.path}.wal`).mode & 0o777).toBe(await file.mode());
  });
});

describe('a flush', () => {
  it('is rejected if the data file cannot be written, and the change stays stored', async () => {
    const { file, disk, store } = await openBusy();
    await expect(store.flush()).rejects.toThrow(
      "the data file can't be written (disk I/O error, EIO); the changes are stored in its write-ahead log",
    );
    expect(getAddedProducts(await readStoredState(file.path))).toEqual([A, B]);
    disk.end();
    await store.flush();
    expect(await file.cart()).toEqual([A, B]);
  });
});

describe('a start after the server was killed', () => {
  it('applies all changes in the log, writes the data file and deletes the log', async () => {
    const { data } = await kill([B, C, D]);
    const { store } = await openTestState({ data });
    expect(getAddedProducts(store.read().state)).toEqual([A, B, C, D]);
    await store.flush();
    expect(getAddedProducts(JSON.parse(await readFile(data, 'utf8')))).toEqual([A, B, C, D]);
    expect(existsSync(`${data}.wal`)).toBe(false);
  });

  it('applies the complete changes of a log that is cut at any byte, and accepts further changes', async () => {
    const { data, text, wal } = await kill([B, C]);
    const [firstEnd, secondEnd] = findChangeEnds(wal);
    for (let bytes = 0; bytes <= wal.length; bytes += 7) {
      await writeFile(data, text);
      await writeFile(`${data}.wal`, wal.slice(0, bytes));
      const { store } = await openTestState({ data });
      const expected = [A, ...(bytes >= firstEnd ? [B] : []), ...(bytes >= secondEnd ? [C] : [])];
      expect(getAddedProducts(store.read().state)).toEqual(expected);
      await store.update(putItem(D));
      await store.close();
      expect(getAddedProducts(JSON.parse(await readFile(data, 'utf8')))).toEqual([...expected, D]);
    }
  });

  it('appends the next change to the log, and does not wait until the data file is written', async () => {
    const { data } = await kill([B]);
    const disk = createFaultyDisk();
    const { store } = await openTestState({ data, disk });
    disk.begin(({ name }) => (name === 'rename' ? { code: 'EIO' } : undefined));
    await store.update(putItem(C));
    expect(getAddedProducts(await readStoredState(data))).toEqual([A, B, C]);
  });

  it('does not apply changes twice if the data file already contains them', async () => {
    const { data, wal } = await kill([B]);
    const { store } = await openTestState({ data });
    await store.close();
    const written = await readFile(data, 'utf8');
    await writeFile(`${data}.wal`, wal);
    const again = await openTestState({ data, log: { info() {}, error() {}, warn() {} } });
    expect(getAddedProducts(again.store.read().state)).toEqual([A, B]);
    await again.store.close();
    expect(await readFile(data, 'utf8')).toBe(written);
  });

  it.each([
    ['an edited data file', createDataText([D])],
    ['the default data', defaultText],
  ])('saves the log of another data file and uses %s', async (_what, text) => {
    const { data, wal } = await kill([B]);
    await writeFile(data, text);
    const { store, warnings } = await openLogged(data);
    expect(store.read().state.cartItems).toEqual(JSON.parse(text).cartItems);
    expect(warnings).toEqual([expect.stringMatching(/db\.json\.wal belongs to another version of .*\.wal\.conflict-/)]);
    expect(readSavedLog(warnings)).toBe(wal);
    expect(existsSync(`${data}.wal`)).toBe(false);
  });

  it('saves the log if the data file was deleted, and creates the data file', async () => {
    const { data, wal } = await kill([B]);
    rmSync(data);
    const { store, warnings } = await openLogged(data);
    expect(store.read().state).toEqual(defaults);
    expect(readSavedLog(warnings)).toBe(wal);
  });

  it('applies the changes before a damaged line, and saves the log', async () => {
    const { data, wal } = await kill([B, C]);
    const damaged = wal.replace(`"${C}"`, `"${D}"`) + wal;
    await writeFile(`${data}.wal`, damaged);
    const { store, warnings } = await openLogged(data);
    expect(getAddedProducts(store.read().state)).toEqual([A, B]);
    expect(warnings).toEqual([expect.stringContaining('is damaged. The server applied the changes before')]);
    expect(readSavedLog(warnings)).toBe(damaged);
  });

  it('saves a log whose last line is complete, but damaged', async () => {
    const { data, wal } = await kill([B, C]);
    const damaged = wal.replace(`"${C}"`, `"${D}"`);
    await writeFile(`${data}.wal`, damaged);
    const { store, warnings } = await openLogged(data);
    expect(getAddedProducts(store.read().state)).toEqual([A, B]);
    expect(readSavedLog(warnings)).toBe(damaged);
  });

  it('warns of a log that is not a file, and changes nothing there', async () => {
    const { data, wal } = await kill([B]);
    renameSync(`${data}.wal`, `${data}.target`);
    symlinkSync(`${data}.target`, `${data}.wal`);
    const { store, warnings } = await openLogged(data);
    expect(warnings).toEqual([expect.stringMatching(/db\.json\.wal is not a regular file.*Delete or rename it\.$/)]);
    await store.update(putItem(C));
    expect(getAddedProducts(JSON.parse(readFileSync(data, 'utf8')))).toEqual([A, C]);
    expect(readFileSync(`${data}.target`, 'utf8')).toBe(wal);
  });

  it('is refused if the changes in the log are invalid, and says that the log can be renamed', async () => {
    const { data, wal } = await kill([B]);
    const check = ({ cartItems }: State) =>
      getAddedProducts({ cartItems } as State).includes(B) ? [{ pointer: '/cartItems', message: 'is invalid' }] : [];
    await expect(openTestState({ data, check: check as never })).rejects.toThrow(
      `with the changes in ${data}.wal does not contain a valid state: /cartItems is invalid. Nothing was changed. Start the server with the contract of its last run. Or rename ${data}.wal: the server then ignores the changes in this file`,
    );
    expect(readFileSync(`${data}.wal`, 'utf8')).toBe(wal);
  });

  it('is refused if the log can neither be used nor saved, and changes nothing', async () => {
    const { data, wal } = await kill([B]);
    await writeFile(data, defaultText);
    const disk = createFaultyDisk();
    disk.begin(({ name }) => (name === 'create' ? { code: 'ENOSPC' } : undefined));
    await expect(openTestState({ data, disk })).rejects.toThrow(
      /db\.json\.wal can't be read or saved \(the disk is full/,
    );
    expect(await readFile(`${data}.wal`, 'utf8')).toBe(wal);
  });
});

describe('a write-ahead log that another program touches while changes wait', () => {
  it.each<[string, (path: string) => Promise<void> | void]>([
    ['deletes', (path) => rmSync(path)],
    ['extends', (path) => appendFile(path, 'another line\n')],
    ['truncates', (path) => truncate(path, 20)],
  ])('is not used by the next change, which writes the data file: %s', async (_how, touch) => {
    const { file, disk, store } = await openBusy();
    await touch(`${file.path}.wal`);
    disk.end();
    await store.update(putItem(C));
    expect(getAddedProducts(await readStoredState(file.path))).toEqual([A, B, C]);
    await store.close();
    expect(await file.cart()).toEqual([A, B, C]);
    expect(await file.names()).toEqual(['db.json']);
  });

  it('is not used by the next change if it was truncated while the data file was written', async () => {
    const { file, disk, store } = await openBusy();
    disk.begin(({ name }) => {
      if (name !== 'rename') return undefined;
      truncateSync(`${file.path}.wal`, 20);
      return { code: 'EIO' };
    });
    await expect(store.flush()).rejects.toThrow(/EIO/);
    disk.end();
    await store.update(putItem(C));
    expect(getAddedProducts(await readStoredState(file.path))).toEqual([A, B, C]);
  });

  it('is not used if another program has created it', async () => {
    const file = await createCartFile([A]);
    const { store } = await openTestState({ data: file.path });
    writeFileSync(`${file.path}.wal`, 'another program\n');
    await store.update(putItem(B));
    expect(await file.cart()).toEqual([A, B]);
    expect(readFileSync(`${file.path}.wal`, 'utf8')).toBe('another program\n');
  });
});

describe('an edit of the data file while changes wait', () => {
  it('is saved beside the file, and no change is lost', async () => {
    const { file, disk, store } = await openBusy();
    disk.end();
    const edit = createDataText([D]);
    writeFileSync(file.path, edit);
    await store.update(putItem(C));
    expect(await file.cart()).toEqual([A, B, C]);
    expect(await file.conflicts()).toEqual([edit]);
  });
});

describe('a write-ahead log of the maximum size', () => {
  it('accepts no further change while the data file cannot be written', async () => {
    const file = await createCartFile([A]);
    const disk = createFaultyDisk();
    const { store } = await openTestState({ data: file.path, disk });
    disk.begin(({ name }) => (name === 'rename' ? { code: 'EIO' } : undefined));
    const setNote = (length: number) =>
      store.update((state) => ({
        next: { ...state, orders: [{ ...defaults.orders[0], note: 'x'.repeat(length) } as never] },
        result: length,
      }));
    expect(await setNote(9_000_000)).toBe(9_000_000);
    expect(await setNote(8_000_000)).toBe(8_000_000);
    await expect(setNote(1)).rejects.toThrow('the change could not be stored (disk I/O error, EIO)');
    disk.end();
    expect(await setNote(1)).toBe(1);
    expect(statSync(file.path).size).toBeLessThan(1_000_000);
  });
});

/** Opens a store whose cart holds A and then B. The log contains B. The data file can't be written before `disk.end()`. */
async function openBusy() {
  const file = await createCartFile([A]);
  const disk = createFaultyDisk();
  const { store } = await openTestState({ data: file.path, disk });
  disk.begin(({ name }) => (name === 'rename' ? { code: 'EIO' } : undefined));
  await store.update(putItem(B));
  return { file, disk, store };
}

/** Adds products to a cart that holds A, and kills the server before it writes the data file. Returns the contents of the data file and of the log. */
async function kill(products: readonly string[]) {
  const file = await createCartFile([A]);
  const disk = createFaultyDisk();
  const { store } = await openTestState({ data: file.path, disk });
  disk.begin(({ name }) => (name === 'rename' ? { code: 'EIO' } : undefined));
  for (const product of products) await store.update(putItem(product));
  const [text, wal] = [file.path, `${file.path}.wal`].map((path) => readFileSync(path, 'utf8')) as [string, string];
  const folder = await folderWith({ 'db.json': text, 'db.json.wal': wal });
  return { data: join(folder, 'db.json'), text, wal };
}

/** Returns the offsets of the ends of the two lines with changes. A third line can exist: the checkpoint of a write of the data file. */
function findChangeEnds(wal: string): [number, number] {
  const lines = [...wal.matchAll(/.*\n/g)].filter(([line]) => line.includes('"change":'));
  return lines.map(({ 0: line, index }) => index + line.length) as [number, number];
}

/** Opens a store and collects the warnings in its log. */
async function openLogged(data: string) {
  const warnings: string[] = [];
  const log = { info() {}, error() {}, warn: (message: string) => void warnings.push(message) };
  return { ...(await openTestState({ data, log })), warnings };
}

/** Returns the content of the saved log that a warning names. */
function readSavedLog([warning = '']: readonly string[]): string {
  return readFileSync(/The log is saved in (\S+)\.( |$)/.exec(warning)?.[1] ?? '', 'utf8');
}
