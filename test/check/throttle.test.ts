import { describe, expect, it } from 'vitest';
import { MAX_WAIT_MS, Throttle } from '../../src/check/client.ts';
import { createNotCheckedError, createStopSignal } from '../../src/check/exchange.ts';

describe('Throttle', () => {
  it('delays requests for the seconds of Retry-After', async () => {
    const throttle = new Throttle(undefined);
    const sentMs = await throttle.waitForTurn();
    throttle.slowDown(sentMs, { 'retry-after': '1' });
    expect((await throttle.waitForTurn()) - sentMs).toBeGreaterThanOrEqual(1_000);
  });

  it.each([
    ['seconds', { 'retry-after': String(MAX_WAIT_MS / 1_000 + 1) }],
    ['a date', { 'retry-after': 'Sun, 01 Jun 2025 13:00:00 GMT', date: 'Sun, 01 Jun 2025 12:00:00 GMT' }],
  ])('knows that the time in Retry-After is longer than a minute: %s', (_, headers) => {
    const throttle = new Throttle(undefined);
    throttle.slowDown(0, headers);
    expect(throttle.waitMs).toBeGreaterThan(MAX_WAIT_MS);
  });

  it('stops waiting when the check is stopped', async () => {
    const controller = new AbortController();
    const throttle = new Throttle(controller.signal);
    throttle.slowDown(await throttle.waitForTurn(), { 'retry-after': '60' });
    const waiting = throttle.waitForTurn();
    controller.abort();
    await expect(waiting).rejects.toThrow();
  });
});

describe('createStopSignal', () => {
  it('aborts after the time limit', async () => {
    const signal = createStopSignal(0.001, new AbortController().signal);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(signal.reason.message).toBe('the time limit is reached (--max-time 0.001)');
  });

  it('aborts on an interrupt, before or during the check', () => {
    const interrupt = new AbortController();
    const signal = createStopSignal(undefined, interrupt.signal);
    expect(signal.aborted).toBe(false);
    interrupt.abort();
    expect(createNotCheckedError('http://localhost', signal).message).toBe(
      'http://localhost was not checked: the check was interrupted',
    );
    expect(createStopSignal(undefined, interrupt.signal).aborted).toBe(true);
  });
});
