import { expect, it } from 'vitest';
import { findDescribedStatuses, findReason } from '../../src/check/described-statuses.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { checkApi, type SentResponse } from '../support/harness/check-api.ts';

const statuses = ['open', 'inProgress', 'paused', 'done'];

it.each<[string, string[]]>([
  ['Start an open job.', ['open']],
  ['Resume an open or a paused job', ['open', 'paused']],
  ['Finish a job that is in progress.', ['inProgress']],
  ['Finishes a job which is still open, paused or in progress', ['open', 'inProgress', 'paused']],
  ['Close it.\nEnds any paused job for good.', ['paused']],
  ['Finish a job.', []],
  ['Assign an open ticket to a job.', []],
  ['Finish a job that is not open.', []],
  ['Finish a job that is open for more than a day.', []],
  ['Return the done job.', []],
])('the description "%s" requires the statuses %j', (text, expected) => {
  expect(findDescribedStatuses({ text, path: '/jobs/{jobId}/finish', statuses })).toEqual(expected);
});

const JOB = {
  type: 'object',
  required: ['id', 'title', 'status'],
  properties: {
    id: { type: 'string', readOnly: true },
    title: { type: 'string', minLength: 1, maxLength: 40 },
    status: { type: 'string', enum: ['open', 'in_progress', 'done'], readOnly: true },
  },
};
const INPUT = {
  type: 'object',
  required: ['title'],
  additionalProperties: false,
  properties: { title: JOB.properties.title },
};
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

function createOperation(operationId: string, summary: string, statuses: readonly number[], more: object = {}): object {
  const content = { 'application/json': { schema: JOB } };
  const toResponse = (status: number) => [status, { description: '', ...(status < 300 && { content }) }];
  return { operationId, summary, responses: Object.fromEntries(statuses.map(toResponse)), ...more };
}

/** Paths of jobs that can be started and finished. The 409 responses name no status. */
function createPaths(finish: string): object {
  const requestBody = { required: true, content: { 'application/json': { schema: INPUT } } };
  const statuses = [200, 404, 409];
  return {
    '/jobs': { post: createOperation('addJob', 'Create a job.', [201, 400], { requestBody }) },
    '/jobs/{id}': { parameters: [ID], get: createOperation('getJob', 'Get a job.', [200, 404]) },
    '/jobs/{id}/start': { parameters: [ID], post: createOperation('startJob', 'Start an open job.', statuses) },
    '/jobs/{id}/finish': { parameters: [ID], post: createOperation('finishJob', finish, statuses) },
  };
}

/** Checks a server of jobs. `from`: the statuses in which a job can be finished. Returns the messages of findings. */
async function findMessages(finish: string, from: readonly string[]) {
  const jobs = new Map<string, { id: string; title: string; status: string }>();
  const respond = ({ method, path, json }: Parameters<Parameters<typeof checkApi>[1]>[0]): SentResponse => {
    const [, , id = '', action] = path.split('/');
    if (id === '') {
      const { title, ...others } = (json ?? {}) as Record<string, unknown>;
      const isValid = typeof title === 'string' && title !== '' && [...title].length <= 40;
      if (!isValid || Object.keys(others).length > 0) return { status: 400 };
      const job = { id: `j${jobs.size + 1}`, title, status: 'open' };
      jobs.set(job.id, job);
      return { status: 201, body: job };
    }
    const job = jobs.get(id);
    if (!job) return { status: 404 };
    if (method === 'GET') return { status: 200, body: job };
    if (!(action === 'start' ? ['open'] : from).includes(job.status)) return { status: 409 };
    job.status = action === 'start' ? 'in_progress' : 'done';
    return { status: 200, body: job };
  };
  const { findings } = await checkApi({ paths: createPaths(finish) }, respond, { runs: 2 });
  return findings.map(({ message }) => message);
}

it('the check finds an action that changes a status other than the one in its summary', async () => {
  expect(await findMessages('Finish a job that is in progress.', ['open', 'in_progress'])).toEqual([
    'finishJob changed status from "open" to "done", but it documents 409 and is described as "Finish a job that is in progress."',
  ]);
});

it.each([
  ['Finish a job that is in progress.', ['in_progress']],
  ['Finish a job. Return the done job.', ['open', 'in_progress']],
  ['Finish a job that is in progress. An open job is finished too.', ['open', 'in_progress']],
])('the check accepts the action "%s" in the statuses %j', async (summary, from) => {
  expect(await findMessages(summary, from)).toEqual([]);
});

it.each([
  ['redeem', '"expired" is a final status'],
  ['return', '"expired" is a final status'],
  ['renew', undefined],
  ['reopen', undefined],
])('the action "%s" of an expired resource is refused because %s', async (verb, reason) => {
  const path = await writeDocument({
    paths: {
      '/jobs/{id}': { parameters: [ID], get: createOperation('getJob', 'Get a job.', [200]) },
      [`/jobs/{id}/${verb}`]: { parameters: [ID], post: createOperation(verb, 'Change it.', [200, 409]) },
    },
  });
  const contract = await loadContract({ path, strict: false });
  const [read, action] = contract.routes;
  const known = { status: 'status', current: 'expired', isCreated: false, reached: 'done' };
  expect(read && action && findReason(contract, read, { action, ...known })?.text).toBe(reason);
});
