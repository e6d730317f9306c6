import { describe, expect, it } from 'vitest';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { createProblem, MESSAGE, requestBody } from '../support/fixtures/refused-thing.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const text = { type: 'string' };
const standard = createProblem(422);
const standardSchemas = { type: text, title: text, status: { type: 'integer' }, detail: text, instance: text };

/** Starts a server whose `POST /things` documents an error with a schema, and sends an invalid request. */
async function refuse(schema: object, { type = 'application/problem+json', headers = {} } = {}) {
  const responses = {
    201: { description: 'd' },
    422: { description: 'd', content: { [type]: { schema } } },
  };
  const post = { ...createOperation('createThing'), requestBody, responses };
  const { ask, log } = await startStorefront({ contract: await writeDocument({ paths: { '/things': { post } } }) });
  const response = await ask('POST', '/things', { quantity: 0 }, headers);
  return { body: response.body, contentType: response.headers.get('content-type'), log };
}

const open = (properties: object, more: object = {}) => ({
  type: 'object',
  properties: { ...standardSchemas, ...properties },
  ...more,
});
const closed = (properties: object) => open(properties, { additionalProperties: false });
const list = (properties: object) => ({ type: 'array', items: { type: 'object', properties } });

describe('A documented problem document', () => {
  it.each([
    ['errors', { field: text, message: text }, { field: 'quantity', message: MESSAGE }],
    ['invalid-params', { name: text, reason: text }, { name: 'quantity', reason: MESSAGE }],
    ['violations', { propertyPath: text, message: text }, { propertyPath: 'quantity', message: MESSAGE }],
  ])('has its own list %s, and no other list of errors', async (name, fields, entry) => {
    const { body, contentType } = await refuse(open({ [name]: list(fields) }));
    expect(contentType).toBe('application/problem+json');
    expect(body).toEqual({ ...standard, message: MESSAGE, error: MESSAGE, [name]: [entry] });
  });

  it('has no members that the schema forbids', async () => {
    const { body } = await refuse(closed({ errors: list({ field: text, message: text }) }));
    expect(body).toEqual({ ...standard, errors: [{ field: 'quantity', message: MESSAGE }] });
  });

  it('has its own code beside the violations', async () => {
    const { body } = await refuse(open({ code: text, traceId: text }));
    const violations = [expect.objectContaining({ in: 'body', pointer: '/quantity' })];
    expect(body).toEqual({ ...standard, message: MESSAGE, error: MESSAGE, code: 'invalid-request', violations });
  });

  it('has a required field that describes no error', async () => {
    const { body } = await refuse(open({ traceId: text }, { required: ['traceId'] }));
    expect(body).toMatchObject({ ...standard, traceId: expect.any(String) });
  });

  it('has the type that its schema requires', async () => {
    const { body } = await refuse(
      open({ type: { const: 'https://example.com/invalid' }, code: text }, { required: ['type'] }),
    );
    expect(body).toMatchObject({ ...standard, type: 'https://example.com/invalid' });
  });

  it('has its own fields also in a response that the request forces', async () => {
    const schema = open({ code: text, errors: list({ field: text }) }, { required: ['code'] });
    const { body } = await refuse(schema, { headers: { prefer: 'code=422' } });
    expect(body).toMatchObject({ status: 422, code: expect.any(String) });
    expect(body).not.toHaveProperty('violations', []);
  });
});

describe('An error of any media type', () => {
  it('has the documented fields only, if they are those of no problem document', async () => {
    const { body, contentType } = await refuse({ type: 'object', properties: { code: text, message: text } }, RANGE);
    expect(contentType).toBe('application/json');
    expect(body).toEqual({ code: 'invalid-request', message: MESSAGE });
  });
});

const RANGE = { type: '*/*' };

describe('The log line of a documented error', () => {
  it.each([
    ['the URI of a problem', open({ code: text })],
    ['the name of an invalid value', open({ errors: list({ name: text, reason: text }) })],
  ])('has no note about a code for %s', async (_, schema) => {
    const { log } = await refuse(schema);
    expect(JSON.stringify(log)).not.toContain('the body has the code');
  });
});
