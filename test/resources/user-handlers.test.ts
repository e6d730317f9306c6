import { describe, expect, it } from 'vitest';
import type { Context, Input } from '../../src/application.ts';
import type { Options } from '../../src/server/options.ts';
import type { Entry, State } from '../../src/store/state.ts';
import { writeDocument } from '../openapi/documents.ts';
import { createList, createObject, type Paths, refer } from '../support/fixtures/api-document.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const Pet = {
  type: 'object',
  required: ['id', 'name', 'age'],
  properties: { id: { type: 'integer' }, name: { type: 'string' }, age: { type: 'integer' } },
};
const Fed = { type: 'object', required: ['pet', 'meals'], properties: { pet: Pet, meals: { type: 'integer' } } };
const NewPet = { type: 'object', properties: { name: { type: 'string' } } };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const path = { name: 'petId', in: 'path', required: true, schema: { type: 'integer' } };

it("The response of a user's handler gets the required properties that an entry lacks, and keeps its own values", async () => {
  const contract = await writeDocument(
    JSON.stringify({
      openapi: '3.0.3',
      info: { title: 'Pets', version: '1' },
      paths: {
        '/pets': { post: { requestBody: json(NewPet), responses: { 201: { description: 'd', ...json(Pet) } } } },
        '/pets/{petId}': {
          parameters: [path],
          get: { operationId: 'getPet', responses: { 200: { description: 'd', ...json(Pet) } } },
        },
        '/pets/{petId}/feed': {
          parameters: [path],
          post: { operationId: 'feedPet', responses: { 200: { description: 'd', ...json(Fed) } } },
        },
      },
    }),
  );
  const find = ({ path: { petId } }: Input, { read }: Context) => read().pets?.find(({ id }) => String(id) === petId);
  const handlers = {
    getPet: (input: Input, context: Context) => ({ body: find(input, context) }),
    feedPet: (input: Input, context: Context) => ({
      body: { pet: { ...find(input, context), name: 'Max' }, meals: 3 },
    }),
  };
  const api = await startStorefront({
    contract,
    handlers: handlers as unknown as Options['handlers'],
    verify: 'strict',
  });
  const { body: created } = await api.ask('POST', '/pets', { name: 'Rex' });
  const response = await api.ask('GET', '/pets/1');
  expect(response).toMatchObject({ status: 200, body: { id: 1, name: 'Rex', age: expect.any(Number) } });
  expect(response.body).toEqual(created);
  expect(response.headers.get('X-Mocked')).toBe('/age');
  expect(await api.ask('GET', '/pets/1')).toMatchObject({ body: created });
  const fed = await api.ask('POST', '/pets/1/feed');
  expect(fed.body).toEqual({ pet: { ...created, name: 'Max' }, meals: 3 });
  expect(fed.headers.get('X-Mocked')).toBe('/pet/age');
});

const Hive = {
  type: 'object',
  required: ['id', 'status', 'box'],
  properties: {
    id: { type: 'integer' },
    status: { type: 'string', enum: ['active', 'dead'] },
    box: {
      type: 'object',
      required: ['frames'],
      properties: { frames: { type: 'integer' }, name: { type: 'string' } },
    },
    honeyKg: { type: 'integer' },
    password: { type: 'string', writeOnly: true },
  },
};

const Change = {
  type: 'object',
  properties: { note: { type: 'string', default: 'b' }, force: { type: 'boolean', default: true } },
};

/** Starts a server with hives, whose handler `changeHive` changes a state. */
async function startHives(change: (state: State) => State) {
  const read = { responses: { 200: { description: 'd', ...json(Hive) } } };
  const contract = await writeDocument(
    JSON.stringify({
      openapi: '3.0.3',
      info: { title: 'Hives', version: '1' },
      paths: {
        '/hives': {
          post: { requestBody: json({ type: 'object' }), responses: { 201: { description: 'd', ...json(Hive) } } },
        },
        '/hives/{petId}': { parameters: [path], get: read },
        '/hives/{petId}/change': {
          parameters: [path],
          post: { ...read, operationId: 'changeHive', requestBody: json(Change) },
        },
      },
    }),
  );
  const seen: unknown[] = [];
  const handlers = {
    async changeHive({ body }: Input, { read: readState, update }: Context) {
      seen.push(readState().hives?.[0], body);
      await update((state) => ({ next: change(state), result: undefined }));
      return { body: readState().hives?.[0] };
    },
  };
  const { ask, port } = await startStorefront({
    contract,
    handlers: handlers as unknown as Options['handlers'],
    verify: 'strict',
  });
  const { body: created } = await ask('POST', '/hives', { password: 'secret', box: { name: 'A' } });
  const { body: changed, headers } = await ask('POST', '/hives/1/change', { note: 'a' });
  const { body: state } = await createControlClient({ port })('GET', '/default/state');
  return { created, changed, mocked: headers.get('X-Mocked'), seen: seen[0], sent: seen[1], stored: state.hives };
}

const STORED = { id: 1, password: 'secret', box: { name: 'A' } };

/** Changes of a user's handler, and the first entry and its mocked values afterwards. */
const changes: readonly (readonly [
  name: string,
  change: (hive: Entry) => Entry,
  stored: Entry,
  mocked: string | null,
])[] = [
  ['nothing', (hive) => hive, STORED, '/box/frames, /status'],
  ['a copy', (hive) => ({ ...hive, honeyKg: 3 }), { ...STORED, honeyKg: 3 }, '/box/frames, /status'],
];

it("The body of a request has its default values in a user's handler", async () => {
  expect((await startHives((state) => state)).sent).toEqual({ note: 'a', force: true });
});

describe("The state of a user's handler", () => {
  it.each(changes)(
    'has the values that responses have, and stores none of them: %s',
    async (_name, change, stored, mocked) => {
      const hives = await startHives((state) => ({ ...state, hives: (state.hives ?? []).map(change) }));
      const { password: _, ...shown } = hives.seen as Entry;
      expect(shown).toMatchObject(hives.created);
      expect(hives.stored).toEqual([stored]);
      expect(hives.mocked).toBe(mocked);
      expect(hives.changed).toMatchObject(hives.created);
    },
  );

  it('has a changed value, and keeps it', async () => {
    const hives = await startHives((state) => ({
      ...state,
      hives: (state.hives ?? []).map((hive) => ({ ...hive, status: hive.status === 'active' ? 'dead' : 'active' })),
    }));
    expect(hives.changed.status).not.toBe(hives.created.status);
    expect(hives.stored).toEqual([{ ...STORED, status: hives.changed.status }]);
    expect(hives.mocked).toBe('/box/frames');
  });

  it('keeps generated values in the copy of an entry with another id', async () => {
    const { stored, created } = await startHives((state) => ({
      ...state,
      hives: [...(state.hives ?? []), { ...state.hives?.[0], id: 2 }],
    }));
    expect(stored).toEqual([STORED, { ...created, id: 2, password: 'secret' }]);
  });
});

/** Returns the response of a user's handler. */
async function runHandler(show: (input: Input, context: Context) => unknown) {
  const response = { description: 'd', ...json({ type: 'object' }) };
  const paths = { '/photo': { get: { operationId: 'show', responses: { 200: response } } } };
  const contract = await writeDocument(
    JSON.stringify({ openapi: '3.0.3', info: { title: 'Pets', version: '1' }, paths }),
  );
  const handlers = { show } as unknown as Options['handlers'];
  const { ask } = await startStorefront({ contract, handlers, verify: 'off', errorsExpected: true });
  return ask('GET', '/photo');
}

it("A file from a user's handler is sent as it is", async () => {
  const { text } = await runHandler(() => ({ headers: { 'Content-Type': 'image/png' }, body: Buffer.from('photo') }));
  expect(text).toBe('photo');
});

it.each<readonly [name: string, returned: unknown, issue: string]>([
  ['a promise as the body', { body: Promise.resolve({}) }, 'returned a promise as the body: await it'],
  ['a Map as the body', { body: new Map([['id', 1]]) }, 'returned a body of the type Map: return an object, an array'],
  ['an error as the body', { body: new Error('no') }, 'returned a body of the type Error: return an object'],
  ['a function as the body', { body: () => 1 }, 'returned a body of the type Function: return an object'],
  [
    'fetch headers',
    { headers: new Headers({ a: 'b' }), body: {} },
    'returned headers of the type Headers: return an object',
  ],
  ['a fetch response', new Response('{}'), 'did not return a response: return an object such as { body }'],
])(
  "The response of a user's handler with %s is refused, because its content would be lost",
  async (_name, returned, issue) => {
    const { status, body } = await runHandler(() => returned);
    expect([status, body.detail]).toEqual([500, expect.stringContaining(`the handler of show ${issue}`)]);
  },
);

it.each<readonly [name: string, body: unknown]>([
  ['an empty object', {}],
  ['an empty array', []],
  ['an object with toJSON', { toJSON: () => ({ id: 1 }) }],
  [
    'an instance of a class',
    new (class Pet {
      id = 1;
    })(),
  ],
])("The response of a user's handler can have %s as its body", async (_name, body) => {
  const response = await runHandler(() => ({ body }));
  expect([response.status, response.body]).toEqual([200, JSON.parse(JSON.stringify(body))]);
});

it("A change of a user's handler to no state is refused", async () => {
  const { body } = await runHandler((_, { update }) => update(() => ({ next: null as never, result: {} })));
  expect(body.detail).toContain('returned an invalid state: the state is not an object');
});

it("A change of a user's handler to a state with a text for a list is refused", async () => {
  const { body } = await runHandler((_, { update }) => update(() => ({ next: { pets: 'text' as never }, result: {} })));
  expect(body.detail).toContain('is not an array');
});

it("A change of a user's handler to a state that lacks a list with entries is refused", async () => {
  const { body } = await runHandler(async (_, { update, read }) => {
    await update((state) => ({ next: { ...state, pets: [{ id: 1 }], owners: [] }, result: undefined }));
    const error = await update(() => ({ next: {}, result: undefined })).catch(({ message }: Error) => message);
    await update(({ pets = [] }) => ({ next: { pets }, result: undefined }));
    return { body: { error, pets: read().pets } };
  });
  expect(body).toEqual({
    error:
      'nothing was changed: in the handler of show, the function passed to update() returned a state without pets: start with { ...state }, and set a list to [] to remove all of its entries',
    pets: [{ id: 1 }],
  });
});

describe('builtIn() in a handler', () => {
  const document = JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Pets', version: '1' },
    paths: {
      '/pets': {
        get: {
          operationId: 'listPets',
          parameters: [{ name: 'name', in: 'query', schema: { type: 'string' } }],
          responses: { 200: { description: 'd', ...json({ type: 'array', items: Pet }) } },
        },
        post: {
          operationId: 'addPet',
          requestBody: json(NewPet),
          responses: { 201: { description: 'd', ...json(Pet) } },
        },
      },
      '/pets/{petId}': {
        parameters: [path],
        get: { operationId: 'getPet', responses: { 200: { description: 'd', ...json(Pet) } } },
      },
      '/status': {
        get: { operationId: 'getStatus', responses: { 200: { description: 'd', ...json({ type: 'object' }) } } },
      },
    },
  });
  type BuiltIn = Context & { readonly builtIn: () => Promise<{ status: number; body: Entry & readonly Entry[] }> };

  it('has the response of the server, which the handler can change, and keeps its changes of the state', async () => {
    const handlers = {
      listPets: async (_: Input, { builtIn }: BuiltIn) => {
        const { body } = await builtIn();
        return { body: body.map((pet) => ({ ...pet, age: 99 })) };
      },
      addPet: async (_: Input, { builtIn }: BuiltIn) => {
        const { status, body } = await builtIn();
        return { status, body: { ...body, name: `${body.name}!` } };
      },
    };
    const { ask } = await startStorefront({ contract: await writeDocument(document), handlers } as Options);
    for (const name of ['Rex', 'Tom'])
      expect(await ask('POST', '/pets', { name })).toMatchObject({ status: 201, body: { name: `${name}!` } });
    expect((await ask('GET', '/pets?name=Tom')).body).toMatchObject([{ id: 2, name: 'Tom', age: 99 }]);
    expect((await ask('GET', '/pets/2')).body).toMatchObject({ id: 2, name: 'Tom' });
  });

  it('rejects as the server refuses the request, and for a mocked operation', async () => {
    const call = (_: Input, { builtIn }: BuiltIn) => builtIn();
    const handlers = { getPet: call, getStatus: call };
    const { ask, log } = await startStorefront({
      contract: await writeDocument(document),
      handlers,
      errorsExpected: true,
    } as never);
    expect((await ask('GET', '/pets/9')).status).toBe(404);
    expect((await ask('GET', '/status')).status).toBe(500);
    expect(JSON.stringify(log)).toContain('there is no built-in handler for getStatus');
  });
});

describe("An entry from a user's handler", () => {
  const TEXT = { type: 'string' };
  const INTEGER = { type: 'integer' };
  const User = createObject({ 'id!': INTEGER, 'email!': TEXT, 'name!': TEXT });
  const Project = createObject({
    'id!': INTEGER,
    'name!': TEXT,
    'taskCount!': INTEGER,
    ownerId: INTEGER,
    owner: refer('User'),
  });
  const schemas = {
    User: { ...User, additionalProperties: false },
    Project,
    Task: createObject({
      'id!': INTEGER,
      'dueDate!': { ...TEXT, format: 'date' },
      'isOverdue!': { type: 'boolean' },
      done: { type: 'boolean' },
      code: { ...TEXT, writeOnly: true },
    }),
  };
  const NewTask = createObject({ dueDate: { ...TEXT, format: 'date' }, code: TEXT, draft: TEXT });
  const paths: Paths = {
    '/register': {
      post: {
        request: createObject({ 'email!': TEXT, 'name!': TEXT, 'password!': TEXT }),
        response: createObject({ 'token!': TEXT, user: refer('User') }),
        status: 201,
      },
    },
    '/login': {
      post: {
        request: createObject({ 'email!': TEXT, 'password!': TEXT }),
        response: createObject({ 'token!': TEXT }),
      },
    },
    '/me': {
      get: { response: refer('User') },
      patch: { request: createObject({ name: TEXT }), response: refer('User') },
    },
    '/users': { get: { operationId: 'listUsers', response: createList(refer('User')) } },
    '/projects': {
      get: { response: createList(refer('Project')) },
      post: { request: createObject({ 'name!': TEXT }), response: refer('Project'), status: 201 },
    },
    '/projects/{projectId}': { get: { operationId: 'getProject', response: refer('Project') } },
    '/projects/{projectId}/tasks': {
      get: { response: createList(refer('Task')) },
      post: { request: NewTask, response: refer('Task'), status: 201 },
    },
    '/projects/{projectId}/name': { get: { operationId: 'getName', response: refer('Project') } },
    '/feed': {
      get: { operationId: 'streamUsers', response: { type: 'object' }, responseType: 'text/event-stream' },
    },
    '/board': {
      get: {
        operationId: 'getBoard',
        response: createObject({ project: refer('Project'), tasks: createList(refer('Task')), other: {} }),
      },
    },
  };

  async function* toStream(entries: readonly Entry[] = []) {
    yield* entries;
  }

  async function startProjects() {
    const handlers = {
      getProject: (_: Input, { read }: Context) => ({ body: { ...read().projects?.[0] } }),
      getName: () => ({ body: { id: 1 } }),
      listUsers: (_: Input, { read }: Context) => ({ body: read().users }),
      streamUsers: (_: Input, { read }: Context) => ({ body: toStream(read().users) }),
      getBoard: (_: Input, { read }: Context) => ({
        body: { project: read().projects?.[0], tasks: read().tasks, other: { users: read().users } },
      }),
    };
    const api = await startApi({ paths, schemas }, { handlers } as Options);
    const { body } = await api.ask('POST', '/register', { email: 'ann@x.org', name: 'Ann', password: 'pw-ann' });
    const headers = { Authorization: `Bearer ${body.token}` };
    await api.ask('POST', '/projects', { name: 'Garden' }, headers);
    for (const dueDate of ['2025-05-01', '2026-05-01', '2025-05-02'])
      await api.ask('POST', '/projects/1/tasks', { dueDate, code: 'x', draft: 'y' }, headers);
    await api.ask('PATCH', '/me', { name: 'Anna' }, headers);
    return { ...api, get: (path: string) => api.ask('GET', path, undefined, headers) };
  }

  /** Starts a server whose operation `getBoard` changes the state. */
  async function startChanges() {
    let change = (state: State) => state;
    const getBoard = async (_: Input, { update }: Context) => {
      await update((state) => ({ next: change(state), result: undefined }));
      return { body: {} };
    };
    const { ask, port } = await startApi({ paths, schemas }, {
      handlers: { getBoard },
      errorsExpected: true,
    } as Options);
    const run = (next: typeof change) => {
      change = next;
      return ask('GET', '/board');
    };
    return { ask, run, port };
  }

  it('has the computed values of other responses', async () => {
    const { get } = await startProjects();
    const { body: listed } = await get('/projects');
    expect(listed).toMatchObject([{ taskCount: 3, owner: { name: 'Anna' } }]);
    const { body, headers } = await get('/projects/1');
    expect([body, headers.get('X-Mocked')]).toEqual([listed[0], null]);
  });

  it('has the computed values of other responses in a response of its own', async () => {
    const { get } = await startProjects();
    const [project, tasks] = [(await get('/projects')).body[0], (await get('/projects/1/tasks')).body];
    expect(tasks.map(({ isOverdue }: Entry) => isOverdue)).toEqual([true, false, true]);
    expect((await get('/board')).body).toMatchObject({ project, tasks });
  });

  it('has the stored values of required properties that the handler leaves out', async () => {
    const { get } = await startProjects();
    const { body, headers } = await get('/projects/1/name');
    expect([body, headers.get('X-Mocked')]).toEqual([{ id: 1, name: 'Garden', taskCount: 3 }, null]);
  });

  it('is stored with the hash of its password, and with no login of another user', async () => {
    const { ask, run, port } = await startChanges();
    const ben = { id: 900, email: 'ben@x.org', name: 'Ben', password: 'pw-ben' };
    await run((state) => ({ ...state, users: [...(state.users ?? []), ben] }));
    expect((await createControlClient({ port })('GET', '/default/state')).text).not.toContain('pw-ben');
    const logIn = async (password: string) => (await ask('POST', '/login', { email: 'BEN@x.org', password })).status;
    expect([await logIn('pw-ben'), await logIn('other')]).toEqual([200, 401]);
    const { body } = await run((state) => ({ ...state, users: [...(state.users ?? []), { ...ben, id: 901 }] }));
    expect(body.detail).toMatch(
      /^nothing was changed: .* an invalid state: \/users\/\d+\/email is a login of \/users\/\d+: use another email$/,
    );
  });

  it('that is removed keeps its id from a new one, as long as entries below it remain', async () => {
    const { ask, run } = await startChanges();
    await ask('POST', '/projects', { name: 'Garden' });
    await ask('POST', '/projects/1/tasks', { dueDate: '2025-05-01' });
    await run((state) => ({ ...state, projects: [] }));
    expect((await ask('POST', '/projects', { name: 'House' })).body).toMatchObject({ id: 2, taskCount: 0 });
  });

  it('has no hidden values', async () => {
    const { get } = await startProjects();
    const { text, body } = await get('/board');
    const { text: stream } = await get('/feed');
    expect(stream).toContain('ann@x.org');
    for (const one of [text, stream]) expect(one).not.toMatch(/\$path|passwordHash|tokenKey/);
    expect(body.tasks[0]).toEqual({ id: 1, dueDate: '2025-05-01', isOverdue: true });
    const users = await get('/users');
    expect(users.body.at(-1)).toEqual((await get('/me')).body);
  });
});
