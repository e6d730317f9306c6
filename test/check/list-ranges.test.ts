import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { createApiDocument, createList, createObject, type Schema } from '../support/fixtures/api-document.ts';
import { checkApi, type ReceivedRequest, type SentResponse } from '../support/harness/check-api.ts';

interface Talk {
  readonly id: string;
  readonly title: string;
  readonly start: string;
  readonly end: string;
  readonly fee_cents: number;
}

const TIME = { type: 'string', format: 'date-time' };
const CENTS = { type: 'integer', minimum: 0, maximum: 90_000 };
const INPUT = createObject({
  'title!': { type: 'string', minLength: 1, maxLength: 40 },
  'start!': TIME,
  'end!': TIME,
  'fee_cents!': CENTS,
});
const TALK = { ...INPUT, properties: { id: { type: 'string', readOnly: true }, ...(INPUT.properties as object) } };

const ajv = new Ajv2020({ strict: false, coerceTypes: false });
addFormats.default(ajv);
const isInput = ajv.compile(INPUT);

type Select = (talk: Talk, value: string) => boolean;

/** Checks a server whose list has a query parameter. Returns the rules and the messages of the findings. */
async function check(name: string, schema: Schema, select: Select) {
  const talks: Talk[] = [];
  const isValue = new Ajv2020({ strict: false, coerceTypes: true });
  addFormats.default(isValue);
  const validate = isValue.compile(createObject({ [name]: schema }));
  const list = (query: URLSearchParams): SentResponse => {
    const value = query.get(name);
    const isInvalid = value !== null && (query.getAll(name).length > 1 || !validate({ [name]: value }));
    if (isInvalid) return { ...PROBLEM, status: 400 };
    return { status: 200, body: talks.filter((talk) => value === null || select(talk, value)) };
  };
  const respond = ({ method, path, query, json }: ReceivedRequest): SentResponse => {
    if (method === 'GET' && path === '/talks') return list(query);
    const known = talks.find(({ id }) => path === `/talks/${id}`);
    if (method === 'GET') return known ? { status: 200, body: known } : { ...PROBLEM, status: 404 };
    if (!isInput(json)) return { ...PROBLEM, status: 400 };
    const { title, start, end, fee_cents: fee } = json as Talk;
    const talk = { id: `t${talks.length + 1}`, title, start, end, fee_cents: fee };
    talks.push(talk);
    return { status: 201, body: talk };
  };
  const paths = {
    '/talks': {
      get: { response: createList(TALK), query: { [name]: schema }, errors: [400] },
      post: { status: 201, request: INPUT, response: TALK, errors: [400] },
    },
    '/talks/{id}': { get: { response: TALK, errors: [404] } },
  };
  const { findings } = await checkApi(JSON.parse(createApiDocument(paths)), respond, { runs: 1, only: ['getTalks'] });
  return findings.map(({ rule, message }) => `${rule}: ${message}`);
}

/** The body of an error response. */
const PROBLEM = { body: {}, headers: { 'content-type': 'application/problem+json' } };

const toMs = Date.parse;

/** The correct selections, by parameter. */
const CORRECT: Readonly<Record<string, readonly [schema: Schema, select: Select]>> = {
  from: [TIME, ({ start }, value) => toMs(start) >= toMs(value)],
  to: [TIME, ({ start }, value) => toMs(start) < toMs(value)],
  start_after: [TIME, ({ start }, value) => toMs(start) > toMs(value)],
  end_before: [{ type: 'string', format: 'date' }, ({ end }, value) => end.slice(0, 10) < value],
  min_fee: [CENTS, ({ fee_cents: fee }, value) => fee >= Number(value)],
  fee_cents_max: [{ type: 'integer' }, ({ fee_cents: fee }, value) => fee <= Number(value)],
};

describe('The check of a parameter that limits the entries of a list', () => {
  it.each(Object.entries(CORRECT))('accepts a correct %s', async (name, [schema, select]) => {
    expect(await check(name, schema, select)).toEqual([]);
  });

  it.each(Object.entries(CORRECT))('finds that %s is ignored', async (name, [schema]) => {
    const [message, ...others] = await check(name, schema, () => true);
    expect(others).toEqual([]);
    expect(message).toMatch(new RegExp(`^filter-selects: ${name} is ".*", but the list has an entry whose .* is`));
  });

  it.each(Object.entries(CORRECT))('finds that %s selects the other entries', async (name, [schema, select]) => {
    const findings = await check(name, schema, (talk, value) => !select(talk, value));
    expect(findings.map((one) => one.split(':')[0])).toEqual(['filter-selects']);
  });

  it('accepts an interval of the entries that it overlaps', async () => {
    expect(await check('from', TIME, ({ end }, value) => toMs(end) >= toMs(value))).toEqual([]);
  });

  it('finds that numbers are compared as texts', async () => {
    const findings = await check('min_fee', CENTS, ({ fee_cents: fee }, value) => String(fee) >= value);
    expect(findings).toEqual([expect.stringMatching(/^filter-(?:selects|finds): /)]);
  });

  it('finds that times are compared as texts', async () => {
    const findings = await check('from', TIME, ({ start }, value) => start >= value);
    expect(findings).toEqual([expect.stringMatching(/^filter-selects: The list differs for from=.*same time/)]);
  });

  it('accepts another unit than that of the property, if the parameter does not name it', async () => {
    const euros: Select = ({ fee_cents: fee }, value) => fee >= 100 * Number(value);
    expect(await check('min_fee', { type: 'integer', minimum: 0 }, euros)).toEqual([]);
  });

  it('accepts a limit of something that the entries do not show', async () => {
    expect(await check('updated_after', TIME, () => true)).toEqual([]);
    expect(await check('attendees_min', CENTS, () => true)).toEqual([]);
  });
});
