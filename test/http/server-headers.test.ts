import { describe, expect, it } from 'vitest';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const ORIGIN = 'http://localhost:5173';
const BODY = { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Item' } } } };
const ITEM = { 'application/json': { schema: { $ref: '#/components/schemas/Item' } } };

/** Headers that only the server sets, each with a value that would break the response or the page. */
const RESERVED: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src *; script-src * 'unsafe-inline'",
  'Content-Security-Policy-Report-Only': 'default-src *',
  'x-content-type-options': 'off',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': 'https://other.example',
  'Access-Control-Allow-Credentials': 'false',
  'Access-Control-Expose-Headers': 'X-Nothing',
  Date: 'Thu, 01 Jan 1970 00:00:00 GMT',
  'Content-Encoding': 'gzip',
  'Transfer-Encoding': 'chunked',
  'Content-Length': '3',
  Connection: 'close',
  'Keep-Alive': 'timeout=1',
  Trailer: 'X-A',
  Upgrade: 'h2c',
  'Clear-Site-Data': '"*"',
  'Strict-Transport-Security': 'max-age=31536000',
  Refresh: '0; url=https://other.example',
  'X-Sandbox': 'other',
  'X-Mocked': 'nothing',
};

function toHeaders(isRequired: boolean): object {
  const entries = Object.entries(RESERVED).map(([name, example]) => [
    name,
    { required: isRequired, example, schema: { type: 'string' } },
  ]);
  return { ...Object.fromEntries(entries), 'X-Page': { example: 4, schema: { type: 'integer' } } };
}

/** Starts a server whose document has the reserved headers in each response. `isRequired`: whether the responses must have them. */
async function startDocumented(isRequired: boolean, options: object = {}) {
  const headers = toHeaders(isRequired);
  const contract = await writeDocument({
    paths: {
      '/items': {
        get: { operationId: 'listItems', responses: { 200: { description: 'd', headers, content: BODY } } },
        post: {
          operationId: 'addItem',
          requestBody: { content: ITEM },
          responses: {
            201: { description: 'd', headers, content: ITEM },
            400: { description: 'd', headers, content: { 'application/json': { example: { error: 'bad' } } } },
          },
        },
      },
      '/report': {
        get: { operationId: 'getReport', responses: { 200: { description: 'd', headers, content: ITEM } } },
      },
    },
    schemas: { Item: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } } },
  });
  return startStorefront({ contract, ...options });
}

describe.each([true, false])('documented headers that only the server sets (required: %s)', (isRequired) => {
  it.each([
    ['a real operation', 'GET', '/items', undefined, {}, 200],
    ['a real operation that creates an entry', 'POST', '/items', { name: 'a' }, {}, 201],
    ['a mocked operation', 'GET', '/report', undefined, {}, 200],
    ['a preferred response', 'GET', '/items', undefined, { Prefer: 'code=200' }, 200],
    ['a refused request', 'POST', '/items', [], {}, 400],
  ] as const)(
    'do not replace those of the server in the response of %s',
    async (_, method, path, body, more, status) => {
      const { ask } = await startDocumented(isRequired);
      const reply = await ask(method, path, body, { Origin: ORIGIN, ...more });
      expect(reply.status).toBe(status);
      expect(reply.body).toBeDefined();
      const get = (name: string) => reply.headers.get(name);
      expect(get('access-control-allow-origin')).toBe(ORIGIN);
      expect(get('access-control-allow-credentials')).toBe('true');
      expect(get('access-control-expose-headers')).toMatch(/^Location,.*X-Page/);
      expect(get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(get('x-content-type-options')).toBe('nosniff');
      expect(get('cross-origin-resource-policy')).toBe('same-origin');
      expect(Date.parse(get('date') ?? '')).toBeGreaterThan(0);
      for (const name of ['content-encoding', 'clear-site-data', 'strict-transport-security', 'refresh', 'x-sandbox'])
        expect(get(name), name).toBeNull();
    },
  );
});

it.each(Object.entries(RESERVED))(
  'a handler that returns the header %s gets an error with the reason',
  async (name, value) => {
    const handlers = { getReport: () => ({ body: {}, headers: { [name]: value } }) };
    const { ask } = await startDocumented(false, { handlers, errorsExpected: true });
    const reply = await ask('GET', '/report', undefined, { Origin: ORIGIN });
    expect([reply.status, reply.body.detail]).toEqual([
      500,
      `the handler of getReport returned the header ${name}, which only the server can set: remove it`,
    ]);
    expect(reply.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  },
);

it('a handler can set the headers that describe its response', async () => {
  const headers = {
    'Content-Type': 'text/plain',
    Location: '/items/1',
    ETag: '"a"',
    'Set-Cookie': 'a=b',
    'Cache-Control': 'max-age=5',
    'Last-Modified': 'Wed, 01 Jan 2025 00:00:00 GMT',
    'X-Frame-Options': 'DENY',
    'X-Own': '1',
  };
  const handlers = { getReport: () => ({ body: 'text', headers }) };
  const { ask } = await startDocumented(false, { handlers, verify: 'off' });
  const reply = await ask('GET', '/report', undefined, { Origin: ORIGIN });
  for (const [name, value] of Object.entries(headers)) expect(reply.headers.get(name), name).toBe(value);
  expect(reply.headers.get('access-control-expose-headers')).toMatch(/,ETag,X-Frame-Options,X-Own$/);
});

it('a fault with a header that only the server sets is refused, and names the header', async () => {
  const { ask } = await startDocumented(false);
  for (const name of Object.keys(RESERVED)) {
    const reply = await ask('POST', '/_control/sandboxes/default/faults', { status: 503, headers: { [name]: 'x' } });
    expect([reply.status, reply.body.violations?.[0]?.pointer], name).toEqual([400, `/headers/${name}`]);
    expect(reply.body.detail).toContain('is set by the server');
  }
});

it('a documented Vary header extends the one of the server', async () => {
  const headers = { Vary: { example: 'Accept, origin', schema: { type: 'string' } } };
  const get = { operationId: 'star', responses: { 200: { description: 'd', headers, content: ITEM } } };
  const contract = await writeDocument({ paths: { '/star': { get } }, schemas: { Item: { type: 'object' } } });
  const { ask } = await startStorefront({ contract });
  const reply = await ask('GET', '/star', undefined, { Origin: ORIGIN });
  expect(reply.headers.get('vary')).toBe('Origin, Accept');
});
