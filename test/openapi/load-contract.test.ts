import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';

/** The path of a contract of this text, for one test. */
async function contractFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'openapi.yaml');
  await writeFile(path, text);
  return path;
}

const EMPTY = 'openapi: 3.0.3\ninfo: { title: t, version: "1" }\npaths: {}\n';

describe('a contract', () => {
  it('that is no YAML is refused with file, line and column', async () => {
    const path = await contractFile('openapi: 3.0.3\npaths: {\n');
    await expect(loadContract({ path, strict: false })).rejects.toThrow(`${path}:3:1 is not valid YAML: `);
  });

  it.each(['', 'hello', 'openapi: 3.2.0', 'swagger: "2.0"'])(
    'that is no OpenAPI 3.0 or 3.1 is refused: %j',
    async (text) => {
      const path = await contractFile(text);
      await expect(loadContract({ path, strict: false })).rejects.toThrow(
        `${path} is not an OpenAPI 3.0 or 3.1 document`,
      );
    },
  );

  it('that is not there is refused by its name', async () => {
    await expect(loadContract({ path: '/nowhere/openapi.yaml', strict: false })).rejects.toThrow(
      "/nowhere/openapi.yaml can't be read (ENOENT)",
    );
  });

  it('is read again when its file has changed', async () => {
    const path = await contractFile(EMPTY);
    const first = await loadContract({ path, strict: false });
    expect(await loadContract({ path, strict: false })).toBe(first);
    await writeFile(path, EMPTY.replace('title: t', 'title: other'));
    expect((await loadContract({ path, strict: false })).document.info.title).toBe('other');
  });
});
