import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseFault } from '../../src/sandbox/faults/parse-fault.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { defaults } from '../support/fixtures/default-data.ts';
import { PRODUCT_IDS, putting } from '../support/fixtures/states.ts';
import { HOUR_MS, idsOf, sandboxesWith } from '../support/harness/registry.ts';
import { NOW_MS } from '../support/harness/start-storefront.ts';

/** Has the timers be the test's until it ends. */
function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

const follower = { tell() {}, end() {} };

describe('an unused sandbox', () => {
  it('expires after an hour, which the log tells; the default sandbox never does', () => {
    holdTimers();
    const { sandboxes, told, pass } = sandboxesWith();
    sandboxes.get('w1');
    pass(HOUR_MS / 2);
    sandboxes.get('w2');
    sandboxes.get('default');
    pass(HOUR_MS / 2 - 60_000);
    expect(idsOf(sandboxes)).toEqual(['default', 'w1', 'w2']);
    pass(120_000);
    expect(idsOf(sandboxes)).toEqual(['default', 'w2']);
    expect(told.filter((line) => line.includes('gone'))).toEqual([expect.stringContaining('w1')]);
    pass(24 * HOUR_MS);
    expect(idsOf(sandboxes)).toEqual(['default']);
  });

  it('is gone after exactly an hour, however rarely the server looks', () => {
    const { sandboxes, pass } = sandboxesWith();
    const first = sandboxes.get('w1');
    pass(HOUR_MS - 1);
    expect(sandboxes.get('w1')).toBe(first);
    pass(HOUR_MS);
    expect(sandboxes.find('w1')).toBeUndefined();
    expect(sandboxes.get('w1')).not.toBe(first);
  });

  it.each<[use: string, by: (sandboxes: ReturnType<typeof sandboxesWith>['sandboxes']) => unknown]>([
    ['requests of the shop', (sandboxes) => sandboxes.get('w1')],
    ['reads through the control API', (sandboxes) => sandboxes.find('w1')],
  ])('is kept by %s', (_, use) => {
    holdTimers();
    const { sandboxes, pass } = sandboxesWith();
    const created = sandboxes.get('w1');
    sandboxes.get('w2');
    for (let round = 1; round <= 4; round++) {
      pass(HOUR_MS / 2);
      use(sandboxes);
    }
    expect(idsOf(sandboxes)).toEqual(['default', 'w1']);
    expect(sandboxes.get('w1')).toBe(created);
  });

  it('is kept as long as somebody follows its journal', () => {
    holdTimers();
    const { sandboxes, pass } = sandboxesWith();
    const { journal } = sandboxes.get('w1');
    const stop = journal.follow(follower);
    pass(3 * HOUR_MS);
    expect(idsOf(sandboxes)).toEqual(['default', 'w1']);
    stop();
    pass(HOUR_MS + 60_000);
    expect(idsOf(sandboxes)).toEqual(['default']);
  });

  it('is kept for an hour after a follower leaves, also where the server has not looked meanwhile', () => {
    const { sandboxes, pass } = sandboxesWith();
    const stop = sandboxes.get('w1').journal.follow(follower);
    pass(HOUR_MS - 60_000);
    stop();
    pass(HOUR_MS - 1);
    expect(sandboxes.idleMs('w1')).toBe(HOUR_MS - 1);
    expect(idsOf(sandboxes)).toEqual(['default', 'w1']);
    stop();
    pass(1);
    expect(idsOf(sandboxes)).toEqual(['default']);
  });

  it('is not used by a follower who leaves when another sandbox has its id', () => {
    const { sandboxes, pass } = sandboxesWith();
    const stop = sandboxes.get('w1').journal.follow(follower);
    sandboxes.remove('w1');
    sandboxes.get('w1');
    pass(1_000);
    stop();
    expect(sandboxes.idleMs('w1')).toBe(1_000);
  });

  it('is kept while a request is handled in it', async () => {
    holdTimers();
    const { sandboxes, pass } = sandboxesWith();
    let finish = () => {};
    const handled = sandboxes.use('w1', () => new Promise<void>((resolve) => (finish = resolve)));
    pass(3 * HOUR_MS);
    expect(idsOf(sandboxes)).toEqual(['default', 'w1']);
    finish();
    await handled;
    pass(HOUR_MS - 60_000);
    expect(idsOf(sandboxes)).toEqual(['default', 'w1']);
    pass(120_000);
    expect(idsOf(sandboxes)).toEqual(['default']);
  });

  it('is listed before those used later, with how long it is unused', () => {
    const { sandboxes, pass } = sandboxesWith();
    for (const id of ['a', 'b', 'c']) sandboxes.get(id);
    pass(1_000);
    sandboxes.get('a');
    pass(500);
    expect(idsOf(sandboxes)).toEqual(['default', 'b', 'c', 'a']);
    expect(['default', 'b', 'a'].map((id) => sandboxes.idleMs(id))).toEqual([0, 1_500, 500]);
  });
});

describe('the time at which a sandbox expired', () => {
  it('is known until another sandbox has its id', () => {
    const { sandboxes, pass } = sandboxesWith();
    sandboxes.get('w1');
    expect(sandboxes.expiredAtMs('w1')).toBeUndefined();
    pass(HOUR_MS);
    expect(sandboxes.expiredAtMs('w1')).toBe(NOW_MS + HOUR_MS);
    sandboxes.get('w1');
    expect(sandboxes.expiredAtMs('w1')).toBeUndefined();
  });

  it('is not kept of a sandbox that a client removed', () => {
    const { sandboxes } = sandboxesWith();
    sandboxes.get('w1');
    sandboxes.remove('w1');
    expect(sandboxes.expiredAtMs('w1')).toBeUndefined();
  });

  it('is kept of the last 10,000 sandboxes', () => {
    const { sandboxes, pass } = sandboxesWith();
    for (let n = 0; n < 10_000; n++) sandboxes.get(`a${n}`);
    pass(HOUR_MS);
    sandboxes.get('last');
    pass(HOUR_MS);
    expect(sandboxes.expiredAtMs('last')).toBeDefined();
    expect(sandboxes.expiredAtMs('a0')).toBeUndefined();
    expect(sandboxes.expiredAtMs('a1')).toBeDefined();
  });
});

describe('a sandbox that was written to', () => {
  const [id] = PRODUCT_IDS as [string];
  it.each<[what: string, write: (sandbox: Sandbox) => unknown]>([
    ['its state changed', ({ store }) => store.update(putting(id))],
    ['it was reset', ({ store }) => store.reset()],
    ['its clock was set', ({ clock }) => clock.set({ isFrozen: true })],
    ['its clock was advanced', ({ clock }) => clock.advance(1)],
    ['its ids got a seed', ({ ids }) => ids.use(1)],
    ['a fault was added', ({ faults }) => faults.add(parseFault({ delay: 1 }))],
    ['a snapshot was saved', ({ snapshots, store }) => snapshots.set('s', store.read().state)],
  ])('is not removed to make room for others: %s', async (_, write) => {
    const { sandboxes } = sandboxesWith({ most: 3 });
    await write(sandboxes.get('written'));
    for (let n = 0; n < 5; n++) sandboxes.get(`w${n}`);
    expect(idsOf(sandboxes)).toEqual(['default', 'written', 'w3', 'w4']);
  });

  it('counts as such where the control API created it', () => {
    const { sandboxes } = sandboxesWith({ most: 3 });
    sandboxes.make('made', { ...defaults });
    for (let n = 0; n < 5; n++) sandboxes.get(`w${n}`);
    expect(idsOf(sandboxes)).toEqual(['default', 'made', 'w3', 'w4']);
  });
});
