import { expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
const token = createObject({ 'token!': TEXT });

const schemas = {
  User: createObject({ 'id!': INTEGER, 'email!': TEXT }),
  Project: createObject({ 'id!': INTEGER, 'title!': TEXT, ownerId: INTEGER }),
  Task: createObject({ 'id!': INTEGER, 'title!': TEXT, 'isDone!': { type: 'boolean' } }),
  Note: createObject({ 'id!': INTEGER, 'title!': TEXT }),
};

const NewTask = createObject({ 'title!': TEXT, isDone: { type: 'boolean' } });
const Counts = createObject({
  'projectCount!': INTEGER,
  'taskCount!': INTEGER,
  'doneTaskCount!': INTEGER,
  'noteCount!': INTEGER,
});

const projects = createResourcePaths('/projects/{projectId}', refer('Project'), createObject({ 'title!': TEXT }));

const PATHS = {
  '/register': { post: { isPublic: true, request: credentials, response: token, status: 201 } },
  '/login': { post: { isPublic: true, request: credentials, response: token } },
  '/me': { get: { response: refer('User') } },
  ...projects,
  '/projects': { ...projects['/projects'], get: { ...projects['/projects']?.get, summary: 'List my projects' } },
  ...createResourcePaths('/projects/{projectId}/tasks/{taskId}', refer('Task'), NewTask),
  ...createResourcePaths('/notes/{noteId}', refer('Note'), createObject({ 'title!': TEXT })),
  '/analytics': { get: { response: Counts } },
  '/admin/analytics': { get: { summary: 'Figures of all users', response: Counts } },
  '/search': {
    get: {
      query: { q: TEXT },
      response: createObject({ 'projects!': createList(refer('Project')), 'tasks!': createList(refer('Task')) }),
    },
  },
};

/** Starts a server. Ann has a project with a task, and Bob has one with two tasks. */
async function start() {
  const { ask } = await startApi({ paths: PATHS, schemas, needsToken: true }, { auth: ['other'] });
  const register = async (email: string) => {
    const { body } = await ask('POST', '/register', { email, password: 'x' });
    return async (method: string, path: string, sent?: unknown) =>
      (await ask(method, path, sent, { Authorization: `Bearer ${body.token}` })).body;
  };
  const [ann, bob] = [await register('ann@example.com'), await register('bob@example.com')];
  const { id: annProject } = await ann('POST', '/projects', { title: 'home' });
  await ann('POST', `/projects/${annProject}/tasks`, { title: 'paint home', isDone: false });
  const { id: bobProject } = await bob('POST', '/projects', { title: 'home of Bob' });
  for (const isDone of [true, false]) await bob('POST', `/projects/${bobProject}/tasks`, { title: 'home', isDone });
  await bob('POST', '/notes', { title: 'n' });
  return { ask, ann, bob };
}

it('statistics count the entries of the user, also those that belong to the user through their parent', async () => {
  const { ann, bob } = await start();
  expect(await ann('GET', '/analytics')).toEqual({ projectCount: 1, taskCount: 1, doneTaskCount: 0, noteCount: 1 });
  expect(await bob('GET', '/analytics')).toEqual({ projectCount: 1, taskCount: 2, doneTaskCount: 1, noteCount: 1 });
});

it('a search with several lists finds only entries of the user', async () => {
  const { ann } = await start();
  const titles = (list: readonly { readonly title: string }[]) => list.map(({ title }) => title);
  const { projects: found, tasks } = await ann('GET', '/search?q=home');
  expect([titles(found), titles(tasks)]).toEqual([['home'], ['paint home']]);
});

it('statistics of all users, and those for credentials that name no user, count all entries', async () => {
  const { ask, ann } = await start();
  const all = { projectCount: 2, taskCount: 3, doneTaskCount: 1, noteCount: 1 };
  expect(await ann('GET', '/admin/analytics')).toEqual(all);
  expect((await ask('GET', '/analytics', undefined, { Authorization: 'Bearer other' })).body).toEqual(all);
});

it('the statistics of a user are explained', async () => {
  const explained = await explainApi({ paths: PATHS, schemas, needsToken: true });
  expect(explained['GET /analytics']).toContain('only those of the user who sends the request: projects, tasks');
  expect(explained['GET /admin/analytics']).not.toContain('only those');
});
