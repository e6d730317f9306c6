import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';

/** Writes a contract for one test. Returns its path. */
async function writeContract(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'openapi.yaml');
  await writeFile(path, text);
  return path;
}

const EMPTY = 'openapi: 3.0.3\ninfo: { title: t, version: "1" }\npaths: {}\n';

describe('loadContract', () => {
  it('reports file, line and column of a YAML syntax error', async () => {
    const path = await writeContract('openapi: 3.0.3\npaths: {\n');
    await expect(loadContract({ path, strict: false })).rejects.toThrow(`${path}:3:1 is not valid YAML: `);
  });

  it('refuses a YAML file with several documents', async () => {
    const path = await writeContract(`${EMPTY}---\n${EMPTY}`);
    await expect(loadContract({ path, strict: false })).rejects.toThrow(
      `${path} is not valid YAML: expected a single doc`,
    );
  });

  it.each(['', 'hello', 'openapi: 3.3.0', 'swagger: "1.2"'])(
    'refuses a document that is not OpenAPI 3.0, 3.1 or 3.2: %j',
    async (text) => {
      const path = await writeContract(text);
      await expect(loadContract({ path, strict: false })).rejects.toThrow(
        `${path} is not an OpenAPI 3.0, 3.1 or 3.2 document`,
      );
    },
  );

  it('names a file that does not exist', async () => {
    await expect(loadContract({ path: '/nowhere/openapi.yaml', strict: false })).rejects.toThrow(
      '/nowhere/openapi.yaml does not exist: check the path',
    );
  });

  it('loads a file again after it has changed', async () => {
    const path = await writeContract(EMPTY);
    const first = await loadContract({ path, strict: false });
    expect(await loadContract({ path, strict: false })).toBe(first);
    await writeFile(path, EMPTY.replace('title: t', 'title: other'));
    expect((await loadContract({ path, strict: false })).document.info.title).toBe('other');
  });
});
