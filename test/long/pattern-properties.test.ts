import { createContext, Script } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { separateSurrogates, toRe2Syntax } from '../../src/openapi/patterns/character-ranges.ts';
import { createNative, createPattern, getMaxTestedLength, parsePattern } from '../../src/openapi/patterns/pattern.ts';
import { loadRe2 } from '../../src/util/load-package.ts';
import { tryOrUndefined } from '../../src/util/try-or-undefined.ts';

/** Parts of patterns. Some are valid only without the Unicode mode. */
const ATOMS =
  String.raw`a b - _ 0 \d \D \w \W \s \S . \. \/ / \n \r \t \v \f \0 \x41 \u0061 \u{1F600} \uD83D\uDE00 \uD83D \uDE00 😀 é
  [abc] [^abc] [a-c0-9] [\d_] [^\s] [\w-] [^] [] [\s\S] [^\W] [\uD800-\uDFFF] [\u{10000}-\u{10FFFF}] [😀-😎] \p{L} \P{L} [\p{Lu}\d]
  \p{Script=Greek} \P{Cs} \b \B ^ $ \cA [\b] \- \_ \a \A \Z [\-x] \$ \u2028 [.-\d] { } ] \07 \8 \ufeff K \u212a () [a--b] [&&]`.split(
    / +|\n */,
  );

/** Only outside of groups: if a group with one of them is repeated, Node's engine can need hours for a text of six characters. */
const LONG_REPETITIONS = ['a{1200}?', 'b{0,1200}'];

const QUANTIFIERS = ['', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,3}', '{2,}', '*?', '+?', '??', '{0}'];

/** Characters on which engines or modes could differ. */
const CHARACTERS = [...String.raw`abcAZ-_057/.xK8{}]&\ 😀😎éαΩ`, '\n', '\r', '\t', '\0', '\x01', '\x85'].concat([
  '\u2028',
  '\u00a0',
  '\ufeff',
  '\u180e',
  '\u212a',
  '\ud83d',
  '\ude00',
]);

const anyPattern = fc.letrec<{ group: string; part: string; pattern: string }>((tie) => ({
  group: fc
    .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), fc.option(tie('pattern'), { nil: undefined }))
    .map(([open, first, second]) => `${open}${first}${second === undefined ? '' : `|${second}`})`),
  part: fc
    .tuple(fc.oneof({ depthSize: 'small' }, fc.constantFrom(...ATOMS), tie('group')), fc.constantFrom(...QUANTIFIERS))
    .map((parts) => parts.join('')),
  pattern: fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
})).pattern;

const anyAnchored = fc
  .tuple(fc.constantFrom('', '^'), anyPattern, fc.constantFrom('', '', ...LONG_REPETITIONS), fc.constantFrom('', '$'))
  .map((parts) => parts.join(''));

const anyText = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 6 }).map((parts) => parts.join(''));

const context = createContext({});
const nativeTest = new Script('pattern.test(text)');

/** Tests a text with Node's engine; undefined if it needs more than 1 s, because some patterns need hours. */
function testWithNative(pattern: RegExp, text: string): boolean | undefined {
  Object.assign(context, { pattern, text });
  return tryOrUndefined(() => nativeTest.runInContext(context, { timeout: 1_000 }));
}

/** Tests a text with RE2; undefined if RE2 does not support the pattern. */
function testWithRe2(source: string, text: string): boolean | undefined {
  const { tree, isUnicode } = parsePattern(source) ?? {};
  if (!tree || isUnicode === undefined) return undefined;
  const syntax = tryOrUndefined(() => toRe2Syntax(tree, isUnicode).text);
  return syntax === undefined
    ? undefined
    : loadRe2()
        .RE2JS.compile(syntax)
        .test(isUnicode ? text : separateSurrogates(text));
}

describe('a pattern', () => {
  it('matches the same texts as the regular expression of ECMAScript, with both engines', () => {
    fc.assert(
      fc.property(anyAnchored, fc.array(anyText, { minLength: 5, maxLength: 10 }), (source, texts) => {
        const native = createNative(source);
        const isTested = getMaxTestedLength(source) === undefined;
        for (const text of texts) {
          // Against ECMAScript, Node's engine also looks for \B between the two parts of a surrogate pair.
          fc.pre(!(native?.unicode && source.includes('\\B') && /[\u{10000}-\u{10FFFF}]/u.test(text)));
          const expected = native && testWithNative(native, text);
          fc.pre(expected !== undefined);
          if (isTested)
            expect(createPattern(source).test(text), `${source} with ${JSON.stringify(text)}`).toBe(expected);
          expect(testWithRe2(source, text) ?? expected, `RE2: ${source} with ${JSON.stringify(text)}`).toBe(expected);
        }
      }),
      { numRuns: 500 },
    );
  });
});
