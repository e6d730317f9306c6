import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseFault } from '../../src/faults/fault.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { State } from '../../src/shop/state.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { PRODUCT_IDS, putItem } from '../support/fixtures/states.ts';
import { createTestRegistry, HOUR_MS, listIds } from '../support/harness/registry.ts';
import { NOW_MS } from '../support/harness/start-storefront.ts';

/** Replaces the timers with fake ones until the test ends. */
function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

const follower = { onRecord() {}, onEnd() {} };

describe('an unused sandbox', () => {
  it('expires after an hour and logs it, unless it is the default sandbox', async () => {
    useFakeTimers();
    const { sandboxes, logLines, pass } = createTestRegistry();
    await sandboxes.get('w1');
    pass(HOUR_MS / 2);
    await sandboxes.get('w2');
    await sandboxes.get('default');
    pass(HOUR_MS / 2 - 60_000);
    expect(listIds(sandboxes)).toEqual(['default', 'w1', 'w2']);
    pass(120_000);
    expect(listIds(sandboxes)).toEqual(['default', 'w2']);
    expect(logLines.filter((line) => line.startsWith('removed sandbox'))).toEqual([expect.stringContaining('w1')]);
    pass(24 * HOUR_MS);
    expect(listIds(sandboxes)).toEqual(['default']);
  });

  it('expires after exactly an hour, however rarely the server checks', async () => {
    const { sandboxes, pass } = createTestRegistry();
    const first = await sandboxes.get('w1');
    pass(HOUR_MS - 1);
    expect(await sandboxes.get('w1')).toBe(first);
    pass(HOUR_MS);
    expect(sandboxes.find('w1')).toBeUndefined();
    expect(await sandboxes.get('w1')).not.toBe(first);
  });

  it.each<[use: string, by: (sandboxes: ReturnType<typeof createTestRegistry>['sandboxes']) => unknown]>([
    ['requests of the shop', (sandboxes) => sandboxes.get('w1')],
    ['reads through the control API', (sandboxes) => sandboxes.find('w1')],
  ])('does not expire while it receives %s', async (_, use) => {
    useFakeTimers();
    const { sandboxes, pass } = createTestRegistry();
    const created = await sandboxes.get('w1');
    await sandboxes.get('w2');
    for (let round = 1; round <= 4; round++) {
      pass(HOUR_MS / 2);
      await use(sandboxes);
    }
    expect(listIds(sandboxes)).toEqual(['default', 'w1']);
    expect(await sandboxes.get('w1')).toBe(created);
  });

  it('does not expire while a client follows its journal', async () => {
    useFakeTimers();
    const { sandboxes, pass } = createTestRegistry();
    const { journal } = await sandboxes.get('w1');
    const stop = journal.follow(follower);
    pass(3 * HOUR_MS);
    expect(listIds(sandboxes)).toEqual(['default', 'w1']);
    stop();
    pass(HOUR_MS + 60_000);
    expect(listIds(sandboxes)).toEqual(['default']);
  });

  it('expires an hour after the last follower leaves, even if the server has not checked meanwhile', async () => {
    const { sandboxes, pass } = createTestRegistry();
    const stop = (await sandboxes.get('w1')).journal.follow(follower);
    pass(HOUR_MS - 60_000);
    stop();
    pass(HOUR_MS - 1);
    expect(sandboxes.idleMs('w1')).toBe(HOUR_MS - 1);
    expect(listIds(sandboxes)).toEqual(['default', 'w1']);
    stop();
    pass(1);
    expect(listIds(sandboxes)).toEqual(['default']);
  });

  it('is not considered used when a follower of a removed sandbox with the same id leaves', async () => {
    const { sandboxes, pass } = createTestRegistry();
    const stop = (await sandboxes.get('w1')).journal.follow(follower);
    await sandboxes.remove('w1');
    await sandboxes.get('w1');
    pass(1_000);
    stop();
    expect(sandboxes.idleMs('w1')).toBe(1_000);
  });

  it('does not expire while it handles a request', async () => {
    useFakeTimers();
    const { sandboxes, pass } = createTestRegistry();
    await sandboxes.get('w1');
    const { leave } = await sandboxes.use('w1');
    pass(3 * HOUR_MS);
    expect(listIds(sandboxes)).toEqual(['default', 'w1']);
    leave();
    pass(HOUR_MS - 60_000);
    expect(listIds(sandboxes)).toEqual(['default', 'w1']);
    pass(120_000);
    expect(listIds(sandboxes)).toEqual(['default']);
  });

  it('is listed before those used later, with its idle time', async () => {
    const { sandboxes, pass } = createTestRegistry();
    for (const id of ['a', 'b', 'c']) await sandboxes.get(id);
    pass(1_000);
    await sandboxes.get('a');
    pass(500);
    expect(listIds(sandboxes)).toEqual(['default', 'b', 'c', 'a']);
    expect(['default', 'b', 'a'].map((id) => sandboxes.idleMs(id))).toEqual([0, 1_500, 500]);
  });
});

describe('the expiry time of a sandbox', () => {
  it('is known until another sandbox has the same id', async () => {
    const { sandboxes, pass } = createTestRegistry();
    await sandboxes.get('w1');
    expect(sandboxes.expiredAtMs('w1')).toBeUndefined();
    pass(HOUR_MS);
    expect(sandboxes.expiredAtMs('w1')).toBe(NOW_MS + HOUR_MS);
    await sandboxes.get('w1');
    expect(sandboxes.expiredAtMs('w1')).toBeUndefined();
  });

  it('is not stored for a sandbox that a client removed', async () => {
    const { sandboxes } = createTestRegistry();
    await sandboxes.get('w1');
    await sandboxes.remove('w1');
    expect(sandboxes.expiredAtMs('w1')).toBeUndefined();
  });

  it('is stored for the last 10,000 sandboxes', async () => {
    const { sandboxes, pass } = createTestRegistry();
    for (let n = 0; n < 10_000; n++) await sandboxes.get(`a${n}`);
    pass(HOUR_MS);
    await sandboxes.get('last');
    pass(HOUR_MS);
    expect(sandboxes.expiredAtMs('last')).toBeDefined();
    expect(sandboxes.expiredAtMs('a0')).toBeUndefined();
    expect(sandboxes.expiredAtMs('a1')).toBeDefined();
  });
});

describe('a sandbox that was written to', () => {
  const [id] = PRODUCT_IDS as [string];
  it.each<[what: string, write: (sandbox: Sandbox<State>) => unknown]>([
    ['a change of its state', ({ store }) => store.update(putItem(id))],
    ['a reset', ({ store }) => store.reset()],
    ['a change of its clock', ({ clock }) => clock.set({ isFrozen: true })],
    ['an advance of its clock', ({ clock }) => clock.advance(1)],
    ['a seed for its ids', ({ idGenerator }) => idGenerator.setSeed(1)],
    ['a new fault', ({ faults }) => faults.add(parseFault({ delay: 1 }))],
    ['a new snapshot', ({ snapshots, store }) => snapshots.set('s', store.read().state)],
  ])('is not removed to make room for others after %s', async (_, write) => {
    const { sandboxes } = createTestRegistry({ maxSandboxes: 3 });
    await write(await sandboxes.get('written'));
    for (let n = 0; n < 5; n++) await sandboxes.get(`w${n}`);
    expect(listIds(sandboxes)).toEqual(['default', 'written', 'w3', 'w4']);
  });

  it('is not removed to make room for others if the control API created it', async () => {
    const { sandboxes } = createTestRegistry({ maxSandboxes: 3 });
    await sandboxes.create('made', { ...defaults });
    for (let n = 0; n < 5; n++) await sandboxes.get(`w${n}`);
    expect(listIds(sandboxes)).toEqual(['default', 'made', 'w3', 'w4']);
  });
});
