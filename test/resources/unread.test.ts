import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const ID = { type: 'integer' };
const FLAG = { type: 'boolean' };

const Task = createObject({ 'id!': ID, 'title!': TEXT });

function start(read: Record<string, Schema>) {
  const Notification = createObject({ 'id!': ID, 'text!': TEXT, 'taskId!': ID, ...read });
  const paths = {
    ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT })),
    '/notifications': { get: { response: createList(refer('Notification')), query: { unread: FLAG } } },
    '/notifications/{notificationId}/read': { post: { response: refer('Notification') } },
  };
  return startApi({ paths, schemas: { Task, Notification } });
}

describe('Generated notifications', () => {
  it.each<[string, Record<string, Schema>]>([
    ['read', { 'read!': FLAG }],
    ['isRead', { isRead: FLAG }],
    ['readAt', { 'readAt!': { type: ['string', 'null'], format: 'date-time' } }],
  ])('with %s start unread, and unread selects them', async (_name, read) => {
    const { ask } = await start(read);
    const all = (await ask('GET', '/notifications')).body as { id: number }[];
    expect((await ask('GET', '/notifications?unread=true')).body).toEqual(all);
    await ask('POST', `/notifications/${all[1]?.id}/read`);
    const ids = async (query: string) =>
      ((await ask('GET', `/notifications?unread=${query}`)).body as { id: number }[]).map(({ id }) => id);
    expect(await ids('true')).toEqual([all[0]?.id, all[2]?.id]);
    expect(await ids('false')).toEqual([all[1]?.id]);
  });

  it('name existing entries', async () => {
    const { ask } = await start({ 'read!': FLAG });
    await ask('POST', '/tasks', { title: 'a' });
    const all = (await ask('GET', '/notifications')).body as { taskId: number }[];
    expect(all.map(({ taskId }) => taskId)).toEqual([1, 1, 1]);
  });
});

describe('A boolean parameter that names a state', () => {
  const TIME = { type: ['string', 'null'], format: 'date-time' };
  const STATUS = { type: 'string', enum: ['todo', 'completed'] };

  it.each<[string, Schema, object, readonly number[], readonly number[], readonly number[]]>([
    ['includeCompleted', { checked: FLAG }, { checked: true }, [1], [1], [1, 2]],
    ['include_completed', { status: STATUS }, { status: 'completed' }, [1], [1], [1, 2]],
    ['showArchived', { archivedAt: TIME }, { archivedAt: '2025-01-01T00:00:00Z' }, [1], [1], [1, 2]],
    ['includeInactive', { isActive: { ...FLAG, default: true } }, { isActive: false }, [1], [1], [1, 2]],
    ['unreadOnly', { readAt: TIME }, { readAt: '2025-01-01T00:00:00Z' }, [1, 2], [1, 2], [1]],
    ['only_archived', { isArchived: FLAG }, { isArchived: true }, [1, 2], [1, 2], [2]],
    ['includeComments', { comments: TEXT }, {}, [1, 2], [1, 2], [1, 2]],
  ])('as in %s, selects by it', async (name, properties, second, ...expected) => {
    const own = properties as Record<string, Schema>;
    const Note = createObject({ 'id!': ID, ...own });
    const resources = createResourcePaths('/notes/{noteId}', refer('Note'), createObject(own));
    const list = { response: createList(refer('Note')), query: { [name]: FLAG } };
    const paths = { ...resources, '/notes': { ...resources['/notes'], get: list } };
    const { ask } = await startApi({ paths, schemas: { Note } });
    for (const body of [{}, second]) await ask('POST', '/notes', body);
    for (const [index, query] of ['', `?${name}=false`, `?${name}=true`].entries()) {
      const notes = (await ask('GET', `/notes${query}`)).body as { id: number }[];
      expect(notes.map(({ id }) => id)).toEqual(expected[index]);
    }
  });
});

it('A filter by the state selects entries that a list omits without includeCompleted', async () => {
  const status = { type: 'string', enum: ['todo', 'completed'] };
  const Note = createObject({ 'id!': ID, status });
  const resources = createResourcePaths('/notes/{noteId}', refer('Note'), createObject({ status }));
  const list = { response: createList(refer('Note')), query: { includeCompleted: FLAG, status } };
  const paths = { ...resources, '/notes': { ...resources['/notes'], get: list } };
  const { ask } = await startApi({ paths, schemas: { Note } });
  await ask('POST', '/notes', { status: 'completed' });
  expect((await ask('GET', '/notes')).body).toEqual([]);
  expect((await ask('GET', '/notes?status=completed')).body).toHaveLength(1);
  expect((await ask('GET', '/notes?status=completed&includeCompleted=false')).body).toEqual([]);
});

describe('A filter whose name differs from the property', () => {
  const Venue = createObject({
    'id!': ID,
    'name!': TEXT,
    done: FLAG,
    price_per_hour_cents: ID,
    average_rating: { type: 'number' },
    starts_at: { type: 'string', format: 'date-time' },
    ends_at: { type: 'string', format: 'date-time' },
  });
  const query = { isDone: FLAG, max_price_cents: ID, min_rating: ID, date: TEXT };
  const resources = createResourcePaths('/venues/{venueId}', refer('Venue'));
  const list = { response: createList(refer('Venue')), query };
  const paths = { ...resources, '/venues': { ...resources['/venues'], get: list } };

  it.each([
    ['isDone=true', [2]],
    ['isDone=false', [1]],
    ['max_price_cents=150', [1]],
    ['min_rating=4', [2]],
    ['date=2030-01-02', [2]],
  ])('selects by %s', async (text, expected) => {
    const { ask } = await startApi({ paths, schemas: { Venue } });
    for (const [id, done, price_per_hour_cents, average_rating] of [
      [1, false, 100, 3],
      [2, true, 200, 5],
    ] as const) {
      const times = { starts_at: `2030-01-0${id}T09:00:00Z`, ends_at: `2030-01-0${id}T10:00:00Z` };
      await ask('POST', '/venues', { id, name: 'a', done, price_per_hour_cents, average_rating, ...times });
    }
    const found = (await ask('GET', `/venues?${text}`)).body as { id: number }[];
    expect(found.map(({ id }) => id)).toEqual(expected);
  });

  it('is ignored if several properties have its name', async () => {
    const Other = { ...Venue, properties: { ...(Venue.properties as object), price_per_day_cents: ID } };
    expect((await explainApi({ paths, schemas: { Venue: Other } }))['GET /venues']).toContain(
      'ignores: max_price_cents',
    );
  });
});
