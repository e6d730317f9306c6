import { describe, expect, it } from 'vitest';
import { DomainError, type Options } from '../../src/index.ts';
import { createStrictObject as object } from '../support/fixtures/api-document.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { createProblem, MESSAGE, requestBody } from '../support/fixtures/refused-thing.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const text = { type: 'string' };
const whole = { type: 'integer' };

const list = (items: object, more: object = {}) => ({ type: 'array', items, minItems: 1, ...more });

interface Form {
  /** The name of the documented response. Default: 400. */
  readonly name?: string;
  readonly type?: string;
  readonly schema?: object;
  readonly example?: unknown;
  /** The expected status. Default: 400. */
  readonly status?: number;
  readonly body: unknown;
}

const problem = createProblem(400);

/** Forms of errors in public documents, and the body that the server sends. */
const FORMS: Readonly<Record<string, Form>> = {
  'a message': { schema: object({ message: text }, { requestId: text }), body: { message: MESSAGE } },
  'an RFC 7807 problem as application/json': {
    schema: object(
      { type: { ...text, format: 'uri-reference' }, title: text, status: whole },
      { detail: text, instance: text },
    ),
    body: problem,
  },
  'a nested error with a code': {
    schema: object({ error: object({ code: text, message: text }, { target: text }) }),
    body: { error: { code: 'invalid-request', message: MESSAGE } },
  },
  'a status and a reason phrase': {
    schema: object({ statusCode: whole, error: text, message: text }),
    body: { statusCode: 400, error: 'Bad Request', message: MESSAGE },
  },
  'a list of invalid fields': {
    schema: object({ errors: list(object({ field: text, message: text })) }),
    body: { errors: [{ field: 'quantity', message: MESSAGE }] },
  },
  'a list of messages': { schema: object({ errors: list(text) }), body: { errors: [MESSAGE] } },
  'messages by field': {
    schema: object({ errors: { type: 'object', additionalProperties: list(text) } }),
    body: { errors: { quantity: [MESSAGE] } },
  },
  'a field with messages in an object of errors': {
    schema: object({ errors: object({ body: list(text) }) }),
    body: { errors: { body: [MESSAGE] } },
  },
  'the form of FastAPI': {
    name: '422',
    status: 422,
    schema: object({
      detail: list(object({ loc: list({ anyOf: [text, whole] }), msg: text, type: text })),
    }),
    body: { detail: [{ loc: ['body', 'quantity'], msg: MESSAGE, type: 'invalid-request' }] },
  },
  'the form of JSON:API': {
    type: 'application/vnd.api+json',
    schema: object({ errors: list(object({ status: text, detail: text }, { source: object({ pointer: text }) })) }),
    body: { errors: [{ status: '400', detail: MESSAGE, source: { pointer: '/quantity' } }] },
  },
  'the form of OAuth': {
    schema: object({ error: { enum: ['invalid_client', 'invalid_request'] }, error_description: text }),
    body: { error: 'invalid_request', error_description: MESSAGE },
  },
  'codes of an enum': {
    schema: object({ code: { enum: ['NOT_FOUND', 'VALIDATION_FAILED', 'INTERNAL'] }, message: text }),
    body: { code: 'VALIDATION_FAILED', message: MESSAGE },
  },
  'one of several forms': {
    schema: { oneOf: [object({ id: whole, kind: { enum: ['gone'] } }), object({ reason: text })] },
    body: { reason: MESSAGE },
  },
  'a combined form': {
    schema: {
      allOf: [
        { type: 'object', required: ['code'], properties: { code: whole } },
        { type: 'object', required: ['message'], properties: { message: text } },
      ],
    },
    body: { code: 400, message: MESSAGE },
  },
  'a limited length': {
    schema: object({ message: { ...text, maxLength: 30 } }),
    body: { message: `${MESSAGE.slice(0, 29)}…` },
  },
  'required fields with another meaning': {
    schema: object({ message: text, support: { const: 'https://a.test' }, success: { type: 'boolean' } }),
    body: { message: MESSAGE, support: 'https://a.test', success: false },
  },
  'an example': {
    schema: object({ docs: text, message: text }),
    example: { docs: 'https://a.test', message: 'Bad' },
    body: { docs: 'https://a.test', message: MESSAGE },
  },
  'any object': {
    schema: { type: 'object' },
    body: { ...problem, message: MESSAGE, error: MESSAGE, violations: expect.any(Array) },
  },
  'no schema': { body: { ...problem, message: MESSAGE, error: MESSAGE, violations: expect.any(Array) } },
  'plain text': { type: 'text/plain', schema: text, body: MESSAGE },
  XML: {
    type: 'application/xml',
    schema: object({ code: whole, message: text }),
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<root><code>400</code><message>${MESSAGE}</message></root>`,
  },
  'a range': { name: '4XX', schema: object({ message: text }), body: { message: MESSAGE } },
  'a default': { name: 'default', schema: object({ message: text }), body: { message: MESSAGE } },
};

/** Starts a server for an operation that creates a thing, with these responses to errors. Responses are verified strictly. */
async function startWith(errors: object, path = '/things') {
  const operation = createOperation('createThing', text, { requestBody });
  const { responses } = operation as { responses: object };
  const post = { ...operation, responses: { ...responses, ...errors } };
  return startStorefront({ contract: await writeDocument({ paths: { [path]: { post } } }) });
}

function toResponse({ type = 'application/json', schema, example }: Form) {
  const media = { ...(schema ? { schema } : {}), ...(example === undefined ? {} : { example }) };
  return { description: 'd', content: { [type]: media } };
}

const JSON_TEXT = { 'content-type': 'application/json' };

describe('a refused request', () => {
  it.each(Object.entries(FORMS))('gets an error in the form that the contract documents: %s', async (_, form) => {
    const { name = '400', type = 'application/json', status = 400, body } = form;
    const { ask } = await startWith({ [name]: toResponse(form) });
    const response = await ask('POST', '/things', { quantity: 0 });
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.body ?? response.text).toEqual(body);
    expect(response.status).toBe(status);
  });

  it('gets one entry for each violation in a list', async () => {
    const { ask } = await startWith({ 400: toResponse(FORMS['a list of invalid fields'] as Form) });
    const { body } = await ask('POST', '/things', { quantity: 0, colour: 'blue' });
    expect(body.errors).toEqual([
      { field: 'quantity', message: 'quantity: use an integer of at least 1' },
      { field: 'colour', message: expect.stringContaining('colour: ') },
    ]);
  });

  it('leaves out optional objects that describe other things', async () => {
    const optional = {
      cause: object({ trace: text }),
      innererror: { type: 'object' },
      errors: object({ trace: text }),
    };
    const open = Object.fromEntries(
      Object.entries(optional).map(([name, schema]) => [name, { ...schema, additionalProperties: true }]),
    );
    const schema = object({ message: text }, open);
    const { ask } = await startWith({ 400: toResponse({ schema, body: '' }) });
    expect((await ask('POST', '/things', { quantity: 0 })).body).toEqual({ message: MESSAGE });
  });

  it('has messages under the names of the values, and no code in a value called name', async () => {
    const errors = object({}, { quantity: text, name: text });
    const { ask } = await startWith({ 400: toResponse({ schema: object({ errors }), body: '' }) });
    expect((await ask('POST', '/things', { quantity: 0 })).body).toEqual({ errors: { quantity: MESSAGE } });
    const others = object({}, { name: text, email: list(text) });
    const other = await startWith({
      400: toResponse({ schema: object({ message: text }, { errors: others }), body: '' }),
    });
    expect((await other.ask('POST', '/things', { quantity: 0 })).body).toEqual({ message: MESSAGE });
  });

  it('has only the source that JSON:API has for the part of the request', async () => {
    const source = object({}, { pointer: text, parameter: text, header: text });
    const entry = object({ detail: text, source }, { id: { ...text, format: 'uuid' } });
    const { ask } = await startWith({ 400: toResponse({ schema: object({ errors: list(entry) }), body: '' }) });
    const { body } = await ask('POST', '/things', { quantity: 0, colour: 'blue' });
    const entries: readonly { readonly source: object }[] = body.errors;
    expect(entries.map((one) => one.source)).toEqual([{ pointer: '/quantity' }, { pointer: '/colour' }]);
  });

  it('has entries with different ids', async () => {
    const entry = object({ id: { ...text, format: 'uuid' }, detail: text });
    const { ask } = await startWith({ 400: toResponse({ schema: object({ errors: list(entry) }), body: '' }) });
    const { body } = await ask('POST', '/things', { quantity: 0, colour: 'blue' });
    const [first, second]: readonly { readonly id: string }[] = body.errors;
    expect(second?.id).not.toBe(first?.id);
    expect(body.errors).toHaveLength(2);
  });

  it('leaves out an optional inner error that would repeat the error', async () => {
    const inner = { innererror: object({}, { code: text }), cause: object({ message: text }) };
    const error = object({ code: text, message: text }, inner);
    const { ask } = await startWith({ 400: toResponse({ schema: object({ error }), body: '' }) });
    expect((await ask('POST', '/things', { quantity: 0 })).body).toEqual({
      error: { code: 'invalid-request', message: MESSAGE },
    });
  });

  it('gets an entry about the body if the body is not JSON', async () => {
    const { ask } = await startWith({ 400: toResponse(FORMS['a list of invalid fields'] as Form) });
    const { status, body } = await ask('POST', '/things', '{', JSON_TEXT);
    expect(status).toBe(400);
    expect(body).toEqual({ errors: [{ field: 'body', message: expect.stringContaining('the body is not JSON') }] });
  });

  it('gets a problem document if the contract documents one, or no body, or a body that cannot be made', async () => {
    const impossible = { allOf: [object({ a: text }), object({ b: text })] };
    const errors = [
      {},
      { 400: { description: 'd' } },
      { 400: toResponse({ type: 'application/problem+json', schema: { type: 'object' }, body: '' }) },
      { 400: toResponse({ schema: impossible, body: '' }) },
    ];
    for (const error of errors) {
      const { ask } = await startWith(error);
      const response = await ask('POST', '/things', { quantity: 0 });
      expect(response.status).toBe(400);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(response.body).toEqual({ ...problem, message: MESSAGE, error: MESSAGE, violations: expect.any(Array) });
    }
  });

  it('gets the documented status also with a problem document', async () => {
    const { ask } = await startWith({ 422: { description: 'd' } });
    const { status, body } = await ask('POST', '/things', { quantity: 0 });
    expect([status, body.status, body.type]).toEqual([422, 422, '/problems/invalid-request']);
  });

  it('gets the fields that the schema of a documented problem document requires', async () => {
    const schema = object({ title: text, traceId: { const: 'none' } });
    const { ask } = await startWith({ 400: toResponse({ type: 'application/problem+json', schema, body: '' }) });
    const response = await ask('POST', '/things', { quantity: 0 });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.body).toEqual({ title: 'Invalid request', traceId: 'none' });
  });

  it('gets the required properties that an example of another operation lacks', async () => {
    const schema = { $ref: '#/components/schemas/Refusal' };
    const refusal = { description: 'd', content: { 'application/json': { schema, example: { message: 'm' } } } };
    const own = { schema, example: { message: 'm', docs: 'https://example.com' } };
    const responses = { 422: { description: 'd', content: { 'application/json': own } } };
    const paths = {
      '/things': { post: { operationId: 'addThing', requestBody, responses } },
      '/others': { post: { operationId: 'addOther', requestBody, responses: { 422: refusal } } },
    };
    const contract = await writeDocument({ paths, schemas: { Refusal: object({ message: text, docs: text }) } });
    const { ask } = await startStorefront({ contract });
    for (const path of ['/things', '/others']) {
      const { status, body } = await ask('POST', path, { quantity: 0 });
      expect([status, body]).toEqual([422, { message: MESSAGE, docs: expect.any(String) }]);
    }
  });

  it('gets the media type that it accepts', async () => {
    const schema = object({ message: text });
    const content = { 'application/json': { schema }, 'text/plain': { schema: text } };
    const { ask } = await startWith({ 400: { description: 'd', content } });
    const response = await ask('POST', '/things', { quantity: 0 }, { accept: 'text/plain' });
    expect(response.text).toBe(MESSAGE);
  });

  it('gets the documented headers that are required', async () => {
    const headers = { 'X-Trace': { required: true, schema: { const: 'none' } } };
    const { ask } = await startWith({
      400: { ...toResponse({ schema: object({ message: text }), body: '' }), headers },
    });
    const response = await ask('POST', '/things', { quantity: 0 });
    expect(response.headers.get('x-trace')).toBe('none');
  });

  it('gets the required headers also with a problem document', async () => {
    const headers = { 'X-Trace': { required: true, schema: { const: 'none' } } };
    const { ask } = await startWith({ 400: { description: 'd', headers } });
    const response = await ask('POST', '/things', { quantity: 0 });
    expect([response.headers.get('x-trace'), response.body.status]).toEqual(['none', 400]);
  });

  it('is not a violation of the contract if the contract lacks the status', async () => {
    const { ask } = await startWith({ 404: toResponse({ schema: object({ message: text }), body: '' }) });
    const response = await ask('POST', '/things', 'x', { 'content-type': 'text/html' });
    expect([response.status, response.body]).toEqual([415, { message: expect.any(String) }]);
  });

  it('ignores a default response that describes the success', async () => {
    const post = {
      ...createOperation('createThing'),
      requestBody,
      responses: { default: toResponse({ schema: text, body: '' }) },
    };
    const contract = await writeDocument({ paths: { '/things': { post } } });
    const { ask } = await startStorefront({ contract });
    expect((await ask('POST', '/things', { quantity: 0 })).body).toMatchObject(problem);
  });

  it('follows a default response beside other errors', async () => {
    const error = toResponse({ schema: object({ message: text }), body: '' });
    const responses = { 410: error, default: error };
    const post = { ...createOperation('createThing'), requestBody, responses };
    const contract = await writeDocument({ paths: { '/things': { post } } });
    const { ask } = await startStorefront({ contract });
    expect((await ask('POST', '/things', { quantity: 0 })).body).toEqual({ message: MESSAGE });
  });
});

describe('a domain error', () => {
  const message = toResponse({ schema: object({ message: text }), body: '' });

  it('leaves out the optional list of invalid values', async () => {
    const schema = object({ message: text }, { fields: list(object({ field: text })) });
    const { ask } = await startThrowing({ 404: toResponse({ schema, body: '' }) });
    expect((await ask('GET', '/things')).body).toEqual({ message: 'gone' });
  });

  it.each([
    ['a map', object({ message: text }, { cause: { type: 'object', additionalProperties: true } })],
    ['an open object', object({ message: text }, { errors: { type: 'object' } })],
    ['an object without known fields', object({ message: text }, { reason: object({ trace: text }) })],
  ])('leaves out %s that is optional and says nothing about the error', async (_, schema) => {
    const { ask } = await startThrowing({ 404: toResponse({ schema, body: '' }) });
    expect((await ask('GET', '/things')).body).toEqual({ message: 'gone' });
  });

  it('names the path in a required list of errors', async () => {
    const schema = object({ errors: list(object({ in: text, message: text })) });
    const { ask } = await startThrowing({ 404: toResponse({ schema, body: '' }) });
    expect((await ask('GET', '/things')).body).toEqual({ errors: [{ in: 'path', message: 'gone' }] });
  });

  it.each([
    ['as an exact status', { 404: message }],
    ['as a range', { '4XX': message, default: { description: 'd' } }],
    ['as the default', { default: message }],
  ])('has the form that the contract documents %s', async (_, errors) => {
    const { ask } = await startThrowing(errors);
    const response = await ask('GET', '/things');
    expect([response.status, response.body]).toEqual([404, { message: 'gone' }]);
  });

  it('is a problem document, and no violation, if the contract documents it without content', async () => {
    const { ask } = await startThrowing({ 404: { description: 'd' } });
    const response = await ask('GET', '/things');
    expect([response.status, response.body.type]).toEqual([404, '/problems/entry-not-found']);
  });

  it('has the status 410 if the contract documents that in place of 404', async () => {
    const { ask } = await startThrowing({ 410: message, '4XX': { description: 'd' } });
    expect(await ask('GET', '/things')).toMatchObject({ status: 410, body: { message: 'gone' } });
  });

  /** Starts a server for an operation with these responses to errors, whose handler throws a domain error. Responses are verified strictly. */
  async function startThrowing(errors: object) {
    const get = { operationId: 'listThings', responses: { 200: { description: 'd' }, ...errors } };
    const listThings = () => {
      throw new DomainError('entry-not-found', 'gone');
    };
    const contract = await writeDocument({ paths: { '/things': { get } } });
    return startStorefront({ contract, handlers: { listThings } as Options['handlers'] });
  }
});
