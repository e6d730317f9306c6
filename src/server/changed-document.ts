import { loadContract } from '../openapi/contract.ts';
import type { Document } from '../openapi/document.ts';
import { readOverlay } from '../openapi/overlay.ts';

/**
 * Loads a document and applies its overlay file. Returns undefined if there is no overlay file. Rejects with a `ContractError` if the changed document can't
 * be served.
 */
export async function loadChangedDocument(path: string): Promise<Document | undefined> {
  if (!readOverlay(path)) return undefined;
  const { document } = await loadContract({ path, strict: false });
  return document;
}
