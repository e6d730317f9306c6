import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const schemas = {
  Copy: createObject({ 'id!': TEXT, 'status!': TEXT, 'book!': refer('Book') }),
  Book: createObject({ 'title!': TEXT, 'authors!': createList(TEXT), 'source!': TEXT }),
};
const NewCopy = createObject({ 'status!': TEXT, 'title!': TEXT, 'authors!': createList(TEXT) });
const Titles = createObject({ 'status!': TEXT, 'title!': TEXT, 'shelf!': TEXT });

describe('Properties of a request that only an object of the entry has', () => {
  it('are in this object, and found there', async () => {
    const paths = createResourcePaths('/copies/{copyId}', refer('Copy'), NewCopy);
    const list = { query: { q: TEXT }, response: createList(refer('Copy')) };
    const { ask } = await startApi({ paths: { ...paths, '/copies': { ...paths['/copies'], get: list } }, schemas });
    const { body: copy, headers } = await ask('POST', '/copies', { status: 'new', title: 'Dune', authors: ['Frank'] });
    expect(copy).toMatchObject({ status: 'new', book: { title: 'Dune', authors: ['Frank'] } });
    expect(headers.get('X-Mocked')).toBe('/book/source');
    expect((await ask('GET', '/copies?q=dune')).body).toEqual([copy]);
    const { body: changed } = await ask('PUT', `/copies/${copy.id}`, {
      status: 'old',
      title: 'Emma',
      authors: ['Jane'],
    });
    expect(changed).toMatchObject({ id: copy.id, status: 'old', book: { title: 'Emma', authors: ['Jane'] } });
  });

  it('are ignored if the object has only one of them', async () => {
    const paths = createResourcePaths('/copies/{copyId}', refer('Copy'), Titles);
    expect((await explainApi({ paths, schemas }))['POST /copies']).toContain('generates: book');
  });
});

it('Properties of a request for which entries have no place are explained', async () => {
  const Note = createObject({ 'id!': TEXT, 'text!': TEXT, dueDate: TEXT, author: createObject({ name: TEXT }) });
  const request = createObject({
    ...{ 'text!': TEXT, due_date: TEXT, authorId: TEXT, clearDueDate: { type: 'boolean' } },
    ...{ attachmentIds: createList(TEXT), expiryDays: { type: 'integer' } },
  });
  const explained = await explainApi({
    paths: createResourcePaths('/notes/{noteId}', refer('Note'), request),
    schemas: { Note },
  });
  expect(explained['POST /notes']).toContain('never shows: attachmentIds, expiryDays)');
});

describe('A list of objects', () => {
  const Slot = createObject({ start: TEXT, end: TEXT });
  const schemas = { Person: createObject({ 'id!': TEXT, 'name!': TEXT, availability: createList(Slot) }) };
  const create = (properties: object) =>
    createResourcePaths('/people/{personId}', refer('Person'), createObject({ 'name!': TEXT, ...properties }));

  it('has the name that it has in entries if its objects have the same properties', async () => {
    const { ask } = await startApi({ paths: create({ slots: createList(Slot) }), schemas });
    const slots = [{ start: 'a', end: 'b' }];
    const { body } = await ask('POST', '/people', { name: 'Ann', slots });
    expect(body).toMatchObject({ name: 'Ann', availability: slots });
    expect((await ask('GET', '/people')).body).toEqual([body]);
  });

  it.each([
    ['other properties', { slots: createList(createObject({ start: TEXT, length: TEXT })) }],
    ['another list like it beside it', { slots: createList(Slot), breaks: createList(Slot) }],
  ])('is not renamed with %s', async (_title, properties) => {
    const { ask } = await startApi({ paths: create(properties), schemas });
    const { body } = await ask('POST', '/people', { name: 'Ann', slots: [{ start: 'a', end: 'b' }] });
    expect(body.availability).toBeUndefined();
  });
});
