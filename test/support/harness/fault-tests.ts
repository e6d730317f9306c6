import { expect, it } from 'vitest';
import type { State } from '../../../src/shop/state.ts';
import { isDataFileError } from '../../../src/store/data-file.ts';
import type { Store } from '../../../src/store/store.ts';
import { CART_FILE_MODE, type CartFile, createCartFile, createDataText, externalEdits } from '../fixtures/cart-file.ts';
import { getAddedProducts, PRODUCT_IDS, putItem } from '../fixtures/states.ts';
import {
  crashPlans,
  createFailurePlan,
  createFaultyDisk,
  lastingFaults,
  type NamedPlan,
  type Plan,
  type StepName,
  singleFaults,
  twoFaults,
} from './faulty-disk.ts';
import { settlePendingWork } from './held-backend.ts';
import { openTestState } from './open-store.ts';
import { readStoredState } from './stored-state.ts';

const [A, B, C, D, EDITED] = PRODUCT_IDS as [string, string, string, string, string];

/** An action during which the disk fails, and the expected carts before and after the action. After the action, the store also writes the data file. */
interface Commit {
  readonly what: string;
  /** Changes the state before the disk starts to fail. The cart then contains product A. */
  readonly prepare?: (store: Store<State>) => Promise<unknown>;
  readonly before: readonly string[];
  readonly run: (store: Store<State>) => Promise<unknown>;
  readonly done: readonly string[];
}

const change: Commit = { what: 'a change', before: [A], run: (store) => store.update(putItem(B)), done: [A, B] };

const concurrentChange: Commit = {
  what: 'a change while the data file is written',
  prepare: (store) => store.update(putItem(B)),
  before: [A, B],
  run(store) {
    store.flush().catch(() => {});
    return store.update(putItem(D));
  },
  done: [A, B, D],
};

const reset: Commit = { what: 'a reset', before: [A], run: (store) => store.reset(), done: [] };

const commits = [change, concurrentChange, reset];

/** Runs an action, and then writes the data file, while the disk fails. */
async function runAndFlush({ run }: Commit, store: Store<State>): Promise<void> {
  try {
    await run(store);
  } finally {
    await store.flush().catch(() => {});
  }
}

/** The data file before a start of the store, and the added products in its cart. */
const starts: readonly { readonly what: string; readonly before?: readonly string[]; readonly name?: string }[] = [
  { what: 'a file', before: [A] },
  { what: 'no file' },
  { what: 'no folder', name: 'shop/db.json' },
];

/** The text that another program writes to the data file. */
const EDIT = createDataText([A, EDITED]);

/** Whether the file system supports hard links. */
export interface Setting {
  readonly links: boolean;
}

/**
 * Defines tests for data consistency. During an action, the tests let a step of the disk fail, kill the process, or edit the data file from another program.
 */
export function testDiskFaults({ links }: Setting): void {
  it.each(commits)('completes $what or changes nothing if any single step fails', async (commit) => {
    for (const plan of singleFaults(await getSteps(commit))) await expectDoneOrUndone(commit, plan);
  });

  it.each([change, concurrentChange])('completes or rejects $what if any two steps fail', async (commit) => {
    for (const plan of twoFaults(await getSteps(commit))) await expectDoneOrUndone(commit, plan, commit.done);
  });

  it.each([change, concurrentChange])(
    'completes or rejects $what if all steps from any step on fail',
    async (commit) => {
      for (const plan of lastingFaults(await getSteps(commit))) await expectDoneOrUndone(commit, plan, commit.done);
    },
  );

  it.each(commits)('stores $what completely or not at all if the program is killed at any step', async (commit) => {
    for (const { label, plan } of crashPlans(await getSteps(commit))) {
      const { file, disk, store } = await opened(commit);
      disk.begin(plan);
      const [{ status }] = await Promise.allSettled([runAndFlush(commit, store)]);
      disk.end();
      await store.close();
      const cart = getAddedProducts(await readStoredState(file.path));
      expect.soft(status === 'fulfilled' ? [commit.done] : [commit.before, commit.done], label).toContainEqual(cart);
      await expectFreshStart(file, cart, label);
    }
  });

  it.each(starts)('starts with $what or changes nothing if any single step fails', async (start) => {
    for (const { label, plan } of singleFaults((await started(start)).steps)) {
      const { file, disk, answer } = await started(start, plan);
      expect.soft(disk.openDescriptors.size, `${label}: left open`).toBe(0);
      expect.soft(disk.misuse, label).toEqual([]);
      const cart = start.before ?? [];
      if (answer.status === 'rejected') {
        expect.soft(isDataFileError(answer.reason), label).toBe(true);
        expect.soft(await file.cart(), label).toEqual(start.before);
        await expectFreshStart(file, cart, label);
      } else {
        expect.soft(await file.cart(), label).toEqual(cart);
        await expectToGoOn(answer.value.store, file, cart, label);
      }
    }
  });

  it.each(starts)('starts with $what after a start that was killed at any step', async (start) => {
    for (const { label, plan } of crashPlans((await started(start)).steps)) {
      const { file, answer } = await started(start, plan);
      if (answer.status === 'fulfilled') await answer.value.store.close();
      await expectFreshStart(file, start.before ?? [], label);
    }
  });

  const failures = ['nothing', 'rename', 'open'] as const;
  const editings = failures.flatMap((failing) => externalEdits.map((edit) => ({ ...edit, failing })));
  it.each(editings)(
    'serves an edit $how before any step, or saves it to a conflict file, with the failure: $failing',
    async (editing) => {
      const places = (await getSteps(change)).map((_, index) => index + 1);
      await Promise.all(places.map((place) => expectEditKept(editing, place)));
    },
  );

  async function expectEditKept({ how, edit, failing }: (typeof editings)[number], place: number) {
    const { file, disk, store } = await opened();
    const met = { edit: false, exception: false };
    const failure = failing === 'nothing' ? undefined : createFailurePlan(failing);
    disk.begin((step) => {
      if (step.number === place) {
        edit(file.path, EDIT);
        // No system call can prevent the loss of an edit at this moment. README.md documents it.
        met.exception = how === 'by a rename' && step.name === 'rename' && (step.last === 'link' || !links);
        met.edit = true;
      }
      return failure?.(step);
    });
    const answer = await runAndFlush(change, store).then(
      () => 'done',
      (reason) => reason.name,
    );
    const label = `before ${place} ${disk.end()[place - 1]}`;
    await settlePendingWork();
    await store.loadEdits();
    await store.flush();
    const served = getAddedProducts(store.read().state);
    const conflicts = await file.conflicts();
    expect.soft(['done', 'StoreUnavailableError'], label).toContain(answer);
    expect.soft(await file.cart(), label).toEqual(served);
    const isKept = served.includes(EDITED) || conflicts.includes(EDIT) || met.exception;
    expect.soft(isKept, `${label}: kept`).toBe(met.edit);
    await store.close();
    await expectFreshStart(file, served, label, conflicts);
  }

  /** Opens a store with a data file whose cart contains product A. */
  async function opened({ prepare }: Pick<Commit, 'prepare'> = {}) {
    const file = await createCartFile([A]);
    const disk = createFaultyDisk({ links });
    const { store } = await openTestState({ data: file.path, disk });
    await prepare?.(store);
    return { file, disk, store };
  }

  async function getSteps(commit: Commit): Promise<readonly StepName[]> {
    const { disk, store } = await opened(commit);
    disk.begin();
    await runAndFlush(commit, store);
    return disk.end();
  }

  async function started({ before, name }: (typeof starts)[number], plan?: Plan) {
    const file = await createCartFile(before, name);
    const disk = createFaultyDisk({ links });
    disk.begin(plan);
    const [answer] = await Promise.allSettled([openTestState({ data: file.path, disk })]);
    return { file, disk, answer, steps: disk.end() };
  }

  /**
   * Expects that an action has either succeeded completely or changed nothing. `orElse`: another cart that the file can contain after a failed action, if
   * the change could not be rolled back.
   */
  async function expectDoneOrUndone(commit: Commit, { label, plan }: NamedPlan, orElse = commit.before) {
    const { file, disk, store } = await opened(commit);
    const before = store.read();
    disk.begin(plan);
    const [answer] = await Promise.allSettled([runAndFlush(commit, store)]);
    disk.end();
    const isDone = answer.status === 'fulfilled';
    const shown = isDone ? commit.done : commit.before;
    // A client gets a 503 response for both errors. The second error is that a reset can't read the default data.
    if (!isDone)
      expect.soft(['StoreUnavailableError', 'UserError'], `${label}: ${answer.reason}`).toContain(answer.reason.name);
    const stored = getAddedProducts(await readStoredState(file.path));
    expect.soft(isDone ? [commit.done] : [commit.before, orElse], label).toContainEqual(stored);
    expect.soft(await file.mode(), `${label}: mode`).toBe(CART_FILE_MODE);
    await settlePendingWork();
    await store.loadEdits();
    expect.soft(getAddedProducts(store.read().state), label).toEqual(shown);
    if (!isDone) expect.soft(store.read(), label).toBe(before);
    await expectToGoOn(store, file, shown, label);
    expect.soft(disk.openDescriptors.size, `${label}: left open`).toBe(0);
    expect.soft(disk.misuse, label).toEqual([]);
  }

  /** Expects that the next change succeeds, and that the store can be opened again with all changes. */
  async function expectToGoOn(store: Store<State>, file: CartFile, cart: readonly string[], label: string) {
    const answer = await store.update(putItem(C)).catch(String);
    expect.soft(answer, `${label}: next change`).toBe(C);
    const next = answer === C ? [...cart, C] : cart;
    expect.soft(getAddedProducts(await readStoredState(file.path)), `${label}: next change`).toEqual(next);
    await store.close();
    await expectFreshStart(file, next, label);
  }

  async function expectFreshStart(file: CartFile, cart: readonly string[], label: string, conflicts: unknown = []) {
    const { store } = await openTestState({ data: file.path });
    await store.close();
    expect.soft(getAddedProducts(store.read().state), `${label}: next start`).toEqual(cart);
    expect.soft(await file.cart(), `${label}: next start`).toEqual(cart);
    expect.soft(await file.conflicts(), `${label}: kept`).toEqual(conflicts);
    const others = (await file.names()).filter((name) => !name.startsWith('db.json.conflict-'));
    expect.soft(others, `${label}: left`).toEqual(['db.json']);
  }
}
