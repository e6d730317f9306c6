import { type Bundle, bundleDocument } from './bundle.ts';
import { checkStructure, withOperationIds } from './check-structure.ts';
import type { CompiledDocuments, DocumentEdit } from './compiled-contract.ts';
import { ContractError, formatIssues, formatLike, getNode, parseDocument, toDocument } from './document.ts';
import { findIgnoredParts } from './find-ignored-parts.ts';
import { normalizeSchemas } from './normalize-schemas.ts';
import { applyOverlay, listOverlayPaths, type Overlay } from './overlay.ts';
import { createPartLocator, type SourceFile, SourceFiles } from './source-files.ts';

/** Options of `loadContract`. */
export interface ContractOptions {
  readonly path: string;
  /** Whether unknown query parameters and properties are violations. If not, they are ignored. */
  readonly strict: boolean;
  /** Edits the document before it is validated. */
  readonly edit?: DocumentEdit | undefined;
}

/** The files of a document other than its main file and its overlay. */
export type Parts = readonly Pick<SourceFile, 'path' | 'text'>[];

/** The documents of a contract and their source. */
export interface LoadedDocuments {
  readonly documents: CompiledDocuments;
  readonly text: string;
  readonly parts: Parts;
  /** The path of the overlay. */
  readonly overlay: string | undefined;
  readonly locate: (pointer: string) => string;
}

/** The paths of the other files of each contract file, from its last loading. */
const partPaths = new Map<string, readonly string[]>();

/**
 * Returns the paths of the other files of a contract, including those that do not exist: of its overlay, and of the files to which the contract file at `path`
 * referred at its last loading.
 */
export function getPartPaths(path: string): readonly string[] {
  return [...listOverlayPaths(path), ...(partPaths.get(path) ?? [])];
}

/** Parses, edits and normalizes a document, with the other files to which it refers and its overlay. Throws `ContractError` if the document can't be served. */
export function createDocuments(text: string, { path, edit }: ContractOptions, overlay?: Overlay): LoadedDocuments {
  const parsed = parseDocument(path, text);
  const main = { path, text, content: edit ? edit.edit(parsed) : parsed };
  const files = new SourceFiles(main);
  const { document, locate, issues, unused } = overlayBundle(bundleFiles(files, main), overlay);
  const found = issues.length > 0 ? issues : checkStructure(document);
  if (found.length > 0) throw new ContractError(formatIssues(locate, found));
  const { document: normalized, warnings } = normalizeSchemas(document);
  const withIds = withOperationIds(normalized);
  const ignored = [...warnings, ...findIgnoredParts(withIds)];
  const notes = [...unused, ...(ignored.length > 0 ? [formatIssues(locate, ignored)] : [])];
  const documents = {
    document,
    normalized: withIds,
    ...(edit ? { editKey: edit.key } : {}),
    ...(notes.length > 0 ? { warning: notes.join('; ') } : {}),
  };
  const isChanged = files.parts.length > 0 || overlay !== undefined;
  return {
    documents,
    locate,
    parts: files.parts,
    text: isChanged ? formatLike(text, document) : text,
    overlay: overlay?.path,
  };
}

/** Applies an overlay to a bundle. Leaves out the issues in parts that the overlay removes. `unused`: the messages about actions that change nothing. */
function overlayBundle(bundle: Bundle, overlay: Overlay | undefined): Bundle & { readonly unused: readonly string[] } {
  if (!overlay) return { ...bundle, unused: [] };
  const { document, origins, warning } = applyOverlay(bundle.document, overlay);
  return {
    document: toDocument(`${overlay.path}: the changed document`, document),
    issues: bundle.issues.filter(({ pointer }) => getNode(document, pointer) !== undefined),
    locate: createPartLocator(bundle.locate, origins),
    unused: warning === undefined ? [] : [warning],
  };
}

function bundleFiles(files: SourceFiles, main: SourceFile) {
  try {
    return bundleDocument(files, main);
  } finally {
    partPaths.set(main.path, files.paths);
  }
}
