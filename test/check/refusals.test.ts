import { describe, expect, it } from 'vitest';
import { formatFindings } from '../support/harness/check.ts';
import { checkApi, type ReceivedRequest, type SentResponse } from '../support/harness/check-api.ts';

const OK = { description: 'd', content: { 'application/json': { schema: { type: 'object' } } } };
const BAD = { description: 'd' };

/** Returns a document with `GET /things`, which has query parameters with these schemas. */
function createQueryDocument(schemas: Readonly<Record<string, object>>, responses: object = { 200: OK, 400: BAD }) {
  const parameters = Object.entries(schemas).map(([name, schema]) => ({ name, in: 'query', schema }));
  return { paths: { '/things': { get: { operationId: 'listThings', parameters, responses } } } };
}

/** Returns a document with `POST /things`, whose body has this schema. */
function createBodyDocument(schema: object, responses: object, schemas: object = {}) {
  const requestBody = { required: true, content: { 'application/json': { schema } } };
  return { paths: { '/things': { post: { operationId: 'addThing', requestBody, responses } } }, schemas };
}

const found = async (...input: Parameters<typeof checkApi>) => formatFindings((await checkApi(...input)).findings);

/** Returns a server that responds with 200 if `isValid` returns true, else with 400. */
function accept(isValid: (request: ReceivedRequest) => boolean): (request: ReceivedRequest) => SentResponse {
  return (request) => (isValid(request) ? { status: 200, body: {} } : { status: 400 });
}

const isNumber = (text: string) => /^-?\d+$/.test(text);

describe('checkServer accepts a server', () => {
  it('that rejects a list of integers with a space as an entry', async () => {
    const document = createQueryDocument({ ids: { type: 'array', items: { type: 'integer' } } });
    expect(
      await found(
        document,
        accept(({ query }) => query.getAll('ids').every(isNumber)),
      ),
    ).toEqual([]);
  });

  it('that requires one optional parameter only with another one', async () => {
    const document = createQueryDocument({ from: { type: 'integer' }, to: { type: 'integer' } });
    const isValid = ({ query }: ReceivedRequest) =>
      [...query.values()].every(isNumber) && (!query.has('from') || query.has('to'));
    expect(await found(document, accept(isValid))).toEqual([]);
    const always = ({ query }: ReceivedRequest) => [...query.values()].every(isNumber) && query.has('to');
    expect(await found(document, accept(always))).toEqual([
      expect.stringMatching(/^input listThings 400 accepts valid requests: query to: .*a missing value/),
    ]);
  });

  it('that changes a password only with the right old one', async () => {
    const text = { type: 'string', minLength: 1 };
    const schema = { type: 'object', required: ['old', 'next'], properties: { old: text, next: text } };
    const content = { 'application/json': { schema, example: { old: 'secret', next: 'other' } } };
    const create = (path: string) => ({
      paths: {
        [path]: { post: { operationId: 'change', requestBody: { required: true, content }, responses: { 200: OK } } },
      },
    });
    expect(await found(create('/auth/change-password'), () => ({ status: 400 }))).toEqual([]);
    expect(await found(create('/auth/change-name'), () => ({ status: 400 }))).not.toEqual([]);
  });

  it('that refuses null for a schema with properties and without a type', async () => {
    const schema = { properties: { name: { type: 'string' } } };
    const isValid = ({ json }: ReceivedRequest) =>
      typeof json === 'object' &&
      json !== null &&
      !Array.isArray(json) &&
      ['string', 'undefined'].includes(typeof (json as { name?: unknown }).name);
    expect(await found(createBodyDocument(schema, { 200: OK, 400: BAD }), accept(isValid))).toEqual([]);
  });

  it('that reads 1, yes and on as booleans', async () => {
    const document = createQueryDocument({ flag: { type: 'boolean' } });
    const isBoolean = (text: string | null) => text === null || /^(true|false|1|0|yes|no|on|off)$/i.test(text);
    expect(
      await found(
        document,
        accept(({ query }) => isBoolean(query.get('flag'))),
      ),
    ).toEqual([]);
  });

  it('that rejects an empty value of a parameter without allowEmptyValue', async () => {
    const document = createQueryDocument({ q: { type: 'string' } });
    expect(
      await found(
        document,
        accept(({ query }) => query.get('q') !== ''),
      ),
    ).toEqual([]);
  });

  it('that rejects unknown query parameters with an undocumented 400', async () => {
    const document = createQueryDocument({}, { 200: OK });
    expect(
      await found(
        document,
        accept(({ query }) => query.size === 0),
      ),
    ).toEqual([]);
  });

  it('that rejects the property __proto__ and invalid JSON with an undocumented 400', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const respond = ({ text, json, headers }: ReceivedRequest) => {
      if (headers['content-type'] !== 'application/json') return { status: 415 };
      if (json === undefined || /"__proto__"\s*:/.test(text)) return { status: 400, body: {} };
      const { a = '' } = Object(json) as { a?: unknown };
      const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
      return isObject && typeof a === 'string' ? { status: 200, body: {} } : { status: 422 };
    };
    expect(await found(createBodyDocument(schema, { 200: OK, 422: BAD }), respond)).toEqual([]);
  });

  it('that rejects a malformed content type with an undocumented 415', async () => {
    const respond = ({ headers, json }: ReceivedRequest) => {
      if (headers['content-type'] !== 'application/json') return { status: 415 };
      return json !== undefined ? { status: 200, body: {} } : { status: 400 };
    };
    expect(await found(createBodyDocument({}, { 200: OK, 400: BAD }), respond)).toEqual([]);
  });

  it('whose Allow header lists the methods of the exact path only, and not of a template that also matches', async () => {
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
    const paths = {
      '/users/me': { get: { operationId: 'getMe', responses: { 200: OK } } },
      '/users/{id}': { patch: { operationId: 'setUser', parameters: [id], responses: { 204: BAD } } },
    };
    const contract = { paths };
    const verdict = await checkApi(contract, ({ method, path }) => {
      if (path !== '/users/me') return { status: 204 };
      return method === 'PATCH' ? { status: 405, headers: { allow: 'GET, HEAD' } } : { status: 200, body: {} };
    });
    expect(formatFindings(verdict.findings)).toEqual([]);
  });

  it('that does not compare a discriminator with the names of the schemas', async () => {
    const createPet = (name: string) => ({
      type: 'object',
      required: ['type', name],
      properties: { type: { type: 'string' }, [name]: { type: 'integer' } },
    });
    const schemas = { Cat: createPet('lives'), Dog: createPet('tricks') };
    const oneOf = Object.keys(schemas).map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const document = createBodyDocument(
      { oneOf, discriminator: { propertyName: 'type' } },
      { 200: OK, 400: BAD },
      schemas,
    );
    const isPet = (json: unknown) => {
      const { type, lives, tricks } = Object(json) as Record<string, unknown>;
      return typeof type === 'string' && (Number.isInteger(lives) || Number.isInteger(tricks));
    };
    const respond = accept(({ json, headers }) => isPet(json) && headers['content-type'] === 'application/json');
    expect(await found(document, respond)).toEqual([]);
  });
});

describe('checkServer still finds a server', () => {
  it('that accepts a text in a list of integers', async () => {
    const document = createQueryDocument({ ids: { type: 'array', items: { type: 'integer' } } });
    expect(
      await found(
        document,
        accept(() => true),
      ),
    ).toContainEqual(expect.stringContaining('refuses invalid requests'));
  });

  it('that rejects a valid body with a status other than the documented 422', async () => {
    const schema = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };
    const respond = ({ json }: ReceivedRequest) => ({
      status: typeof Object(json).a === 'string' ? 200 : 400,
      body: {},
    });
    const findings = await found(createBodyDocument(schema, { 200: OK, 422: BAD }), respond);
    expect(findings).toContainEqual(expect.stringContaining('400 status documented'));
  });
});
