import { expect, it } from 'vitest';
import { createObject, createResourcePaths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const ID = { type: 'string', format: 'uuid' };
const TIME = { type: 'string', format: 'date-time' };

/** The texts and schemas of a list of messages with `before` and `after`. */
interface Bounds {
  readonly id?: Schema;
  readonly type?: Schema;
  readonly summary?: string;
  readonly before?: string;
  readonly after?: string;
}

function createApi({ id = INTEGER, type = INTEGER, summary = 'Lists messages', ...texts }: Bounds) {
  const { before = 'Only messages before this message', after = 'Only messages after this message' } = texts;
  const Message = createObject({ 'id!': { ...id, readOnly: true }, 'text!': TEXT, editedAt: TIME });
  const messages = createResourcePaths('/messages/{messageId}', refer('Message'));
  const query = { before: type, after: type, limit: INTEGER };
  const get = { ...messages['/messages']?.get, summary, query, descriptions: { before, after } };
  return { paths: { ...messages, '/messages': { ...messages['/messages'], get } }, schemas: { Message } };
}

/** Starts a server with four messages. */
async function startMessages(bounds: Bounds) {
  const { ask } = await startApi(createApi(bounds));
  const ids: string[] = [];
  for (const text of ['a', 'b', 'c', 'd']) ids.push((await ask('POST', '/messages', { text })).body.id);
  const list = async (query: string) => {
    const { body } = await ask('GET', `/messages?${query}`);
    return body.map(({ text }: { readonly text: string }) => text).join('');
  };
  return { ask, ids, list };
}

it.each([
  ['before=3', 'ab', 'ba'],
  ['after=1', 'bcd', 'dcb'],
  ['after=1&before=4', 'bc', 'cb'],
  ['before=4&limit=2', 'ab', 'cb'],
  ['before=99', 'abcd', 'dcba'],
])('a list with %s has the messages before and after the one with this id', async (query, oldest, newest) => {
  expect(await (await startMessages({})).list(query)).toBe(oldest);
  expect(await (await startMessages({ summary: 'Newest messages first' })).list(query)).toBe(newest);
});

it('a bound can be the id of a deleted message', async () => {
  const { ask, list } = await startMessages({});
  await ask('DELETE', '/messages/2');
  expect(await list('before=2')).toBe('a');
  expect(await list('after=2')).toBe('cd');
});

it('bounds can be texts with the format of the ids, and an unknown one is refused', async () => {
  const bounds = {
    id: ID,
    type: ID,
    before: 'Messages before this message id',
    after: 'Messages after this message id',
  };
  const { ask, ids, list } = await startMessages(bounds);
  expect(await list(`before=${ids[2]}`)).toBe('ab');
  const unknown = '00000000-0000-4000-8000-999999999999';
  expect((await ask('GET', `/messages?before=${unknown}`)).status).toBe(400);
});

it('bounds are explained as parameters for pages', async () => {
  const { 'GET /messages': line } = await explainApi(createApi({}));
  expect(line).toBe('real: lists messages (pages by: limit, before, after)');
});

it.each([
  ['times', { type: TIME }, 'filters: before (editedAt)'],
  ['described as times', { before: 'Unix timestamp: messages before this message was sent' }, 'ignores: before'],
  ['without a description', { before: ' ', after: ' ' }, 'ignores: before'],
  ['of another type than the ids', { id: ID }, 'ignores: before'],
])('before and after that are %s are no ids', async (_title, bounds, explained) => {
  const { 'GET /messages': line } = await explainApi(createApi(bounds));
  expect(line).toContain('pages by: limit, after');
  expect(line).toContain(explained);
});
