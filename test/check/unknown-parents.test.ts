import { expect, it } from 'vitest';
import { getConfidence } from '../../src/check/rules.ts';
import { createApiDocument, createList, createObject, type Paths } from '../support/fixtures/api-document.ts';
import { checkApi, type SentResponse } from '../support/harness/check-api.ts';

const TASK = createObject({ 'id!': { type: 'string', readOnly: true }, 'name!': { type: 'string' } });
const errors = [400, 404];

const PATHS: Paths = {
  '/repos/{repo}/tasks': {
    get: { response: createList(TASK), errors },
    post: { status: 201, request: TASK, response: TASK, errors },
  },
  '/repos/{repo}/tasks/{id}': { get: { response: TASK, errors } },
};

const fail = (status: number): SentResponse => ({
  status,
  body: {},
  headers: { 'content-type': 'application/problem+json' },
});

/** Checks a server that accepts any id of a repository. Returns the findings about unknown ids. */
async function checkTasks(paths: Paths): Promise<readonly string[]> {
  const tasks = new Map<string, Readonly<Record<string, unknown>>>();
  const { findings } = await checkApi(
    JSON.parse(createApiDocument(paths)),
    ({ method, path, json }) => {
      const [, , repo, collection, id] = path.split('/');
      if (collection === undefined) return { status: 200, body: [] };
      if (id !== undefined) return tasks.has(path) ? { status: 200, body: tasks.get(path) } : fail(404);
      const own = [...tasks].filter(([one]) => one.startsWith(`/repos/${repo}/`));
      if (method !== 'POST') return { status: 200, body: own.map(([, task]) => task) };
      const { name } = (json ?? {}) as { name?: unknown };
      if (typeof name !== 'string') return fail(400);
      const task = { id: `t${tasks.size + 1}`, name };
      tasks.set(`${path}/${task.id}`, task);
      return { status: 201, body: task };
    },
    { runs: 3, only: ['getReposByRepoTasks', 'postReposByRepoTasks', 'getReposByRepoTasksById'] },
  );
  return findings
    .filter(({ rule }) => rule === 'unknown-id')
    .map((finding) => `${finding.operationId} ${getConfidence(finding)}`)
    .sort();
}

it('an unknown id of a resource that no operation creates or lists is only likely a defect', async () => {
  expect(await checkTasks(PATHS)).toEqual(['getReposByRepoTasks likely', 'postReposByRepoTasks likely']);
});

it('an unknown id of a resource that an operation lists is a defect', async () => {
  const paths: Paths = { ...PATHS, '/repos': { get: { response: createList({ type: 'object' }) } } };
  expect(await checkTasks(paths)).toEqual(['getReposByRepoTasks certain', 'postReposByRepoTasks certain']);
});
