import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** Sends a request with a Host header of its own. Returns the sandbox that the response names. */
function getSandbox(port: number, headers: Record<string, string>): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path: '/api/orders', headers }, (response) => {
      response.resume();
      resolve(response.headers['x-sandbox']?.toString());
    });
    sent.on('error', reject).end();
  });
}

describe('the cookie of a server', () => {
  const cookies = (port: number, own: string, plain = 'plain') => `sandbox-${port}=${own}; sandbox=${plain}`;

  it('has the port of the server in its name, and comes before the cookie sandbox', async () => {
    const server = await startStorefront();
    const named = async (cookie: string, headers = {}) =>
      (await server.ask('GET', '/api/orders', undefined, { cookie, ...headers })).headers.get('x-sandbox');
    expect(await named(cookies(server.port, 'own'))).toBe('own');
    expect(await named(`sandbox=plain; sandbox-${server.port}=own`)).toBe('own');
    expect(await named(`sandbox-${server.port + 1}=other; sandbox=plain`)).toBe('plain');
    expect(await named(`sandbox-${server.port + 1}=other`)).toBeNull();
    expect(await named(cookies(server.port, 'NO'))).toBeNull();
    expect(await named(cookies(server.port, 'own'), { 'X-Sandbox': 'header' })).toBe('header');
  });

  it('is read behind a proxy that keeps the Host header of the page', async () => {
    const server = await startStorefront();
    const headers = { host: 'localhost:5173', cookie: cookies(server.port, 'own') };
    expect(await getSandbox(server.port, headers)).toBe('own');
  });

  it('is read if a container publishes the server at the port in the Host header', async () => {
    const server = await startStorefront();
    const headers = { host: 'localhost:18080', cookie: cookies(18_080, 'published') };
    expect(await getSandbox(server.port, headers)).toBe('published');
  });

  it('is logged once if it names a sandbox that nobody has created', async () => {
    const server = await startStorefront();
    await server.ask('PUT', '/_control/sandboxes/created');
    for (const id of ['created', 'unknown-1', 'unknown-2'])
      await server.ask('GET', '/api/orders', undefined, { cookie: `sandbox=${id}` });
    const warnings = server.log.filter(({ msg }) => msg?.startsWith('A cookie named'));
    expect(warnings).toMatchObject([{ level: 40, sandbox: 'unknown-1' }]);
  });
});
