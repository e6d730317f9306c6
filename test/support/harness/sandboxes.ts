import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { loadContract } from '../../../src/openapi/contract.ts';
import { projectFile } from '../fixtures/default-data.ts';
import type { Reply, TestShop } from './start-storefront.ts';

/** A way in which a request names a sandbox. */
export interface Way {
  readonly by: 'header' | 'path' | 'host' | 'cookie';
  /** The path and the headers by which a request for `path` names the sandbox `id`. */
  naming(id: string, path: string): { readonly path: string; readonly headers: Record<string, string> };
}

/** The four ways, the one that counts most first. */
export const ways: readonly Way[] = [
  { by: 'header', naming: (id, path) => ({ path, headers: { 'x-sandbox': id } }) },
  { by: 'path', naming: (id, path) => ({ path: `/_sandbox/${id}${path}`, headers: {} }) },
  { by: 'host', naming: (id, path) => ({ path, headers: { host: `${id}.localhost:3000` } }) },
  { by: 'cookie', naming: (id, path) => ({ path, headers: { cookie: `theme=dark; sandbox=${id}; lang=en` } }) },
];

/** Asks a shop with any header, `Host` too, which fetch doesn't let through. */
export function asking({ port }: Pick<TestShop, 'port'>): TestShop['ask'] {
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

/** Asks a shop in the sandbox `id`, named by the header unless another way is given. */
export function within(shop: Pick<TestShop, 'port'>, id: string, way?: Way): TestShop['ask'] {
  const ask = asking(shop);
  return (method, path, body, headers = {}) => {
    const named = way?.naming(id, path) ?? { path, headers: { 'x-sandbox': id } };
    return ask(method, named.path, body, { ...named.headers, ...headers });
  };
}

/** The contract of control. */
export const controlContract = await loadContract({ path: projectFile('src/control/control.yaml'), strict: true });

/** Where the sandboxes stand in control. */
export const SANDBOXES = '/_control/sandboxes';

/** Asks control for a path below that of the sandboxes, and expects of each answer that it holds by the contract of control. */
export function steering(shop: Pick<TestShop, 'port'>): TestShop['ask'] {
  const ask = asking(shop);
  return async (method, below, body, headers = {}) => {
    const type = ['PUT', 'POST'].includes(method) ? { 'content-type': 'application/json' } : {};
    const reply = await ask(method, SANDBOXES + below, body, { ...type, ...headers });
    expectInContract(method, SANDBOXES + below, reply);
    return reply;
  };
}

/** Expects the answer of an operation of control to hold by its contract, without any property that isn't the contract's. */
export function expectInContract(method: string, path: string, { status, headers, text, body }: Reply): void {
  const routed = controlContract.route(method, path.replace(/\?.*/, ''));
  if (routed.kind !== 'operation') return;
  const answer = { status, headers: Object.fromEntries(headers), body: text === '' ? undefined : body };
  const responseViolations = controlContract.verify(routed.route, answer, { closed: true });
  expect(responseViolations, `${method} ${path} ${status}`).toEqual([]);
}

/** The ids of the sandboxes that there are, as control lists them. */
export async function sandboxIds(shop: Pick<TestShop, 'port'>): Promise<readonly string[]> {
  return (await steering(shop)('GET', '')).body.map(({ id }: { id: string }) => id);
}
