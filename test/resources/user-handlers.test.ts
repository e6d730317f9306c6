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
      },
    }),
  );
  const getPet = ({ path: { petId } }: Input, { read }: Context) => ({
    body: read().pets?.find(({ id }) => String(id) === petId),
  });
  const api = await startStorefront({
    contract,
    handlers: { getPet } as unknown as Options['handlers'],
    verify: 'strict',
  });
  await api.ask('POST', '/pets', { name: 'Rex' });
  const response = await api.ask('GET', '/pets/1');
  expect(response).toMatchObject({ status: 200, body: { id: 1, name: 'Rex', age: expect.any(Number) } });
  expect(response.headers.get('X-Mocked')).toBe('/age');
});
