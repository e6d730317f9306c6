import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type TypesCommand, writeTypes } from '../../src/cli/types-command.ts';
import { UserError } from '../../src/util/user-error.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const NOTES = `openapi: 3.1.0
info: { title: Notes, version: "1" }
paths:
  /notes:
    get:
      responses:
        "200":
          description: The notes
          content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Note" } } } }
components:
  schemas:
    Note: { type: object, required: [text, tags], properties: { text: { type: string }, tags: { type: array, items: { type: string } } } }
`;

/** Runs the command in a folder and returns its output. */
async function runTypes(folder: string, command: TypesCommand): Promise<string> {
  let text = '';
  await writeTypes(command, {
    folder,
    print: (part) => {
      text += part;
    },
  });
  return text;
}

describe('storefront types', () => {
  it('prints types of a contract with mutable arrays, as openapi-fetch expects', async () => {
    const folder = await folderWith({ 'notes.yaml': NOTES });
    const types = await runTypes(folder, { contract: 'notes.yaml' });
    expect(types).toContain('"/notes": {');
    expect(types).toContain('tags: string[];');
    expect(types).not.toContain('readonly');
  });

  it('writes the types to the file of --output and prints nothing', async () => {
    const folder = await folderWith({ 'notes.yaml': NOTES });
    expect(await runTypes(folder, { contract: 'notes.yaml', output: 'notes.d.ts' })).toBe('');
    expect(await readFile(join(folder, 'notes.d.ts'), 'utf8')).toBe(await runTypes(folder, { contract: 'notes.yaml' }));
  });

  it('prints types of the document that the overlay changes', async () => {
    const overlay = 'overlay: 1.0.0\nactions: [{ target: $.components.schemas.Note.properties.tags, remove: true }]\n';
    const folder = await folderWith({ 'notes.yaml': NOTES, 'notes.overlay.yaml': overlay });
    const types = await runTypes(folder, { contract: 'notes.yaml' });
    expect(types).toContain('text: string;');
    expect(types).not.toContain('tags: string[]');
  });

  it.each(['http', 'file', 'outside'])(
    'refuses a reference to a place outside the folder, and sends no request: %s',
    async (kind) => {
      let requests = 0;
      const server = createServer((_req, res) => {
        requests++;
        res.end('type: object');
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      onTestFinished(() => void server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.yaml`;
      const reference = { http: url, file: 'file:///etc/hostname', outside: '../../../../../../etc/hostname' }[kind];
      const refs = `{ $ref: "${reference}" }`;
      const folder = await folderWith({
        'schema.yaml': NOTES.replace('{ $ref: "#/components/schemas/Note" }', refs),
        'example.yaml': NOTES.replace(
          'items: {',
          `example: [${refs}], x-own: ${refs}, discriminator: { propertyName: a, mapping: { b: "${reference}" } }, items: {`,
        ).replace('application/json: {', `application/json: { examples: { one: { externalValue: "${url}" } },`),
      });
      await expect(runTypes(folder, { contract: 'schema.yaml' })).rejects.toThrow(
        /refers to .*, which is (not loaded|outside)/,
      );
      expect(await runTypes(folder, { contract: 'example.yaml' })).toContain('"/notes": {');
      expect(requests).toBe(0);
    },
  );

  it('generates the types that the package exports for its own contract', async () => {
    const types = await runTypes(projectFile('.'), { contract: 'openapi.yaml' });
    expect(types).toBe(await readFile(projectFile('src/shop/schema.d.ts'), 'utf8'));
  });

  it.each([
    ['missing.yaml', /^missing\.yaml can't be read as an OpenAPI document: .*ENOENT/],
    ['broken.yaml', /^broken\.yaml can't be read as an OpenAPI document: /],
    ['plain.yaml', /^plain\.yaml can't be read as an OpenAPI document: /],
  ])('rejects with a UserError that names the file: %s', async (contract, message) => {
    const folder = await folderWith({ 'broken.yaml': 'openapi: [', 'plain.yaml': 'colour: red' });
    await expect(runTypes(folder, { contract })).rejects.toThrow(message);
    await expect(runTypes(folder, { contract })).rejects.toThrow(UserError);
  });

  it('rejects if the output file cannot be written', async () => {
    const folder = await folderWith({ 'notes.yaml': NOTES });
    const writing = runTypes(folder, { contract: 'notes.yaml', output: 'no/such/folder.d.ts' });
    await expect(writing).rejects.toThrow(/^no\/such\/folder\.d\.ts can't be written: /);
  });

  it('rejects with instructions to install TypeScript 5 if the installed version is too new', async () => {
    const folder = await folderWith({ 'notes.yaml': NOTES });
    // TypeScript 7 has no factory, which openapi-typescript 7 uses as soon as it is loaded.
    for (const [name, code] of [
      ['openapi-typescript', "require('typescript').factory.createKeywordTypeNode(1);"],
      ['typescript', 'module.exports = {};'],
    ] as const) {
      const packageFolder = join(folder, 'node_modules', name);
      await mkdir(packageFolder, { recursive: true });
      await writeFile(join(packageFolder, 'index.js'), code);
    }
    const types = runTypes(folder, { contract: 'notes.yaml' });
    await expect(types).rejects.toThrow(/needs TypeScript 5/);
    await expect(types).rejects.toThrow(/npm install --save-dev openapi-typescript@7 typescript@5/);
  });
});
