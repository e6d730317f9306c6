import { describe, expect, it } from 'vitest';
import { truncateText } from '../../src/sandbox/journal/recorded-request.ts';

const KEPT_BYTES = 4096;

describe('truncateText', () => {
  it.each<readonly [about: string, text: string, kept: string]>([
    ['an empty text', '', ''],
    ['a short text', 'abc', 'abc'],
    ['4,096 bytes', 'a'.repeat(4096), 'a'.repeat(4096)],
    ['one byte more', 'a'.repeat(4097), 'a'.repeat(4096)],
    ['characters of two bytes', 'é'.repeat(2048), 'é'.repeat(2048)],
    ['a character of two bytes across the limit', `a${'é'.repeat(2048)}`, `a${'é'.repeat(2047)}`],
    ['a character of three bytes across the limit', '€'.repeat(1366), '€'.repeat(1365)],
    ['a character of four bytes across the limit', `a${'😀'.repeat(1024)}`, `a${'😀'.repeat(1023)}`],
    ['a surrogate pair across the limit', `${'a'.repeat(4095)}😀`, 'a'.repeat(4095)],
    ['a surrogate pair just within the limit', `${'a'.repeat(4092)}😀`, `${'a'.repeat(4092)}😀`],
    ['a surrogate pair just within the limit, and more text', `${'a'.repeat(4092)}😀b`, `${'a'.repeat(4092)}😀`],
  ])('returns the first 4 kB in whole characters: %s', (_, text, kept) => {
    expect(truncateText(text)).toBe(kept);
  });

  it('returns as many whole characters as fit, at each position of the limit', () => {
    for (const character of ['a', 'é', '€', '😀']) {
      for (let before = 4080; before <= 4100; before++) {
        const text = 'a'.repeat(before) + character.repeat(10);
        const beginning = truncateText(text);
        const bytes = Buffer.byteLength(beginning);
        expect(text.startsWith(beginning)).toBe(true);
        expect(bytes).toBeLessThanOrEqual(KEPT_BYTES);
        if (beginning !== text) expect(bytes).toBeGreaterThan(KEPT_BYTES - Buffer.byteLength(character));
      }
    }
  });
});
