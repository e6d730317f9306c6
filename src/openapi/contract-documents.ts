import { type Bundle, bundleDocument } from './bundle.ts';
import { checkStructure, withOperationIds } from './check-structure.ts';
import type { CompiledDocuments, DocumentEdit } from './compiled-contract.ts';
import { ContractError, formatIssues, formatLike, getNode, parseSource, toDocument } from './document.ts';
import { FileAccess } from './file-access.ts';
import { findIgnoredParts } from './find-ignored-parts.ts';
import { normalizeSchemas } from './normalize-schemas.ts';
import { applyOverlay, listOverlayPaths, type Overlay } from './overlay.ts';
import { createPartLocator, type SourceFile, SourceFiles } from './source-files.ts';
import { createLocator, type Locate } from './source-location.ts';

/** Options of `loadContract`. */
export interface ContractOptions {
  readonly path: string;
  /** Whether query parameters and body properties that the contract does not document are violations. If false, they are ignored. */
  readonly strict: boolean;
  /** Files and folders outside the folder of the document that it can include with `$ref`. Default: none. */
  readonly allowRefs?: readonly string[] | undefined;
  /** An edit that is applied to the document before the document is checked. */
  readonly edit?: DocumentEdit | undefined;
}

/** The files to which the main file of a document refers, directly or through other files. */
export type Parts = readonly Pick<SourceFile, 'path' | 'text'>[];

/** The documents of a contract and the files from which they were created. */
export interface LoadedDocuments {
  readonly documents: CompiledDocuments;
  readonly text: string;
  readonly parts: Parts;
  /** The path of the overlay file; undefined if there is none. */
  readonly overlay: string | undefined;
  readonly locate: Locate;
}

/** For each contract file, by path: the paths of the files to which it referred when it was last loaded. */
const partPaths = new Map<string, readonly string[]>();

/**
 * Returns all paths at which other files of the contract at `path` can be: the paths for an overlay, and the files to which the contract file last referred.
 * The files do not have to exist.
 */
export function getPartPaths(path: string): readonly string[] {
  return [...listOverlayPaths(path), ...(partPaths.get(path) ?? [])];
}

/**
 * Creates the documents of a contract from the text of its main file. Loads the other files, applies `edit` and the overlay, and normalizes the schemas. Throws
 * `ContractError` if the document can't be served.
 */
export function createDocuments(
  text: string,
  { path, edit, allowRefs }: ContractOptions,
  overlay?: Overlay,
): LoadedDocuments {
  const source = parseSource(path, text);
  const parsed = toDocument(path, source.content);
  const main = { path, text, content: edit ? edit.edit(parsed) : parsed, issues: source.issues };
  const files = new SourceFiles(main, new FileAccess(path, allowRefs));
  const { document, locate, issues, unused } = overlayBundle(bundleFiles(files, main), overlay);
  const found = issues.length > 0 ? issues : checkStructure(document);
  if (found.length > 0) throw new ContractError(formatIssues(locate, found));
  const { document: normalized, warnings } = normalizeSchemas(document);
  const withIds = withOperationIds(normalized);
  const ignored = [...warnings, ...findIgnoredParts(withIds)];
  const notes = [
    ...unused,
    ...listWarnings([main, ...files.parts]),
    ...(ignored.length > 0 ? [formatIssues(locate, ignored)] : []),
  ];
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

/** Returns the warnings about the contents of files, one text for each file. */
function listWarnings(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text, issues = [] }) =>
    issues.length === 0 ? [] : [formatIssues(createLocator(path, text), issues)],
  );
}

/**
 * Applies an overlay to a bundled document. Leaves out the issues about parts that the overlay removes. `unused`: a warning about overlay actions that change
 * nothing; empty if there are none.
 */
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
