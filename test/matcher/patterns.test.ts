import { describe, expect, it } from 'vitest';
import { compilePattern, createGlob } from '../../src/matcher/patterns.ts';

const isMatch = (source: string, text: string) => {
  const pattern = compilePattern(source);
  if ('problem' in pattern) throw new Error(pattern.problem);
  return pattern.isMatch(text);
};

const issueWith = (problem: RegExp) => expect.objectContaining({ problem: expect.stringMatching(problem) });

describe('a regular expression', () => {
  it.each<readonly [source: string, text: string, matches: boolean]>([
    ['^w\\d$', 'w3', true],
    ['^w\\d$', 'w33', false],
    ['(ab)+c', 'xababc', true],
    ['(a|b)*$', 'abc', true],
    ['^(a|b)*$', 'abc', false],
    ['^a*b*$', 'aab', true],
    ['^a*b*$', 'aba', false],
    ['^\\p{Lu}', 'Ärger', true],
    ['^.$', '\u{1F600}', true],
    ['^\\x{41}\\x{1F600}$', 'A\u{1F600}', true],
    ['(?<year>\\d{4})/', '2025/06', true],
    ['^\\/api\\/', '/api/orders', true],
    ['(?i)KETTLE', 'kettle', true],
    ['', '', true],
  ])('is evaluated correctly: %s on %s is %s', (source, text, matches) => expect(isMatch(source, text)).toBe(matches));

  it.each<readonly [source: string, text: string, matches: boolean]>([
    ['^(a+)+$', `${'a'.repeat(60_000)}!`, false],
    [`${'(a|a)'.repeat(26)}b`, 'a'.repeat(40), false],
    ['^.{0,999}.{0,999}.{0,999}.{0,999}!$', 'a'.repeat(1_000), false],
    ['x*y', 'x'.repeat(60_000), false],
    ['(x+x+)+y', 'x'.repeat(60_000), false],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(60_000), false],
    ['(.*)*(.*)*(.*)*[^a]$', 'a'.repeat(60_000), false],
    ['^((a{0,20}){0,20})*b$', 'a'.repeat(60_000), false],
  ])('is evaluated in linear time where backtracking would not end: %s', (source, text, matches) => {
    expect(isMatch(source, text)).toBe(matches);
  });

  it.each(['(?=a)', '(?!a)b', '(?<=a)b', '(?<!a)b', '(.)\\1', '(?<x>a)\\k<x>'])(
    'is rejected with the reason if it has lookaround or a backreference: %s',
    (source) => {
      expect(compilePattern(source)).toEqual(issueWith(/^uses lookaround or a backreference, which are not supported/));
    },
  );

  it.each([
    ['(', /missing closing \)/],
    ['[', /missing closing \]/],
    ['a{2,1}', /invalid repeat count/],
    ['((a{0,100}){0,100}){0,100}', /repetitions, such as/],
    ['(a{1,1000}){1,1000}', /repetitions, such as/],
    ['a'.repeat(1_001), /more than 1000 characters/],
  ])('is rejected with the reason if it cannot be compiled: %s', (source, reason) => {
    expect(compilePattern(source)).toEqual(issueWith(reason));
  });
});

describe('a glob', () => {
  it('is matched in time that grows linearly with the length of pattern and text', () => {
    const half = 'a'.repeat(300_000);
    const text = half + half + half;
    expect(createGlob(`*${half}b${half}*`)(text)).toBe(false);
    expect(createGlob(`*${half}*${half}*`)(text)).toBe(true);
  });

  it.each<readonly [glob: string, text: string, matches: boolean]>([
    ['*abab*', 'abacababc', true],
    ['*aab*', 'aaab', true],
    ['*aa*aa*', 'aaa', false],
    ['*aa*aa*', 'aaaa', true],
    ['a**b', 'ab', true],
    ['**', '', true],
    ['*é\u{1F600}*', 'aé\u{1F600}b', true],
  ])('is evaluated correctly: %s on %s is %s', (glob, text, matches) => expect(createGlob(glob)(text)).toBe(matches));
});
