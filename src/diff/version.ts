import { bundleDocument } from '../openapi/bundle.ts';
import { checkReferences } from '../openapi/check-structure.ts';
import { type Document, formatIssues, parseSource, toDocument } from '../openapi/document.ts';
import { type DocumentSource, readSource } from '../openapi/document-source.ts';
import { type FileReader, SourceFiles } from '../openapi/source-files.ts';
import { convertSwagger } from '../openapi/swagger.ts';
import { UserError } from '../util/issue.ts';
import { createGit, DEEPEN, type Environment, findCommit, type Git, isShallow } from './git.ts';

/** A version of a contract. */
export interface Version {
  /** The source of the document: a path, `main:openapi.yaml` for a git revision, or a URL. */
  readonly name: string;
  readonly document: Document;
  /** Whether the document was converted from Swagger 2.0. */
  readonly isConverted: boolean;
  /** Returns the position of the value at a JSON Pointer, or else of its closest ancestor. */
  locate(pointer: string): Location;
}

/** The position of a value in a file. */
export interface Location {
  readonly file: string;
  /** The number of the line, counted from 1. */
  readonly line: number;
  /** The text of the line. */
  readonly text: string;
}

/** Where versions are read from. */
export interface VersionSource {
  /** The folder to which paths in git revisions are relative. */
  readonly folder: string;
  /** Files and folders outside the folder of a document that it can include with `$ref`. Default: none. */
  readonly allowRefs?: readonly string[] | undefined;
  readonly environment: Environment;
}

/**
 * Reads a version of a contract.
 * `source`: the path of a file, `git:REVISION:PATH`, or the URL of a document or a running server.
 * Throws `UserError` if the version can't be read.
 */
export async function readVersion(source: string, { folder, allowRefs, environment }: VersionSource): Promise<Version> {
  if (source.startsWith('git:')) return readRevision(source, folder, environment);
  return createVersion(await convertSwagger(await readSource({ path: source, allowRefs })));
}

/**
 * Creates a version from its main file.
 * `format`: formats a path in messages and positions.
 */
function createVersion(source: DocumentSource, format = (message: string) => message): Version {
  const { path, bytes, reader, converted, toSourcePointer } = source;
  const text = bytes.toString();
  try {
    const { content, issues } = parseSource(path, text);
    const main = {
      path,
      text,
      bytes,
      content: converted?.document ?? toDocument(path, content),
      issues,
      toSourcePointer,
    };
    const { document, issues: found, locate } = bundleDocument(new SourceFiles(main, reader), main);
    // A reference to a file that does not exist stays in the document, and would be listed twice.
    const broken = found.length > 0 ? found : checkReferences(document);
    if (broken.length > 0) throw new UserError(formatIssues(locate, broken));
    return {
      name: format(path),
      isConverted: converted !== undefined,
      document,
      locate(pointer) {
        const { path: file, line, text: lines } = locate.find(pointer);
        return { file: format(file), line, text: (lines.split('\n')[0] ?? '').trim() };
      },
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(format(error.message), { cause: error });
  }
}

/** Reads a version from a git revision, including the files to which it refers. */
async function readRevision(source: string, folder: string, environment: Environment): Promise<Version> {
  const [, revision = '', path = ''] = /^git:([^:]*):(.+)$/.exec(source) ?? [];
  if (path === '')
    throw new UserError(`${source} is not a document in git: use git:REVISION:PATH, such as git:main:openapi.yaml`);
  const git = openRepository(source, folder, environment);
  const commit = findCommit(git, revision);
  if (commit === undefined) throw new UserError(describeUnknownRevision(source, revision, git));
  // The slash after the colon keeps references such as `../pet.yaml` below the root of the repository.
  const root = `${revision}:/`;
  const read = (file: string) => git('cat-file', 'blob', `${commit}:${toSlashes(file).slice(root.length)}`);
  const prefix = git('rev-parse', '--show-prefix')?.trim() ?? '';
  const candidates = [prefix + path, path].map((file) => root + normalizePath(file));
  const found = candidates.find((file) => read(file) !== undefined);
  if (found === undefined)
    throw new UserError(`${source} does not exist: the revision ${revision} has no file ${path}. Check the path.`);
  const reader: FileReader = {
    // On Windows, paths have backslashes.
    findRefusal: (file) => (toSlashes(file).startsWith(root) ? undefined : 'which is outside the repository'),
    read(file) {
      const text = read(file);
      if (text === undefined) throw new UserError(`the revision ${revision} has no file ${file.slice(root.length)}`);
      return removeMark(text);
    },
  };
  const file = await convertSwagger({ path: found, bytes: Buffer.from(reader.read(found)), reader });
  return createVersion(file, (message) => message.replaceAll(root, `${revision}:`));
}

function toSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

/** Removes `.` and `..` from a path with slashes. */
function normalizePath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}

/** Removes the byte order mark at the start of a text. */
function removeMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

function openRepository(source: string, folder: string, environment: Environment): Git {
  try {
    return createGit(folder, environment);
  } catch (cause) {
    if (!(cause instanceof UserError)) throw cause;
    const remedy = 'Run the command in a git repository, or name a file.';
    throw new UserError(`Cannot read ${source}: ${cause.message}. ${remedy}`, { cause });
  }
}

function describeUnknownRevision(source: string, revision: string, git: Git): string {
  const remedy = isShallow(git) ? `this clone is shallow: ${DEEPEN}` : 'enter a branch, a tag or a commit';
  return `Cannot read ${source}: ${JSON.stringify(revision)} is not a revision in git: ${remedy}`;
}
