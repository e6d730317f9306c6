import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { createClient, createControlClient } from '../support/harness/sandboxes.ts';
import { getSandboxClient, useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront, type TestResponse } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const { newSandbox } = useSharedShop();
const shopContract = await loadContract({ path: projectFile('openapi.yaml'), strict: false });

/** Returns the violations of the contract of the shop in a response. */
function getViolations(operationId: string, { status, headers, text, body }: TestResponse) {
  const route = shopContract.routes.find((one) => one.operationId === operationId);
  if (!route) throw new Error(`the contract has no ${operationId}`);
  const response = { status, headers: Object.fromEntries(headers), body: text === '' ? undefined : body };
  return shopContract.verifyResponse(route, response, { closed: true });
}

describe('a forced error without an example in the contract', () => {
  it.each([
    [401, 'Unauthorized', 'the request has no valid credentials: sign in'],
    [404, 'Not Found', 'nothing was found at this path'],
    [418, "I'm a Teapot", 'the request failed with status 418'],
    [429, 'Too Many Requests', 'too many requests: try again after the time in Retry-After'],
    [502, 'Bad Gateway', 'a gateway got an invalid response from the server: try again'],
    [504, 'Gateway Timeout', 'a gateway got no response from the server in time: try again'],
  ])('has a title and a detail for its status: %i', async (status, title, detail) => {
    const reply = await newSandbox().ask('GET', '/api/delivery-options', undefined, { Prefer: `code=${status}` });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(reply.body).toEqual({
      ...{ type: 'about:blank', title, status, detail, message: detail, error: detail },
      instance: '/api/delivery-options',
    });
    expect(reply.headers.get('allow')).toBeNull();
    expect(reply.headers.get('retry-after')).toBe(status === 429 ? '1' : null);
    expect(getViolations('listDeliveryOptions', reply)).toEqual([]);
  });

  it('lists the methods of the requested path in Allow if the status is 405', async () => {
    const { ask } = newSandbox();
    const one = await ask('GET', '/api/products', undefined, { Prefer: 'code=405' });
    const other = await ask('GET', '/api/cart-items', undefined, { Prefer: 'code=405' });
    expect([one.headers.get('allow'), other.headers.get('allow')]).toEqual(['GET', 'GET, POST']);
    expect(one.body).toMatchObject({ type: '/problems/method-not-allowed', instance: '/api/products' });
    expect(one.body.detail).not.toContain('/api/orders');
  });

  it('has a Retry-After header if the status is 503', async () => {
    const { ask } = newSandbox();
    const reply = await ask('GET', '/api/products', undefined, { Prefer: 'code=503' });
    expect([reply.headers.get('retry-after'), reply.headers.get('allow')]).toEqual(['1', null]);
    expect(reply.body.type).toBe('/problems/unavailable');
  });

  it('has the path of the request as its instance, including the prefix of the sandbox', async () => {
    const sandbox = newSandbox();
    const path = `/_sandbox/${sandbox.id}/api/orders`;
    const reply = await createClient(sandbox)('POST', path, undefined, { Prefer: 'code=409' });
    expect(reply.body).toMatchObject({ type: '/problems/empty-cart', instance: path });
  });
});

/** A contract other than the shop's, with two forms of errors for ranges of statuses. */
const OTHER = `openapi: 3.0.3
info: { title: Other, version: 1.0.0 }
paths:
  /things:
    get:
      operationId: listThings
      responses:
        "200": { description: Some, content: { application/json: { schema: { type: array, items: { type: string } } } } }
        4XX:
          description: Refused
          headers:
            Retry-After: { schema: { type: integer }, example: 30 }
            Allow: { schema: { type: string }, example: PATCH }
          content:
            application/json:
              schema:
                type: object
                additionalProperties: false
                required: [code, message]
                properties:
                  code: { type: integer }
                  message: { type: string }
                  field: { type: string }
              example: { code: 400, message: The name is too long, field: name }
        5XX:
          description: Failed
          content:
            application/json:
              schema: { type: object, required: [error], properties: { error: { type: string, maxLength: 20 } } }
    post:
      operationId: addThing
      responses:
        "201": { description: Added }
`;

async function otherShop(options: object = {}) {
  const file = join(await tempFolder(), 'other.yaml');
  await writeFile(file, OTHER);
  return startStorefront({ contract: file, mock: true, ...options });
}

describe('a forced error of another contract', () => {
  it('describes its status in the form that the contract defines', async () => {
    const { ask } = await otherShop();
    const preferring = async (code: number) => ask('GET', '/things', undefined, { Prefer: `code=${code}` });
    const [tooMany, teapot, gateway] = [await preferring(429), await preferring(404), await preferring(502)];
    expect(tooMany.body).toEqual({ code: 429, message: expect.stringContaining('too many requests') });
    expect([tooMany.headers.get('retry-after'), tooMany.headers.get('allow')]).toEqual(['30', null]);
    expect(teapot.body).toEqual({ code: 404, message: 'nothing was found at this path' });
    expect(teapot.headers.get('retry-after')).toBeNull();
    expect(gateway.body).toEqual({ error: 'Bad Gateway' });
  });
});

describe('an error that the contract does not document', () => {
  it.each<readonly [fault: object, place: string | undefined]>([
    [{ operation: 'addThing', status: 429 }, 'addThing'],
    [{ operation: ['listThings', 'addThing'], status: 404 }, 'addThing'],
    [{ operation: ['listThings', 'addThing'], where: { method: 'GET' }, status: 404 }, undefined],
    [{ where: { path: '/things', method: 'POST' }, status: 404 }, 'any operation that it can match'],
    [{ where: { path: '/things' }, status: 404 }, undefined],
    [{ where: { method: 'POST', path: '*hings' }, status: 418 }, 'any operation that it can match'],
    [{ status: 404 }, undefined],
  ])('is injected by %j with a warning that names %j', async (fault, place) => {
    const sandbox = getSandboxClient(await otherShop(), 'w1');
    const { status, body } = await sandbox.sendControl('POST', '/faults', fault);
    const warning = expect.stringMatching(new RegExp(`does not document the status \\d+ for ${place}$`));
    expect([status, body.warnings]).toEqual([200, place && [warning]]);
  });

  it('can be injected, is marked in the journal and is not reported as a violation of the handler', async () => {
    const lines: string[] = [];
    const shop = await otherShop({
      verify: 'strict',
      log: 'json',
      logTo: { write: (line: string) => lines.push(line) },
    });
    const sandbox = getSandboxClient(shop, 'w1');
    const { body } = await sandbox.sendControl('POST', '/faults', { operation: 'addThing', status: 429 });
    const reply = await sandbox.ask('POST', '/things');
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '1']);
    expect(body.warnings).toEqual(['the contract does not document the status 429 for addThing']);
    expect(reply.body).toEqual({ code: 429, message: expect.stringContaining('too many requests') });
    const [entry] = (await sandbox.sendControl('GET', '/requests')).body;
    expect(entry.forced).toEqual({ faults: [body.id], phase: 'before', status: 429, undocumented: true });
    expect(entry.responseViolations).toBeUndefined();
    expect(lines.join('')).not.toContain('violates the contract');
  });

  it('can be injected into all operations at once', async () => {
    const sandbox = getSandboxClient(await otherShop(), 'w1');
    await sandbox.sendControl('POST', '/faults', { status: 503 });
    expect((await sandbox.ask('POST', '/things')).status).toBe(503);
    expect((await sandbox.ask('GET', '/things')).status).toBe(503);
  });

  it.each([302, 204])('is rejected if its status is not an error: %i', async (status) => {
    const sandbox = getSandboxClient(await otherShop(), 'w1');
    const reply = await sandbox.sendControl('POST', '/faults', { operation: 'addThing', status });
    expect([reply.status, reply.body.violations[0].pointer]).toEqual([409, '/status']);
  });
});

describe('a fault with a custom body and headers', () => {
  const PROBLEM = {
    ...{ type: 'about:blank', title: 'Slow down', status: 429, detail: 'not so fast', message: 'not so fast' },
    instance: '/api/orders',
  };

  it('responds with this body and these headers', async () => {
    const sandbox = newSandbox();
    const headers = { 'Retry-After': '30', 'X-RateLimit-Remaining': '0' };
    const fault = { operation: 'listOrders', status: 429, body: PROBLEM, headers };
    const added = await sandbox.sendControl('POST', '/faults', fault);
    expect(added.body).toMatchObject(fault);
    const reply = await sandbox.ask('GET', '/api/orders');
    expect([reply.status, reply.body]).toEqual([429, PROBLEM]);
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    expect([reply.headers.get('retry-after'), reply.headers.get('x-ratelimit-remaining')]).toEqual(['30', '0']);
  });

  it('can have headers without a body', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', {
      operation: 'listOrders',
      status: 503,
      headers: { 'Retry-After': '7' },
    });
    const reply = await sandbox.ask('GET', '/api/orders');
    expect([reply.status, reply.headers.get('retry-after'), reply.body.status]).toEqual([503, '7', 503]);
  });

  it('can have a success status with a body', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', { operation: 'listOrders', status: 200, body: [] });
    expect((await sandbox.ask('GET', '/api/orders?expand=products')).body).toEqual([]);
  });

  it.each<readonly [fault: object, problem: string, pointer: string, reason: RegExp]>([
    [
      { status: 429, body: { ...PROBLEM, status: 'x' } },
      '409 contract-conflict',
      '/body/status',
      /of listOrders.*integer/,
    ],
    [{ status: 200, body: [{ id: 1 }] }, '409 contract-conflict', '/body/0/id', /listOrders/],
    [
      { status: 502, body: '<h1>', headers: { 'Content-Type': 'text/html' } },
      '409 contract-conflict',
      '/headers/Content-Type',
      /text\/html/,
    ],
    [{ status: 503, headers: { 'Retry-After': 'soon' } }, '409 contract-conflict', '/headers/Retry-After', /integer/],
    [
      { status: 500, headers: { 'Content-Length': '3' } },
      '400 invalid-fault',
      '/headers/Content-Length',
      /set by the server/,
    ],
    [{ status: 500, headers: { 'X A': '3' } }, '400 invalid-request', '/headers/X A', /not a valid name/],
    [
      { status: 500, headers: { 'X-A': 'a\r\nB: c' } },
      '400 invalid-request',
      '/headers/X-A',
      /use a string that matches/,
    ],
    [{ delay: 1, body: [] }, '400 invalid-request', '', /add `status`/],
    [{ status: 200, example: 'none', body: [] }, '400 invalid-request', '', /remove `example` or `body`/],
    [{ status: 500, violation: true }, '400 invalid-request', '', /add `body` or `headers`/],
  ])(
    'is rejected with a JSON Pointer if its response violates the contract or its properties conflict: %j',
    async (fault, problem, pointer, reason) => {
      const reply = await newSandbox().sendControl('POST', '/faults', { operation: 'listOrders', ...fault });
      expect(`${reply.status} ${reply.body.type}`).toBe(problem.replace(' ', ' /problems/'));
      expect(reply.body.violations.map((one: { pointer: string }) => one.pointer)).toContain(pointer);
      expect(reply.body.detail).toMatch(reason);
    },
  );

  it('can violate the contract with violation: true, like an HTML page of a gateway', async () => {
    const sandbox = newSandbox();
    const page = { status: 502, body: '<h1>Bad Gateway</h1>', headers: { 'Content-Type': 'text/html' } };
    const added = await sandbox.sendControl('POST', '/faults', { operation: 'listOrders', ...page, violation: true });
    expect(added.status).toBe(200);
    const reply = await sandbox.ask('GET', '/api/orders');
    expect([reply.status, reply.headers.get('content-type'), reply.text]).toEqual([
      502,
      'text/html',
      '<h1>Bad Gateway</h1>',
    ]);
    expect((await sandbox.sendControl('GET', '/requests')).body[0].responseViolations).toBeUndefined();
  });
});

describe('a request for an unknown sandbox, if sandboxes are declared,', () => {
  it('gets a 404 response that the contract documents, for every operation', async () => {
    const shop = await startStorefront({ sandboxes: 'declared' });
    const uuid = '6fb12208-d3f8-49e5-8f52-3d2038703fc6';
    for (const { method, path, operationId } of shopContract.routes) {
      const reply = await createClient(shop)(method, path.replace(/\{.*?\}/, uuid), undefined, { 'X-Sandbox': 'w9' });
      expect([reply.status, reply.body.type], operationId).toEqual([404, '/problems/unknown-sandbox']);
      expect(getViolations(operationId, reply), operationId).toEqual([]);
    }
    await createControlClient(shop)('PUT', '/w9');
    expect((await createClient(shop)('GET', '/api/orders', undefined, { 'X-Sandbox': 'w9' })).status).toBe(200);
  });
});
