import { describe, expect, it } from 'vitest';
import { createList, createObject, type Paths, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

const Doctor = createObject({ 'id!': INTEGER, 'name!': TEXT });
const VISIT = { 'id!': INTEGER, 'doctorId!': INTEGER, 'day!': TEXT };
const request = createObject({ 'doctorId!': INTEGER, 'day!': TEXT });

/** Paths whose schemas have no names. `listed`: the schema of the visits below a doctor. */
function createPaths(listed: Schema): Paths {
  return {
    '/doctors': {
      get: { response: createList(Doctor) },
      post: { request: createObject({ 'name!': TEXT }), response: Doctor, status: 201 },
    },
    '/doctors/{doctorId}': { get: { response: Doctor } },
    '/visits': { post: { request, response: createObject(VISIT), status: 201 } },
    '/visits/{id}': { put: { request, response: createObject(VISIT) }, delete: { status: 204 } },
    '/doctors/{doctorId}/visits': { get: { response: createList(listed) } },
  };
}

describe('A list below another entry whose schema has no name', () => {
  it('has the entries with its properties, also if it shows more of them', async () => {
    const { ask } = await startApi({ paths: createPaths(createObject({ ...VISIT, note: TEXT })) });
    for (const name of ['A', 'B']) await ask('POST', '/doctors', { name });
    for (const doctorId of [1, 2, 2]) await ask('POST', '/visits', { doctorId, day: 'Monday' });
    await ask('PUT', '/visits/2', { doctorId: 2, day: 'Friday' });
    await ask('DELETE', '/visits/3');
    expect((await ask('GET', '/doctors/2/visits')).body).toEqual([{ id: 2, doctorId: 2, day: 'Friday' }]);
  });

  it('has other entries if their properties differ', async () => {
    const paths = createPaths(createObject({ 'id!': INTEGER, 'doctorId!': INTEGER, 'reason!': TEXT }));
    expect((await explainApi({ paths }))['GET /doctors/{doctorId}/visits']).toContain('lists doctors.visits');
  });
});
