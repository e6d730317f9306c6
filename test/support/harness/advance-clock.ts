import { onTestFinished, vi } from 'vitest';

/**
 * Advances `performance.now()` by 1 ms each time it is read, so that work in slices of a few milliseconds has the same number of slices on any machine. Returns
 * a function that restores the clock. The end of the test restores it too.
 */
export function advanceClockByReads(): () => void {
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs++);
  const restore = () => clock.mockRestore();
  onTestFinished(restore);
  return restore;
}
