import { describe, expect, it } from 'vitest';
import { createList, createObject, type OperationParts, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

/** A list and its POST, each with a schema of its own. */
function createNotes(response: OperationParts['response'], request = createObject({ 'text!': TEXT })) {
  return {
    '/notes': {
      get: { response: createList(createObject({ id: INTEGER, text: TEXT, done: { type: 'boolean' } })) },
      post: { request, status: 201, ...(response && { response }) },
    },
  };
}

describe('A POST beside a list', () => {
  it.each([
    ['nothing', undefined, undefined],
    ['a number', INTEGER, 1],
    ['a text', TEXT, '1'],
    ['the id', createObject({ 'id!': INTEGER }), { id: 1 }],
    ['the id with a name', createObject({ 'noteId!': INTEGER }), { noteId: 1 }],
    ['an entry with fewer properties', createObject({ id: INTEGER, text: TEXT }), { id: 1, text: 'a' }],
  ])('creates an entry if it responds with %s', async (_name, response, expected) => {
    const { ask } = await startApi({ paths: createNotes(response) });
    const created = await ask('POST', '/notes', { text: 'a' });
    if (expected !== undefined) expect(created.body).toEqual(expected);
    expect((await ask('GET', '/notes')).body).toEqual([{ id: 1, text: 'a' }]);
  });

  it('creates the entries of a list', async () => {
    const { ask } = await startApi({ paths: createNotes(INTEGER, createList(createObject({ 'text!': TEXT }))) });
    expect((await ask('POST', '/notes', [{ text: 'a' }, { text: 'b' }])).body).toBe(1);
    expect((await ask('GET', '/notes')).body).toEqual([
      { id: 1, text: 'a' },
      { id: 2, text: 'b' },
    ]);
  });

  it('shows the id beside a message', async () => {
    const response = createObject({ 'message!': { ...TEXT, example: 'Note created' }, 'id!': INTEGER });
    const { ask } = await startApi({ paths: createNotes(response) });
    expect((await ask('POST', '/notes', { text: 'a' })).body).toEqual({ message: 'Note created', id: 1 });
  });

  it.each([
    ['Note created with ID: 712', 'Note created with ID: 1'],
    ["Created note (id='712').", "Created note (id='1')."],
    ['Note #712 was created', 'Note #1 was created'],
    ['Created 712 notes', 'Created 712 notes'],
  ])('names the id in a message: %s', async (example, message) => {
    const { ask } = await startApi({ paths: createNotes(createObject({ 'message!': { ...TEXT, example } })) });
    expect((await ask('POST', '/notes', { text: 'a' })).body).toEqual({ message });
  });

  it.each([
    ['Note created', 'Note created'],
    ['Successful operation', 'Logged out'],
  ])(
    'described as "%s" has the message "%s" if several operations share the example',
    async (responseText, message) => {
      const schemas = { Done: createObject({ message: { ...TEXT, example: 'Logged out' } }) };
      const { '/notes': notes } = createNotes(refer('Done'));
      const paths = {
        '/notes': { ...notes, post: { ...notes.post, responseText } },
        '/session/end': { post: { response: refer('Done') } },
      };
      const { ask } = await startApi({ paths, schemas });
      expect((await ask('POST', '/notes', { text: 'a' })).body).toEqual({ message });
      const { ask: askAlone } = await startApi({ paths: { '/notes': paths['/notes'] }, schemas });
      expect((await askAlone('POST', '/notes', { text: 'a' })).body).toEqual({ message: 'Logged out' });
    },
  );

  it('is mocked if its request has other properties than the entries', async () => {
    const paths = createNotes(createObject({ message: TEXT }), createObject({ query: TEXT, deep: TEXT }));
    expect(await explainApi({ paths })).toEqual({
      'GET /notes': 'mocked: a list without a path for its entries',
      'POST /notes': 'mocked: an action: the document does not say what the action changes',
    });
  });
});

describe('A GET of an entry', () => {
  it('can be documented as a list of one', async () => {
    const Note = createObject({ id: INTEGER, text: TEXT });
    const paths = {
      '/notes': { get: { response: createList(Note) }, post: { request: Note, response: Note, status: 201 } },
      '/notes/{noteId}': { get: { response: createList(Note) } },
    };
    const { ask } = await startApi({ paths });
    await ask('POST', '/notes', { text: 'a' });
    await ask('POST', '/notes', { text: 'b' });
    expect((await ask('GET', '/notes/2')).body).toEqual([{ id: 2, text: 'b' }]);
    expect((await ask('GET', '/notes/3')).status).toBe(404);
  });
});
