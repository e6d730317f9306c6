import { describe, expect, it } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const ODD = projectFile('test/documents/odd.yaml');

/** A body is sent as JSON unless there are headers. */
interface RequestOptions {
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A request, the status of its response and, optionally, more of the request and the response. */
type Case = readonly [request: string, status: number, more?: Expected];

interface Expected extends RequestOptions {
  /** The response body, or some of its properties. */
  readonly answer?: unknown;
  readonly answerHeaders?: Readonly<Record<string, unknown>>;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const accepting = (accept: string, type: string): Expected => ({
  headers: { accept },
  answerHeaders: { 'content-type': type },
});

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'parses query objects in brackets': [
    ['GET /query/deep', 400],
    ['GET /query/deep?f[a]=1', 204],
    ['GET /query/deep?f%5Ba%5D=1', 204],
    ['GET /query/deep?f[a]=x', 400],
    ['GET /query/deep?f[b]=x', 400],
    ['GET /query/deep?f[a]=1&f[b]=x&f[b]=y', 204],
    ['GET /query/deep?f[a]=1&f[b][]=x', 204],
    ['GET /query/deep?f[a]=1&f[c][d]=x', 204],
    ['GET /query/deep?f[a]=1&f[c][d]=xx', 400],
    ['GET /query/deep-or-number?created=5', 204],
    ['GET /query/deep-or-number?created[gt]=5', 204],
    ['GET /query/deep-or-number?created[gt]=x', 400],
    ['GET /query/deep-list?ids[0]=1&ids[1]=2', 204],
    ['GET /query/deep-list?ids=1', 204],
    ['GET /query/deep-list?ids[]=x', 400],
  ],
  'parses query arrays in each style': [
    ['GET /query/bars?p=1%7C2', 204],
    ['GET /query/bars?p=1', 400],
    ['GET /query/blanks?p=1+2', 204],
    ['GET /query/blanks?p=1', 400],
    ['GET /query/commas?p=1', 204],
    ['GET /query/commas?p=1%2C2', 204],
    ['GET /query/commas?p=1,x', 400],
    ['GET /query/repeated?p=1&p=2', 204],
    ['GET /query/repeated?p=x', 400],
    ['GET /query/repeated', 400],
    ['GET /query/all-of-a-list?p=1&p=2', 204],
    ['GET /query/all-of-a-list?p=x', 400],
    ['GET /query/number-or-list?p=1&p=2', 204],
    ['GET /query/number-or-list?p=x', 400],
    ['GET /query/brackets?ids[]=1&ids[]=2', 204],
    ['GET /query/brackets?ids%5B%5D=1', 204],
    ['GET /query/brackets?ids[]=x', 400],
  ],
  'parses query objects without brackets': [
    ['GET /query/object?x=1&name=n', 204],
    ['GET /query/object?x=no', 400],
    ['GET /query/object?name=n', 400],
    ['GET /query/object-in-commas?p=x,1,name,n', 204],
    ['GET /query/object-in-commas?p=x,no', 400],
    ['GET /query/json?q=no', 400],
    [`GET /query/json?q=${encodeURIComponent('{"x":"no"}')}`, 400],
  ],
  'validates empty, large and out-of-range query values': [
    ['GET /query/empty?isNew', 204],
    ['GET /query/empty?isNew=', 204],
    ['GET /query/empty?isNew=no', 400],
    ['GET /query/empty?name=', 204],
    ['GET /query/empty?name=four', 400],
    ['GET /query/empty?large=9007199254740991', 204],
    ['GET /query/empty?large=9223372036854775807', 400],
    ['GET /number/narrow?q=0.5', 200],
    ['GET /number/narrow?q=0', 400],
    ['GET /number/narrow?q=1', 400],
  ],
  'validates header parameters': [
    ['GET /header/required', 400],
    ['GET /header/required', 400, { headers: { 'x-shop': 'a' } }],
    ['GET /header/required', 204, { headers: { 'X-SHOP': 'ab' } }],
    ['GET /header/typed', 204, { headers: { 'x-numbers': '1,2', 'x-flag': 'true' } }],
    ['GET /header/typed', 400, { headers: { 'x-numbers': '1,x' } }],
    ['GET /header/typed', 400, { headers: { 'x-flag': 'no' } }],
  ],
  'validates cookie parameters': [
    ['GET /cookie', 400],
    ['GET /cookie', 204, { headers: { cookie: 'other=1; session=abc; visits=3' } }],
    ['GET /cookie', 400, { headers: { cookie: 'session=ab' } }],
    ['GET /cookie', 400, { headers: { cookie: 'session=abc; visits=no' } }],
  ],
  'validates forms': [
    ['POST /body/form', 204, { body: 'text=x&number=1&list=1&list=2', headers: FORM }],
    ['POST /body/form', 204, { body: 'text=5&number=1&list=1', headers: FORM }],
    ['POST /body/form', 204, { body: 'text=x&number=1&list[]=1&more[x]=ab', headers: FORM }],
    ['POST /body/form', 400, { body: 'text=x&number=1&list=1&more[x]=abc', headers: FORM }],
    ['POST /body/form', 400, { body: 'text=x&number=no&list=1', headers: FORM }],
    ['POST /body/form', 400, { body: 'text=x&number=1', headers: FORM }],
    ['POST /body/form', 415, { body: {} }],
    ['POST /body/files', 415, { body: 'name=x', headers: FORM }],
  ],
  'validates bodies by their media type': [
    ['POST /body/three-types', 400],
    ['POST /body/three-types', 400, { body: { b: 1 } }],
    ['POST /body/three-types', 204, { body: { b: 1 }, headers: { 'content-type': 'application/vnd.shop+json' } }],
    ['POST /body/three-types', 400, { body: { a: 1 }, headers: { 'content-type': 'application/vnd.shop+json' } }],
    ['POST /body/three-types', 204, { body: 'hi', headers: { 'content-type': 'text/plain' } }],
    ['POST /body/three-types', 415, { body: 'hi', headers: { 'content-type': 'image/png' } }],
    ['POST /body/charset', 400, { body: {} }],
    ['POST /body/charset', 204, { body: { a: 1 }, headers: { 'content-type': 'application/json; charset=utf-8' } }],
    ['POST /media/any', 400, { body: {} }],
    ['POST /told/mapped', 204, { body: { petType: 'doggy', bark: true } }],
    ['POST /told/mapped', 400, { body: { petType: 'doggy' } }],
    ['POST /told/mapped', 400, { body: { petType: 'fish', bark: true } }],
    ['DELETE /body/of-delete', 204, { body: {} }],
    ['DELETE /body/of-delete', 400, { body: [] }],
  ],
  'requires writeOnly properties in requests and returns readOnly ones': [
    ['POST /body/one-way', 201, { body: { name: 'n', secret: 's' }, answer: { id: expect.any(Number) } }],
    ['POST /body/one-way', 201, { body: { id: 1, name: 'n', secret: 's' } }],
    ['POST /body/one-way', 400, { body: { name: 'n' } }],
    ['POST /body/one-way-parts', 204, { body: { color: 'blue' } }],
    ['POST /body/one-way-parts', 400, { body: {} }],
    ['GET /body/one-way', 200, { answer: { id: expect.any(Number), name: expect.any(String) } }],
  ],
  'prefers the most concrete of overlapping paths': [
    ['GET /over/5', 200, { answer: 'over by id' }],
    ['GET /over/no', 400],
    ['GET /over/me', 200, { answer: 'over me' }],
    ['DELETE /over/5', 200, { answer: 'delete by id' }],
    ['GET /over/x/fixed', 200, { answer: 'fixed at the end' }],
    ['GET /over/fixed/y', 200, { answer: 'fixed at the start' }],
    ['GET /over/x/y', 200, { answer: 'nothing fixed' }],
    ['GET /jobs/a', 200, { answer: 'a job' }],
    ['POST /jobs/a', 200, { answer: 'a job started' }],
    ['POST /jobs/a:cancel', 200, { answer: 'a job cancelled' }],
  ],
  'matches paths with special characters': [
    ['GET /files/a.json', 200, { answer: 'a file' }],
    ['GET /files/a.b.json', 200, { answer: 'a file' }],
    ['GET /files/a.txt', 400],
    ['GET /filesXa.json', 404],
    ['GET /range/1-2', 200, { answer: 'a range' }],
    ['GET /range/1-x', 400],
    ["GET /Users('a')/name", 200, { answer: 'a user' }],
    ['GET /Users(%27a%27)/name', 200, { answer: 'a user' }],
    ['GET /Usersa/name', 404],
    ['GET /big%20room/T%C3%BCr', 200, { answer: 'a door' }],
    ['GET /path/list/1,2', 204],
    ['GET /path/list/1,x', 400],
    ['GET /path/odd-name/1', 204],
    ['GET /path/odd-name/x', 400],
    ['GET /api/inner', 200, { answer: 'in api' }],
    ['GET /api/outer', 404],
  ],
  'matches paths with and without a trailing slash': [
    ['GET /slash/', 200, { answer: 'a slash' }],
    ['POST /slash', 200, { answer: 'no slash' }],
    ['PUT /slash', 405],
  ],
  'handles HEAD and OPTIONS operations': [
    ['HEAD /heads', 200, { answerHeaders: { 'x-head': expect.any(String) } }],
    ['OPTIONS /heads', 200, { answer: 'the options' }],
    ['GET /heads', 405],
    ['HEAD /media/html', 200, { answerHeaders: { 'content-type': 'text/html; charset=utf-8' } }],
  ],
  'distinguishes operations with the same id': [
    ['GET /twins/one', 200, { answer: 'the first' }],
    ['GET /twins/two', 200, { answer: 'the second' }],
  ],
  'responds with the documented status': [
    ['DELETE /response/none-or-default', 204],
    ['DELETE /response/none-or-default', 404, { headers: { prefer: 'code=404' } }],
    ['GET /response/default-only', 200, { answer: { code: expect.any(Number) } }],
    ['GET /response/default-only', 503, { headers: { prefer: 'code=503' } }],
    ['GET /response/4xx-only', 400, { answer: { code: expect.any(Number) } }],
    ['GET /response/4xx-only', 404, { headers: { prefer: 'code=404' } }],
    ['GET /response/redirect', 302, { answerHeaders: { location: expect.stringMatching(/^\w+:/) } }],
  ],
  'responds with valid examples': [
    ['GET /response/wrong-example', 200, { headers: { Prefer: 'dynamic=true' }, answer: { a: expect.any(Number) } }],
    ['GET /response/examples', 200, { answer: { hello: 'world' } }],
    ['GET /response/examples', 400, { headers: { prefer: 'example=far' } }],
    ['GET /response/date', 200, { answer: { day: '2024-01-02' } }],
    ['GET /reference/in-an-example', 200, { answer: { $ref: '#/nowhere', x: 1 } }],
  ],
  'responds in the media type that the client prefers': [
    ['GET /media/four', 200, accepting('*/*', 'application/json')],
    ['GET /media/four', 200, accepting('application/xml', 'application/xml')],
    ['GET /media/four', 200, accepting('text/*', 'text/plain')],
    ['GET /media/four', 200, { ...accepting('text/csv', 'text/csv'), answer: 'a,b\n1,2\n' }],
    ['GET /media/four', 200, accepting('application/json;q=0.1, application/xml;q=0.9', 'application/xml')],
    ['GET /media/four', 200, accepting('*/*;q=0.1, text/csv', 'text/csv')],
    ['GET /media/four', 200, accepting('text/plain;q=0.9, application/*', 'application/json')],
    ['GET /media/four', 200, accepting('application/json;q=0, */*', 'application/xml')],
    ['GET /media/any', 200, accepting('*/*', 'application/json')],
    ['GET /media/picture', 200, accepting('*/*', 'image/png')],
  ],
};

describe('a server of odd.yaml', () => {
  it.each(Object.entries(CASES))('%s', async (_, cases) => {
    const shop = await startStorefront({ contract: ODD, mock: true });
    for (const [request, status, { body, headers, answer, answerHeaders = {} } = {}] of cases) {
      const [method = '', path = ''] = request.split(' ');
      const type = body !== undefined && headers === undefined ? JSON_TYPE : {};
      const reply = await shop.ask(method, path, body, { ...type, ...headers });
      const context = `${request} ${JSON.stringify({ body, headers })}: ${reply.text}`;
      expect.soft(reply.status, context).toBe(status);
      if (typeof answer === 'object') expect.soft(reply.body, context).toMatchObject(answer as object);
      else if (answer !== undefined) expect.soft(reply.body ?? reply.text, context).toBe(answer);
      for (const [name, value] of Object.entries(answerHeaders))
        expect.soft(reply.headers.get(name), context).toEqual(value);
    }
  });
});

describe('a schema without valid values', () => {
  const SELF = { $ref: '#/components/schemas/Endless' };

  it.each([
    ['has contradictory values', { allOf: [{ const: 1 }, { const: 2 }] }],
    ['requires endless nesting', { type: 'object', required: ['next'], properties: { next: SELF } }],
  ])('that %s gets a 500 with its JSON Pointer, and other operations work', async (_, schema) => {
    const contract = await writeDocument({
      paths: {
        '/endless': { get: createOperation('endless', SELF) },
        '/other': { get: createOperation('other', { const: 1 }) },
      },
      schemas: { Endless: schema },
    });
    const shop = await startStorefront({ contract, mock: true, errorsExpected: true });
    const { status, body } = await shop.ask('GET', '/endless');
    expect([status, body.detail]).toEqual([500, expect.stringContaining('#/paths/~1endless/get/responses/200/')]);
    expect((await shop.ask('GET', '/other')).body).toBe(1);
  });

  it('uses only the other parts of a schema that contains itself in allOf', async () => {
    const contract = await writeDocument({
      paths: { '/endless': { get: createOperation('endless', SELF) } },
      schemas: { Endless: { allOf: [SELF, { const: 1 }] } },
    });
    const shop = await startStorefront({ contract, mock: true });
    expect(await shop.ask('GET', '/endless')).toMatchObject({ status: 200, body: 1 });
  });
});
