import { describe, expect, it } from 'vitest';
import {
  createList,
  createObject,
  createResourcePaths,
  type Paths,
  refer,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const Tag = createObject({ 'name!': TEXT });
const NewNote = createObject({ 'text!': TEXT, tag: Tag, tags: createList(Tag) });

const schemas = {
  Note: createObject({ 'id!': INTEGER, 'text!': TEXT, pinned: { type: 'boolean' }, tag: Tag, tags: createList(Tag) }),
  Bag: { ...createObject({ 'id!': INTEGER, 'text!': TEXT }), additionalProperties: true },
  User: createObject({ 'id!': INTEGER, 'email!': TEXT, role: TEXT }),
};

const PATHS: Paths = {
  ...createResourcePaths('/notes/{noteId}', refer('Note'), NewNote),
  ...createResourcePaths('/bags/{bagId}', refer('Bag')),
  '/users': { get: { response: createList(refer('User')) } },
  '/register': {
    post: { request: createObject({ 'email!': TEXT, 'password!': TEXT }), response: refer('User'), status: 201 },
  },
};

/** Starts a server. Returns its client, and a function that returns the stored entries of a resource. */
async function start() {
  const { ask, port } = await startApi({ paths: PATHS, schemas });
  const getStored = async (name: string) => (await createControlClient({ port })('GET', '/default/state')).body[name];
  return { ask, getStored };
}

describe('a property of an object in a list of alternatives', () => {
  const createRule = (type: string, parameters: Readonly<Record<string, Schema>>) => ({
    type: 'object',
    required: ['type'],
    properties: { type: { type: 'string', enum: [type] }, parameters: createObject(parameters) },
  });
  const rule = {
    oneOf: [
      createRule('pattern', { 'pattern!': TEXT, negate: { type: 'boolean' } }),
      createRule('size', { 'size!': INTEGER }),
      createRule('checks', { 'checks!': createList(createObject({ 'context!': TEXT })) }),
    ],
  };
  const set = createObject({ 'name!': TEXT, rules: createList(rule) });
  const rules = [
    { type: 'size', parameters: { size: 10 } },
    { type: 'pattern', parameters: { pattern: 'a', negate: false } },
    { type: 'checks', parameters: { checks: [{ context: 'b' }] } },
  ];

  it('is stored and shown, whichever alternative describes it', async () => {
    const paths = createResourcePaths('/sets/{setId}', refer('RuleSet'), set);
    const RuleSet = createObject({ 'id!': INTEGER, 'name!': TEXT, rules: createList(rule) });
    const { ask } = await startApi({ paths, schemas: { RuleSet } });
    expect((await ask('POST', '/sets', { name: 'x', rules })).body.rules).toEqual(rules);
    const changed = rules.toReversed();
    expect((await ask('PUT', '/sets/1', { name: 'x', rules: changed })).body.rules).toEqual(changed);
    const unknown = [{ type: 'size', parameters: { size: 10, other: 1 } }];
    expect((await ask('PUT', '/sets/1', { name: 'x', rules: unknown })).body.rules).toEqual([rules[0]]);
  });
});

describe('a property of a request that its schema does not describe', () => {
  it('is neither stored nor shown, also in objects and lists, and if entries have it', async () => {
    const { ask, getStored } = await start();
    const known = { text: 'a', tag: { name: 'x' }, tags: [{ name: 'y' }] };
    const sent = { ...known, extra: 1, pinned: true, tag: { name: 'x', extra: 1 }, tags: [{ name: 'y', extra: 1 }] };
    expect((await ask('POST', '/notes', sent)).body).toEqual({ id: 1, ...known });
    expect(await getStored('notes')).toEqual([{ id: 1, ...known }]);
    await ask('PUT', '/notes/1', sent);
    expect(await getStored('notes')).toEqual([{ id: 1, ...known }]);
  });

  it('is not stored by a registration', async () => {
    const { ask } = await start();
    const sent = { email: 'ann@example.com', password: 'x', role: 'admin' };
    expect((await ask('POST', '/register', sent)).body).not.toHaveProperty('role');
  });

  it('is stored if additionalProperties allows it', async () => {
    const { ask } = await start();
    await ask('POST', '/bags', { id: 1, text: 'a', extra: { deep: 1 } });
    expect((await ask('GET', '/bags/1')).body).toEqual({ id: 1, text: 'a', extra: { deep: 1 } });
  });

  it('is stored by a PATCH whose schema describes no properties', async () => {
    const { ask } = await start();
    await ask('POST', '/notes', { text: 'a' });
    expect((await ask('PATCH', '/notes/1', { pinned: true })).body).toMatchObject({ pinned: true });
  });
});
