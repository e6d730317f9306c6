import { describe, expect, it } from 'vitest';
import { createList, createObject, type Paths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };

const schemas = { Pet: createObject({ 'id!': { type: 'integer' }, 'name!': TEXT }) };

const PET = refer('Pet');

/** Returns the paths of pets whose responses have a media type. */
function createPaths(responseType: string): Paths {
  return {
    '/pets': {
      get: { response: createList(PET), responseType },
      post: { request: createObject({ 'name!': TEXT }), response: PET, responseType },
    },
    '/pets/{petId}': { get: { response: PET, responseType }, delete: {} },
  };
}

describe('Resources whose responses are documented with a range of media types', () => {
  it.each(['*/*', 'application/*'])('are real and respond with JSON: %s', async (responseType) => {
    const { ask } = await startApi({ paths: createPaths(responseType), schemas });
    const created = await ask('POST', '/pets', { name: 'Rex' });
    expect(created).toMatchObject({ status: 200, body: { id: 1, name: 'Rex' } });
    expect(created.headers.get('content-type')).toMatch(/^application\/json/);
    expect((await ask('GET', '/pets/1')).body).toEqual({ id: 1, name: 'Rex' });
    expect((await ask('GET', '/pets')).body).toEqual([{ id: 1, name: 'Rex' }]);
    expect((await ask('DELETE', '/pets/1')).status).toBe(200);
    expect((await ask('GET', '/pets/1')).status).toBe(404);
  });
});

describe('A user handler of an operation whose responses are documented with the range of all media types', () => {
  it('responds with JSON', async () => {
    const listPets = () => ({ body: [{ id: 7, name: 'Tom' }] });
    const { ask } = await startApi(
      { paths: createPaths('*/*'), schemas },
      { handlers: { getPets: listPets } as never },
    );
    const response = await ask('GET', '/pets');
    expect(response.body).toEqual([{ id: 7, name: 'Tom' }]);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  });
});
