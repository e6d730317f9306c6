import { execFileSync } from 'node:child_process';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { explain } from '../../src/server/explain.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { waitForLog } from '../support/harness/live-contract.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** Returns a document whose description and schema are in other files. */
function createDocument(description: string, schema = 'parts/pet.yaml'): string {
  return `openapi: 3.0.3
info: { title: t, version: "1", description: { $ref: "${description}" } }
paths:
  /pets:
    get:
      operationId: listPets
      responses: { "200": { description: d, content: { application/json: { schema: { $ref: ${schema} } } } } }
`;
}

const PARTS = { 'api/parts/pet.yaml': 'type: object\n', 'api/intro.md': 'Introduction' };

/** Creates a folder with a document in `api`, and with a file `secret.txt` beside `api`. Returns the folder, and a function that loads the document. */
async function createProject(reference: string, files: Readonly<Record<string, string>> = {}) {
  const folder = await folderWith({
    'api/openapi.yaml': createDocument(reference),
    ...PARTS,
    'secret.txt': 'SECRET',
    ...files,
  });
  const path = join(folder, 'api/openapi.yaml');
  const load = async (allowRefs?: readonly string[]) => (await loadContract({ path, strict: false, allowRefs })).text;
  return { folder, path, load };
}

describe('a document', () => {
  it.each(['intro.md', './intro.md', 'parts/../intro.md'])(
    'includes a file below its folder: %s',
    async (reference) => {
      expect(await (await createProject(reference)).load()).toContain('Introduction');
    },
  );

  it.each(['../secret.txt', '%2e%2e/secret.txt', 'parts/../../secret.txt'])(
    'does not include a file outside its folder, and the message says how to allow it: %s',
    async (reference) => {
      const { folder, load } = await createProject(reference);
      const remedy = `--allow-refs ${join(folder, 'secret.txt')}`;
      await expect(load()).rejects.toThrow(/openapi\.yaml:2:\d+ .*which is outside .*: move it there, or allow it/);
      await expect(load()).rejects.toThrow(remedy);
      for (const allowed of [folder, join(folder, 'secret.txt')]) expect(await load([allowed])).toContain('SECRET');
      await expect(load([join(folder, 'api')])).rejects.toThrow(/which is outside/);
    },
  );

  it('includes the files of its Git repository, but not hidden ones', async () => {
    const files = { '.git/config': 'url = https://token@host', '.env': 'TOKEN=1', 'api/.npmrc': 'token=1' };
    expect(await (await createProject('../secret.txt', files)).load()).toContain('SECRET');
    for (const reference of ['../.git/config', '../.env', '.npmrc']) {
      const { load, folder } = await createProject(reference, files);
      await expect(load()).rejects.toThrow(/which is a hidden file: rename it, or allow it/);
      expect(await load([join(folder, 'api', reference)])).toMatch(/token|TOKEN/);
    }
  });

  it.each([
    'file:///etc/hostname',
    '//host/share/x.yaml',
    'http://127.0.0.1:1/x.yaml',
    '/etc/hostname',
    'FILE:/etc/hostname',
  ])('does not include a URL or an absolute path: %s', async (reference) => {
    await expect((await createProject(reference)).load()).rejects.toThrow(/which is (not loaded|an absolute path)/);
  });

  it('does not include a file outside its folder that another included file names', async () => {
    const { load } = await createProject('intro.md', {
      'api/parts/pet.yaml': 'description: { $ref: ../../secret.txt }\n',
    });
    await expect(load()).rejects.toThrow(/pet\.yaml:1:\d+ .*which is outside/);
  });

  it('can be a link into a folder from which it includes files', async () => {
    const { folder, load } = await createProject('intro.md');
    const other = await folderWith({ 'parts/pet.yaml': 'type: object\n', 'intro.md': 'Other' });
    await symlink(join(folder, 'api/openapi.yaml'), join(other, 'openapi.yaml'));
    expect((await loadContract({ path: join(other, 'openapi.yaml'), strict: false })).text).toContain('Other');
    expect(await load()).toContain('Introduction');
  });
});

describe.skipIf(process.platform === 'win32')('a file that is not a regular file below the folder', () => {
  it.each(['file', 'folder'])('is not included through a symbolic link to a %s', async (kind) => {
    const { folder, load } = await createProject(kind === 'file' ? 'link' : 'link/secret.txt');
    await symlink(kind === 'file' ? join(folder, 'secret.txt') : folder, join(folder, 'api/link'));
    await expect(load()).rejects.toThrow(/which is outside/);
    expect(await load([join(folder, 'secret.txt')])).toContain('SECRET');
  });

  it.each(['.env', '.secrets/key.txt'])('is not included through a link to a hidden file: %s', async (target) => {
    const { folder, load } = await createProject('link.txt', { [`api/${target}`]: 'HIDDEN' });
    await symlink(join(folder, 'api', target), join(folder, 'api/link.txt'));
    await expect(load()).rejects.toThrow(/which is a hidden file: rename it, or allow it/);
    expect(await load([join(folder, 'api', target)])).toContain('HIDDEN');
  });

  it('is included through a link to a file that is not hidden, also below a hidden folder around the document', async () => {
    const folder = await folderWith({
      '.project/openapi.yaml': createDocument('link.txt'),
      '.project/parts/pet.yaml': 'type: object\n',
      '.project/text.txt': 'VISIBLE',
    });
    await symlink(join(folder, '.project/text.txt'), join(folder, '.project/link.txt'));
    const { text } = await loadContract({ path: join(folder, '.project/openapi.yaml'), strict: false });
    expect(text).toContain('VISIBLE');
  });

  it('is not used as an overlay through a symbolic link', async () => {
    const { folder, load } = await createProject('intro.md', { 'o.yaml': 'overlay: 1.0.0\nactions: []\n' });
    await symlink(join(folder, 'o.yaml'), join(folder, 'api/openapi.overlay.yaml'));
    await expect(load()).rejects.toThrow(/openapi\.overlay\.yaml refers to a file which is outside/);
    expect(await load([folder])).toContain('Introduction');
  });

  it.each(['/dev/zero', '/dev/urandom', '/proc/self/environ'])('is refused at once: %s', async (target) => {
    const { folder, load } = await createProject('device');
    await symlink(target, join(folder, 'api/device'));
    await expect(load()).rejects.toThrow(/which is outside/);
    if (target.startsWith('/dev/')) await expect(load(['/dev'])).rejects.toThrow(/because it is not a regular file/);
    else expect(await load(['/proc'])).toContain('PATH=');
  });

  it.each(['intro.md', 'openapi.overlay.yaml', 'openapi.yaml', 'parts/pet.yaml'])(
    'is refused at once if it is a named pipe: %s',
    async (name) => {
      const { folder, load } = await createProject('intro.md');
      await rm(join(folder, 'api', name), { force: true });
      execFileSync('mkfifo', [join(folder, 'api', name)]);
      await expect(load()).rejects.toThrow(/because it is not a regular file/);
    },
  );

  it('is refused if it has more than 64 MB', async () => {
    const { folder, load } = await createProject('intro.md');
    await writeFile(join(folder, 'api/intro.md'), Buffer.alloc(64 * 1024 * 1024 + 1, 'a'));
    await expect(load()).rejects.toThrow(/intro\.md can't be read, because it has more than 64 MB/);
  });

  it('does not stop a running server when an included file becomes a named pipe or a link', async () => {
    const { folder, path } = await createProject('intro.md');
    const shop = await startStorefront({ contract: path });
    const file = join(folder, 'api/intro.md');
    await rm(file);
    execFileSync('mkfifo', [file]);
    await waitForLog(shop, "intro.md can't be read, because it is not a regular file", 40);
    await rm(file);
    await symlink(join(folder, 'secret.txt'), file);
    await waitForLog(shop, 'which is outside', 40);
    const { text } = await shop.ask('GET', '/openapi.json');
    expect(text).toContain('Introduction');
    expect(text).not.toContain('SECRET');
  });
});

it('allowRefs is an option of the server and of explain', async () => {
  const { folder, path } = await createProject('../secret.txt');
  const allowRefs = [join(folder, 'secret.txt')];
  const shop = await startStorefront({ contract: path, allowRefs });
  expect((await shop.ask('GET', '/openapi.json')).text).toContain('SECRET');
  expect((await explain({ contract: path, allowRefs })).text).toContain('listPets');
  await expect(startStorefront({ contract: path })).rejects.toThrow(basename(path));
  await expect(startStorefront({ contract: path, allowRefs: ['a', ''] })).rejects.toThrow(/Invalid option allowRefs/);
});
