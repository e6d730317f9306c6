import { describe, expect, it } from 'vitest';
import { startApi } from '../support/harness/start-api.ts';

const ITEM = { type: 'integer' };
const ALTERNATIVES = Array.from({ length: 200 }, (_, index) => ({
  type: 'object',
  required: [`a${index}`],
  properties: { [`a${index}`]: ITEM },
}));
const LARGE_ENUM = Array.from({ length: 2_000 }, (_, index) => `value${index}`);

/** Sends a list with many equal entries to an operation that accepts a list of this schema. */
async function sendList(items: object, entry: unknown, length: number) {
  const { ask } = await startApi({ paths: { '/lists': { post: { request: { type: 'array', items }, status: 201 } } } });
  return ask('POST', '/lists', Array(length).fill(entry));
}

describe('A request body with many errors', () => {
  it.each([
    ['of alternatives', { oneOf: ALTERNATIVES }, {}],
    ['of required properties', { type: 'object', required: LARGE_ENUM.slice(0, 100) }, {}],
  ])('%s gets a 400 about the first invalid entry only', async (_kind, items, entry) => {
    const { status, body } = await sendList(items, entry, 20_000);
    expect(status).toBe(400);
    const entries = body.violations.map(({ pointer }: { pointer: string }) => pointer.split('/')[1]);
    expect(new Set(entries)).toEqual(new Set(['0']));
  });

  it('of a few values gets a 400 with an error for each value', async () => {
    expect((await sendList(ITEM, 'x', 500)).body.violations).toHaveLength(500);
  });

  it('of a large enum gets a 400 that lists only some of the allowed values', async () => {
    const { body } = await sendList({ enum: LARGE_ENUM }, 'x', 1);
    expect(body.detail).toMatch(/^item 0 is "x": use "value0", .* or one of 1900 more values$/);
    expect(body.detail.length).toBeLessThan(1_500);
  });
});

describe('A schema with alternatives that are nested 100 times', () => {
  it.each(['allOf', 'oneOf', 'anyOf'])('%s validates a request body at once', async (keyword) => {
    const note = { type: 'object', required: ['title'] };
    const request = Array.from({ length: 100 }).reduce<Readonly<Record<string, unknown>>>(
      (inner) => ({ [keyword]: [inner] }),
      note,
    );
    const { ask } = await startApi({ paths: { '/notes': { post: { request, status: 201 } } } });
    expect((await ask('POST', '/notes', { title: 'a' })).status).toBe(201);
    expect((await ask('POST', '/notes', {})).status).toBe(400);
  });
});
