import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const FLAG = { type: 'boolean' };
const IDS = { type: 'array', items: INTEGER };

const Item = createObject({
  'id!': { ...INTEGER, readOnly: true },
  'title!': TEXT,
  unread: FLAG,
  status: { type: 'string', enum: ['open', 'done'] },
});
const schemas = { Item };

const PATHS = {
  ...createResourcePaths('/items/{itemId}', refer('Item'), createObject({ 'title!': TEXT, unread: FLAG })),
  '/items': {
    get: { response: createList(refer('Item')) },
    post: { request: createObject({ 'title!': TEXT, unread: FLAG }), status: 201, response: refer('Item') },
    delete: { request: createObject({ 'ids!': IDS }), status: 204 },
  },
  '/items/-/read': { patch: { request: createObject({ 'ids!': IDS }), status: 204 } },
  '/items/complete': {
    post: { request: IDS, response: createObject({ 'message!': TEXT, 'updatedCount!': INTEGER }) },
  },
  '/items/bulk-reopen': { post: { request: createObject({ 'ids!': IDS, 'force!': FLAG }), status: 204 } },
  '/items/bulk/delete': { post: { request: createObject({ 'item_ids!': IDS }), status: 204, errors: [404] } },
  '/items/mark-all-unread': { post: { status: 204 } },
};

/** Starts a server with three items. */
async function startItems() {
  const server = await startApi({ paths: PATHS, schemas });
  for (const title of ['a', 'b', 'c']) await server.ask('POST', '/items', { title, unread: true });
  const list = async (name: string) =>
    (await server.ask('GET', '/items')).body.map((item: Record<string, unknown>) => item[name]);
  return { ...server, list };
}

describe('An action on several entries', () => {
  it('is explained with the place of the ids', async () => {
    expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
      'PATCH /items/-/read': 'real: marks the items in ids as read: unread → false',
      'POST /items/complete': 'real: completes the items in the body: status → "done" (generates: message)',
      'POST /items/bulk-reopen': expect.stringMatching(/^mocked: an action/),
      'POST /items/bulk/delete': 'real: deletes the items in item_ids',
      'DELETE /items': 'real: deletes the items in ids',
      'POST /items/mark-all-unread': 'real: marks all items as unread: unread → true',
    });
  });

  it('changes those with the ids in the request, and shows how many it has changed', async () => {
    const { ask, list } = await startItems();
    expect(await ask('PATCH', '/items/-/read', { ids: [1, 3, 9] })).toMatchObject({ status: 204 });
    expect(await list('unread')).toEqual([false, true, false]);
    expect((await ask('POST', '/items/complete', [2, 3])).body).toMatchObject({ updatedCount: 2 });
    expect((await ask('POST', '/items/complete', [1, 2])).body).toMatchObject({ updatedCount: 1 });
    await ask('POST', '/items/mark-all-unread');
    expect(await list('unread')).toEqual([true, true, true]);
  });

  it('deletes those with the ids in the request, or none if an id is unknown and 404 is documented', async () => {
    const { ask, list } = await startItems();
    const refused = await ask('POST', '/items/bulk/delete', { item_ids: [1, 9] });
    expect(refused).toMatchObject({ status: 404 });
    expect(await list('id')).toEqual([1, 2, 3]);
    expect(await ask('POST', '/items/bulk/delete', { item_ids: [1] })).toMatchObject({ status: 204 });
    expect(await ask('DELETE', '/items', { ids: [3] })).toMatchObject({ status: 204 });
    expect(await list('id')).toEqual([2]);
  });

  it('shows the entries that it has changed, if the response lists entries', async () => {
    const request = createObject({ 'ids!': IDS });
    const { ask } = await startApi({
      paths: {
        ...PATHS,
        '/items/complete-many': { post: { request, response: createList(refer('Item')) } },
        '/items/bulk-read': { post: { request, response: createObject({ 'items!': createList(refer('Item')) }) } },
        '/items/delete-many': { post: { request, response: createObject({ 'items!': createList(refer('Item')) }) } },
      },
      schemas,
    });
    for (const title of ['a', 'b', 'c']) await ask('POST', '/items', { title, unread: true });
    const done = { status: 'done' };
    const completed = await ask('POST', '/items/complete-many', { ids: [1, 2] });
    expect(completed.body).toMatchObject([
      { id: 1, title: 'a', ...done },
      { id: 2, title: 'b', ...done },
    ]);
    expect((await ask('POST', '/items/complete-many', { ids: [2] })).body).toMatchObject([{ id: 2, ...done }]);
    expect((await ask('POST', '/items/complete-many', { ids: [] })).body).toEqual([]);
    expect((await ask('POST', '/items/bulk-read', { ids: [3] })).body).toMatchObject({
      items: [{ id: 3, unread: false }],
    });
    const deleted = await ask('POST', '/items/delete-many', { ids: [3, 9] });
    expect(deleted.body).toMatchObject({ items: [{ id: 3, title: 'c' }] });
    expect((await ask('GET', '/items')).body).toHaveLength(2);
  });
});

describe('An action on several entries of a resource with a trash', () => {
  const Note = createObject({ 'id!': INTEGER, 'title!': TEXT, deletedAt: { type: ['string', 'null'] } });
  const ids = createObject({ 'ids!': IDS });
  const counted = createObject({ 'restoredCount!': INTEGER });
  const paths = {
    ...createResourcePaths('/notes/{noteId}', refer('Note'), createObject({ 'title!': TEXT })),
    '/notes/trash': { get: { response: createList(refer('Note')) }, delete: { request: ids, status: 204 } },
    '/notes/{noteId}/restore': { post: { response: refer('Note') } },
    '/notes/bulk-archive': { post: { request: ids, status: 204 } },
    '/notes/bulk-delete': { post: { request: ids, status: 204 } },
    '/notes/bulk-restore': { post: { request: ids, response: counted, errors: [404] } },
  };

  it('is explained with what the trash has then', async () => {
    const archivable = createObject({ 'id!': INTEGER, 'title!': TEXT, 'isArchived!': FLAG });
    expect(await explainApi({ paths, schemas: { Note: archivable } })).toMatchObject({
      'POST /notes/bulk-archive': 'real: archives the notes in ids: isArchived → true',
      'POST /notes/bulk-delete': 'real: moves the notes in ids to the trash',
      'POST /notes/bulk-restore': 'real: restores the notes in ids that were deleted, with what was deleted with them',
      'DELETE /notes/trash': 'real: deletes the notes in ids for good',
    });
  });

  it('moves entries to the trash if a single DELETE does, restores them, and deletes them for good', async () => {
    const { ask } = await startApi({ paths, schemas: { Note } });
    for (const title of ['a', 'b', 'c', 'd']) await ask('POST', '/notes', { title });
    await ask('POST', '/notes/bulk-delete', { ids: [1, 3, 4] });
    const list = async (path: string) => (await ask('GET', path)).body.map(({ id }: { id: number }) => id);
    expect([await list('/notes'), await list('/notes/trash')]).toEqual([[2], [1, 3, 4]]);
    expect(await ask('POST', '/notes/3/restore')).toMatchObject({ status: 200, body: { id: 3 } });
    expect([await list('/notes'), await list('/notes/trash')]).toEqual([
      [2, 3],
      [1, 4],
    ]);
    expect(await ask('POST', '/notes/bulk-restore', { ids: [1, 9] })).toMatchObject({ status: 404 });
    expect((await ask('POST', '/notes/bulk-restore', { ids: [1, 2, 1] })).body).toEqual({ restoredCount: 1 });
    expect([await list('/notes'), await list('/notes/trash')]).toEqual([[2, 3, 1], [4]]);
    await ask('POST', '/notes/bulk-delete', { ids: [2] });
    expect(await ask('DELETE', '/notes/trash', { ids: [4] })).toMatchObject({ status: 204 });
    expect([await list('/notes'), await list('/notes/trash')]).toEqual([[3, 1], [2]]);
  });
});
