import { expect, it } from 'vitest';
import { createList, createObject } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TIME = { type: 'string', format: 'date-time' };
const Visit = createObject({ id: { type: 'integer' }, start: TIME, isPaid: { type: 'boolean' }, createdAt: TIME });

/** Starts a server with two visits. */
async function startVisits() {
  const query = { since: TIME, until: TIME, paid: { type: 'boolean' } };
  const post = { request: createObject({ start: TIME, isPaid: { type: 'boolean' } }), response: Visit, status: 201 };
  const { ask } = await startApi({ paths: { '/visits': { get: { query, response: createList(Visit) }, post } } });
  await ask('POST', '/visits', { start: '2030-01-01T08:00:00Z', isPaid: true });
  await ask('POST', '/visits', { start: '2030-02-01T08:00:00Z', isPaid: false });
  return async (search: string) =>
    (await ask('GET', `/visits?${search}`)).body.map(({ id }: { readonly id: number }) => id);
}

it.each([
  ['paid=true', [1]],
  ['paid=false', [2]],
  ['since=2030-01-15T00:00:00Z', [2]],
  ['until=2030-01-15T00:00:00Z', [1]],
])('a list with the query %s has the visits %j', async (search, expected) => {
  const list = await startVisits();
  expect(await list(search)).toEqual(expected);
});
