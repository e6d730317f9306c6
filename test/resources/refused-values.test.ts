import { describe, expect, it } from 'vitest';
import { createList, createObject, refer, type Schema } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const ENUM = { type: 'string', enum: ['open', 'closed'] };

/** Sends a value for a property whose schema in entries is another one. Returns the responses to POST and PATCH. */
async function send(sent: Schema, stored: Schema, value: unknown, name = 'value') {
  const entry = createObject({ 'id!': { ...INTEGER, minimum: 1 }, [name]: stored });
  const request = createObject({ [name]: sent });
  const paths = {
    '/things': {
      get: { response: createList(refer('Thing')) },
      post: { status: 201, request, response: refer('Thing'), errors: [400, 422] },
    },
    '/things/{thingId}': {
      get: { response: refer('Thing') },
      patch: { request, response: refer('Thing'), errors: [400, 404, 422] },
    },
  };
  const { ask } = await startApi({ paths, schemas: { Thing: entry } });
  const created = await ask('POST', '/things', { [name]: value });
  await ask('POST', '/things', {});
  const { body } = await ask('GET', '/things');
  const changed = await ask('PATCH', `/things/${body[0].id}`, { [name]: value });
  return { created, changed };
}

describe('A value that requests and entries write in different forms', () => {
  const rule = (type: string): Schema => createObject({ 'type!': { type: 'string', enum: [type] } });

  it.each<[string, Schema, Schema, unknown, unknown]>([
    ['capital letters', { type: 'string', enum: ['OPEN', 'CLOSED'] }, ENUM, 'OPEN', 'open'],
    ['a repeated item of a set', createList(TEXT), { ...createList(TEXT), uniqueItems: true }, ['a', 'a'], ['a']],
  ])('is stored in the form of entries: %s', async (_, sent, stored, value, expected) => {
    const { created, changed } = await send(sent, stored, value);
    expect([created.status, created.body.value]).toEqual([201, expected]);
    expect([changed.status, changed.body.value]).toEqual([200, expected]);
  });

  it.each<[string, Schema, Schema, unknown, string?]>([
    [
      'a time and a date',
      { type: 'string', format: 'date-time' },
      { type: 'string', pattern: '^\\d+$' },
      '2030-01-01T00:00:00Z',
    ],
    ['values that only requests have', { type: 'string', enum: ['publish', 'open'] }, ENUM, 'publish'],
    ['another pattern', { type: 'string', pattern: '^a' }, { type: 'string', pattern: '^b' }, 'a'],
    ['other limits', { ...INTEGER, minimum: 0 }, { ...INTEGER, minimum: 1 }, 0],
    ['the text of a number', TEXT, { enum: [1, 2] }, '1'],
    ['another type that the request has', TEXT, { type: 'boolean' }, 'yes'],
    [
      'null in an object',
      createObject({ mode: { type: ['string', 'null'] } }),
      createObject({ mode: { enum: ['a'] } }),
      { mode: null },
    ],
    ['an alternative that entries lack', { oneOf: [rule('a'), rule('b')] }, { oneOf: [rule('a')] }, { type: 'b' }],
    [
      'an alternative of several',
      { oneOf: [rule('a'), rule('b'), rule('c')] },
      { oneOf: [rule('a'), rule('b')] },
      { type: 'c' },
    ],
    [
      'an alternative in a list',
      createList({ oneOf: [rule('a'), rule('b'), rule('c')] }),
      createList({ oneOf: [rule('a'), rule('b')] }),
      [{ type: 'c' }],
    ],
    ['a zero for a new id', INTEGER, { ...INTEGER, minimum: 1 }, 0, 'id'],
    ['a time that the server sets', TEXT, { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT' }, 'now', 'updatedAt'],
  ])('is not refused: %s', async (_, sent, stored, value, name) => {
    const { created, changed } = await send(sent, stored, value, name);
    expect([created.status, changed.status], created.text + changed.text).toEqual([201, 200]);
  });
});

describe('A value outside a limit that only entries have', () => {
  it.each<[string, Schema, Schema, unknown]>([
    ['a number', INTEGER, { ...INTEGER, minimum: 0 }, -1],
    ['a text', TEXT, { ...TEXT, maxLength: 3 }, 'long'],
    ['an unknown value', TEXT, ENUM, 'other'],
    ['another type, for which the request has no rule', {}, { type: 'boolean' }, 'yes'],
    ['an empty list', createList(TEXT), { ...createList(TEXT), minItems: 1 }, []],
    [
      'a number in an object',
      createObject({ age: INTEGER }),
      createObject({ age: { ...INTEGER, minimum: 0 } }),
      { age: -1 },
    ],
  ])('is refused: %s', async (_, sent, stored, value) => {
    const { created, changed } = await send(sent, stored, value);
    expect([created.status, changed.status]).toEqual([422, 422]);
  });
});

it('A value that is not stored is in the log, if the document has no status to refuse it', async () => {
  const Thing = createObject({ 'id!': INTEGER, done: { type: 'boolean' }, tags: createList(TEXT) });
  const request = createObject({ done: {}, tags: {} });
  const paths = {
    '/things': { post: { request, response: refer('Thing'), status: 201 } },
    '/things/{thingId}': {
      get: { response: refer('Thing') },
      patch: { request, response: refer('Thing'), errors: [404] },
    },
    '/things/{thingId}/done': { put: { request: createObject({ done: {} }), response: refer('Thing'), errors: [404] } },
  };
  const { ask, log } = await startApi({ paths, schemas: { Thing } });
  await ask('POST', '/things', { done: true, tags: ['a'] });
  expect((await ask('PUT', '/things/1/done', { done: 'never' })).body).toMatchObject({ done: true });
  expect(JSON.stringify(log)).toContain('/done was not stored, because it is \\"never\\": use true or false');
  expect((await ask('PATCH', '/things/1', { done: 'yes', tags: ['b'] })).body).toMatchObject({
    done: true,
    tags: ['b'],
  });
  expect(JSON.stringify(log)).toContain('/done was not stored, because it is \\"yes\\": use true or false');
});
