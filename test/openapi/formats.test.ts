import { fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { formats } from '../../src/openapi/formats.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';

type Case = [format: string, accepted: readonly unknown[], refused: readonly unknown[]];

const UUID = 'b3a9e0e9-66e7-439f-bb29-7a2f1c4c06e9';

const STRING_FORMATS: readonly Case[] = [
  ['uuid', [UUID, UUID.toUpperCase()], [`urn:uuid:${UUID}`, `{${UUID}}`, `${UUID}\n`]],
  [
    'date-time',
    ['2025-06-01T12:00:00Z', '2025-06-01t12:00:00.5z', '2016-12-31T23:59:60Z', '2025-06-01T12:00:00-08:30'],
    [
      '2025-06-01 12:00:00Z',
      '2025-06-01\n12:00:00Z',
      '2025-06-01T12:00:00+0830',
      '2025-06-01T12:00:00+08',
      '2025-02-30T12:00:00Z',
    ],
  ],
  ['time', ['12:00:00Z', '12:00:00.25+01:00', '12:00:00'], ['12:00:00+0100', '12:00:00+01', '12:00', '24:00:00Z']],
  ['byte', ['', 'YQ==', 'YWJj'], ['!!\n', '!!\nYWJj', 'YQ', 'YQ==YQ==']],
  ['hostname', ['localhost', 'shop.example'], ['shop.example.', '-shop', 'a_b']],
  ['uri-reference', ['/api/orders', 'images/a%22.svg?x#y', ''], ['a"b', '/a?"', 'a b', '\\a']],
];

/** Loads a contract with one operation that has a value of a schema in query, request body and response. */
async function loadEcho(schema: object) {
  const json = { content: { 'application/json': { schema } } };
  const echo = {
    operationId: 'echo',
    parameters: [{ name: 'value', in: 'query', schema }],
    requestBody: json,
    responses: { 200: { description: 'd', ...json } },
  };
  const contract = await loadContract({ path: await writeDocument({ paths: { '/': { post: echo } } }), strict: false });
  const [route] = contract.routes;
  if (!route) throw new Error('the contract has no operation');
  return {
    isValidInBody: (value: unknown) => {
      const request = { path: '/', query: {}, headers: {}, contentType: 'application/json', body: value };
      return contract.validateRequest(route, request).kind === 'call';
    },
    isValidInQuery: (value: unknown) =>
      contract.validateRequest(route, { path: '/', query: { value: String(value) }, headers: {}, body: undefined })
        .kind === 'call',
    isValidInResponse: (value: unknown) => {
      const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: value };
      return contract.verifyResponse(route, answer, { closed: false }).length === 0;
    },
  };
}

describe('a string format', () => {
  it.each(STRING_FORMATS)(
    '%s follows its specification in bodies, queries and responses',
    async (format, accepted, refused) => {
      const { isValidInBody, isValidInQuery, isValidInResponse } = await loadEcho({ type: 'string', format });
      for (const accepts of [isValidInBody, isValidInQuery, isValidInResponse]) {
        expect(accepted.filter((value) => !accepts(value))).toEqual([]);
        expect(refused.filter((value) => accepts(value))).toEqual([]);
      }
    },
  );
});

describe('the format int64', () => {
  it('accepts only signed 64-bit integers', async () => {
    const { isValidInBody, isValidInResponse } = await loadEcho({ type: 'integer', format: 'int64' });
    for (const accepts of [isValidInBody, isValidInResponse]) {
      expect([0, 2 ** 53, -(2 ** 63), JSON.parse('9223372036854775807')].filter((value) => !accepts(value))).toEqual(
        [],
      );
      expect([2 ** 63 + 2_048, -(2 ** 63) - 2_048, 1e300].filter((value) => accepts(value))).toEqual([]);
    }
  });
});

describe('the format uri-reference', () => {
  const pathCharacters = fc.constantFrom(...'aZ09-._~/');
  const otherCharacters = fc.constantFrom(...':@!$&\'()*+,;=%?#[] "\\éß\n', '//', '%2F', 'http://', '..');
  const characters = fc.oneof({ weight: 4, arbitrary: pathCharacters }, { weight: 1, arbitrary: otherCharacters });
  const references = fc.array(characters, { maxLength: 8 }).map((parts) => parts.join(''));

  it('accepts what ajv-formats accepts, except for quotation marks', () => {
    const { validate } = formats['uri-reference'] as { validate(text: string): boolean };
    const pattern = fullFormats['uri-reference'] as RegExp;
    fc.assert(
      fc.property(references, (text) => {
        expect(validate(text)).toBe(pattern.test(text) && !text.includes('"'));
      }),
      { numRuns: 2_000 },
    );
  });
});
