import { resolve } from 'node:path';
import { loadContract } from '../../src/openapi/contract.ts';
import { exampleFindings } from './examples.ts';
import type { DocumentFinding } from './finding.ts';
import { limitFindings } from './limits.ts';
import { nameFindings } from './names.ts';

export type { DocumentFinding } from './finding.ts';

/** All that isn't right in the document at a path, the linters' findings first; throws `ContractError` where it can't be read. Takes seconds. */
export async function documentFindings(path: string): Promise<readonly DocumentFinding[]> {
  const { text } = await loadContract({ path, strict: false });
  // The linters take a second to load, which those who want the other checks needn't wait for.
  const { lintFindings } = await import('./lint.ts');
  return [...(await lintFindings(resolve(path), text)), ...(await ownFindings(path))];
}

/** The same without the linters: examples, names and limits. */
export async function ownFindings(path: string): Promise<readonly DocumentFinding[]> {
  const contract = await loadContract({ path, strict: false });
  return [...exampleFindings(contract), ...nameFindings(contract), ...limitFindings(contract.document)];
}
