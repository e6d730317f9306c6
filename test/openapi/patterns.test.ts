import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createPattern, getMaxTestedLength } from '../../src/openapi/patterns/pattern.ts';
import { createOperation, writeDocument as writeJson } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { withSchema, writeDocument } from './documents.ts';

describe('a pattern', () => {
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
