import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMock } from '../../src/mock/mock.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { formatPointer } from '../../src/util/json-pointer.ts';
import { anyApi, type RandomApi, type RandomResource } from '../support/fixtures/api-arbitraries.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { validateResponses, writeApi } from '../support/harness/start-api.ts';
import { startStorefront, type TestResponse, type TestShop } from '../support/harness/start-storefront.ts';

/** The number of random documents. */
const DOCUMENTS = Number(process.env.DOCUMENTS ?? 4);

const anySeed = fc.integer({ min: 0, max: 2 ** 31 });

/** Returns the value at a path of property names. */
function getInner(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value);
}

/** Creates a function that returns a valid request body for an operation. */
async function createBodies(contract: string) {
  const mock = createMock(await loadContract({ path: contract, strict: false }));
  return (path: string, method: string, seed: number) =>
    mock.generateField(
      formatPointer('paths', path, method, 'requestBody', 'content', 'application/json', 'schema'),
      seed,
    );
}

/** Starts a server for a random document. Returns a client, a generator of request bodies, and a function that starts it again with the same data file. */
async function startRandom(api: RandomApi) {
  const contract = await writeApi(api);
  const data = join(await folderWith({}), 'db.json');
  const start = () => startStorefront({ contract, data });
  const server = await start();
  return { server, start, ask: validateResponses(contract, server.ask), getBody: await createBodies(contract) };
}

/** Creates an entry, and returns the path of the entry. */
async function create(
  ask: TestShop['ask'],
  { collection, listPath }: RandomResource,
  body: unknown,
): Promise<{ readonly path: string; readonly created: TestResponse }> {
  const created = await ask('POST', collection, body);
  expect(created.status, created.text).toBeLessThan(300);
  const list = getInner((await ask('GET', collection)).body, listPath) as readonly { readonly id: string }[];
  return { path: `${collection}/${list.at(-1)?.id}`, created };
}

/** Lists the entries of a resource. */
async function list(ask: TestShop['ask'], { collection, listPath }: RandomResource): Promise<unknown> {
  return getInner((await ask('GET', collection)).body, listPath);
}

/** Expects the life cycle of one entry. Each response is validated by the client. */
async function expectLifeCycle(
  { ask, getBody }: Pick<Awaited<ReturnType<typeof startRandom>>, 'ask' | 'getBody'>,
  resource: RandomResource,
  seed: number,
): Promise<void> {
  const { collection, item, entryPath } = resource;
  const before = (await list(ask, resource)) as readonly unknown[];
  const { path, created } = await create(ask, resource, getBody(collection, 'post', seed));
  const read = await ask('GET', path);
  expect(read.status, read.text).toBe(200);
  if (created.status !== 204) expect(read.body).toEqual(created.body);
  const entry = getInner(read.body, entryPath);
  expect(await list(ask, resource)).toEqual([...before, entry]);
  for (const method of ['PUT', 'PATCH']) {
    const changed = await ask(method, path, getBody(item, method.toLowerCase(), seed + 1));
    expect(changed.status, changed.text).toBe(200);
    expect((await ask('GET', path)).body).toEqual(changed.body);
    expect(await list(ask, resource)).toEqual([...before, getInner(changed.body, entryPath)]);
  }
  expect((await ask('DELETE', path)).status).toBeLessThan(300);
  expect((await ask('GET', path)).status).toBe(404);
  expect(await list(ask, resource)).toEqual(before);
}

describe('A random document', () => {
  it('has the life cycle of each resource, with valid responses', async () => {
    await fc.assert(
      fc.asyncProperty(anyApi, anySeed, async (api, seed) => {
        const random = await startRandom(api);
        for (const resource of api.resources) await expectLifeCycle(random, resource, seed);
        await random.server.close();
      }),
      { numRuns: DOCUMENTS },
    );
  });

  it('has a data file that the next start accepts, with the same entries', async () => {
    await fc.assert(
      fc.asyncProperty(anyApi, anySeed, async (api, seed) => {
        const { server, start, ask, getBody } = await startRandom(api);
        for (const resource of api.resources) {
          const { path } = await create(ask, resource, getBody(resource.collection, 'post', seed));
          await create(ask, resource, getBody(resource.collection, 'post', seed + 1));
          await ask('PUT', path, getBody(resource.item, 'put', seed + 2));
          await ask('PATCH', path, getBody(resource.item, 'patch', seed + 3));
        }
        const before = await Promise.all(api.resources.map((resource) => list(ask, resource)));
        await server.close();
        const next = await start();
        expect(await Promise.all(api.resources.map((resource) => list(next.ask, resource)))).toEqual(before);
        await next.close();
      }),
      { numRuns: DOCUMENTS },
    );
  });
});
