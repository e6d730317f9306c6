import { describe, expect, it } from 'vitest';
import { NO_VALUES, toPath, withParameter } from '../../src/check/requests.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

type Row = readonly [style: string, explode: boolean, value: unknown, path: string];

const RGB = { R: 100, G: 200 };

const ROWS: readonly Row[] = [
  ['simple', false, 'blue', '/blue'],
  ['simple', false, [3, 4], '/3,4'],
  ['simple', true, ['a b', 'c'], '/a%20b,c'],
  ['simple', false, RGB, '/R,100,G,200'],
  ['simple', true, RGB, '/R=100,G=200'],
  ['label', false, 'blue', '/.blue'],
  ['label', true, 7, '/.7'],
  ['label', false, [3, 4], '/.3,4'],
  ['label', true, [3, 4], '/.3.4'],
  ['label', true, [3], '/.3'],
  ['label', false, RGB, '/.R,100,G,200'],
  ['label', true, RGB, '/.R=100.G=200'],
  ['matrix', false, 'blue', '/;color=blue'],
  ['matrix', true, 'a/b;c', '/;color=a%2Fb%3Bc'],
  ['matrix', false, [3, 4], '/;color=3,4'],
  ['matrix', true, [3, 4], '/;color=3;color=4'],
  ['matrix', true, [true], '/;color=true'],
  ['matrix', false, RGB, '/;color=R,100,G,200'],
  ['matrix', true, RGB, '/;R=100;G=200'],
];

/** Paths that stand for the same values, but that `storefront check` does not send. */
const OTHER_FORMS: readonly Row[] = [
  ['simple', false, [3, 4], '/3%2C4'],
  ['label', false, [3, 4], '/.3%2c4'],
  ['label', true, ['x', 'y'], '/%2Ex.y'],
  ['matrix', false, '', '/;color'],
  ['matrix', false, '', '/;color='],
  ['matrix', true, [3, 4], '/%3Bcolor%3D3%3Bcolor%3D4'],
  ['matrix', true, { R: 'a=b' }, '/;R=a%3Db'],
];

/** Returns a document whose operation `GET /things/{color}` accepts only `value`. */
function createDocument([style, explode, value]: Row) {
  const parameter = { name: 'color', in: 'path', required: true, style, explode, schema: describeValue(value) };
  return { paths: { '/things/{color}': { get: createOperation('get', {}, { parameters: [parameter] }) } } };
}

function describeValue(value: unknown): object {
  if (Array.isArray(value)) return { type: 'array', items: { type: typeof value[0] }, enum: [value] };
  if (typeof value !== 'object' || value === null) return { type: typeof value, enum: [value] };
  const properties = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, { type: typeof one }]));
  return { type: 'object', properties, enum: [value] };
}

describe('A path parameter', () => {
  it.each([...ROWS, ...OTHER_FORMS])('with the style %s and explode %s has the value %j in %s', async (...row) => {
    const contract = await writeDocument(createDocument(row));
    const { ask } = await startStorefront({ contract, mock: true });
    const path = `/things${row[3]}`;
    expect((await ask('GET', path)).status).toBe(200);
    const { status, body } = await ask('GET', `${path}x`);
    expect([status, body?.detail]).toEqual([400, expect.stringContaining('path parameter color')]);
  });

  it.each(ROWS)('with the style %s and explode %s is sent as %j in %s by a check', async (...row) => {
    const path = await writeDocument(createDocument(row));
    const [route] = (await loadContract({ path, strict: false })).routes;
    const [parameter] = route?.parameters ?? [];
    const values = parameter && withParameter(NO_VALUES, parameter, row[2]);
    expect(route && values && toPath(route, values)).toBe(`/things${row[3]}`);
  });

  it.each([
    ['label', '/blue', 'path parameter color is "blue": begin it with .'],
    ['matrix', '/blue', 'path parameter color is "blue": begin it with ;color='],
    ['matrix', '/;colour=blue', 'path parameter color is ";colour=blue": begin it with ;color='],
  ])('with the style %s refuses %s', async (style, path, detail) => {
    const contract = await writeDocument(createDocument([style, false, 'blue', '']));
    const { ask } = await startStorefront({ contract, mock: true });
    const { status, body } = await ask('GET', `/things${path}`);
    expect([status, body?.detail]).toEqual([400, expect.stringContaining(detail)]);
  });

  it('with the style matrix identifies an entry, also in its Location', async () => {
    const schema = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: {} } };
    const parameters = [{ name: 'id', in: 'path', required: true, style: 'matrix', schema: { type: 'integer' } }];
    const created = {
      description: 'd',
      headers: { Location: { schema: { type: 'string' } } },
      content: { 'application/json': { schema } },
    };
    const requestBody = { content: { 'application/json': { schema } } };
    const contract = await writeDocument({
      paths: {
        '/pets': { post: { operationId: 'add', requestBody, responses: { 201: created } } },
        '/pets/{id}': { get: createOperation('read', schema, { parameters }) },
      },
    });
    const { ask } = await startStorefront({ contract });
    const { headers } = await ask('POST', '/pets', { id: 7, name: 'Rex' });
    expect(headers.get('location')).toBe('/pets/;id=7');
    expect((await ask('GET', '/pets/;id=7')).body).toEqual({ id: 7, name: 'Rex' });
    expect((await ask('GET', '/pets/7')).status).toBe(400);
  });
});
