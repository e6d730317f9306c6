import { expect, it } from 'vitest';
import { createOperation } from '../support/fixtures/other-document.ts';
import { formatFindings } from '../support/harness/check.ts';
import { checkApi } from '../support/harness/check-api.ts';

const schema = {
  type: 'object',
  required: ['day', 'price'],
  properties: {
    day: { type: 'string', format: 'date' },
    price: { type: 'number', minimum: 0, maximum: 1000, multipleOf: 0.01 },
  },
};
const requestBody = { required: true, content: { 'application/json': { schema } } };
const responses = { 204: { description: 'd' }, 400: { description: 'd' }, 415: { description: 'd' } };
const document = { paths: { '/visits': { post: createOperation('visit', {}, { requestBody, responses }) } } };

/** Returns whether a day exists. `Date` converts 30 February to 2 March. */
function isDay(day: unknown): boolean {
  if (typeof day !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(day)) return false;
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

const isDateForm = (day: unknown) => typeof day === 'string' && /^\d{4}-(?:0[1-9]|1[0-2])-(?:[0-2]\d|3[01])$/.test(day);
const isPrice = (price: unknown) => typeof price === 'number' && price >= 0 && price <= 1000;
const isCents = (price: number) => Math.abs(price * 100 - Math.round(price * 100)) < 1e-9;

/** Checks a server whose values are validated by two functions. Returns the findings. */
async function check(hasDay: (day: unknown) => boolean, hasPrice: (price: number) => boolean) {
  const { findings } = await checkApi(document, ({ headers, json }) => {
    if (!(headers['content-type'] ?? '').startsWith('application/json')) return { status: 415 };
    const { day, price } = (json ?? {}) as { day?: unknown; price?: unknown };
    return { status: hasDay(day) && isPrice(price) && hasPrice(price as number) ? 204 : 400 };
  });
  return formatFindings(findings);
}

it('the check finds that a server accepts days that do not exist, and prices with parts of a cent', async () => {
  expect(await check(isDay, isCents)).toEqual([]);
  expect(await check(isDateForm, isCents)).toEqual([
    expect.stringMatching(/refuses invalid requests: body \/day format: The server accepts an invalid request/),
  ]);
  const isRounded = (price: number) => Math.abs(price * 100 - Math.round(price * 100)) < 0.01;
  expect(await check(isDay, isRounded)).toEqual([
    expect.stringMatching(/refuses invalid requests: body \/price multipleOf: The server accepts an invalid request/),
  ]);
});
