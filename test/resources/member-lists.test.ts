import { describe, expect, it } from 'vitest';
import {
  createList,
  createObject,
  createResourcePaths,
  type Paths,
  refer,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const NewProject = createObject({ 'name!': TEXT, members: createList(TEXT) });
const schemas = {
  User: createObject({ 'id!': TEXT, 'email!': TEXT, 'name!': TEXT, role: TEXT }),
  Member: createObject({ 'id!': TEXT, name: TEXT, role: TEXT }),
  Project: createObject({ 'id!': TEXT, 'name!': TEXT, 'members!': createList(refer('Member')) }),
};

/** Projects show their members, and no path lists them. `errors`: the statuses with which a member is refused. */
function createPaths(errors: readonly number[] = []): Paths {
  const add = { request: createObject({ 'userId!': TEXT, role: TEXT }), status: 204, errors };
  return {
    ...createResourcePaths('/users/{userId}', refer('User'), createObject({ 'email!': TEXT, 'name!': TEXT })),
    // The request for a new project has its members, so that they are a part of the project.
    ...createResourcePaths('/projects/{projectId}', refer('Project'), NewProject),
    '/projects/{projectId}/members': { post: add },
    '/projects/{projectId}/members/{userId}': {
      patch: { request: createObject({ role: TEXT }), response: refer('Project') },
      delete: { status: 204 },
    },
  };
}

async function start(errors?: readonly number[]) {
  const { ask } = await startApi({ paths: createPaths(errors), schemas });
  const { body: user } = await ask('POST', '/users', { email: 'ann@x.test', name: 'Ann' });
  const { body: project } = await ask('POST', '/projects', { name: 'a' });
  const path = `/projects/${project.id}`;
  const listMembers = async () => (await ask('GET', path)).body.members;
  return { ask, user, project, path, listMembers };
}

describe('The members in a list of an entry', () => {
  it('are users, who are added, changed and removed', async () => {
    const { ask, user, path, listMembers } = await start();
    expect((await ask('POST', `${path}/members`, { userId: user.id, role: 'lead' })).status).toBe(204);
    expect(await listMembers()).toEqual([{ id: user.id, name: 'Ann', role: 'lead' }]);
    const { body } = await ask('PATCH', `${path}/members/${user.id}`, { role: 'guest' });
    expect(body.members).toEqual([{ id: user.id, name: 'Ann', role: 'guest' }]);
    await ask('PUT', `/users/${user.id}`, { name: 'Anna', email: 'ann@x.test' });
    expect((await listMembers())[0].name).toBe('Anna');
    expect((await ask('DELETE', `${path}/members/${user.id}`)).status).toBe(204);
    expect(await listMembers()).toEqual([]);
    expect((await ask('DELETE', `${path}/members/${user.id}`)).status).toBe(404);
  });

  it('are not added twice, and only if they are users, if the document has statuses for it', async () => {
    const { ask, user, path, listMembers } = await start([404, 409]);
    await ask('POST', `${path}/members`, { userId: user.id });
    expect((await ask('POST', `${path}/members`, { userId: user.id })).status).toBe(409);
    expect((await ask('POST', `${path}/members`, { userId: 'unknown' })).status).toBe(404);
    expect(await listMembers()).toHaveLength(1);
  });

  it('stay the same after a request without an id, which the schema allows', async () => {
    const add = { request: createObject({ userId: TEXT, role: TEXT }), status: 204, errors: [400] };
    const { ask, log } = await startApi({
      paths: { ...createPaths(), '/projects/{projectId}/members': { post: add } },
      schemas,
    });
    const { body: project } = await ask('POST', '/projects', { name: 'a' });
    const path = `/projects/${project.id}`;
    expect((await ask('POST', `${path}/members`, { role: 'lead' })).status).toBe(204);
    expect((await ask('GET', path)).body.members).toEqual([]);
    expect(JSON.stringify(log)).toContain('the request has no userId, so no user was added: send userId');
  });

  it.each<[title: string, response: Schema, path: readonly string[]]>([
    ['the member', refer('Member'), []],
    ['the member in an envelope', createObject({ 'data!': refer('Member') }), ['data']],
    ['all members', createList(refer('Member')), ['0']],
    ['all members in an envelope', createObject({ 'members!': createList(refer('Member')) }), ['members', '0']],
  ])('are shown in a response with %s', async (_title, response, place) => {
    const add = { request: createObject({ 'userId!': TEXT, role: TEXT }), status: 201, response };
    const { ask } = await startApi({
      paths: { ...createPaths(), '/projects/{projectId}/members': { post: add } },
      schemas,
    });
    const { body: user } = await ask('POST', '/users', { email: 'ann@x.test', name: 'Ann' });
    const { body: project } = await ask('POST', '/projects', { name: 'a' });
    const path = `/projects/${project.id}`;
    const member = { id: user.id, name: 'Ann', role: 'lead' };
    const getInner = (body: unknown) => place.reduce((value, name) => Object(value)[name], body);
    const added = await ask('POST', `${path}/members`, { userId: user.id, role: 'lead' });
    expect([added.headers.get('x-mocked'), getInner(added.body)]).toEqual([null, member]);
    expect((await ask('GET', path)).body.members).toEqual([member]);
  });

  it('are explained', async () => {
    const explained = await explainApi({ paths: createPaths(), schemas });
    expect(explained['POST /projects/{projectId}/members']).toBe(
      'real: adds the user in userId to the members of a project',
    );
    const change = { post: { request: createObject({ 'userId!': TEXT }), response: refer('User'), status: 201 } };
    const other = { ...createPaths(), '/projects/{projectId}/members': change };
    expect((await explainApi({ paths: other, schemas }))['POST /projects/{projectId}/members']).toMatch(/^mocked: /);
  });
});
