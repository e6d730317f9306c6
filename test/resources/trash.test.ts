import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { createControlClient, createSandboxClient } from '../support/harness/sandboxes.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const ID = { type: 'integer' };
const TIME = { type: ['string', 'null'], format: 'date-time' };
const FLAG = { type: 'boolean' };
const DOCUMENT = refer('Document');

const Document = createObject({ 'id!': ID, 'title!': TEXT, 'deletedAt!': { ...TIME, readOnly: true } });
const Comment = createObject({ 'id!': ID, 'text!': TEXT, documentId: ID });

const ITEM = '/documents/{documentId}';
const COMMENTS = '/documents/{documentId}/comments';

/** Documents with a trash, and their comments. */
const DOCUMENTS = {
  paths: {
    ...createResourcePaths(ITEM, DOCUMENT, createObject({ 'title!': TEXT })),
    ...createResourcePaths(`${COMMENTS}/{commentId}`, refer('Comment'), createObject({ 'text!': TEXT })),
    '/documents/trash': { get: { response: createList(DOCUMENT) }, delete: { status: 204 } },
    [`${ITEM}/restore`]: { post: { response: DOCUMENT, errors: [404, 409] } },
    [`${ITEM}/permanent`]: { delete: { status: 204 } },
  },
  schemas: { Document, Comment },
};

const Note = createObject({ 'note_id!': TEXT, 'body!': TEXT, 'is_deleted!': FLAG });

/** Notes with a query parameter for deleted ones. */
const NOTES = {
  paths: {
    '/notes': {
      get: { response: createObject({ 'data!': createList(refer('Note')), 'total!': ID }), query: { trashed: FLAG } },
      post: {
        status: 201,
        request: createObject({ 'body!': TEXT }),
        response: createObject({ 'data!': refer('Note') }),
      },
    },
    '/notes/{note_id}': {
      get: { response: createObject({ 'data!': refer('Note') }) },
      delete: { response: createObject({ 'data!': refer('Note') }), query: { permanent: FLAG } },
    },
    '/notes/{note_id}/restore': { patch: { response: createObject({ 'data!': refer('Note') }) } },
  },
  schemas: { Note },
};

const Project = createObject({
  'id!': TEXT,
  'name!': TEXT,
  'status!': { type: 'string', enum: ['active', 'paused', 'deleted'] },
});

/** Projects whose trash has a path of its own. */
const PROJECTS = {
  paths: {
    ...createResourcePaths('/projects/{id}', refer('Project'), createObject({ 'name!': TEXT, status: TEXT })),
    '/trash': { get: { response: createList(refer('Project')) }, delete: { status: 204 } },
    '/trash/{id}': { delete: { status: 204 } },
    '/trash/{id}/restore': { post: { response: refer('Project') } },
  },
  schemas: { Project },
};

describe('A deleted entry of a resource with a trash', () => {
  it('is only in the trash until it is restored', async () => {
    const { ask, setClock } = await startDocuments();
    await ask('DELETE', '/documents/1');
    expect((await ask('GET', '/documents')).body).toEqual([{ id: 2, title: 'b', deletedAt: null }]);
    expect((await ask('GET', '/documents/1')).status).toBe(404);
    expect((await ask('GET', '/documents/trash')).body).toEqual([{ id: 1, title: 'a', deletedAt: setClock }]);
    expect((await ask('POST', '/documents/1/restore')).body).toEqual({ id: 1, title: 'a', deletedAt: null });
    expect((await ask('GET', '/documents/trash')).body).toEqual([]);
    expect((await ask('GET', '/documents')).body).toHaveLength(2);
    expect((await ask('POST', '/documents/1/restore')).status).toBe(409);
    expect((await ask('POST', '/documents/9/restore')).status).toBe(404);
  });

  it('is restored with the entries that were deleted with it, and keeps its id', async () => {
    const { ask } = await startDocuments();
    await ask('POST', '/documents/1/comments', { text: 'x' });
    await ask('DELETE', '/documents/1');
    expect((await ask('GET', '/documents/1/comments')).status).toBe(404);
    expect((await ask('POST', '/documents', { title: 'c' })).body).toMatchObject({ id: 3 });
    await ask('POST', '/documents/1/restore');
    expect((await ask('GET', '/documents/1/comments')).body).toEqual([{ id: 1, text: 'x', documentId: 1 }]);
  });

  it('is deleted for good, in the trash and outside of it', async () => {
    const { ask } = await startDocuments();
    await ask('DELETE', '/documents/1');
    expect((await ask('DELETE', '/documents/1/permanent')).status).toBe(204);
    expect((await ask('DELETE', '/documents/2/permanent')).status).toBe(204);
    expect((await ask('DELETE', '/documents/2/permanent')).status).toBe(404);
    expect((await ask('GET', '/documents/trash')).body).toEqual([]);
    expect((await ask('POST', '/documents/1/restore')).status).toBe(404);
  });

  it('is deleted with the whole trash', async () => {
    const { ask } = await startDocuments();
    await ask('DELETE', '/documents/1');
    expect((await ask('DELETE', '/documents/trash')).status).toBe(204);
    expect((await ask('GET', '/documents/trash')).body).toEqual([]);
    expect((await ask('GET', '/documents')).body).toHaveLength(1);
  });

  it('is shown by a query parameter, and deleted for good by another one', async () => {
    const { ask } = await startApi(NOTES);
    const created = (await ask('POST', '/notes', { body: 'a' })).body as { data: { note_id: string } };
    const path = `/notes/${created.data.note_id}`;
    expect((await ask('DELETE', path)).body).toMatchObject({ data: { body: 'a', is_deleted: true } });
    expect((await ask('GET', '/notes')).body).toEqual({ data: [], total: 0 });
    expect((await ask('GET', '/notes?trashed=false')).body).toEqual({ data: [], total: 0 });
    expect((await ask('GET', '/notes?trashed=true')).body).toMatchObject({ data: [{ is_deleted: true }], total: 1 });
    expect((await ask('PATCH', `${path}/restore`)).body).toMatchObject({ data: { is_deleted: false } });
    expect((await ask('GET', path)).body).toMatchObject({ data: { body: 'a', is_deleted: false } });
    await ask('DELETE', `${path}?permanent=true`);
    expect((await ask('GET', '/notes?trashed=true')).body).toEqual({ data: [], total: 0 });
  });

  it('has its earlier state after it was restored from a trash with a path of its own', async () => {
    const { ask } = await startApi(PROJECTS);
    const created = (await ask('POST', '/projects', { name: 'a', status: 'paused' })).body as { id: string };
    await ask('DELETE', `/projects/${created.id}`);
    expect((await ask('GET', '/trash')).body).toEqual([{ ...created, status: 'deleted' }]);
    expect((await ask('POST', `/trash/${created.id}/restore`)).body).toEqual({ ...created, status: 'paused' });
    expect((await ask('DELETE', `/trash/${created.id}`)).status).toBe(404);
    await ask('DELETE', `/projects/${created.id}`);
    expect((await ask('DELETE', `/trash/${created.id}`)).status).toBe(204);
    expect((await ask('GET', '/trash')).body).toEqual([]);
  });

  it('is restored without the id of an entry that was deleted in the meantime', async () => {
    const File = createObject({ 'id!': ID, 'name!': TEXT, folderId: ID, 'isDeleted!': FLAG });
    const NewFile = createObject({ 'name!': TEXT, folderId: ID });
    const paths = {
      ...createResourcePaths('/folders/{folderId}', refer('Folder'), createObject({ 'name!': TEXT })),
      ...createResourcePaths('/files/{fileId}', refer('File'), NewFile),
      '/files/{fileId}/restore': { post: { response: refer('File') } },
    };
    const { ask } = await startApi({ paths, schemas: { File, Folder: createObject({ 'id!': ID, 'name!': TEXT }) } });
    await ask('POST', '/folders', { name: 'a' });
    await ask('POST', '/files', { name: 'b', folderId: 1 });
    await ask('DELETE', '/files/1');
    await ask('DELETE', '/folders/1');
    expect((await ask('POST', '/files/1/restore')).body).toEqual({ id: 1, name: 'b', isDeleted: false });
  });

  it('keeps the id that the client has chosen', async () => {
    const Page = createObject({ 'slug!': TEXT, 'title!': TEXT });
    const paths = {
      ...createResourcePaths('/pages/{slug}', refer('Page'), Page),
      '/pages/{slug}/restore': { post: { response: refer('Page') } },
      '/pages/trash': { get: { response: createList(refer('Page')) } },
    };
    const { ask } = await startApi({ paths, schemas: { Page } });
    await ask('POST', '/pages', { slug: 'a', title: 'b' });
    await ask('DELETE', '/pages/a');
    const refused = await ask('POST', '/pages', { slug: 'a', title: 'c' });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringContaining('is in the trash: restore it'),
    ]);
    expect((await ask('POST', '/pages/a/restore')).body).toEqual({ slug: 'a', title: 'b' });
  });

  it('of the default data is in the trash', async () => {
    const documents = [{ id: 1, title: 'a', deletedAt: '2024-01-01T00:00:00Z' }];
    const defaultData = join(await folderWith({ 'data.json': JSON.stringify({ documents }) }), 'data.json');
    const { ask } = await startApi(DOCUMENTS, { defaultData });
    expect((await ask('GET', '/documents')).body).toEqual([]);
    expect((await ask('GET', '/documents/trash')).body).toHaveLength(1);
    expect((await ask('POST', '/documents/1/restore')).body).toEqual({ id: 1, title: 'a', deletedAt: null });
  });
});

async function startDocuments() {
  const server = await startApi(DOCUMENTS);
  for (const title of ['a', 'b']) await server.ask('POST', '/documents', { title });
  return { ...server, setClock: expect.stringMatching(/^\d{4}-/) };
}

/** The operations on documents, and on their trash. */
const REMOVE = `DELETE ${ITEM}`;
const RESTORE = `POST ${ITEM}/restore`;

describe('explain', () => {
  it('names what happens with deleted entries', async () => {
    const documents = await explainApi(DOCUMENTS);
    expect(documents[REMOVE]).toBe('real: moves a document to the trash: deletedAt → now (also moves: comments)');
    expect(documents[RESTORE]).toBe('real: restores a document that was deleted, with what was deleted with it');
    expect(documents['GET /documents/trash']).toBe('real: lists deleted documents');
    expect(documents['DELETE /documents/trash']).toBe('real: deletes all deleted documents for good');
    expect(documents[`${REMOVE}/permanent`]).toBe('real: deletes a document for good (also deletes: comments)');
    const notes = await explainApi(NOTES);
    expect(notes['GET /notes']).toContain('shows deleted ones by: trashed');
    expect(notes['DELETE /notes/{note_id}']).toBe(
      'real: moves a note to the trash, or deletes it for good with permanent: is_deleted → true',
    );
    const projects = await explainApi(PROJECTS);
    expect(projects['GET /trash']).toBe('real: lists deleted projects');
    expect(projects['POST /trash/{id}/restore']).toMatch(/^real: restores a project that was deleted/);
    expect(projects['DELETE /trash/{id}']).toBe('real: deletes for good a project that was deleted');
  });

  it('belongs to a sandbox, its snapshots and its data, and mocked responses leave it alone', async () => {
    const { ask, port } = await startApi(DOCUMENTS);
    const [other, control] = [createSandboxClient({ port }, 'w1'), createControlClient({ port })];
    const listIds = async (client: typeof ask, path: string) =>
      (await client('GET', path)).body.map(({ id }: { id: number }) => id);
    const show = async (client: typeof ask) => [
      await listIds(client, '/documents'),
      await listIds(client, '/documents/trash'),
    ];
    for (const client of [ask, other]) {
      for (const title of ['a', 'b']) await client('POST', '/documents', { title });
      await client('DELETE', '/documents/1');
    }
    await control('PUT', '/w1/snapshots/deleted');
    expect((await ask('DELETE', '/documents/2', undefined, { prefer: 'code=204, dynamic=true' })).status).toBe(204);
    expect((await other('POST', '/documents/1/restore')).status).toBe(200);
    expect([await show(ask), await show(other)]).toEqual([
      [[2], [1]],
      [[2, 1], []],
    ]);
    await control('POST', '/w1/snapshots/deleted/restore');
    expect(await show(other)).toEqual([[2], [1]]);
    await control('POST', '/w1/reset');
    expect([await show(ask), await show(other)]).toEqual([
      [[2], [1]],
      [[], []],
    ]);
    expect((await other('POST', '/documents/1/restore')).status).toBe(404);
  });

  it('names the ids that a restoration does not restore', async () => {
    const Task = createObject({ 'id!': ID, documentId: ID });
    const paths = { ...DOCUMENTS.paths, ...createResourcePaths('/tasks/{taskId}', refer('Task')) };
    const explained = await explainApi({ paths, schemas: { ...DOCUMENTS.schemas, Task } });
    expect(explained[RESTORE]).toContain('(does not restore: tasks.documentId');
  });

  it.each<[title: string, removed: readonly string[], more: Paths, text: RegExp]>([
    ['restore can take archive back', [], { [`${ITEM}/archive`]: { post: { response: DOCUMENT } } }, /^real: deletes/],
    ['nothing shows or restores deleted entries', [`${ITEM}/restore`], {}, /^real: deletes/],
    [
      'restore needs the version to restore',
      [],
      { [`${ITEM}/restore`]: { post: { request: createObject({ 'version!': ID }), response: DOCUMENT } } },
      /^real: deletes/,
    ],
  ])('has no trash if %s', async (_title, removed, more, text) => {
    const paths = Object.entries(DOCUMENTS.paths).filter(([path]) => ![...removed, '/documents/trash'].includes(path));
    const explained = await explainApi({ ...DOCUMENTS, paths: { ...Object.fromEntries(paths), ...more } });
    expect(explained[REMOVE]).toMatch(text);
    expect(explained[RESTORE] ?? '').not.toContain('that was deleted');
  });
});
