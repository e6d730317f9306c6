import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCartFile, createDataText } from '../support/fixtures/cart-file.ts';
import { getAddedProducts, PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { createFaultyDisk, type FaultyDisk, type Plan } from '../support/harness/faulty-disk.ts';
import { openTestState } from '../support/harness/open-store.ts';
import { readStoredState } from '../support/harness/stored-state.ts';

const [A, B, C] = PRODUCT_IDS as [string, string, string];

/** The steps that fail for a mount of a single file. */
const MOUNT: Plan = ({ name }) => {
  if (name === 'link') return { code: 'EXDEV' };
  return name === 'rename' ? { code: 'EBUSY' } : undefined;
};

describe('a data file that is a mount of a single file', () => {
  it('is overwritten by changes and resets', async () => {
    const { file, store } = await openMount();
    await store.update(putItem(B));
    await store.flush();
    expect(await file.cart()).toEqual([A, B]);
    await store.reset();
    expect(await file.cart()).toEqual([]);
    await store.update(putItem(C));
    await store.close();
    expect(await file.cart()).toEqual([C]);
    expect(await file.names()).toEqual(['db.json']);
  });

  it('is not overwritten again if it is checked for edits while it is overwritten', async () => {
    const listSteps = async (onStep: (store: Awaited<ReturnType<typeof openMount>>['store']) => void) => {
      const { disk, store } = await openMount();
      disk.begin((step) => {
        onStep(store);
        return MOUNT(step);
      });
      await store.update(putItem(B));
      await store.flush();
      await store.loadEdits();
      return disk.end().filter((name) => name === 'write');
    };
    const steps = await listSteps(() => {});
    expect(await listSteps((store) => void store.loadEdits())).toEqual(steps);
  });

  it('is reported at the start if the write-ahead log cannot be created beside it', async () => {
    const { warnings } = await openMount((step) => (step.name === 'create' ? { code: 'EACCES' } : MOUNT(step)));
    expect(warnings).toEqual([
      expect.stringMatching(
        /\.wal can't be created now \(permission denied, EACCES\)\. Requests that change data get 503/,
      ),
    ]);
  });

  it('has every acknowledged change after the server was killed at any step', async () => {
    const steps = await addAndReset(await openMount());
    for (let killed = 1; killed <= steps.length; killed++) {
      const mount = await openMount();
      await addAndReset(mount, (step) => (step.number === killed ? { dies: 'after' } : MOUNT(step)));
      const cart = getAddedProducts(await readStoredState(mount.file.path));
      const label = `killed after ${killed} ${steps[killed - 1]}`;
      expect.soft(mount.acknowledged, label).toContainEqual(cart);
      await mount.store.close();
    }
  });

  it('has the edit of another program after the server was killed at any step', async () => {
    const edit = createDataText([C]);
    const steps = await addAndReset(await openMount());
    for (let killed = 1; killed <= steps.length; killed++) {
      const mount = await openMount();
      await addAndReset(mount, (step) => (step.number === killed ? { dies: 'after' } : MOUNT(step)));
      writeFileSync(mount.file.path, edit);
      const cart = getAddedProducts(await readStoredState(mount.file.path));
      expect.soft(cart, `killed after ${killed} ${steps[killed - 1]}`).toEqual([C]);
      await mount.store.close();
    }
  });

  it('is refused after a kill if another program has made it invalid', async () => {
    const steps = await addAndReset(await openMount());
    for (let killed = 1; killed <= steps.length; killed++) {
      const mount = await openMount();
      await addAndReset(mount, (step) => (step.number === killed ? { dies: 'after' } : MOUNT(step)));
      writeFileSync(mount.file.path, '{"cartItems": [');
      await expect.soft(readStoredState(mount.file.path)).rejects.toThrow('is not JSON');
      expect.soft(readFileSync(mount.file.path, 'utf8')).toBe('{"cartItems": [');
      await mount.store.close();
    }
  });

  it('keeps an edit that another program makes while changes wait', async () => {
    const { file, disk, store } = await openMount();
    const edit = createDataText([C]);
    let isEdited = false;
    disk.begin((step) => {
      // The change is written to the log, and the data file is not yet overwritten.
      if (step.name === 'sync' && !isEdited) {
        isEdited = true;
        writeFileSync(file.path, edit);
      }
      return MOUNT(step);
    });
    await store.update(putItem(B));
    await store.flush();
    expect(await file.cart()).toEqual([A, B]);
    expect(await file.conflicts()).toEqual([edit]);
  });
});

async function openMount(plan = MOUNT) {
  const file = await createCartFile([A]);
  const disk = createFaultyDisk();
  disk.begin(plan);
  const warnings: string[] = [];
  const log = { info() {}, warn: (message: string) => warnings.push(message), error() {} };
  const { store } = await openTestState({ data: file.path, disk, log });
  return { file, disk, store, warnings, acknowledged: [[A]] as (readonly string[])[] };
}

/** Adds B and resets. Sets `acknowledged` to the carts that may be stored if the server is killed. Returns the steps. */
async function addAndReset(
  { disk, store, ...mount }: Awaited<ReturnType<typeof openMount>>,
  plan: Plan = MOUNT,
): Promise<ReturnType<FaultyDisk['end']>> {
  const { acknowledged } = mount;
  disk.begin(plan);
  acknowledged.push([A, B]);
  const isAdded = await store.update(putItem(B)).then(
    () => true,
    () => false,
  );
  if (isAdded) acknowledged.shift();
  if (isAdded) acknowledged.push([]);
  await store.reset().then(
    () => acknowledged.splice(0, 1),
    () => {},
  );
  return disk.end();
}
