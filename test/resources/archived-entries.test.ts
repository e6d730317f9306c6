import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const STATUS = { type: 'string', enum: ['Active', 'Archived'] };
const NewTeacher = createObject({ 'name!': TEXT });

/** `summary`: that of the deletion of a teacher. `properties`: those of a teacher. */
function createApi(summary: string, properties: Readonly<Record<string, Schema>>) {
  const paths = createResourcePaths('/teachers/{teacherId}', refer('Teacher'), NewTeacher);
  const path = '/teachers/{teacherId}';
  return {
    paths: { ...paths, [path]: { ...paths[path], delete: { ...paths[path]?.delete, summary } } },
    schemas: { Teacher: createObject({ 'id!': { type: 'integer' }, 'name!': TEXT, ...properties }) },
  };
}

const PATH = 'DELETE /teachers/{teacherId}';

describe('DELETE whose summary says that the entry is archived', () => {
  it.each<[summary: string, properties: Readonly<Record<string, Schema>>, before: object, after: object]>([
    ['Archive a teacher', { 'status!': STATUS }, { status: 'Active' }, { status: 'Archived' }],
    ['Deactivates a teacher', { 'isActive!': { type: 'boolean' } }, { isActive: true }, { isActive: false }],
    ['Désactiver un enseignant', { 'isActive!': { type: 'boolean' } }, { isActive: true }, { isActive: false }],
    ['Archivar un profesor', { 'status!': STATUS }, { status: 'Active' }, { status: 'Archived' }],
  ])('%s', async (summary, properties, before, after) => {
    const { ask } = await startApi(createApi(summary, properties));
    expect((await ask('POST', '/teachers', { name: 'Ann' })).body).toMatchObject(before);
    expect((await ask('DELETE', '/teachers/1')).status).toBeLessThan(300);
    expect((await ask('GET', '/teachers/1')).body).toEqual({ id: 1, name: 'Ann', ...after });
    expect((await ask('GET', '/teachers')).body).toHaveLength(1);
    expect((await ask('DELETE', '/teachers/9')).status).toBe(404);
  });

  it('archives the entry with the id in the query', async () => {
    const Teacher = createObject({ 'id!': { type: 'integer' }, 'name!': TEXT, 'disabled!': { type: 'boolean' } });
    const { ask } = await startApi({
      paths: {
        '/teachers': {
          get: { response: createList(Teacher) },
          post: { request: NewTeacher, response: Teacher, status: 201 },
          delete: { summary: 'Desativa um professor', query: { 'teacherId!': TEXT } },
        },
      },
    });
    const { id } = (await ask('POST', '/teachers', { name: 'Ann' })).body;
    expect((await ask('DELETE', `/teachers?teacherId=${id}`)).status).toBe(200);
    expect((await ask('GET', '/teachers')).body).toEqual([{ id, name: 'Ann', disabled: true }]);
    expect((await ask('DELETE', '/teachers?teacherId=9')).status).toBe(404);
  });

  it('is explained', async () => {
    const explained = await explainApi(createApi('Archive a teacher', { 'status!': STATUS }));
    expect(explained[PATH]).toBe('real: archives a teacher: status → "Archived"');
  });

  it.each([
    ['Delete a teacher', { status: STATUS }],
    ['Delete/Archive a teacher', { status: STATUS }],
    ['Delete a teacher, if not archived', { status: STATUS }],
    ['Archive a teacher', {}],
  ])('deletes the entry if the document leaves open how it is kept: %s', async (summary, properties) => {
    const { ask } = await startApi(createApi(summary, properties));
    await ask('POST', '/teachers', { name: 'Ann' });
    await ask('DELETE', '/teachers/1');
    expect((await ask('GET', '/teachers/1')).status).toBe(404);
  });
});
