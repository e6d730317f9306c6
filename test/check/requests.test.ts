import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Pool } from '../../src/check/pool.ts';
import { applyEdit } from '../../src/check/request-edits.ts';
import { type RequestValues, toRequest, validateValues, withParameter } from '../../src/check/requests.ts';
import { createRequestGenerator } from '../../src/check/valid-requests.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import type { Route } from '../../src/openapi/routes.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const contract = await loadContract({ path: projectFile('test/documents/odd.yaml'), strict: false });
const NOTHING: RequestValues = { path: {}, query: {}, headers: {} };

function routeOf(method: string, path: string): Route {
  const route = contract.routes.find((one) => one.method === method && one.path === path);
  if (!route) throw new Error(`there is no ${method} ${path}`);
  return route;
}

/** Returns a request with some values of its parameters. */
function withAll(route: Route, given: Readonly<Record<string, unknown>>): RequestValues {
  return Object.entries(given).reduce((values, [name, value]) => {
    const parameter = route.parameters.find((one) => one.name === name);
    const added = parameter && withParameter(values, parameter, value);
    if (!added) throw new Error(`${name} can't be written`);
    return added;
  }, NOTHING);
}

/** Returns the fields of a multipart body (RFC 7578). */
function readParts(body: string, boundary: string): Readonly<Record<string, string>> {
  const parts = body.split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(parts.map((part) => [/name="(.*)"/.exec(part)?.[1], part.split('\r\n\r\n')[1]?.trim()]));
}

/** Validates a received request: parses its target, headers and body as a server does. */
function receivedAs(route: Route, values: RequestValues): ReturnType<typeof contract.validateRequest> {
  const { target, headers = {}, body } = toRequest(route, values);
  const [path = '', text = ''] = target.split('?');
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    query[name] = name in query ? [query[name] ?? [], value].flat() : value;
  }
  const contentType = headers['content-type'];
  const read = () => {
    if (contentType === 'application/x-www-form-urlencoded')
      return Object.fromEntries(new URLSearchParams(String(body)));
    if (contentType?.startsWith('multipart/')) return readParts(String(body), contentType.split('boundary=')[1] ?? '');
    return contentType?.includes('json') ? JSON.parse(String(body)) : undefined;
  };
  return contract.validateRequest(route, {
    path,
    query,
    headers,
    body: body === undefined ? undefined : read(),
    contentType,
  });
}

describe('a parameter', () => {
  const WRITTEN: readonly [path: string, given: Readonly<Record<string, unknown>>, sent: string][] = [
    ['/query/deep', { f: { a: 3 } }, '/query/deep?f%5Ba%5D=3'],
    ['/query/deep-or-number', { created: { gt: 4 } }, '/query/deep-or-number?created%5Bgt%5D=4'],
    ['/query/deep-list', { ids: [4, 5] }, '/query/deep-list?ids%5B0%5D=4&ids%5B1%5D=5'],
    ['/query/bars', { p: [1, 2] }, '/query/bars?p=1%7C2'],
    ['/query/blanks', { p: [1, 2] }, '/query/blanks?p=1%202'],
    ['/query/commas', { p: [1, 2] }, '/query/commas?p=1%2C2'],
    ['/query/repeated', { p: [1, 2] }, '/query/repeated?p=1&p=2'],
    ['/query/repeated', { p: [1] }, '/query/repeated?p=1'],
    ['/query/all-of-a-list', { p: [1, 2] }, '/query/all-of-a-list?p=1&p=2'],
    ['/query/number-or-list', { p: 7 }, '/query/number-or-list?p=7'],
    ['/query/brackets', { 'ids[]': [1, 2] }, '/query/brackets?ids%5B%5D=1&ids%5B%5D=2'],
    ['/query/object', { p: { x: 1, name: 'a b&c' } }, '/query/object?x=1&name=a%20b%26c'],
    ['/query/object-in-commas', { p: { x: 1, name: 'é' } }, '/query/object-in-commas?p=x%2C1%2Cname%2C%C3%A9'],
    ['/query/json', { q: { x: 1 } }, '/query/json?q=%7B%22x%22%3A1%7D'],
    [
      '/query/empty',
      { isNew: true, name: 'abc', large: 2 ** 40 },
      '/query/empty?isNew=true&name=abc&large=1099511627776',
    ],
    ['/header/required', { 'X-Shop': 'ab' }, '/header/required'],
    ['/header/typed', { 'X-Numbers': [1, 2], 'X-Flag': false }, '/header/typed'],
    ['/cookie', { session: 'a;b=c', visits: 3 }, '/cookie'],
    ['/path/list/{ids}', { ids: [1, 2] }, '/path/list/1,2'],
    ['/path/odd-name/{a-b.c}', { 'a-b.c': -1 }, '/path/odd-name/-1'],
  ];
  it.each(WRITTEN)(
    'of %s with the value %j is serialized so that it is parsed to the same value',
    (path, given, sent) => {
      const route = routeOf('GET', path);
      const values = withAll(route, given);
      expect(toRequest(route, values).target).toBe(sent);
      expect(receivedAs(route, values)).toMatchObject({ kind: 'call' });
    },
  );

  const WRONG: readonly [path: string, given: Readonly<Record<string, unknown>>, pointer: string][] = [
    ['/query/deep', { f: { a: 'x' } }, '/f/a'],
    ['/query/deep-list', { ids: ['x'] }, '/ids/0'],
    ['/query/bars', { p: [1, 'x'] }, '/p/1'],
    ['/query/blanks', { p: [1, 'x'] }, '/p/1'],
    ['/query/commas', { p: [1, 'x'] }, '/p/1'],
    ['/query/repeated', { p: [1, 'x'] }, '/p/1'],
    ['/query/repeated', { p: [] }, '/p'],
    ['/query/object', { p: { x: 'y' } }, '/p/x'],
    ['/query/object', { p: {} }, '/p'],
    ['/query/object-in-commas', { p: { x: 'y' } }, '/p/x'],
    ['/query/json', { q: { x: 'y' } }, '/q/x'],
    ['/header/typed', { 'X-Numbers': [1, 'x'] }, '/x-numbers/1'],
    ['/cookie', { session: 'ab' }, '/session'],
    ['/path/list/{ids}', { ids: ['x'] }, '/ids/0'],
  ];
  it.each(WRONG)(
    'of %s with the invalid value %j is invalid before it is sent and after it is received',
    (path, given, pointer) => {
      const route = routeOf('GET', path);
      const values = withAll(route, given);
      const violations = [expect.objectContaining({ pointer })];
      expect(receivedAs(route, values)).toMatchObject({ kind: 'violations', violations });
      expect(validateValues(contract, route, values)).toMatchObject({ kind: 'violations', violations });
    },
  );

  it.each(['text', 3, null])('of a query with the style deepObject cannot have the value %j', (value) => {
    const [parameter] = routeOf('GET', '/query/deep').parameters;
    expect(parameter && withParameter(NOTHING, parameter, value)).toBeUndefined();
  });

  it.each(['a\nb', 'é€'])('of a header cannot have the value %j', (value) => {
    const parameter = routeOf('GET', '/header/required').parameters.find(({ name }) => name === 'X-Shop');
    expect(parameter && withParameter(NOTHING, parameter, value)).toBeUndefined();
  });
});

describe('an edit', () => {
  it('that removes a cookie from a request without cookies adds no Cookie header', () => {
    const parameter = routeOf('GET', '/cookie').parameters.find(({ name }) => name === 'session');
    if (!parameter) throw new Error('the contract has no cookie');
    expect(applyEdit(NOTHING, { kind: 'parameter', parameter, schema: '' }, { kind: 'remove' })).toEqual(NOTHING);
  });
});

describe('an edit of a path parameter', () => {
  // A value without methods, or with properties that have their names, can't be converted to a text.
  it.each([Object.create(null), { toString: 1 }, '', '..', []])('is not possible with the value %j', (value) => {
    const [parameter] = routeOf('GET', '/path/odd-name/{a-b.c}').parameters;
    if (!parameter) throw new Error('the path has no parameter');
    const part = { kind: 'parameter', parameter, schema: '' } as const;
    expect(applyEdit(NOTHING, part, { kind: 'set', value })).toBeUndefined();
  });
});

describe('a body', () => {
  it('of a form is serialized so that it is parsed to the same value', () => {
    const route = routeOf('POST', '/body/form');
    const values = { ...NOTHING, body: { text: 'a b&c=é', number: 3, list: [4] } };
    expect(toRequest(route, values)).toMatchObject({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'text=a+b%26c%3D%C3%A9&number=3&list=4',
    });
    expect(receivedAs(route, values).kind).toBe(validateValues(contract, route, values).kind);
  });

  it('of a multipart form is validated as a server parses it: JSON in a field for a list is the list', async () => {
    const schema = { type: 'object', properties: { ids: { type: 'array', items: { type: 'integer' } } } };
    const forms = await loadNodes(schema, undefined, 'multipart/form-data');
    const [route] = forms.routes;
    const validate = (ids: unknown) => route && validateValues(forms, route, { ...NOTHING, body: { ids } }).kind;
    expect([validate([1, 2]), validate([[1, 2]]), validate(['x'])]).toEqual(['call', 'call', 'violations']);
  });

  it('of a form has the documented names of lists', async () => {
    const type = 'multipart/form-data';
    const list = { type: 'array', items: { type: 'integer' } };
    const forms = await loadNodes(
      { type: 'object', properties: { 'ids[]': list }, required: ['ids[]'] },
      undefined,
      type,
    );
    const [route] = forms.routes;
    const format = { type, contract: forms, schema: route?.bodyMedia[type]?.schema };
    const values = { ...NOTHING, format, body: { ids: [1] } };
    expect(route && toRequest(route, values).body).toContain('name="ids[]"');
    expect(route && validateValues(forms, route, values).kind).toBe('call');
  });

  it('is not sent if the request has none', () => {
    expect(toRequest(routeOf('POST', '/body/form'), NOTHING)).toEqual({
      method: 'POST',
      target: '/body/form',
      headers: {},
    });
  });
});

describe('a random request', () => {
  it('of any operation has the same validity before it is sent and after it is received', () => {
    const bases = createRequestGenerator(contract, new Pool());
    const made = contract.routes.flatMap((route) =>
      [1, 2, 3].map((seed) => ({ route, values: bases.createValid(route, seed) })),
    );
    const strange = made.filter(({ route, values }) => values && receivedAs(route, values).kind !== 'call');
    expect(strange.map(({ route, values }) => [route.path, values])).toEqual([]);
    expect(made.filter(({ values }) => !values).map(({ route }) => route.path)).toEqual([]);
  });
});

/** Returns a contract with `POST /nodes`, whose body has a schema, a media type and maybe an example. */
async function loadNodes(schema: object, example?: unknown, type = 'application/json') {
  const document = {
    openapi: '3.0.3',
    info: { title: 'Nodes', version: '1' },
    paths: {
      '/nodes': {
        post: {
          requestBody: { required: true, content: { [type]: { schema, example } } },
          responses: { 201: { description: 'Created' } },
        },
      },
    },
    components: {
      schemas: {
        Node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/components/schemas/Node' } } },
      },
    },
  };
  const folder = await folderWith({ 'nodes.json': JSON.stringify(document) });
  return loadContract({ path: join(folder, 'nodes.json'), strict: false });
}

describe('createRequestGenerator', () => {
  it('leaves out what is readOnly, also if another part of the schema requires it', async () => {
    const properties = { id: { type: 'string', readOnly: true }, text: { type: 'string' } };
    const nodes = await loadNodes({ allOf: [{ type: 'object', properties }, { required: ['id', 'text'] }] });
    const [route] = nodes.routes;
    const values = route && createRequestGenerator(nodes, new Pool()).createValid(route, 1);
    expect(values?.body).toEqual({ text: expect.any(String) });
    expect(route && values && validateValues(nodes, route, { ...values, body: {} })).toMatchObject({
      violations: [{ pointer: '/text', rule: 'required' }],
    });
  });

  it('has no valid request for a body with an infinitely recursive schema', async () => {
    const endless = await loadNodes({ $ref: '#/components/schemas/Node' });
    const [route] = endless.routes;
    expect(route && createRequestGenerator(endless, new Pool()).createValid(route, 1)).toBeUndefined();
  });

  it('sends the example of a body for which no valid value can be generated', async () => {
    const id = { type: 'string', not: { not: { enum: ['n1'] } } };
    const nodes = await loadNodes({ type: 'object', required: ['id'], properties: { id } }, { id: 'n1' });
    const [route] = nodes.routes;
    expect(route && createRequestGenerator(nodes, new Pool()).createValid(route, 1)?.body).toEqual({ id: 'n1' });
  });
});

it('a generated request can have a file', async () => {
  const schema = { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } };
  const requestBody = { required: true, content: { 'multipart/form-data': { schema } } };
  const post = { operationId: 'upload', requestBody, responses: { 204: { description: 'd' } } };
  const loaded = await loadContract({ path: await writeDocument({ paths: { '/files': { post } } }), strict: false });
  const requests = createRequestGenerator(loaded, new Pool());
  expect(loaded.routes.map((route) => requests.createValid(route, 7)?.body)).toEqual([{ file: expect.any(String) }]);
});
