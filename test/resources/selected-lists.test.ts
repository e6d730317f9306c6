import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const NEW = { 'patientId!': TEXT, 'reason!': TEXT, status: TEXT };
const NewVisit = createObject(NEW);
const schemas = { Visit: createObject({ 'id!': TEXT, ...NEW }) };
const visits = { get: { response: createList(refer('Visit')) } };
const LIST = '/visits/patient/{patientId}';

describe('A path that ends with the value of a property', () => {
  it.each<[string, Paths]>([
    ['beside the list of all entries', createResourcePaths('/visits/{visitId}', refer('Visit'), NewVisit)],
    ['without one', { '/visits': { post: { request: NewVisit, response: refer('Visit'), status: 201 } } }],
  ])('lists the entries with this value, %s', async (_, paths) => {
    const { ask } = await startApi({
      paths: { ...paths, [LIST]: visits, '/visits/status/{status}': visits },
      schemas,
    });
    const create = async (patientId: string, status: string) =>
      (await ask('POST', '/visits', { patientId, reason: 'a', status })).body;
    const first = await create('7', 'open');
    const second = await create('8', 'closed');
    const third = await create('7', 'closed');
    expect((await ask('GET', '/visits/patient/7')).body).toEqual([first, third]);
    expect((await ask('GET', '/visits/patient/9')).body).toEqual([]);
    expect((await ask('GET', '/visits/status/closed')).body).toEqual([second, third]);
  });

  it('is mocked if entries lack the property', async () => {
    const paths = {
      ...createResourcePaths('/visits/{visitId}', refer('Visit'), NewVisit),
      '/visits/ward/{wardId}': visits,
    };
    expect((await explainApi({ paths, schemas }))['GET /visits/ward/{wardId}']).toMatch(/^mocked: /);
  });
});
