import { expect, it } from 'vitest';
import { createApiDocument, createObject } from '../support/fixtures/api-document.ts';
import { checkApi } from '../support/harness/check-api.ts';

const PROBLEM = { body: {}, headers: { 'content-type': 'application/problem+json' } };
const TEXT = { type: 'string', minLength: 1, maxLength: 40 };
const THING = createObject({ 'id!': { type: 'string', readOnly: true }, name: TEXT, city: TEXT });

it('the check reads created resources without optional parameters, which can select some of their properties', async () => {
  const things = new Map<string, Readonly<Record<string, unknown>>>();
  const fields = { type: 'string', enum: ['name', 'city'] };
  const paths = {
    '/things': { post: { status: 201, request: THING, response: THING, errors: [400] } },
    '/things/{id}': { get: { response: THING, query: { fields }, errors: [400, 404] } },
  };
  const { findings, unchecked } = await checkApi(
    JSON.parse(createApiDocument(paths)),
    ({ method, path, query, json }) => {
      const known = things.get(path.slice('/things/'.length));
      const name = query.get('fields');
      if (name !== null && (!fields.enum.includes(name) || query.getAll('fields').length > 1))
        return { ...PROBLEM, status: 400 };
      if (method === 'GET' && !known) return { ...PROBLEM, status: 404 };
      if (method === 'GET')
        return { status: 200, body: name === null ? known : { id: known?.id, [name]: known?.[name] } };
      const { name: text, city, ...others } = (json ?? {}) as Readonly<Record<string, unknown>>;
      const isText = (one: unknown) =>
        one === undefined || (typeof one === 'string' && one !== '' && [...one].length <= 40);
      const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
      if (!isObject || !isText(text) || !isText(city) || 'id' in others) return { ...PROBLEM, status: 400 };
      const thing = { id: `t${things.size + 1}`, name: text, city };
      things.set(thing.id, thing);
      return { status: 201, body: thing };
    },
    { runs: 3 },
  );
  expect([findings.map(({ rule, message }) => `${rule}: ${message}`), unchecked]).toEqual([[], []]);
});
