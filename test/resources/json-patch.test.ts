import { describe, expect, it } from 'vitest';
import { createList, createObject, refer } from '../support/fixtures/api-document.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { startApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const Note = {
  type: 'object',
  required: ['text'],
  properties: {
    id: { type: 'integer', readOnly: true },
    text: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    by: { type: 'object', properties: { name: { type: 'string' } } },
  },
};
const Operation = {
  type: 'object',
  required: ['op', 'path'],
  properties: { op: { type: 'string' }, path: { type: 'string' }, from: { type: 'string' }, value: {} },
};
const List = { type: 'array', items: Operation };
const PATCH = 'application/json-patch+json';

const toBody = (schema: object, type = 'application/json') => ({ description: 'd', content: { [type]: { schema } } });

/** Starts a server with one note. `content`: the request bodies of `PATCH /notes/{id}` by media type. `statuses`: the documented errors. */
async function start(content: object = { [PATCH]: { schema: List } }, statuses: readonly number[] = []) {
  const errors = Object.fromEntries(statuses.map((status) => [status, { description: 'd' }]));
  const contract = await writeDocument({
    paths: {
      '/notes': { post: { requestBody: toBody(Note), responses: { 201: toBody(Note) } } },
      '/notes/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { responses: { 200: toBody(Note) } },
        patch: { requestBody: { content }, responses: { 200: toBody(Note), ...errors } },
      },
    },
  });
  const { ask } = await startStorefront({ contract });
  await ask('POST', '/notes', { text: 'a', tags: ['x'], by: { name: 'Ann' } });
  const patch = (operations: unknown, type = PATCH) => ask('PATCH', '/notes/1', operations, { 'content-type': type });
  return { ask, patch };
}

describe('a JSON Patch', () => {
  it('changes the stored entry, also inside of its properties', async () => {
    const { ask, patch } = await start();
    const { status, body } = await patch([
      { op: 'test', path: '/text', value: 'a' },
      { op: 'replace', path: '/text', value: 'b' },
      { op: 'add', path: '/tags/-', value: 'y' },
      { op: 'move', from: '/tags/0', path: '/tags/1' },
      { op: 'remove', path: '/by/name' },
    ]);
    expect([status, body]).toEqual([200, { id: 1, text: 'b', tags: ['y', 'x'], by: {} }]);
    expect((await ask('GET', '/notes/1')).body).toEqual(body);
  });

  it('has a test that compares 0 and -0 as equal numbers', async () => {
    const { ask } = await start();
    const add = (value: string) => `{"op":"add","path":"/tags/0","value":"${value}"}`;
    const test = '{"op":"test","path":"/by/n","value":[-0]}';
    const body = `[{"op":"add","path":"/by/n","value":[0]},${test},${add('t')}]`;
    const { status } = await ask('PATCH', '/notes/1', body, { 'content-type': PATCH });
    expect([status, (await ask('GET', '/notes/1')).body.tags]).toEqual([200, ['t', 'x']]);
  });

  it.each([
    ['beside a merge patch', { 'application/merge-patch+json': { schema: Note }, [PATCH]: { schema: List } }, PATCH],
    ['as JSON', { 'application/json': { schema: List } }, 'application/json'],
    ['as a list of any JSON', { [PATCH]: {} }, PATCH],
  ])('is applied if it is documented %s', async (_, content, type) => {
    const { patch } = await start(content);
    const { body } = await patch([{ op: 'replace', path: '/text', value: 'b' }], type);
    expect(body).toMatchObject({ id: 1, text: 'b' });
  });

  it('does not replace a merge patch of the same operation', async () => {
    const content = { 'application/merge-patch+json': { schema: Note }, [PATCH]: { schema: List } };
    const { patch } = await start(content);
    expect((await patch({ text: 'c' }, 'application/merge-patch+json')).body).toMatchObject({ text: 'c' });
  });

  it.each([
    [[], 409],
    [[409], 409],
    [[422], 422],
  ])(
    'with a failed test or without a value at its path changes nothing, with the documented status of %j',
    async (documented, status) => {
      const { ask, patch } = await start(undefined, documented);
      const change = { op: 'replace', path: '/text', value: 'b' };
      for (const failing of [
        { op: 'test', path: '/text', value: 'z' },
        { op: 'remove', path: '/none' },
      ])
        expect((await patch([change, failing])).status).toBe(status);
      expect((await ask('GET', '/notes/1')).body.text).toBe('a');
    },
  );

  it.each([
    [{ op: 'replace', path: '/text', value: 5 }, '/text is 5: use a string'],
    [{ op: 'replace', path: '/id', value: 9 }, "id can't be changed"],
    [{ op: 'remove', path: '/text' }, 'text is required'],
    [{ op: 'replace', path: '', value: [] }, 'the result is not an object'],
  ])('that the entry can not have as a result is refused: %j', async (operation, reason) => {
    const { ask, patch } = await start();
    const { status, body } = await patch([operation]);
    expect([status, body.detail]).toEqual([422, `the patch is refused: ${reason}`]);
    expect((await ask('GET', '/notes/1')).body).toMatchObject({ id: 1, text: 'a' });
  });

  it.each([
    [
      { op: 'change', path: '/text' },
      'the operation 0 of the patch has the op "change": use add, replace, test, remove, move, copy',
    ],
    [{ op: 'add', path: '/text' }, 'the operation 0 of the patch has no value: add it'],
    [{ op: 'copy', path: '/text' }, 'the operation 0 of the patch has no from: add it'],
    [
      { op: 'remove', path: 'text' },
      'the operation 0 of the patch has an invalid path: use a JSON Pointer, such as /name',
    ],
  ])('with an invalid operation is refused: %j', async (operation, detail) => {
    const { patch } = await start();
    expect(await patch([operation])).toMatchObject({ status: 400, body: { detail } });
  });

  it('is applied if the schema of its media type is an object', async () => {
    const { patch } = await start({ [PATCH]: { schema: Note } });
    const { status, body } = await patch([{ op: 'replace', path: '/text', value: 'b' }]);
    expect([status, body.text]).toEqual([200, 'b']);
  });
});

it('A JSON Patch tests the computed values that responses have', async () => {
  const [INTEGER, TEXT] = [{ type: 'integer' }, { type: 'string' }];
  const Book = createObject({ 'id!': INTEGER, 'title!': TEXT, 'reviewCount!': INTEGER });
  const Review = createObject({ 'id!': INTEGER, 'text!': TEXT });
  const { ask } = await startApi({
    paths: {
      '/books': { post: { request: createObject({ 'title!': TEXT }), response: refer('Book'), status: 201 } },
      '/books/{bookId}': { get: { response: refer('Book') }, patch: { request: List, response: refer('Book') } },
      '/books/{bookId}/reviews': {
        get: { response: createList(Review) },
        post: { request: createObject({ 'text!': TEXT }), response: Review, status: 201 },
      },
    },
    schemas: { Book },
  });
  await ask('POST', '/books', { title: 'a' });
  for (const text of ['x', 'y']) await ask('POST', '/books/1/reviews', { text });
  const patch = (value: number) =>
    ask('PATCH', '/books/1', [
      { op: 'test', path: '/reviewCount', value },
      { op: 'replace', path: '/title', value: 'b' },
    ]);
  for (const value of [0, 1, 3, 4, 5, 6, 7, 8, 9, 10]) expect((await patch(value)).status).toBe(409);
  expect(await patch(2)).toMatchObject({ status: 200, body: { id: 1, title: 'b', reviewCount: 2 } });
});
