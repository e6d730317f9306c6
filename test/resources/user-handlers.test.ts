import { expect, it } from 'vitest';
import type { Context, Input } from '../../src/application.ts';
import type { Options } from '../../src/server/options.ts';
import { writeDocument } from '../openapi/documents.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const Pet = {
  type: 'object',
  required: ['id', 'name', 'age'],
  properties: { id: { type: 'integer' }, name: { type: 'string' }, age: { type: 'integer' } },
};
const Fed = { type: 'object', required: ['pet', 'meals'], properties: { pet: Pet, meals: { type: 'integer' } } };
const NewPet = { type: 'object', properties: { name: { type: 'string' } } };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const path = { name: 'petId', in: 'path', required: true, schema: { type: 'integer' } };

it("The response of a user's handler gets the required properties that an entry lacks, and keeps its own values", async () => {
  const contract = await writeDocument(
    JSON.stringify({
      openapi: '3.0.3',
      info: { title: 'Pets', version: '1' },
      paths: {
        '/pets': { post: { requestBody: json(NewPet), responses: { 201: { description: 'd', ...json(Pet) } } } },
        '/pets/{petId}': {
          parameters: [path],
          get: { operationId: 'getPet', responses: { 200: { description: 'd', ...json(Pet) } } },
        },
        '/pets/{petId}/feed': {
          parameters: [path],
          post: { operationId: 'feedPet', responses: { 200: { description: 'd', ...json(Fed) } } },
        },
      },
    }),
  );
  const find = ({ path: { petId } }: Input, { read }: Context) => read().pets?.find(({ id }) => String(id) === petId);
  const handlers = {
    getPet: (input: Input, context: Context) => ({ body: find(input, context) }),
    feedPet: (input: Input, context: Context) => ({
      body: { pet: { ...find(input, context), name: 'Max' }, meals: 3 },
    }),
  };
  const api = await startStorefront({
    contract,
    handlers: handlers as unknown as Options['handlers'],
    verify: 'strict',
  });
  const { body: created } = await api.ask('POST', '/pets', { name: 'Rex' });
  const response = await api.ask('GET', '/pets/1');
  expect(response).toMatchObject({ status: 200, body: { id: 1, name: 'Rex', age: expect.any(Number) } });
  expect(response.body).toEqual(created);
  expect(response.headers.get('X-Mocked')).toBe('/age');
  const fed = await api.ask('POST', '/pets/1/feed');
  expect(fed.body).toEqual({ pet: { ...created, name: 'Max' }, meals: 3 });
  expect(fed.headers.get('X-Mocked')).toBe('/pet/age');
});
