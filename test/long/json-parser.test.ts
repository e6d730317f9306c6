import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDuplicateName } from '../../src/store/data-file.ts';
import { JsonParser } from '../../src/store/json-parser.ts';
import { findInexactIntegers } from '../../src/util/limits.ts';
import { runAtOnce } from '../../src/util/slices.ts';
import { tryOrUndefined } from '../../src/util/try-or-undefined.ts';

function parse(text: string | Buffer): unknown {
  return runAtOnce(new JsonParser(Buffer.from(text)).parse());
}

/** Returns what a text means: the data as text, or undefined if it is not valid. */
function parseWhole(text: string): string | undefined {
  return tryOrUndefined(() => {
    const data = JSON.parse(text);
    const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
    return isObject && findDuplicateName(text) === undefined ? JSON.stringify(data) : undefined;
  });
}

function parseInSteps(text: string): string | undefined {
  try {
    return JSON.stringify(parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Objects with names and strings that contain the characters of JSON. */
const anyText = fc.string({
  unit: fc.constantFrom('a', '"', '\\', ':', ',', '{', '}', '[', ']', ' ', '\n', 'é', '\u{1f600}'),
});
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null), anyText),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(anyText, tie('value'), { maxKeys: 4 }),
  ),
}));
const anyState = fc.dictionary(fc.oneof(anyText, fc.constant('__proto__')), fc.oneof(fc.array(anyValue), anyValue));
const anyJson = fc
  .tuple(anyState, fc.constantFrom(undefined, 1, '\t', '\r\n'))
  .map(([state, indentation]) => JSON.stringify(state, null, indentation as string));

describe('the JSON parser', () => {
  it('returns what JSON.parse returns', () => {
    fc.assert(
      fc.property(anyJson, (text) => {
        expect(parseInSteps(text)).toBe(parseWhole(text));
      }),
      { numRuns: 500 },
    );
  });

  it('accepts a damaged text only if JSON.parse accepts it and no name occurs twice', () => {
    const anyDamage = fc.record({
      at: fc.nat(200),
      removed: fc.nat(2),
      added: fc.string({ unit: fc.constantFrom('"', '\\', ':', ',', '{', '}', '[', ']', ' ', '1', 'a'), maxLength: 2 }),
    });
    fc.assert(
      fc.property(anyJson, anyDamage, (text, { at, removed, added }) => {
        const start = at % (text.length + 1);
        // Half of a character with two UTF-16 code units is not in a file.
        const damaged = Buffer.from(text.slice(0, start) + added + text.slice(start + removed)).toString();
        const whole = parseWhole(damaged);
        // An integer that JavaScript can't represent is refused.
        const isExact = whole === undefined || findInexactIntegers(damaged).length === 0;
        expect(parseInSteps(damaged)).toBe(isExact ? whole : undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['a name that occurs twice in an entry', '{"a":[{"b":1},{"b":1,"b":2}]}'],
    ['a name that occurs twice in an inner object', '{"a":[{"b":{"c":1,"\\u0063":2}}]}'],
    ['a name that occurs twice in the state', '{"a":[],"a":[]}'],
    ['a value that is nested too deeply', `{"a":[${'['.repeat(99)}${']'.repeat(99)}]}`],
    ['a list', '[]'],
    ['no text', ''],
    ['bytes that are not UTF-8', Buffer.from('{"a":["\xff"]}', 'latin1')],
  ])('refuses %s', (_what, text) => {
    expect(() => parse(text)).toThrow(SyntaxError);
  });

  it('parses a long list in many steps', () => {
    const state = { entries: Array.from({ length: 20_000 }, (_, id) => ({ id, text: `Entry "${id}": [ü]` })) };
    const steps = new JsonParser(Buffer.from(`\uFEFF${JSON.stringify(state, null, 2)}`)).parse();
    let count = 0;
    let result = steps.next();
    for (; !result.done; result = steps.next()) count++;
    expect(result.value).toEqual(state);
    expect(count).toBeGreaterThan(5);
  });
});
