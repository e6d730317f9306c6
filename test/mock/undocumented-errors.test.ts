import { describe, expect, it } from 'vitest';
import { createStrictObject as object } from '../support/fixtures/api-document.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const text = { type: 'string' };
const message = object({ message: text });
const violations = object({ errors: { type: 'array', minItems: 1, items: object({ field: text }) } });
const reason = object({ reason: text });

const toResponse = (schema: object, type = 'application/json') => ({
  description: 'd',
  content: { [type]: { schema } },
});

/** Starts a server with tasks, and an operation `GET /documented` with these error responses. */
async function start(documented: object, own: object = {}) {
  const Task = object({ id: text, title: text });
  const request = { content: { 'application/json': { schema: object({ title: text }) } }, required: true };
  const list = toResponse({ type: 'array', items: Task });
  const paths = {
    '/tasks': {
      get: { operationId: 'listTasks', responses: { 200: list } },
      post: { operationId: 'createTask', requestBody: request, responses: { 201: toResponse(Task), ...own } },
    },
    '/tasks/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
      get: { operationId: 'getTask', responses: { 200: toResponse(Task), ...own } },
    },
    '/documented': { get: { operationId: 'getOther', responses: { 200: { description: 'd' }, ...documented } } },
  };
  const { ask } = await startStorefront({ contract: await writeDocument({ paths }), verify: 'strict' });
  return async (method: string, path: string, body?: unknown) => {
    const response = await ask(method, path, body);
    return [response.status, response.headers.get('content-type'), Object.keys(response.body).sort()];
  };
}

const PROBLEM = ['detail', 'error', 'instance', 'message', 'status', 'title', 'type'];

describe('An error that the contract does not document for the operation', () => {
  it.each([
    ['one status', { 404: toResponse(message) }],
    ['the default', { default: toResponse(message) }],
    ['several statuses', { 400: toResponse(message), 401: toResponse(message), '5XX': toResponse(message) }],
  ])('has the form of all other errors: %s', async (_, documented) => {
    const send = await start(documented);
    expect(await send('GET', '/tasks/unknown')).toEqual([404, 'application/json', ['message']]);
    expect(await send('POST', '/tasks', {})).toEqual([400, 'application/json', ['message']]);
    expect(await send('DELETE', '/tasks')).toEqual([405, 'application/json', ['message']]);
  });

  it('has this form also if the operation documents its status without content', async () => {
    const send = await start(
      { default: toResponse(message) },
      { 404: { description: 'd' }, 422: { description: 'd' } },
    );
    expect(await send('GET', '/tasks/unknown')).toEqual([404, 'application/json', ['message']]);
    expect(await send('POST', '/tasks', {})).toEqual([422, 'application/json', ['message']]);
  });

  it('has the form of the other errors with its status', async () => {
    const send = await start({ 400: toResponse(violations), 404: toResponse(message), 409: toResponse(reason) });
    expect(await send('GET', '/tasks/unknown')).toEqual([404, 'application/json', ['message']]);
    expect(await send('POST', '/tasks', {})).toEqual([400, 'application/json', ['errors']]);
    expect(await send('DELETE', '/tasks')).toEqual([405, 'application/problem+json', PROBLEM]);
  });

  it('has no form of violations, unless it has some', async () => {
    const send = await start({ 422: toResponse(violations) });
    expect(await send('GET', '/tasks/unknown')).toEqual([404, 'application/problem+json', PROBLEM]);
    expect(await send('POST', '/tasks', {})).toEqual([400, 'application/json', ['errors']]);
  });

  it('is a problem document if the other errors are problem documents, or none are documented', async () => {
    const problem = toResponse({ type: 'object' }, 'application/problem+json');
    for (const documented of [{}, { 404: problem }]) {
      const send = await start(documented);
      expect(await send('GET', '/tasks/unknown')).toEqual([404, 'application/problem+json', PROBLEM]);
    }
  });
});
