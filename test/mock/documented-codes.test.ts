import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const ErrorBody = createObject({ 'error!': createObject({ 'code!': TEXT, 'message!': TEXT }) });

const createResponse = (schema: object, bodies: readonly unknown[] = []) => ({
  description: 'An error',
  content: {
    'application/json': { schema, examples: Object.fromEntries(bodies.map((value, at) => [`e${at}`, { value }])) },
  },
});

/** Returns an error response with an example for each code. */
const createCoded = (...codes: readonly unknown[]) =>
  createResponse(
    ErrorBody,
    codes.map((code) => ({ error: { code, message: 'See the docs' } })),
  );

/**
 * Starts a server with the done task 1.
 * `errors`: the error responses, by operation and status, such as `GET /tasks 404`.
 */
async function start(errors: Readonly<Record<string, object>>) {
  const contract = await writeApi({
    schemas: {
      Task: createObject({ 'id!': { type: 'integer' }, 'title!': TEXT, 'status!': { enum: ['open', 'done'] } }),
    },
    paths: {
      ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT })),
      '/tasks/{taskId}/complete': { post: { response: refer('Task') } },
    },
  });
  const document = JSON.parse(await readFile(contract, 'utf8'));
  for (const operations of Object.values<Record<string, { responses?: Record<string, unknown> }>>(document.paths))
    for (const { responses } of Object.values(operations)) if (responses) delete responses['4XX'];
  for (const [key, response] of Object.entries(errors)) {
    const [method = '', path = '', status = ''] = key.split(' ');
    document.paths[path][method.toLowerCase()].responses[status] = response;
  }
  await writeFile(contract, JSON.stringify(document));
  const { ask } = await startStorefront({ contract });
  await ask('POST', '/tasks', { title: 'a' });
  await ask('POST', '/tasks/1/complete');
  return ask;
}

it('An error has a code of the examples of its response, the one that says most about it', async () => {
  const ask = await start({
    'GET /tasks/{taskId} 404': createCoded('no_such_thing'),
    'POST /tasks 422': createCoded('E_INVALID'),
    'POST /tasks/{taskId}/complete 409': createCoded('already_cancelled', 'already_done'),
    'DELETE /tasks/{taskId} 404': createCoded(1404),
  });
  expect((await ask('GET', '/tasks/99')).body).toMatchObject({ error: { code: 'no_such_thing' } });
  expect((await ask('POST', '/tasks', {})).body).toMatchObject({ error: { code: 'E_INVALID' } });
  expect((await ask('POST', '/tasks/1/complete')).body).toMatchObject({ error: { code: 'already_done' } });
});

it('An error without an example has the common code of other errors with the status, else one in their style', async () => {
  const ask = await start({
    'GET /tasks/{taskId} 404': createCoded('not_found'),
    'DELETE /tasks/{taskId} 404': createResponse(ErrorBody),
    'POST /tasks/{taskId}/complete 409': createResponse(ErrorBody),
    'POST /tasks 400': createResponse(ErrorBody),
  });
  expect((await ask('DELETE', '/tasks/99')).body).toMatchObject({ error: { code: 'not_found' } });
  expect((await ask('POST', '/tasks/1/complete')).body).toMatchObject({ error: { code: 'conflict' } });
  expect((await ask('POST', '/tasks', {})).body).toMatchObject({ error: { code: 'validation_error' } });
});

it('An error has the value of an enum that names it', async () => {
  const code = { enum: ['TASK_NOT_FOUND', 'TASK_ALREADY_DONE', 'TASK_CONFLICT'] };
  const schema = createObject({ 'code!': code, 'message!': TEXT });
  const ask = await start({
    'GET /tasks/{taskId} 404': createResponse(schema),
    'POST /tasks/{taskId}/complete 409': createResponse(schema),
  });
  expect((await ask('GET', '/tasks/99')).body).toMatchObject({ code: 'TASK_NOT_FOUND' });
  expect((await ask('POST', '/tasks/1/complete')).body).toMatchObject({ code: 'TASK_ALREADY_DONE' });
});

it('An error has no value of a shared enum that names an error of another status', async () => {
  const values = ['invalid_credentials', 'validation_failed', 'title_taken', 'not_found', 'unauthorized'];
  const coded = createResponse(createObject({ 'code!': { type: 'string', enum: values } }));
  const ask = await start({ 'POST /tasks 400': coded, 'POST /tasks/{taskId}/complete 409': coded });
  expect((await ask('POST', '/tasks', {})).body).toEqual({ code: 'validation_failed' });
  expect((await ask('POST', '/tasks/1/complete')).body).toEqual({ code: 'title_taken' });
});

it('The field error has the documented code beside a message, and else the message', async () => {
  const createErrors = (value: object) =>
    createResponse(createObject(Object.fromEntries(Object.keys(value).map((name) => [`${name}!`, TEXT]))), [value]);
  const ask = await start({
    'GET /tasks/{taskId} 404': createErrors({ error: 'not_found', message: 'No task' }),
    'DELETE /tasks/{taskId} 404': createErrors({ error: 'No such task' }),
  });
  expect((await ask('GET', '/tasks/99')).body).toEqual({ error: 'not_found', message: 'no task has the id 99' });
  expect((await ask('DELETE', '/tasks/99')).body).toEqual({ error: 'no task has the id 99' });
});

it('An error has the alternative of its schema whose code fits', async () => {
  const createAlternative = (code: string, properties: object = {}) =>
    createObject({ 'type!': { enum: [code] }, 'message!': TEXT, ...properties });
  const schema = {
    oneOf: [
      createAlternative('unsupported_type'),
      createAlternative('missing_field', { 'field!': TEXT }),
      createAlternative('not_found', { 'entity!': TEXT }),
      createAlternative('already_done'),
      createAlternative('rate_limited'),
    ],
  };
  const coded = createResponse(schema);
  const ask = await start({
    'GET /tasks/{taskId} 404': coded,
    'POST /tasks 400': coded,
    'POST /tasks/{taskId}/complete 409': coded,
  });
  expect((await ask('GET', '/tasks/99')).body).toMatchObject({ type: 'not_found', message: 'no task has the id 99' });
  expect((await ask('POST', '/tasks', {})).body).toMatchObject({ type: 'missing_field', field: 'title' });
  expect((await ask('POST', '/tasks/1/complete')).body).toMatchObject({ type: 'already_done' });
});

it('An error has the word of its examples for the status', async () => {
  const example = { status: 'error', message: 'No task' };
  const ask = await start({
    'GET /tasks/{taskId} 404': createResponse(createObject({ 'status!': TEXT, 'message!': TEXT }), [example]),
  });
  expect((await ask('GET', '/tasks/99')).body).toEqual({ status: 'error', message: 'no task has the id 99' });
});
