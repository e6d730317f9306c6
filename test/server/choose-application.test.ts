import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { repair } from '../../src/server/repair.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** Writes a contract with pets, and returns its path. `more`: additional paths. */
async function writePetsContract(more: object = {}): Promise<string> {
  const pet = { $ref: '#/components/schemas/Pet' };
  const id = { name: 'petId', in: 'path', required: true, schema: { type: 'string' } };
  const json = { content: { 'application/json': { schema: pet } } };
  const error = { description: 'd', content: { 'application/problem+json': {} } };
  const responses = { 201: { description: 'd', ...json } };
  return writeDocument({
    paths: {
      '/pets': {
        get: createOperation('listPets', { type: 'array', items: pet }),
        post: { operationId: 'createPet', requestBody: { required: true, ...json }, responses },
      },
      '/pets/{petId}': {
        get: { operationId: 'getPet', parameters: [id], responses: { 200: { description: 'd', ...json }, 404: error } },
        delete: { operationId: 'deletePet', parameters: [id], responses: { 204: { description: 'd' } } },
      },
      ...more,
    },
    schemas: { Pet: { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } } },
  });
}

describe('createStorefront with a contract', () => {
  it('serves the resources of a contract without an operation of the shop', async () => {
    const { ask, mocked } = await startStorefront({ contract: await writePetsContract() });
    const created = await ask('POST', '/pets', { name: 'Rex' });
    expect([created.status, mocked]).toEqual([201, []]);
    expect((await ask('GET', `/pets/${created.body.id}`)).body).toEqual(created.body);
    expect((await ask('DELETE', `/pets/${created.body.id}`)).status).toBe(204);
    expect((await ask('GET', `/pets/${created.body.id}`)).status).toBe(404);
  });

  it('serves the shop and the resources of the other operations if the contract has an operation of the shop', async () => {
    const products = createOperation('listProducts', { type: 'array' });
    const contract = await writePetsContract({ '/api/products': { get: products } });
    const { ask, mocked } = await startStorefront({ contract });
    expect(mocked).toEqual([]);
    expect((await ask('GET', '/api/products')).body).not.toEqual([]);
    expect((await ask('POST', '/pets', { name: 'Rex' })).status).toBe(201);
    expect((await ask('GET', '/pets')).body).toMatchObject([{ name: 'Rex' }]);
  });

  it('has no words of the shop in the description of the server', async () => {
    const { ask } = await startStorefront({ contract: await writePetsContract() });
    const { text, body } = await ask('GET', '/_control/server');
    expect(body.collections).toMatchObject([{ name: 'pets' }]);
    expect(text).not.toMatch(/\b(products?|cart|orders?|payment)\b/i);
  });

  it('refuses the data of the shop, and the repair that the message of another error names restores its own', async () => {
    const contract = await writePetsContract();
    const data = join(await folderWith({ 'db.json': '{"products":[],"orders":[]}' }), 'db.json');
    await expect(createStorefront({ contract, data })).rejects.toThrow(
      'db.json has the lists products, orders, but the contract has pets: this is the data of another contract.',
    );
    await expect(repair({ contract, data })).rejects.toThrow(
      'Nothing was changed. Name the contract of this data with --contract FILE, or move the file to another folder.',
    );
    expect(await readdir(join(data, '..'))).toEqual(['db.json']);
    const damaged = join(await folderWith({ 'db.json': '{"pets":{}}' }), 'db.json');
    await expect(createStorefront({ contract, data: damaged })).rejects.toThrow(
      `/pets is not an array. The file was not changed. Fix it, or run \`storefront repair --data ${damaged} --contract ${contract}\``,
    );
    expect(await repair({ data: damaged, contract })).toContain('contains the default data now.');
    expect(Object.keys(JSON.parse(await readFile(damaged, 'utf8')))).toEqual(['pets']);
    expect(await readdir(join(damaged, '..'))).toHaveLength(2);
  });
});
