import { resolve } from 'node:path';
import { loadContract } from '../../src/openapi/contract.ts';
import { exampleFindings } from './examples.ts';
import type { DocumentFinding } from './finding.ts';
import { limitFindings } from './limits.ts';
import { nameFindings } from './names.ts';

export type { DocumentFinding } from './finding.ts';

/**
 * Returns the findings of all checks of the document at `path`. The findings of the linters come first. Takes seconds. Throws a `UserError` if the document
 * can't be loaded.
 */
export async function documentFindings(path: string): Promise<readonly DocumentFinding[]> {
  const { text } = await loadContract({ path, strict: false });
  // Imported here, because the linters take a second to load.
  const { lintFindings } = await import('./lint.ts');
  return [...(await lintFindings(resolve(path), text)), ...(await ownFindings(path))];
}

/** Returns the findings of the checks of examples, names and limits, without the linters. */
export async function ownFindings(path: string): Promise<readonly DocumentFinding[]> {
  const contract = await loadContract({ path, strict: false });
  return [...exampleFindings(contract), ...nameFindings(contract), ...limitFindings(contract.document)];
}
