import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Contract, loadContract } from '../../src/openapi/contract.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { waitForLog } from '../support/harness/live-contract.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { withSchema } from './documents.ts';

/** A document of several files, with a cycle between two of them, in YAML and JSON. */
const FILES = {
  // The document is in a repository, so it can include files beside its folder.
  '.git/HEAD': 'ref: refs/heads/main\n',
  'api/openapi.yaml': `openapi: 3.0.3
info: { title: t, version: "1", description: { $ref: ../common/intro.md } }
paths:
  /pets: { $ref: paths/pets.yaml }
  /pets/{id}: { $ref: 'paths/pets.yaml#/item' }
  /owners:
    get:
      operationId: listOwners
      parameters: [{ $ref: '../common/parameters.json#/limit' }]
      responses:
        "200": { $ref: '../common/responses.yaml#/Owners' }
components:
  schemas:
    Animal: { $ref: schemas/Pet.yaml }
    Owner: { $ref: './schemas/_index.yaml#/Owner' }
`,
  'api/paths/pets.yaml': `post:
  operationId: createPet
  requestBody: { content: { application/json: { schema: { $ref: '../openapi.yaml#/components/schemas/Animal' } } } }
  responses: { "201": { description: d, content: { application/json: { schema: { $ref: ../schemas/Pet.yaml } } } } }
item:
  parameters: [{ name: id, in: path, required: true, schema: { $ref: '#/id' } }]
  get:
    operationId: getPet
    responses:
      "200":
        description: d
        content:
          application/json: { schema: { $ref: ../schemas/Pet.yaml }, examples: { rex: { $ref: ../../common/rex.yaml } } }
id: { type: integer, minimum: 1 }
`,
  'api/schemas/Pet.yaml': `type: object
required: [name]
properties:
  name: { $ref: '#/definitions/Name' }
  owner: { $ref: './_index.yaml#/Owner' }
definitions:
  Name: { type: string, maxLength: 9 }
`,
  'api/schemas/_index.yaml': 'Owner: { $ref: Owner.yaml }\n',
  'api/schemas/Owner.yaml': `type: object
required: [id]
properties:
  id: { type: integer }
  pets: { type: array, items: { $ref: Pet.yaml } }
`,
  'common/parameters.json':
    '{ "limit": { "name": "limit", "in": "query", "schema": { "type": "integer", "maximum": 5 } } }',
  'common/responses.yaml':
    'Owners: { description: d, content: { application/json: { schema: { type: array, items: { $ref: ../api/schemas/Owner.yaml } } } } }\n',
  'common/rex.yaml': 'value: { name: Rex }\n',
  'common/intro.md': '# Pets: an introduction\n',
};

/** Writes files. Returns their folder, and the path of the document. */
async function writeFiles(changes: Readonly<Record<string, string>> = {}) {
  const folder = await folderWith({ ...FILES, ...changes });
  return { folder, path: join(folder, 'api/openapi.yaml') };
}

/** Returns the detail of the violations of a body. */
function getDetail(contract: Contract, body: unknown) {
  const found = contract.route('POST', '/pets');
  if (found.kind !== 'operation') throw new Error('/pets does not exist');
  const result = contract.validateRequest(found.route, { path: '/pets', query: {}, headers: {}, body });
  return result.kind === 'violations' ? result.detail : 'valid';
}

describe('a document of several files', () => {
  it('is served like a document of one file', async () => {
    const { path } = await writeFiles();
    const shop = await startStorefront({ contract: path, mock: true });
    expect((await shop.ask('GET', '/pets/1')).body).toEqual({ name: 'Rex' });
    expect((await shop.ask('GET', '/pets/0')).status).toBe(400);
    expect((await shop.ask('GET', '/owners?limit=6')).status).toBe(400);
    const { body } = await shop.ask('POST', '/pets', { name: 'Rex', owner: { pets: [{ name: 'a long name' }] } });
    expect(body.detail).toBe(
      'owner.id is missing: add an integer; owner.pets.0.name is "a long name": use a string of 0 to 9 characters',
    );
  });

  it('is published as one document', async () => {
    const { path } = await writeFiles();
    const shop = await startStorefront({ contract: path, mock: true });
    const { body } = await shop.ask('GET', '/openapi.json');
    expect(body.info.description).toBe('# Pets: an introduction\n');
    expect(Object.keys(body.components.schemas)).toEqual(['Animal', 'Owner', 'id', 'Name']);
    expect(body.components.schemas.Animal.properties.owner).toEqual({ $ref: '#/components/schemas/Owner' });
    expect((await shop.ask('GET', '/openapi.yaml')).text).not.toContain('Pet.yaml');
  });

  it('keeps apart parts of the same name', async () => {
    const { path } = await writeFiles({
      'api/schemas/Owner.yaml': 'type: object\nproperties: { pets: { $ref: ../Animal.yaml } }\n',
      'api/Animal.yaml': 'type: integer\n',
    });
    const { document } = await loadContract({ path, strict: false });
    expect(document.components?.schemas).toMatchObject({
      Animal: { type: 'object' },
      Owner: { properties: { pets: { $ref: '#/components/schemas/Animal2' } } },
      Animal2: { type: 'integer' },
    });
  });

  it('can have all its schemas in one file', async () => {
    const { path } = await writeFiles({
      'api/openapi.yaml': `${withSchema('{ $ref: "schemas.yaml#/Pet" }')}components: { schemas: { $ref: schemas.yaml } }\n`,
      'api/schemas.yaml':
        'Pet: { type: object, properties: { owner: { $ref: "#/Owner" } } }\nOwner: { type: object, properties: { pet: { $ref: "#/Pet" } } }\n',
    });
    const { document } = await loadContract({ path, strict: false });
    expect(document.components?.schemas).toEqual({
      Pet: { type: 'object', properties: { owner: { $ref: '#/components/schemas/Owner' } } },
      Owner: { type: 'object', properties: { pet: { $ref: '#/components/schemas/Pet' } } },
    });
  });

  it('can have all its components in one file', async () => {
    const { path } = await writeFiles({
      'api/openapi.yaml': `${withSchema('{ $ref: "parts.yaml#/schemas/Pet" }')}components: { $ref: parts.yaml }\n`,
      'api/parts.yaml':
        'schemas:\n  Pet: { type: object, properties: { owner: { $ref: "#/schemas/Owner" } } }\n  Owner: { type: object, properties: { pet: { $ref: "#/schemas/Pet" } } }\n',
    });
    const { document } = await loadContract({ path, strict: false });
    expect(document.components).toEqual({
      schemas: {
        Pet: { type: 'object', properties: { owner: { $ref: '#/components/schemas/Owner' } } },
        Owner: { type: 'object', properties: { pet: { $ref: '#/components/schemas/Pet' } } },
      },
    });
  });

  it('can have each operation in a file', async () => {
    const { path } = await writeFiles({
      'api/openapi.yaml':
        'openapi: 3.0.3\ninfo: { title: t, version: "1" }\npaths:\n  /pets:\n    post: { $ref: operations.yaml#/createPet }\n',
      'api/operations.yaml':
        'createPet: { requestBody: { content: { application/json: { schema: { $ref: "#/Pet" } } } }, responses: { "204": { description: d } } }\nPet: { type: integer }\n',
    });
    expect(getDetail(await loadContract({ path, strict: false }), 'x')).toContain('use an integer');
  });

  it('is loaded again after any of its files has changed', async () => {
    const { folder, path } = await writeFiles();
    const first = await loadContract({ path, strict: false });
    expect(await loadContract({ path, strict: false })).toBe(first);
    await writeFile(join(folder, 'api/schemas/Pet.yaml'), 'type: string\n');
    expect(getDetail(await loadContract({ path, strict: false }), 'Rex')).toBe('valid');
  });
});

describe('a document of several files is refused, with the file and the position of', () => {
  it.each<[title: string, file: string, text: string, message: string]>([
    [
      'a reference to a file that does not exist',
      'api/schemas/Owner.yaml',
      'type: object\nproperties:\n  pets: { $ref: »Pets.yaml }\n',
      `#/properties/pets/$ref refers to "Pets.yaml", but FOLDER/api/schemas/Pets.yaml does not exist: check the path`,
    ],
    [
      'a reference to a part that does not exist',
      'api/schemas/Owner.yaml',
      'type: object\nproperties:\n  pets: { $ref: »"Pet.yaml#/definitions/Pet" }\n',
      '#/properties/pets/$ref refers to "Pet.yaml#/definitions/Pet", which does not exist',
    ],
    [
      'a reference to another server',
      'api/schemas/Owner.yaml',
      'properties: { a: { $ref: »"http://localhost/a.yaml" } }\n',
      '#/properties/a/$ref refers to "http://localhost/a.yaml", which is not loaded',
    ],
    ['a syntax error', 'api/schemas/Owner.yaml', 'type: object\nproperties: {\n»', 'is not valid YAML: '],
    [
      'an invalid operation',
      'api/paths/pets.yaml',
      'item: {}\npost: { parameters: [»{ in: query }], responses: { "204": { description: d } } }\n',
      '#/post/parameters/0 is not a parameter: add a name',
    ],
    [
      'files that refer to each other in a circle',
      'api/schemas/Owner.yaml',
      '{ $ref: _index.yaml#/Owner }',
      'which refers back to itself',
    ],
  ])('%s', async (_, file, marked, message) => {
    const { folder, path } = await writeFiles({ [file]: marked.replace('»', '') });
    const lines = marked.slice(0, marked.indexOf('»')).split('\n');
    const position = marked.includes('»')
      ? `${join(folder, file)}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1} `
      : '';
    const expected = position + message.replace('FOLDER', folder);
    await expect(loadContract({ path, strict: false })).rejects.toThrow(expected);
  });
});

describe('saving a part of a contract while the server runs', () => {
  it('serves the new version', async () => {
    const { folder, path } = await writeFiles();
    const shop = await startStorefront({ contract: path, mock: true });
    await writeFile(join(folder, 'api/schemas/Pet.yaml'), 'type: object\nrequired: [age]\n');
    expect(await waitForLog(shop, 'was reloaded')).toContain('removed properties: Animal.name, Animal.owner');
    expect((await shop.ask('POST', '/pets', { name: 'Rex' })).body.detail).toContain('age is missing');
  });

  it('logs changed operations and schemas, with the properties of composed schemas', async () => {
    const { folder, path } = await writeFiles();
    const shop = await startStorefront({ contract: path, mock: true });
    const listChanges = () => shop.log.flatMap(({ msg }) => msg?.split(' was reloaded: ')[1] ?? []);
    const save = async (name: string, text: string) => {
      const { length } = listChanges();
      await writeFile(join(folder, name), text);
      await expect.poll(() => listChanges().length, { timeout: 60_000 }).toBe(length + 1);
      return listChanges().at(-1);
    };
    const pet = 'api/schemas/Pet.yaml';
    const composed = `allOf:\n  - { $ref: './_index.yaml#/Owner' }\n  - properties: { name: {}, owner: {}, age: {} }\n`;
    expect(await save(pet, composed)).toBe('new collections: pets; new properties: Animal.id, Animal.pets, Animal.age');
    expect(await save(pet, composed.replace('name: {}', 'name: { type: string }'))).toBe('changed schemas: Animal');
    const owners = FILES['api/openapi.yaml'].replace(
      'operationId: listOwners',
      'operationId: listOwners\n      tags: [o]',
    );
    expect(await save('api/openapi.yaml', owners)).toBe('changed operations: listOwners');
    expect(await save('api/openapi.yaml', `${owners}tags: []\n`)).toBe(
      'the document changed; no operation was added or removed',
    );
  });

  it('keeps the previous version until a missing part exists', async () => {
    const { folder, path } = await writeFiles();
    const shop = await startStorefront({ contract: path, mock: true });
    await writeFile(path, FILES['api/openapi.yaml'].replace('schemas/Pet.yaml', 'new/Pet.yaml'));
    await waitForLog(shop, 'new/Pet.yaml does not exist: check the path. The previous contract stays in use', 40);
    const part = join(folder, 'api/new/Pet.yaml');
    await mkdir(dirname(part));
    await writeFile(part, 'type: object\nrequired: [age]\n');
    await waitForLog(shop, 'was reloaded');
    expect((await shop.ask('POST', '/pets', { name: 'Rex' })).body.detail).toContain('age is missing');
  });
});

describe('references by an anchor', () => {
  it.each([
    ['$anchor', '{ $anchor: Pet, type: integer }', '{ $ref: "#Pet" }'],
    ['$id', '{ $id: "https://example.com/pet", type: integer }', '{ $ref: "https://example.com/pet" }'],
    ['$dynamicAnchor', '{ $dynamicAnchor: pet, type: integer }', '{ $dynamicRef: "#pet" }'],
  ])('are followed: %s', async (_, schema, reference) => {
    const text = `${withSchema(reference, '', '3.1.0')}components: { schemas: { Pet: ${schema} } }\n`;
    const { path } = await writeFiles({ 'api/openapi.yaml': text });
    const contract = await loadContract({ path, strict: false });
    const pointer = '/paths/~1a/get/responses/200/content/application~1json/schema';
    expect([contract.isValid(pointer, 1), contract.isValid(pointer, 'x')]).toEqual([true, false]);
  });

  it('are followed into an extension', async () => {
    const text = `${withSchema('{ $ref: "#/x-parts/Pet" }')}x-parts: { Pet: { type: integer, nullable: true } }\n`;
    const { path } = await writeFiles({ 'api/openapi.yaml': text });
    const { document } = await loadContract({ path, strict: false });
    expect(document.components?.schemas).toEqual({ Pet: { type: 'integer', nullable: true } });
  });

  it('are refused if several schemas have the anchor', async () => {
    const text = `${withSchema('{ $dynamicRef: "#node" }', '', '3.1.0')}components: { schemas: { A: { $dynamicAnchor: node }, B: { $dynamicAnchor: node } } }\n`;
    const { path } = await writeFiles({ 'api/openapi.yaml': text });
    await expect(loadContract({ path, strict: false })).rejects.toThrow(
      'refers to "#node", which several schemas have as their anchor: use a JSON Pointer such as #/components/schemas/NAME',
    );
  });
});
