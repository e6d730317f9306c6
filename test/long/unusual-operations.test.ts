import { describe, expect, it } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { type OtherOperation, readOperations } from '../support/oracles/second-validator.ts';

const ODD = projectFile('test/documents/odd.yaml');
const ODD_3_1 = projectFile('test/documents/odd-3.1.yaml');

/** A request; its body is sent as JSON unless its headers have another content type. */
interface Asked {
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const FILES = { 'content-type': 'multipart/form-data; boundary=b' };
const FILES_BODY = '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nx\r\n--b--\r\n';

/** The requests for operations that need more than a path. */
const GOOD_REQUESTS: Readonly<Record<string, Asked>> = {
  'POST /told/mapped': { body: { petType: 'kitty' } },
  'GET /query/deep': { path: '/query/deep?f[a]=1' },
  'GET /query/deep-list': { path: '/query/deep-list?ids[]=1' },
  'GET /query/bars': { path: '/query/bars?p=1|2' },
  'GET /query/blanks': { path: '/query/blanks?p=1%202' },
  'GET /query/commas': { path: '/query/commas?p=1,2' },
  'GET /query/repeated': { path: '/query/repeated?p=1' },
  'GET /query/all-of-a-list': { path: '/query/all-of-a-list?p=1' },
  'GET /query/number-or-list': { path: '/query/number-or-list?p=1' },
  'GET /query/brackets': { path: '/query/brackets?ids[]=1' },
  'GET /query/object': { path: '/query/object?x=1' },
  'GET /query/object-in-commas': { path: '/query/object-in-commas?p=x,1' },
  'GET /query/json': { path: `/query/json?q=${encodeURIComponent('{"x":1}')}` },
  'GET /header/required': { headers: { 'x-shop': 'ab' } },
  'GET /cookie': { headers: { cookie: 'session=abc' } },
  'POST /body/form': { body: 'text=x&number=1&list=1', headers: FORM },
  'POST /body/files': { body: FILES_BODY, headers: FILES },
  'POST /body/three-types': { body: { a: 1 } },
  'POST /body/charset': { body: { a: 1 } },
  'POST /body/bytes': { body: '\u0001', headers: { 'content-type': 'application/octet-stream' } },
  // Its example is sent as it is written, and violates its schema.
  'GET /response/wrong-example': { headers: { Prefer: 'dynamic=true' } },
  'POST /body/xml': { body: '<a/>', headers: { 'content-type': 'application/xml' } },
  'POST /body/one-way': { body: { name: 'n', secret: 's' } },
  'POST /media/any': { body: { a: 1 } },
  'GET /files/{name}.{ext}': { path: '/files/a.json' },
};

/** Sends the request for an operation with additional headers. */
function sendRequest(shop: TestShop, { method, path }: OtherOperation, headers: Record<string, string> = {}) {
  const request = GOOD_REQUESTS[`${method} ${path}`] ?? {};
  const url = request.path ?? path.replaceAll(/\{.*?\}/g, '1').replace(' ', '%20');
  return shop.ask(method, url, request.body, { ...request.headers, ...headers });
}

describe.each([
  ['odd.yaml', ODD],
  ['odd-3.1.yaml', ODD_3_1],
])('every operation of %s', (_, contract) => {
  it('gets a documented response', async () => {
    const shop = await startStorefront({ contract, mock: true });
    for (const operation of readOperations(contract)) {
      const reply = await sendRequest(shop, operation);
      expect.soft(operation.troublesWith(reply), `${operation.method} ${operation.path}`).toEqual([]);
    }
  });

  it.each([1])('gets a documented generated response with seed %i, which is the same each time', async (seed) => {
    const shop = await startStorefront({ contract, mock: true });
    for (const operation of readOperations(contract)) {
      const name = `${operation.method} ${operation.path}`;
      const reply = await sendRequest(shop, operation, { Prefer: `dynamic=true, seed=${seed}` });
      expect.soft(operation.troublesWith(reply), name).toEqual([]);
      const again = await sendRequest(shop, operation, { Prefer: `dynamic=true, seed=${seed}` });
      expect.soft(again.text, name).toBe(reply.text);
    }
  });
});
