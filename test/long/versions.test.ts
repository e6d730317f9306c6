import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { runCheck } from '../support/harness/check.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const NAME = { 'name!': { type: 'string', minLength: 1 } };
const Bird = createObject({ 'id!': { type: 'integer', readOnly: true }, ...NAME });

/** Writes a document whose updates and deletions need the ETag of a bird. Returns its path. */
async function writeBirds(): Promise<string> {
  const path = await writeApi({
    paths: createResourcePaths('/birds/{id}', refer('Bird'), createObject(NAME)),
    schemas: { Bird },
  });
  const document = JSON.parse(await readFile(path, 'utf8'));
  const item: Readonly<Record<string, Record<string, unknown>>> = document.paths['/birds/{id}'];
  for (const [method, operation] of Object.entries(item)) {
    if (!['get', 'put', 'patch', 'delete'].includes(method)) continue;
    const responses = operation.responses as Record<string, Record<string, unknown>>;
    const success = responses['200'];
    if (success) success.headers = { ETag: { schema: { type: 'string' } } };
    if (method === 'get') continue;
    operation.parameters = [
      ...((operation.parameters as unknown[]) ?? []),
      { name: 'If-Match', in: 'header', schema: { type: 'string' } },
    ];
    responses['412'] = { description: 'Changed' };
    responses['428'] = { description: 'If-Match is missing' };
  }
  await writeFile(path, JSON.stringify(document));
  return path;
}

it('an entry is changed only with its ETag in If-Match', async () => {
  const contract = await writeBirds();
  const { url } = await startStorefront({ contract });
  const send = async (method: string, tag?: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json', ...(tag === undefined ? {} : { 'If-Match': tag }) };
    return fetch(`${url}/birds/1`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  };
  const headers = { 'Content-Type': 'application/json' };
  await fetch(`${url}/birds`, { method: 'POST', headers, body: JSON.stringify({ name: 'a' }) });
  const first = (await send('GET')).headers.get('etag') ?? '';
  expect((await send('GET')).headers.get('etag')).toBe(first);
  const changed = await send('PUT', first, { name: 'b' });
  const second = changed.headers.get('etag') ?? '';
  expect([changed.status, second === first, (await send('GET')).headers.get('etag')]).toEqual([200, false, second]);
  const refused = await send('PUT', first, { name: 'c' });
  const problem = (await refused.json()) as { detail: string };
  expect([refused.status, problem.detail]).toEqual([
    412,
    `the bird has changed: its ETag is ${second}. Read it again, and send this ETag in If-Match`,
  ]);
  expect([(await send('PUT', undefined, { name: 'c' })).status, (await send('DELETE', first)).status]).toEqual([
    428, 412,
  ]);
  expect((await send('PUT', `"x", ${second}`, { name: 'd' })).status).toBe(200);
  expect((await send('DELETE', '*')).status).toBe(204);
});

it('the check finds an ignored If-Match, and nothing in the server itself', async () => {
  const path = await writeBirds();
  const contract = await loadContract({ path, strict: false });
  const only = ['putBirdsById', 'getBirdsById'];
  const check = async (handlers: object) => {
    const { url } = await startStorefront({ contract: path, handlers: handlers as never });
    const { findings } = await runCheck(url, { contract, model: undefined, isFresh: false, runs: 3, only });
    return findings.map(({ operationId, title }) => `${operationId}: ${title}`);
  };
  expect(await check({})).toEqual([]);
  interface Sandbox {
    update(change: (state: Record<string, { id: number }[]>) => object): Promise<{ id: number } | undefined>;
  }
  const putBirdsById = async ({ path: { id }, body }: { path: { id: string }; body: object }, { update }: Sandbox) => {
    const bird = await update((state) => {
      const old = state.birds?.find((one) => one.id === Number(id));
      const result = old && { ...old, ...body };
      return { next: { ...state, birds: state.birds?.map((one) => (one === old ? result : one)) }, result };
    });
    return bird ? { body: bird, headers: { ETag: JSON.stringify(JSON.stringify(bird).length) } } : { status: 404 };
  };
  expect(await check({ putBirdsById })).toContain('putBirdsById: If-Match prevents changes of other versions');
});
