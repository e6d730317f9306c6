import { describe, expect, it } from 'vitest';
import { createClient } from '../support/harness/sandboxes.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';

const { newSandbox } = useSharedShop();
const LOCAL = { Origin: 'http://localhost:5173' };
const EXPOSE = 'access-control-expose-headers';

describe('a header of a fault', () => {
  it.each(['Content-Type', 'content-type', 'CONTENT-TYPE'])(
    'sets the content type of a text body with the spelling %s',
    async (name) => {
      const sandbox = newSandbox();
      const page = { status: 502, body: '<h1>bad</h1>', headers: { [name]: 'text/html' }, violation: true };
      await sandbox.sendControl('POST', '/faults', page);
      const reply = await sandbox.ask('GET', '/api/orders');
      expect([reply.status, reply.headers.get('content-type'), reply.text]).toEqual([502, 'text/html', '<h1>bad</h1>']);
    },
  );

  it('points to the same sandbox if it is a Location header, in any letter case', async () => {
    const sandbox = newSandbox();
    const headers = { location: '/api/orders/x' };
    await sandbox.sendControl('POST', '/faults', { operation: 'createOrder', status: 503, headers });
    const reply = await createClient(sandbox)('POST', `/_sandbox/${sandbox.id}/api/orders`);
    expect([reply.status, reply.headers.get('location')]).toEqual([503, `/_sandbox/${sandbox.id}/api/orders/x`]);
  });

  it.each<readonly [headers: object, problem: string, pointer: string, reason: RegExp]>([
    [{ 'retry-after': 'soon' }, '409 contract-conflict', '/headers/retry-after', /integer/],
    [{ 'content-type': 'text/html' }, '409 contract-conflict', '/headers/content-type', /text\/html/],
    [{ 'X-A': '1', 'x-a': '2' }, '400 invalid-fault', '/headers/x-a', /repeated/],
    [{ 'content-length': '3' }, '400 invalid-fault', '/headers/content-length', /set by the server/],
    [{ 'Transfer-Encoding': 'chunked' }, '400 invalid-fault', '/headers/Transfer-Encoding', /set by the server/],
    [{ Connection: 'close' }, '400 invalid-fault', '/headers/Connection', /set by the server/],
    [{ Trailer: 'X-A' }, '400 invalid-fault', '/headers/Trailer', /set by the server/],
    [{ Upgrade: 'h2c' }, '400 invalid-fault', '/headers/Upgrade', /set by the server/],
    [{ 'X-A': 'a\rb' }, '400 invalid-request', '/headers/X-A', /use a string that matches/],
    [{ 'X-A': 'a\n' }, '400 invalid-request', '/headers/X-A', /use a string that matches/],
  ])(
    'is rejected with a JSON Pointer if it cannot be sent or violates the contract: %j',
    async (headers, problem, pointer, reason) => {
      const fault = { operation: 'listOrders', status: 503, body: 'text', headers };
      const reply = await newSandbox().sendControl('POST', '/faults', fault);
      expect(`${reply.status} ${reply.body.type}`).toBe(problem.replace(' ', ' /problems/'));
      expect(reply.body.violations.map((one: { pointer: string }) => one.pointer)).toContain(pointer);
      expect(reply.body.detail).toMatch(reason);
    },
  );

  it.each([{ operation: 'listOrders' }, { where: { path: '/images/*' } }])(
    'can be read by pages of allowed origins: %j',
    async (target) => {
      const sandbox = newSandbox();
      const headers = { 'X-RateLimit-Remaining': '0', 'retry-after': '7' };
      await sandbox.sendControl('POST', '/faults', { ...target, status: 429, headers, times: 2 });
      const path = 'operation' in target ? '/api/orders' : '/images/logo.png';
      const exposed = (await sandbox.ask('GET', path, undefined, LOCAL)).headers.get(EXPOSE)?.split(',');
      expect(exposed).toContain('X-RateLimit-Remaining');
      expect(exposed?.filter((name) => name.toLowerCase() === 'retry-after')).toEqual(['Retry-After']);
      const foreign = await sandbox.ask('GET', path, undefined, { Origin: 'https://app.example' });
      expect([foreign.status, foreign.headers.get(EXPOSE)]).toEqual([429, null]);
      const next = await sandbox.ask('GET', path, undefined, LOCAL);
      expect([next.status, next.headers.get(EXPOSE)?.includes('RateLimit')]).toEqual([200, false]);
    },
  );
});

describe('a forced 403 response', () => {
  it.each(['GET', 'POST'])('has a detail that is true for the method %s', async (method) => {
    const reply = await newSandbox().ask(method, '/api/orders', undefined, { Prefer: 'code=403' });
    expect([reply.status, reply.body.type]).toEqual([403, '/problems/origin-not-allowed']);
    expect(reply.body.detail).toContain('is not allowed: start the server with --allow-origin');
  });
});
