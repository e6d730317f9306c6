import { describe, expect, it } from 'vitest';
import { getConfidence, getRule, type Violation } from '../../src/check/rules.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { createObject, type Paths, type Schema } from '../support/fixtures/api-document.ts';
import { runCheck } from '../support/harness/check.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** Returns the confidence of the rule that a finding violates, and its remedy. */
function describeRule(finding: Violation | undefined) {
  return finding && [getConfidence(finding), getRule(finding.rule).remedy];
}

interface Guest {
  readonly name: string;
  readonly age: number;
  readonly from?: number;
  readonly to?: number;
  readonly note?: string;
}

const GUEST = createObject({
  'name!': { type: 'string', minLength: 1, maxLength: 40 },
  'age!': { type: 'integer', minimum: 0 },
  from: { type: 'integer', minimum: 0, maximum: 1_000 },
  to: { type: 'integer', minimum: 0, maximum: 1_000 },
  note: { type: 'string' },
});

/** Checks a server that refuses the guests for which `refuses` returns true, with the documented status 400. Returns the findings. */
async function check(refuses: (guest: Guest, count: number) => boolean, storefront?: Schema, runs = 20) {
  const response = createObject({ 'name!': { type: 'string' } });
  const operation = { status: 201, request: GUEST, response };
  const paths: Paths = { '/guests': { post: { ...operation, ...(storefront && { storefront }) } } };
  const path = await writeApi({ paths });
  let count = 0;
  const postGuests = ({ body }: { body: Guest }) =>
    refuses(body, count) ? { status: 400, body: {} } : { status: 201, body: { name: body.name, count: ++count } };
  const { url } = await startStorefront({ contract: path, handlers: { postGuests } });
  const contract = await loadContract({ path, strict: false });
  const verdict = await runCheck(url, { contract, model: undefined, isFresh: false, runs });
  return verdict.findings;
}

describe('The check of a server that refuses valid requests with a documented status', () => {
  it.each<[rule: string, refuses: (guest: Guest, count: number) => boolean]>([
    ['the start is after the end', ({ from = 0, to = 1_000 }) => from > to],
    ['one of two properties is required', ({ from, to }) => from === undefined && to === undefined],
    ['a text has U+0000 or a surrogate', ({ note = '' }) => /\p{Surrogate}/u.test(note) || note.includes('\u0000')],
    ['an integer without a maximum has more than 32 bits', ({ age }) => age > 2 ** 31 - 1],
    ['a text that must not be empty is trimmed', ({ name }) => name.trim() === ''],
    ['a quota is reached', (_, count) => count >= 15],
  ])('finds nothing if %s', async (_, refuses) => {
    expect(await check(refuses)).toEqual([]);
  });

  it.each<[value: string, place: string, refuses: (guest: Guest) => boolean]>([
    ['the maximum length', 'body /name', ({ name }) => name.length > 39],
    ['the minimum', 'body /age', ({ age }) => age < 1],
    ['a missing value', 'body /note', ({ note }) => note === undefined],
    ['a text of spaces', 'body /note', ({ note }) => note !== undefined && note !== '' && note.trim() === ''],
  ])('finds that it always refuses %s, with the confidence and the remedy', async (value, place, refuses) => {
    const [finding, ...others] = await check(refuses);
    expect(others).toEqual([]);
    expect(finding?.title).toBe(`accepts valid requests: ${place}`);
    expect(finding?.message).toContain(value);
    expect(finding?.message).toContain('It refused all 4 requests with such a value');
    expect(describeRule(finding)).toEqual(['likely', expect.stringContaining('x-storefront: { refuses: true }')]);
  });

  it('finds once that it refuses every request', async () => {
    const [finding, ...others] = await check(() => true);
    expect([finding?.title, others]).toEqual(['accepts valid requests', []]);
    expect(finding?.message).toMatch(/refused all \d+ valid requests/);
    expect(describeRule(finding)).toEqual(['likely', expect.stringContaining('add an example')]);
  });

  it('finds nothing if x-storefront says that the operation refuses valid requests', async () => {
    expect(await check(({ name }) => name.length > 39, { refuses: true })).toEqual([]);
  });
});
