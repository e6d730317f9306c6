import { expect, it } from 'vitest';
import { formatPercentage } from '../../src/coverage/limits.ts';

it.each<[number, number | undefined, string]>([
  [(4 / 15) * 100, undefined, '26.7 %'],
  [6.25, undefined, '6.3 %'],
  [0, undefined, '0 %'],
  [100, undefined, '100 %'],
  [0.01, undefined, '0.1 %'],
  [99.99, undefined, '99.9 %'],
  [81.99, 82, '81.9 %'],
])('the coverage %d, with the limit %s, is shown as %s', (percentage, limit, text) => {
  expect(formatPercentage(percentage, limit)).toBe(text);
});
