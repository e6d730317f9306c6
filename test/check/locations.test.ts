import { expect, it } from 'vitest';
import { createApiDocument, createObject } from '../support/fixtures/api-document.ts';
import { checkApi } from '../support/harness/check-api.ts';

const PROBLEM = { body: {}, headers: { 'content-type': 'application/problem+json' } };
const THING = createObject({ 'id!': { type: 'string', readOnly: true }, 'name!': { type: 'string' } });

/** Checks a server that sends a Location header for new things. Returns the messages of the findings. */
async function check(toLocation: (id: string) => string): Promise<readonly string[]> {
  const things = new Map<string, object>();
  const paths = {
    '/things': { post: { status: 201, request: THING, response: THING, errors: [400] } },
    '/things/{id}': { get: { response: THING, errors: [404] } },
  };
  const { findings } = await checkApi(
    JSON.parse(createApiDocument(paths)),
    ({ method, path, json }) => {
      const known = things.get(path.slice('/things/'.length));
      if (method === 'GET') return known ? { status: 200, body: known } : { ...PROBLEM, status: 404 };
      const { name } = (json ?? {}) as { readonly name?: unknown };
      if (typeof name !== 'string') return { ...PROBLEM, status: 400 };
      const thing = { id: `t${things.size + 1}`, name };
      things.set(thing.id, thing);
      return { status: 201, body: thing, headers: { location: toLocation(thing.id) } };
    },
    { runs: 1 },
  );
  return findings.map(({ rule, message }) => `${rule}: ${message}`);
}

it('the check finds a Location header with the path of the collection', async () => {
  expect(await check(() => '/things')).toEqual([
    expect.stringMatching(
      /^location: .* \/things is the path of the collection, but the resource is at \/things\/t\d+$/,
    ),
  ]);
});

it.each([['/things/'], ['']])('the check accepts a Location header that leads to the resource: %sID', async (start) => {
  expect(await check((id) => (start === '' ? `things/${id}` : `${start}${id}`))).toEqual([]);
});
