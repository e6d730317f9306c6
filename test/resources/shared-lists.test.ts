import { expect, it } from 'vitest';
import { createList, createObject, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };

/** `sentAt`: the schema of a property of a chat. */
function createApi(sentAt: Schema) {
  return {
    paths: {
      '/users/{userId}/chats': { get: { response: createList(refer('Chat')) } },
      '/chats/{chatId}': { get: { response: refer('Chat') } },
    },
    schemas: { Chat: createObject({ 'id!': { type: 'integer' }, 'title!': TEXT, 'sentAt!': sentAt }) },
  };
}
const API = createApi(TEXT);

it('a list below unknown entries, which no operation changes, has the entries that other paths read', async () => {
  const { ask } = await startApi(API);
  const { body: chats, headers } = await ask('GET', '/users/1/chats');
  expect(chats).toHaveLength(3);
  expect(headers.get('x-mocked')).toBeNull();
  for (const chat of chats) expect((await ask('GET', `/chats/${chat.id}`)).body).toEqual(chat);
  expect((await ask('GET', '/users/2/chats')).body).toEqual(chats);
  expect((await explainApi(API))['GET /users/{userId}/chats']).toBe(
    'real: lists chats of /users/{userId} (starts with examples or generated entries; the same for each /users/{userId})',
  );
});

it('a list has stored entries also if no time matches the pattern of a property', async () => {
  const contract = await writeApi(createApi({ type: 'string', format: 'date-time', pattern: '^[a-z]+$' }));
  const { ask } = await startStorefront({ contract });
  const { body: chats, headers } = await ask('GET', '/users/1/chats');
  expect(headers.get('x-mocked')).toBeNull();
  expect((await ask('GET', `/chats/${chats[0].id}`)).body).toEqual(chats[0]);
  expect(chats[0].sentAt).toMatch(/^\d{4}-/);
});
