import { type Issue, UserError } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { suggestName } from '../util/names.ts';
import { toPattern } from '../util/request-target.ts';
import { type Bundle, bundleDocument } from './bundle.ts';
import { checkStructure, findSilentOperations, withOperationIds } from './check-structure.ts';
import type { CompiledDocuments, DocumentEdit } from './compiled-contract.ts';
import {
  type Document,
  formatIssues,
  formatLike,
  getNode,
  parseSource,
  resolvePointer,
  toDocument,
  toNode,
} from './document.ts';
import type { DocumentSource, SourceOptions } from './document-source.ts';
import { addExampleSchemas } from './example-schemas.ts';
import { normalizeSchemas } from './normalize-schemas.ts';
import { applyOverlay, listOverlayPaths, type Overlay } from './overlay.ts';
import { findUnsupportedMethods, getItemPointer } from './path-items.ts';
import { getMaxTestedLength } from './patterns/pattern.ts';
import { findColonParameter, getRoutes, type Route } from './routes.ts';
import { findOpenOperations } from './security.ts';
import { createPartLocator, type SourceFile, SourceFiles } from './source-files.ts';
import { createLocator, type Locate } from './source-location.ts';
import { describeConversion } from './swagger.ts';
import { findUnsupportedParts } from './version-32.ts';
import { mapNodes } from './walk-schemas.ts';

/**
 * Returns a warning for each part of a document that the server ignores or that is probably a mistake.
 * These are unknown top-level properties, operations that no request can reach, paths with a parameter as in Express,
 * path parameters that the path lacks, patterns that match no text, and patterns that are not tested with long texts.
 * Also returns a warning if the document has no operations.
 */
function findIgnoredParts(document: Document): readonly Issue[] {
  const routes = getRoutes(document);
  return [
    ...findUnknownProperties(document),
    ...(routes.length === 0 ? [{ pointer: '', message: NO_OPERATIONS }] : []),
    ...findUnreachablePaths(routes),
    ...findUnsupportedMethods(document),
    ...findUnsupportedParts(document),
    ...findColonParameters(routes),
    ...findMissingParameters(document, routes),
    ...findOpenOperations(document, routes),
    ...findDelimitedPatterns(document),
    ...findBoundedPatterns(document),
    ...findUnmatchedValues(document),
  ];
}

const NO_OPERATIONS = 'has no operations, so each request gets a 404: add paths with operations';

/** The top-level properties of an OpenAPI document (OpenAPI 3.2.0, OpenAPI Object). */
const PROPERTIES = [
  'openapi',
  '$self',
  'info',
  'jsonSchemaDialect',
  'servers',
  'paths',
  'webhooks',
  'components',
  'security',
  'tags',
  'externalDocs',
];

function findUnknownProperties(document: Document): readonly Issue[] {
  const unknown = Object.keys(document).filter((name) => !PROPERTIES.includes(name) && !name.startsWith('x-'));
  return unknown.map((name) => ({
    pointer: formatPointer(name),
    message: `is ignored because it is unknown: ${suggestName(name, PROPERTIES)}`,
  }));
}

function findUnreachablePaths(routes: readonly Route[]): readonly Issue[] {
  const first = new Map<string, string>();
  // In the contract of the control API, all paths are below `/_control`, so they are not reported.
  const isControl = routes.every(({ path }) => OWN_PATH.test(path));
  return routes.flatMap(({ method, path, pointer }) => {
    if (/[?#]/.test(path)) return [{ pointer, message: UNREACHABLE }];
    if (OWN_PATH.test(path) && !isControl) return [{ pointer, message: TAKEN }];
    const key = `${method} ${toPattern(path).replace(/(.)\/+$/, '$1')}`;
    const other = first.get(key);
    first.set(key, other ?? path);
    const message = `is never reached, because ${other} matches the same requests: remove one of the two paths`;
    return other === undefined ? [] : [{ pointer, message }];
  });
}

/** Returns a warning for each path with a parameter as in Express: `/notes/:id`. OpenAPI writes `/notes/{id}`. */
function findColonParameters(routes: readonly Route[]): readonly Issue[] {
  return [...new Set(routes.map(({ path }) => path))].flatMap((path) => {
    const parameter = findColonParameter(path);
    if (parameter === undefined) return [];
    const name = `{${parameter.slice(1)}}`;
    const message = `is reached only with the text ${parameter} in the path, because ${parameter} is not a parameter: write ${name}`;
    return [{ pointer: formatPointer('paths', path), message }];
  });
}

/** Returns a warning for each path parameter that the path of its operation lacks. */
function findMissingParameters(document: Document, routes: readonly Route[]): readonly Issue[] {
  const issues = routes.flatMap(({ pointer, path, pathNames }) =>
    [`${pointer}/parameters`, `${getItemPointer(pointer)}/parameters`].flatMap((list) =>
      [getNode(document, list) ?? []].flat().flatMap((_, index): readonly Issue[] => {
        const own = resolvePointer(document, `${list}/${index}`);
        const { in: location, name } = toNode(getNode(document, own));
        if (location !== 'path' || typeof name !== 'string' || pathNames.includes(name)) return [];
        return [{ pointer: own, message: `is ignored, because the path ${path} has no {${name}}: add it to the path` }];
      }),
    ),
  );
  return [...new Map(issues.map((issue) => [issue.pointer, issue])).values()];
}

const UNREACHABLE = 'is never reached, because the path has a query or a fragment: make it a parameter';

/** Matches the paths of the control API (`/_control/…`) and of sandboxes (`/_sandbox/…`). */
const OWN_PATH = /^\/_(?:control|sandbox)(?:\/|$)/;

const TAKEN =
  'is never reached, because the server uses the paths below /_control and /_sandbox itself: use another path';

/** Returns a warning for each `pattern` that is a JavaScript literal, such as `/^[a-z]+$/`. */
function findDelimitedPatterns(document: Document): readonly Issue[] {
  const issues: Issue[] = [];
  mapNodes(document, (node, pointer) => {
    if (typeof node.pattern === 'string' && /^\/\^[^|]*\$\/[a-z]*$/.test(node.pattern))
      issues.push({ pointer: pointer + formatPointer('pattern'), message: DELIMITED });
    return node;
  });
  return issues;
}

/**
 * Returns a warning for each `enum` or `const` whose values all have another type than the schema, such as
 * `type: string, enum: [1, 2]`.
 */
function findUnmatchedValues(document: Document): readonly Issue[] {
  const issues: Issue[] = [];
  mapNodes(document, (node, pointer) => {
    const types = [node.type ?? []].flat();
    const values = Array.isArray(node.enum) ? node.enum : 'const' in node ? [node.const] : [];
    const isFixed = types.length > 0 && values.length > 0 && !('in' in node);
    if (isFixed && !values.some((value) => types.some((type) => isOfType(value, type)))) {
      const key = Array.isArray(node.enum) ? 'enum' : 'const';
      const message = `allows no value, because its values do not have the type ${types.join(' or ')}: change the type or the values, for example ${JSON.stringify(values[0])} to ${JSON.stringify(String(values[0]))}`;
      issues.push({ pointer: pointer + formatPointer(key), message });
    }
    return node;
  });
  return issues;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  return type === typeof value || (typeof value === 'number' && (type === 'number' || type === 'integer'));
}

const DELIMITED = 'matches no text, because the slashes are a part of the pattern: remove the slashes';

/** Returns a warning for each pattern that is tested only with short texts, or not at all. */
function findBoundedPatterns(document: Document): readonly Issue[] {
  const issues: Issue[] = [];
  const check = (source: string, pointer: string) => {
    const maxLength = getMaxTestedLength(source);
    if (maxLength !== undefined) issues.push({ pointer, message: describeBound(maxLength) });
  };
  mapNodes(document, (node, pointer) => {
    if (typeof node.pattern === 'string') check(node.pattern, pointer + formatPointer('pattern'));
    for (const source of Object.keys(toNode(node.patternProperties)))
      check(source, pointer + formatPointer('patternProperties', source));
    return node;
  });
  return issues;
}

function describeBound(maxLength: number): string {
  const tested = maxLength < 0 ? 'is not tested' : `is tested only with texts of up to ${maxLength} characters`;
  return `${tested}, because longer texts could take very long: use a pattern without lookaround, backreferences and large repetitions`;
}

/** Options of `loadContract`. */
export interface ContractOptions extends SourceOptions {
  /** The main file of the document, if it was read already. */
  readonly source?: DocumentSource | undefined;
  /**
   * Whether query parameters and body properties that the contract does not document are violations.
   * If false, they are ignored.
   */
  readonly strict: boolean;
  /** An edit that is applied to the document before the document is checked. */
  readonly edit?: DocumentEdit | undefined;
}

/** The files to which the main file of a document refers, directly or through other files. */
export type Parts = readonly Pick<SourceFile, 'path' | 'text'>[];

/** The documents of a contract and the files from which they were created. */
export interface LoadedDocuments {
  readonly documents: CompiledDocuments;
  /** The text of the contract, as UTF-8. */
  readonly bytes: Buffer;
  readonly parts: Parts;
  /** The path of the overlay file; undefined if there is none. */
  readonly overlay: string | undefined;
  /** Whether the document was converted from Swagger 2.0. */
  readonly isConverted: boolean;
  readonly locate: Locate;
}

/** For each contract file, by path: the paths of the files to which it referred when it was last loaded. */
const partPaths = new Map<string, readonly string[]>();

/**
 * Returns all paths at which other files of the contract at `path` can be: the paths for an overlay, and the files to
 * which the contract file last referred.
 * The files do not have to exist.
 */
export function getPartPaths(path: string): readonly string[] {
  return [...listOverlayPaths(path), ...(partPaths.get(path) ?? [])];
}

/**
 * Creates the documents of a contract from its main file.
 * Loads the other files, applies `edit` and the overlay, and normalizes the schemas.
 * Throws `UserError` if the document can't be served.
 */
export function createDocuments(
  { path, bytes, reader, converted, toSourcePointer }: DocumentSource,
  { edit, strict }: ContractOptions,
  overlay?: Overlay,
): LoadedDocuments {
  const text = bytes.toString();
  const source = parseSource(path, text);
  const parsed = converted?.document ?? toDocument(path, source.content);
  const issues = converted?.issues ?? source.issues;
  const main = { path, text, bytes, content: edit ? edit.edit(parsed) : parsed, issues, toSourcePointer };
  const files = new SourceFiles(main, reader);
  const { document, locate, issues: broken, unused } = overlayBundle(bundleFiles(files, main), overlay);
  const found = broken.length > 0 ? broken : checkStructure(document, strict);
  if (found.length > 0) throw new UserError(formatIssues(locate, found));
  const { document: normalized, warnings } = normalizeSchemas(document);
  const withIds = addExampleSchemas(withOperationIds(normalized));
  const ignored = [...warnings, ...findSilentOperations(document), ...findIgnoredParts(withIds)];
  const notes = [
    ...(converted ? [describeConversion(path)] : []),
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
  const isChanged = files.parts.length > 0 || overlay !== undefined || converted !== undefined;
  return {
    documents,
    locate,
    parts: files.parts,
    bytes: isChanged ? Buffer.from(formatLike(text, document)) : bytes,
    overlay: overlay?.path,
    isConverted: converted !== undefined,
  };
}

/** Returns the warnings about the contents of files, one text for each file. */
function listWarnings(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text, issues = [], toSourcePointer }) =>
    issues.length === 0 ? [] : [formatIssues(createLocator(path, text, toSourcePointer), issues)],
  );
}

/**
 * Applies an overlay to a bundled document.
 * Leaves out the issues about parts that the overlay removes.
 * `unused`: a warning about overlay actions that change nothing; empty if there are none.
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
