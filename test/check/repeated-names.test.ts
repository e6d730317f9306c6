import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRepeatedName } from '../../src/check/ambiguity.ts';

const REPEATED: readonly [json: string, name: string][] = [
  ['{"a":1,"a":1}', 'a'],
  ['{"a":1,"b":{"c":[{"d":1,"d":2}]}}', 'd'],
  ['{"\\u0061":1,"a":2}', 'a'],
  ['{"say \\"a\\"":1, "say \\"a\\"" : 2}', 'say "a"'],
  ['{"a":{"b":1},"c":"{\\"b\\":1}","a":[]}', 'a'],
  ['{"":1,"":2}', ''],
];

const UNIQUE = [
  '',
  '{}',
  '1e400',
  '"a:a:{a"',
  '{"a":"a","b":"a"}',
  '[{"a":1},{"a":1}]',
  '{"a":{"a":{"a":1}},"b":{"a":1}}',
  '{"a":":","b":"\\":\\\\"}',
];

describe('repeatedName', () => {
  it.each(REPEATED)('finds the name that an object has twice in %s', (json, name) => {
    expect(findRepeatedName(json)).toBe(name);
  });

  it.each(UNIQUE)('finds nothing in %s', (json) => {
    expect(findRepeatedName(json)).toBeUndefined();
  });

  it('finds nothing in the output of JSON.stringify for any value', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => findRepeatedName(JSON.stringify(value, null, 1)) === undefined));
  });
});
