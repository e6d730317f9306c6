import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { explain } from '../../src/server/explain.ts';
import { createApiDocument, createObject, createResourcePaths } from '../support/fixtures/api-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { waitForLog } from '../support/harness/live-contract.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const Pet = createObject({ 'id!': { type: 'integer', readOnly: true }, 'tag!': { type: 'string' } });

/** A document whose paths are in another file. */
const { paths, ...main } = JSON.parse(createApiDocument(createResourcePaths('/pets/{petId}', Pet)));
const FILES = {
  'openapi.json': JSON.stringify({
    ...main,
    paths: { '/pets': { $ref: 'paths.json#/~1pets' }, '/pets/{petId}': { $ref: 'paths.json#/~1pets~1{petId}' } },
  }),
  'paths.json': JSON.stringify(paths),
};

/** Returns an overlay with the keyword `x-storefront` of an item path. */
function toOverlay(overrides: string): string {
  return `overlay: 1.0.0
actions:
  - target: $.paths['/pets/{petId}']
    update:
      x-storefront: ${overrides}
`;
}

async function writeFiles(overlay: string) {
  const folder = await folderWith({ ...FILES, 'openapi.overlay.yaml': overlay });
  return { contract: join(folder, 'openapi.json'), overlay: join(folder, 'openapi.overlay.yaml') };
}

describe('an overlay beside the document', () => {
  it('corrects the inference, and does so again when it is saved', async () => {
    const { contract, overlay } = await writeFiles(toOverlay('{ id: tag }'));
    const server = await startStorefront({ contract });
    await waitForLog(server, `The contract is changed by the overlay ${overlay}`);
    await server.ask('POST', '/pets', { tag: 'rex' });
    expect((await server.ask('GET', '/pets/rex')).body).toMatchObject({ tag: 'rex' });
    expect((await server.ask('GET', '/openapi.json')).body.paths['/pets/{petId}']).toMatchObject({
      'x-storefront': { id: 'tag' },
    });

    await writeFile(overlay, toOverlay('{ ide: tag }'));
    const message = `${overlay}:5:28 #/actions/0/update/x-storefront/ide is unknown`;
    expect(await waitForLog(server, message, 40)).toContain('The previous contract stays in use');
    await writeFile(overlay, toOverlay('{ off: true }'));
    await waitForLog(server, 'now mocked: ');
  });

  it('is refused if the document has no version after it', async () => {
    const { contract, overlay } = await writeFiles('overlay: 1.0.0\nactions: [{ target: $.openapi, remove: true }]\n');
    await expect(loadContract({ path: contract, strict: false })).rejects.toThrow(
      `${overlay}: the changed document is not an OpenAPI 3.0, 3.1 or 3.2 document`,
    );
  });

  it('is watched if it did not exist at the start', async () => {
    const contract = join(await folderWith(FILES), 'openapi.json');
    const server = await startStorefront({ contract });
    const overlay = contract.replace('.json', '.overlay.json');
    await writeFile(overlay, toOverlay('{ off: true }'));
    await waitForLog(server, 'now mocked: ');
    await rm(overlay);
    await waitForLog(server, 'no longer mocked: ');
  });

  it('is named by storefront explain, with the targets that select nothing', async () => {
    const { contract, overlay } = await writeFiles(
      `${toOverlay('{ off: true }')}  - { target: $.nothing, remove: true }\n`,
    );
    const { text } = await explain({ contract });
    expect(text).toContain('mocked: x-storefront: off');
    expect(text).toContain(`The contract is changed by the overlay ${overlay}`);
    expect(text).toContain(`Warning: ${overlay}:6:15 #/actions/1/target selects nothing`);
  });

  it('is refused if there is another', async () => {
    const { contract, overlay } = await writeFiles(toOverlay('{ off: true }'));
    const other = overlay.replace('.yaml', '.yml');
    await writeFile(other, toOverlay('{ off: true }'));
    const loaded = loadContract({ path: contract, strict: false });
    await expect(loaded).rejects.toThrow(`${overlay} and ${other} both change ${contract}: remove one of them`);
  });

  it("is refused if it can't be read", async () => {
    const contract = join(await folderWith(FILES), 'openapi.json');
    const overlay = contract.replace('.json', '.overlay.yaml');
    await mkdir(overlay);
    await expect(loadContract({ path: contract, strict: false })).rejects.toThrow(
      `${overlay} can't be read, because it is not a regular file`,
    );
  });

  it('can remove a part that the server refuses', async () => {
    const paths = { '/a': { $ref: 'https://example.com/a.yaml' }, ...JSON.parse(FILES['openapi.json']).paths };
    const folder = await folderWith({
      ...FILES,
      'openapi.json': JSON.stringify({ ...main, paths }),
      'openapi.overlay.yml': `overlay: 1.1.0\nactions: [{ target: "$.paths['/a']", remove: true }]\n`,
    });
    const { routes } = await loadContract({ path: join(folder, 'openapi.json'), strict: false });
    expect(routes.map(({ path }) => path)).not.toContain('/a');
  });
});
