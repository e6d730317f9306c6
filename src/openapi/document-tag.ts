import { createHash } from 'node:crypto';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { type Document, isNode } from './document.ts';

const HASH_LENGTH = 16;

/**
 * Returns an entity tag of a document: a hash of its JSON.
 * Hashes its parts one after another, because the whole text of a large document needs much memory.
 */
export const getDocumentTag = memoizeByObject((document: Document): string => {
  const hash = createHash('sha256');
  for (const [key, value] of Object.entries(document))
    for (const [name, part] of isNode(value) ? Object.entries(value) : [['', value] as const])
      hash.update(JSON.stringify([key, name, part]));
  return `"${hash.digest('hex').slice(0, HASH_LENGTH)}"`;
});
