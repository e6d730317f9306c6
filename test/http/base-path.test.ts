import { describe, expect, it } from 'vitest';
import { getBasePaths } from '../../src/http/app.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { expectProblem } from '../support/harness/problems.ts';
import { sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const INDEX = '<!doctype html><title>The front end</title>';

/** Starts a server with a built front end for a contract with operations at these paths. Returns its port. */
async function startWithPaths(...paths: readonly string[]): Promise<number> {
  const operations = paths.map((path, index) => [path, { get: createOperation(`operation${index}`) }]);
  const contract = await writeDocument({ paths: Object.fromEntries(operations) });
  const { port } = await startStorefront({ contract, mock: true, static: await folderWith({ 'index.html': INDEX }) });
  return port;
}

describe('getBasePaths', () => {
  it.each([
    [['/api/products', '/api/orders/{id}', '/api'], ['/api']],
    [['/v1/pets', '/v1/owners'], ['/v1']],
    [['/v1/pets', '/v2/pets'], []],
    [['/v1', '/v10/pets'], []],
    [['/{tenant}/pets', '/{tenant}/owners'], []],
    [['/v{version}/pets'], []],
    [['/', '/api/pets'], []],
    [['/'], []],
    [[], []],
  ])('returns for the paths %j the base paths %j', (paths, expected) => {
    expect(getBasePaths({ routes: paths.map((path) => ({ path })) as never, basePaths: [] })).toEqual(expected);
  });
});

describe('an unknown path of another contract than that of the shop', () => {
  it.each(['/v1', '/v1/', '/V1/owners', '/v1/owners', '/v1/pets/x/y'])(
    'gets no page of the front end below the base path: GET %s',
    async (path) => {
      const port = await startWithPaths('/v1/pets', '/v1/pets/{id}');
      expectProblem(await sendRawRequest(port, `GET ${path}`, ['Accept: text/html']), 404, 'unknown-path');
    },
  );

  it('gets a page of the front end outside of the base path, also below /api', async () => {
    const port = await startWithPaths('/v1/pets', '/v1/pets/{id}');
    const response = await sendRawRequest(port, 'GET /api/owners', ['Accept: text/html']);
    expect(response).toMatchObject({ status: 200, text: INDEX });
  });

  it('gets a page of the front end everywhere if the operations share no base path', async () => {
    const port = await startWithPaths('/pets', '/owners');
    const response = await sendRawRequest(port, 'GET /pets/x/y', ['Accept: text/html']);
    expect(response).toMatchObject({ status: 200, text: INDEX });
  });

  it('cannot be changed: POST below the base path gets 404, and 405 elsewhere', async () => {
    const port = await startWithPaths('/v1/pets', '/v1/pets/{id}');
    expectProblem(await sendRawRequest(port, 'POST /v1/owners'), 404, 'unknown-path');
    expectProblem(await sendRawRequest(port, 'POST /api/owners'), 405, 'method-not-allowed');
  });
});
