import { expect, it } from 'vitest';
import {
  createList,
  createObject,
  createResourcePaths,
  type Paths,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const ID = { type: 'integer', readOnly: true };
const TEXT = { type: 'string' };
const Channel = createObject({ 'id!': ID, name: TEXT });

/** Returns an API of messages below channels. `properties`: more properties of a message. `others`: other paths. */
function createApi(properties: Readonly<Record<string, Schema>>, others: Paths) {
  const Message = createObject({ 'id!': ID, text: TEXT, ...properties });
  const request = createObject({ text: TEXT });
  return {
    paths: { ...others, ...createResourcePaths('/channels/{channel_id}/messages/{message_id}', Message, request) },
  };
}

const LIST = 'GET /channels/{channel_id}/messages';
const GUILDS: Paths = createResourcePaths('/guilds/{guild_id}', createObject({ 'id!': ID, name: TEXT }));
const CHANNELS: Paths = {
  ...GUILDS,
  '/guilds/{guild_id}/channels': {
    get: { response: createList(Channel) },
    post: { request: createObject({ name: TEXT }), response: Channel, status: 201 },
  },
};

it.each([
  ['in a hidden value', {}],
  ['in a property', { channel_id: ID }],
])(
  'Explain says that a list accepts each id of a parent that no list has, if entries have it %s',
  async (_what, own) => {
    const api = createApi(own, GUILDS);
    const lines = await explainApi(api);
    const text = 'accepts each channel_id: no operation lists or creates /channels';
    expect([lines[LIST], lines[LIST.replace('GET', 'POST')]]).toEqual([
      `real: lists messages of /channels/{channel_id} (${text})`,
      `real: creates a message of /channels/{channel_id} (${text})`,
    ]);
    const { ask } = await startApi(api);
    expect((await ask('POST', '/channels/987/messages', { text: 'a' })).status).toBe(201);
  },
);

it.each<[string, Paths]>([
  ['an operation lists them', createResourcePaths('/channels/{channel_id}', Channel)],
  ['an operation creates them below others', CHANNELS],
  ['an operation reads and lists them', { ...CHANNELS, ...createResourcePaths('/channels/{id}', Channel) }],
])('Explain does not say that each parent is accepted if %s', async (_what, paths) => {
  expect((await explainApi(createApi({}, paths)))[LIST]).not.toContain('accepts each');
});

it('Explain does not say that each table is accepted if a list has the fields of all tables', async () => {
  const Field = createObject({ 'name!': TEXT });
  const paths: Paths = {
    '/fields': { get: { response: createList(Field) } },
    '/fields/{table}': { get: { response: createList(Field) }, post: { request: Field, response: Field, status: 201 } },
    '/fields/{table}/{name}': { get: { response: Field }, delete: { status: 204 } },
  };
  expect((await explainApi({ paths }))['GET /fields/{table}']).not.toContain('accepts each');
});

it.each(['/direct/channels', '/dm-channels'])(
  'Channels of a guild and those at %s have different ids, and each has its own messages',
  async (path) => {
    const Direct = createObject({ 'id!': ID, topic: TEXT });
    const item = '/channels/{channel_id}';
    const direct: Paths = {
      [path]: {
        get: { response: createList(Direct) },
        post: { request: createObject({ topic: TEXT }), response: Direct, status: 201 },
      },
      [item]: { get: { response: Channel }, parameters: { channel_id: { type: 'integer' } } },
    };
    const { ask } = await startApi(createApi({}, { ...CHANNELS, ...direct }));
    await ask('POST', '/guilds', { name: 'a' });
    const own = (await ask('POST', '/guilds/1/channels', { name: 'b' })).body.id;
    const other = (await ask('POST', path, { topic: 'c' })).body.id;
    expect([own, other, (await ask('POST', '/guilds/1/channels', { name: 'd' })).body.id]).toEqual([1, 2, 3]);
    await ask('POST', `/channels/${own}/messages`, { text: 'x' });
    expect((await ask('GET', `/channels/${own}/messages`)).body).toMatchObject([{ text: 'x' }]);
    expect((await ask('GET', `/channels/${other}/messages`)).body).toEqual([]);
  },
);
