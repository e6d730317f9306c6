import { createContext, Script } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { separateSurrogates, toRe2Syntax } from '../../src/openapi/patterns/character-ranges.ts';
import { createNative, createPattern, getMaxTestedLength, parsePattern } from '../../src/openapi/patterns/pattern.ts';
import { loadRe2 } from '../../src/util/load-package.ts';
import { tryOrUndefined } from '../../src/util/try-or-undefined.ts';
import { createOperation, writeDocument as writeJson } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { withSchema, writeDocument } from './documents.ts';

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

  const LONG = 'a'.repeat(60_000);
  it.each<[pattern: string, text: string, expected: boolean]>([
    ['^(\\w+\\s?)*$', `${LONG}!`, false],
    ['^(\\w+\\s?)*$', LONG, true],
    ['^(a+)+$', `${LONG}b`, false],
    ['(.*)*x', LONG, false],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', LONG, false],
    ['\\s+$', `${' '.repeat(60_000)}a`, false],
    ['^([a-z]{1,63}\\.){1,40}[a-z]+$', `${'a.'.repeat(40)}b`, true],
    ['^x{1000000000}$', LONG, false],
    ['^[a-z]{1,5000}$', LONG, false],
    ['^[\\s\\S]{1,20000}', LONG, true],
    ['^(?=.*\\d)(?=.*[a-z]).{8,}$', LONG, false],
    ['^((?!foo).)*$', `${'a'.repeat(900)}foo`, false],
    ['^(a|b)\\1$', 'ab', false],
    ['^[^x]$', '😀', true],
    ['^[^\\-x]$', '😀', true],
    ['^[^\\_x]$', '😀', false],
    ['a$', 'a\n', false],
    ['[', 'anything', true],
  ])('%s tests a long text at once', (pattern, text, expected) => {
    expect(createPattern(pattern).test(text)).toBe(expected);
  });

  it.each([
    ['^(?=(\\w+\\s?)*$).+$'],
    ['^(\\w+\\s?)*(?!x)$'],
    ['^(a+)+\\1$'],
    ['^(?:a+|\\1(b))*$(?<!c)'],
    ['((a{1,99}b?){1,99}c?){1,99}!'],
    ['(?:a?){1000000000}'],
  ])('%s is tested only with short texts', (pattern) => {
    expect(getMaxTestedLength(pattern)).toBeLessThan(20);
    expect(createPattern(pattern).test(`${'a'.repeat(50_000)}!`)).toBe(true);
  });

  it.each([['('.repeat(30_000) + ')'.repeat(30_000)], ['a|'.repeat(30_000)], ['a{0,999}b?'.repeat(9_000)]])(
    'is accepted if it is as long as %.10s…',
    (pattern) => {
      expect(createPattern(pattern).test('a')).toBe(true);
    },
    60_000,
  );
});

describe('a contract with patterns', () => {
  it('warns of a pattern that is tested only with short texts, with its line', async () => {
    const path = await writeDocument(withSchema("{ type: string, pattern: '^(a+)+\\1$' }"));
    const { warning } = await loadContract({ path, strict: false });
    expect(warning).toBe(
      `${path}:11:48 #/paths/~1a/get/responses/200/content/application~1json/schema/pattern is tested only with texts of up to 4 characters, because longer texts could take very long: use a pattern without lookaround, backreferences and large repetitions`,
    );
  });

  it('answers a text on which a backtracking engine would never end, in bodies, parameters and property names', async () => {
    const pattern = '^(\\w+\\s?)*$';
    const schema = {
      type: 'object',
      properties: { name: { type: 'string', pattern } },
      patternProperties: { '^(x+x+)+y$': { type: 'integer' } },
    };
    const parameters = [{ name: 'q', in: 'query', schema: { type: 'string', pattern } }];
    const body = { required: true, content: { 'application/json': { schema } } };
    const paths = { '/notes': { post: createOperation('addNote', schema, { parameters, requestBody: body }) } };
    const { ask } = await startStorefront({ contract: await writeJson({ paths }), mock: true });
    const evil = `${'a'.repeat(60)}!`;
    expect((await ask('POST', '/notes', { name: 'some words' })).status).toBe(200);
    expect((await ask('POST', '/notes', { name: evil })).status).toBe(400);
    expect((await ask('POST', `/notes?q=${evil}`, {})).status).toBe(400);
    expect((await ask('POST', '/notes', { [`${'x'.repeat(60)}z`]: 'text' })).status).toBe(200);
    expect((await ask('POST', '/notes', { [`${'x'.repeat(60)}y`]: 'text' })).status).toBe(400);
  });
});
