import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates an empty folder, and removes it when the test ends. Returns its path. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
