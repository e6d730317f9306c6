import { expect, it } from 'vitest';
import { MemoryKeys, ResponseMemory } from '../../src/sandbox/idempotency/idempotency-keys.ts';

const HOUR_MS = 3_600_000;
const MEGABYTE = 1024 * 1024;

/** Creates the keys of a server, a clock, and functions that handle a request with a key. */
function createKeys() {
  const clock = { ms: 0 };
  const memory = new ResponseMemory(() => clock.ms);
  const handle = async (keys: MemoryKeys, key: string, content = '') => {
    const result = await keys.claim(key, 'fingerprint');
    if (result.kind === 'claimed') await result.claim.complete({ status: 200, headers: {}, content });
    return result.kind;
  };
  return { clock, newKeys: () => new MemoryKeys(memory), handle };
}

it('a response is stored for an hour', async () => {
  const { clock, newKeys, handle } = createKeys();
  const keys = newKeys();
  await handle(keys, 'a');
  clock.ms = HOUR_MS - 1;
  expect(await handle(keys, 'a')).toBe('stored');
  clock.ms = HOUR_MS;
  expect(await handle(keys, 'a')).toBe('claimed');
});

it('the oldest responses of all sandboxes are removed when there are more than 10,000', async () => {
  const { newKeys, handle } = createKeys();
  const [first, second] = [newKeys(), newKeys()];
  await handle(first, 'a');
  await handle(first, 'b');
  for (let count = 0; count < 9_999; count++) await handle(second, `${count}`);
  expect([await handle(first, 'b'), await handle(first, 'a')]).toEqual(['stored', 'claimed']);
});

it('the oldest responses are removed when they need more than 16 MB', async () => {
  const { newKeys, handle } = createKeys();
  const keys = newKeys();
  for (const key of ['a', 'b', 'c']) await handle(keys, key, 'x'.repeat(7 * MEGABYTE));
  expect([await handle(keys, 'b'), await handle(keys, 'c')]).toEqual(['stored', 'stored']);
  expect(await handle(keys, 'd', 'x'.repeat(17 * MEGABYTE))).toBe('claimed');
  expect(await handle(keys, 'd')).toBe('claimed');
});

it('a key that is claimed after the state was replaced is not cleared', async () => {
  const { newKeys, handle } = createKeys();
  const keys = newKeys();
  await handle(keys, 'a');
  await keys.clearWith(async (onApply) => {
    onApply();
    await handle(keys, 'b');
  });
  expect([await handle(keys, 'a'), await handle(keys, 'b')]).toEqual(['claimed', 'stored']);
});

it('a cleared key frees its memory, and the request in progress stores no response', async () => {
  const { newKeys, handle } = createKeys();
  const keys = newKeys();
  for (let round = 0; round < 5; round++) {
    await handle(keys, 'a', 'x'.repeat(7 * MEGABYTE));
    await keys.clearWith(async (onApply) => onApply());
  }
  await handle(keys, 'b');
  await handle(keys, 'c', 'x'.repeat(15 * MEGABYTE));
  expect(await handle(keys, 'b')).toBe('stored');
  const old = await keys.claim('d', 'fingerprint');
  await keys.clearWith(async (onApply) => onApply());
  const latest = await keys.claim('d', 'fingerprint');
  if (old.kind !== 'claimed' || latest.kind !== 'claimed') throw new Error('the key is not free');
  await old.claim.complete({ status: 500, headers: {}, content: undefined });
  expect((await keys.claim('d', 'fingerprint')).kind).toBe('in-progress');
  await latest.claim.release();
  expect((await keys.claim('d', 'other')).kind).toBe('claimed');
});
