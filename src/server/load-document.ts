import { loadContract } from '../openapi/contract.ts';
import { type Document, isNode } from '../openapi/document.ts';

/**
 * Loads a document: includes the parts of other files, and applies the overlay file.
 * The result has no references to other files or hosts, also not in examples and extensions, where a program could
 * follow them by mistake.
 * Rejects with a `UserError` if the document can't be served.
 * `allowRefs`: files and folders that the document can include, outside its own folder.
 */
export async function loadDocument(path: string, allowRefs: readonly string[] | undefined): Promise<Document> {
  const { document } = await loadContract({ path, strict: false, allowRefs });
  return removeOtherReferences(document) as Document;
}

/** The properties that the generator of types follows as references. */
const REFERENCES = ['$ref', 'externalValue'];

/**
 * Returns a copy of a value without the references that point to another file or host: `$ref`, and the `mapping` of a
 * discriminator.
 */
function removeOtherReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeOtherReferences);
  if (!isNode(value)) return value;
  const entries = Object.entries(value).filter(([key, inner]) => !REFERENCES.includes(key) || !isOther(inner));
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, key === 'mapping' ? removeOtherTargets(inner) : removeOtherReferences(inner)]),
  );
}

/** Removes the entries of a `mapping` that are neither references in the document nor names of schemas. */
function removeOtherTargets(mapping: unknown): unknown {
  if (!isNode(mapping)) return removeOtherReferences(mapping);
  const entries = Object.entries(mapping).filter(([, target]) => !isOther(target) || /^[\w.-]+$/.test(String(target)));
  return removeOtherReferences(Object.fromEntries(entries));
}

function isOther(reference: unknown): boolean {
  return typeof reference === 'string' && !reference.startsWith('#');
}
