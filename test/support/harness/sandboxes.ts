import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { loadContract } from '../../../src/openapi/contract.ts';
import { projectFile } from '../fixtures/default-data.ts';
import type { TestResponse, TestShop } from './start-storefront.ts';

/** A way in which a request can select a sandbox, for example the header `X-Sandbox`. */
export interface SelectionMethod {
  readonly by: 'header' | 'path' | 'host' | 'baggage' | 'cookie';
  /** Returns the path and the headers of a request for `path` that selects the sandbox `id`. */
  naming(id: string, path: string): { readonly path: string; readonly headers: Record<string, string> };
}

/** The five ways to select a sandbox, in the order of their precedence. */
export const selectionMethods: readonly SelectionMethod[] = [
  { by: 'header', naming: (id, path) => ({ path, headers: { 'x-sandbox': id } }) },
  { by: 'path', naming: (id, path) => ({ path: `/_sandbox/${id}${path}`, headers: {} }) },
  { by: 'host', naming: (id, path) => ({ path, headers: { host: `${id}.localhost:3000` } }) },
  { by: 'baggage', naming: (id, path) => ({ path, headers: { baggage: `user=7;a=b, sandbox = ${id};ttl=1` } }) },
  { by: 'cookie', naming: (id, path) => ({ path, headers: { cookie: `theme=dark; sandbox=${id}; lang=en` } }) },
];

/** Creates a client that can send all headers, including `Host`, which fetch does not allow. */
export function createClient({ port }: Pick<TestShop, 'port'>): TestShop['ask'] {
  return async (method, path, body, headers = {}) => {
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const length = sent === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent)) };
    const type = sent === undefined ? {} : { 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, method, path, headers: { ...type, ...length, ...headers } };
      const asked = request(options, async (response) => {
        const got = await text(response).catch(reject);
        const pairs = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        );
        const { statusCode = 0 } = response;
        resolve({ status: statusCode, headers: new Headers(pairs), text: got ?? '', body: parsed(got ?? '') });
      });
      asked.on('error', reject).end(sent);
    });
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Creates a client whose requests select the sandbox `id`. `way`: how the requests select it. Default: with the header `X-Sandbox`. */
export function createSandboxClient(shop: Pick<TestShop, 'port'>, id: string, way?: SelectionMethod): TestShop['ask'] {
  const ask = createClient(shop);
  return (method, path, body, headers = {}) => {
    const named = way?.naming(id, path) ?? { path, headers: { 'x-sandbox': id } };
    return ask(method, named.path, body, { ...named.headers, ...headers });
  };
}

/** The contract of the control API. */
export const controlContract = await loadContract({ path: projectFile('src/control/control.yaml'), strict: true });

/** The path of the list of sandboxes in the control API. */
export const SANDBOXES_PATH = '/_control/sandboxes';

/**
 * Creates a client of the control API. Its paths are relative to `/_control/sandboxes`. It expects each response to conform to the contract of the control
 * API.
 */
export function createControlClient(shop: Pick<TestShop, 'port'>): TestShop['ask'] {
  const ask = createClient(shop);
  return async (method, below, body, headers = {}) => {
    const type = ['PUT', 'POST', 'PATCH'].includes(method) ? { 'content-type': 'application/json' } : {};
    const reply = await ask(method, SANDBOXES_PATH + below, body, { ...type, ...headers });
    expectValidControlResponse(method, SANDBOXES_PATH + below, reply);
    return reply;
  };
}

/** Expects a response of the control API to conform to its contract, without undocumented properties. Ignores a response to an unknown path. */
export function expectValidControlResponse(
  method: string,
  path: string,
  { status, headers, text, body }: TestResponse,
): void {
  const routed = controlContract.route(method, path.replace(/\?.*/, ''));
  if (routed.kind !== 'operation') return;
  const answer = { status, headers: Object.fromEntries(headers), body: text === '' ? undefined : body };
  const responseViolations = controlContract.verifyResponse(routed.route, answer, { closed: true });
  expect(responseViolations, `${method} ${path} ${status}`).toEqual([]);
}

/** Returns the ids of all sandboxes, as the control API lists them. */
export async function listSandboxIds(shop: Pick<TestShop, 'port'>): Promise<readonly string[]> {
  return (await createControlClient(shop)('GET', '')).body.map(({ id }: { id: string }) => id);
}
