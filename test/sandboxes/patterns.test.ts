import { describe, expect, it } from 'vitest';
import { matcher, PatternFault } from '../../src/sandboxes/patterns.ts';

describe('a regular expression of a condition', () => {
  it.each<readonly [source: string, text: string, isMatched: boolean]>([
    ['^w\\d$', 'w3', true],
    ['^w\\d$', 'w33', false],
    ['(ab)+c', 'xababc', true],
    ['(a|b)*$', 'abc', true],
    ['^(a|b)*$', 'abc', false],
    ['(.)\\1', 'abba', true],
    ['^a*b*$', 'aab', true],
    ['^a*b*$', 'aba', false],
    ['^\\p{Lu}', 'Ärger', true],
  ])('%s on %s: %s', (source, text, isMatched) => expect(matcher(source)(text)).toBe(isMatched));

  it('is given up where it backtracks without end, and is not tried again', () => {
    const isMatched = matcher('^(a+)+$');
    expect(isMatched('aaa')).toBe(true);
    expect(() => isMatched(`${'a'.repeat(60)}!`)).toThrow(PatternFault);
    expect(() => isMatched('aaa')).toThrow('^(a+)+$ takes over 250 ms');
  });
});
