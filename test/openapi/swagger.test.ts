import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runDiff } from '../../src/diff/command.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { explain } from '../../src/server/explain.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const PETS = `swagger: '2.0'
info: { title: Pets, version: 1.0.0 }
basePath: /v1
consumes: [application/json]
securityDefinitions:
  key: { type: apiKey, in: header, name: X-Key }
parameters:
  Limit: { name: limit, in: query, type: integer, maximum: 100 }
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
        - $ref: '#/parameters/Limit'
      responses:
        200:
          description: All pets
          headers:
            X-Total: { type: integer }
          schema:
            type: array
            items: { $ref: '#/definitions/Pet' }
    post:
      operationId: createPet
      parameters:
        - name: pet
          in: body
          required: true
          schema: { $ref: '#/definitions/Pet' }
        - { name: notify, in: query, type: boolean }
      responses:
        201:
          description: Created
          schema: { $ref: '#/definitions/Pet' }
  /pets/{id}/photo:
    post:
      operationId: addPhoto
      consumes: [multipart/form-data]
      parameters:
        - { name: id, in: path, required: true, type: integer }
        - { name: note, in: formData, type: string }
        - { name: photo, in: formData, type: file }
      responses:
        204: { description: Added }
definitions:
  Pet:
    type: object
    discriminator: kind
    required: [name, kind]
    properties:
      id: { type: integer, format: int64, readOnly: true }
      name: { type: string, maxLength: 40 }
      kind: { type: string }
      tag: { type: string, x-nullable: true }
`;

describe('a Swagger 2.0 document', () => {
  it('is converted, and its positions are those of the Swagger document', async () => {
    const path = join(await folderWith({ 'pets.yaml': PETS }), 'pets.yaml');
    const contract = await loadContract({ path, strict: false });
    expect(contract.warning).toContain('pets.yaml is a Swagger 2.0 document, and was converted to OpenAPI 3.0');
    expect(contract.routes.map(({ method, path: route }) => `${method} ${route}`)).toEqual([
      'GET /pets',
      'POST /pets',
      'POST /pets/{id}/photo',
    ]);
    expect(contract.document.components).toMatchObject({
      schemas: { Pet: { discriminator: { propertyName: 'kind' }, properties: { tag: { nullable: true } } } },
    });
    const lines = PETS.split('\n');
    const find = (pointer: string) => (lines[contract.locate.find(pointer).line - 1] ?? '').trim();
    expect(find('/components/schemas/Pet/properties/name/maxLength')).toMatch(/^name: \{ type: string, maxLength/);
    expect(find('/components/parameters/Limit/schema/maximum')).toMatch(/^Limit: /);
    expect(find('/components/securitySchemes/key')).toMatch(/^key: /);
    expect(find('/servers/0/url')).toBe('basePath: /v1');
    const response = '/paths/~1pets/get/responses/200';
    expect(find(`${response}/content/application~1json/schema/items`)).toMatch(/^items: /);
    expect(find(`${response}/headers/X-Total/schema/type`)).toMatch(/^X-Total: /);
    expect(find('/paths/~1pets/post/requestBody/content/application~1json/schema')).toMatch(/^schema: /);
    expect(find('/paths/~1pets/post/parameters/0/schema/type')).toMatch(/^- \{ name: notify/);
    const form = '/paths/~1pets~1{id}~1photo/post/requestBody/content/multipart~1form-data/schema';
    expect(find(`${form}/properties/photo/format`)).toMatch(/^- \{ name: photo/);
  });

  it('is served, and clients get the converted document', async () => {
    const path = join(await folderWith({ 'pets.yaml': PETS }), 'pets.yaml');
    const { url } = await startStorefront({ contract: path });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Rex', kind: 'dog', tag: null });
    const created = await fetch(`${url}/pets`, { method: 'POST', headers, body });
    expect(created.status).toBe(201);
    expect(await created.json()).toMatchObject({ name: 'Rex', tag: null });
    expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({ openapi: '3.0.0' });
    expect((await explain({ contract: path })).text).toMatch(/Warning: .*pets\.yaml is a Swagger 2\.0 document/);
  });

  it('can be compared with another version, also from git', async () => {
    const folder = await folderWith({ 'pets.yaml': PETS });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args], { cwd: folder });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    const now = join(await folderWith({ 'new.yaml': PETS.replace('maxLength: 40', 'maxLength: 20') }), 'new.yaml');
    const { text } = await runDiff(
      { old: 'git:HEAD:pets.yaml', new: now, failOn: 'breaking' },
      { folder, environment: process.env },
    );
    expect(text).toMatch(/from HEAD:pets\.yaml \(version 1\.0\.0, converted from Swagger 2\.0\) to /);
    expect(text).toMatch(/name of the request has at most 20 characters instead of at most 40 characters/);
    expect(text).toMatch(/after .*new\.yaml:52 +name: \{ type: string, maxLength: 20 \}/);
  });

  it('that can not be converted is refused with the reason', async () => {
    const path = join(await folderWith({ 'pets.yaml': 'swagger: "2.0"\npaths: { /pets: { get: 1 } }\n' }), 'pets.yaml');
    await expect(loadContract({ path, strict: false })).rejects.toThrow(/pets\.yaml/);
  });
});
