import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import type { Issue } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { isNode, type Node, parseReference, parseSource, readContract } from './document.ts';
import { isVersion32 } from './path-items.ts';
import { createLocator, type Locate } from './source-location.ts';
import { getKind, mapNodes } from './walk-schemas.ts';

/** A file that belongs to an OpenAPI document. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** The text as UTF-8, if it was read already. */
  readonly bytes?: Buffer;
  /** The parsed text. */
  readonly content: unknown;
  /** Warnings about the content. */
  readonly issues?: readonly Issue[];
  /** Converts a JSON Pointer of the content to one of the text. Default: it is the same. */
  readonly toSourcePointer?: ((pointer: string) => string) | undefined;
}

/** The value to which a `$ref` points, and the place of this value. */
export interface Target {
  readonly file: SourceFile;
  /** The JSON Pointer of the value in its file. */
  readonly pointer: string;
  readonly node: unknown;
}

/** The maximum number of references that are followed to find a value. */
const MAX_STEPS = 100;

/** Reads the files to which a document refers. */
export interface FileReader {
  /** Returns the reason why a document can't include a file, as a clause; undefined if it can. */
  findRefusal(path: string): string | undefined;
  /** Returns the text of a file. Throws `UserError` if the file can't be read. */
  read(path: string): string;
}

/** The files of a document. A file is read on the first reference to it. */
export class SourceFiles {
  readonly #main: SourceFile;
  readonly #access: FileReader;
  readonly #files = new Map<string, SourceFile | string>();
  readonly #schemas = new Map<SourceFile, readonly NamedSchema[]>();

  constructor(main: SourceFile, access: FileReader = new FileAccess(main.path)) {
    this.#main = main;
    this.#access = access;
    this.#files.set(normalize(main.path), main);
  }

  /** The files other than the main file. */
  get parts(): readonly SourceFile[] {
    return [...this.#files.values()].filter((file) => typeof file !== 'string' && file !== this.#main) as SourceFile[];
  }

  /** The paths of the files other than the main file, including those that could not be read. */
  get paths(): readonly string[] {
    return [...this.#files.keys()].filter((path) => path !== normalize(this.#main.path));
  }

  /**
   * Finds the value to which a `$ref` in a file refers.
   * If there is none, returns the reason as a clause, such as `which does not exist`.
   * Throws `UserError` for a file with a syntax error.
   */
  find(file: SourceFile, reference: string, { from, isDynamic = false, steps = 0 }: ReferencePlace): Target | string {
    const end = reference.indexOf('#');
    const [location, fragment] = end < 0 ? [reference, ''] : [reference.slice(0, end), reference.slice(end + 1)];
    const base = this.#findBase(file, from);
    const resource = location === '' ? base : this.#findResource(file, location, base);
    if (typeof resource === 'string') return resource;
    if (fragment !== '' && !fragment.startsWith('/')) {
      const anchor = resource && this.#findAnchor(file, fragment, isDynamic ? undefined : resource);
      if (anchor === AMBIGUOUS) return TWO_ANCHORS;
      if (anchor !== undefined) return this.#walk(file, anchor, steps);
    } else if (resource) {
      const found = this.#walk(file, resource.pointer + parseReference(`#${fragment}`), steps);
      // Many authors refer to the document from a schema with an id: `#/components/schemas/Pet`.
      if (typeof found !== 'string' || location !== '' || resource.pointer === '') return found;
      const inDocument = this.#walk(file, parseReference(`#${fragment}`), steps);
      return typeof inDocument === 'string' ? found : inDocument;
    }
    const named = location === '' ? undefined : this.#findDocument(file, toUri(location, base.uri));
    if (!named && /^([a-z][\w+.-]*:|\/\/)/i.test(location))
      return 'which is not loaded, because the server makes no requests: save a copy beside this file, and refer to the copy';
    if (!named && isAbsolute(location)) return 'which is an absolute path: use a path relative to this file';
    const place = join(dirname(file.path), parseReference(`#${location}`));
    const target = named ?? (location === '' ? file : this.#load(place));
    if (typeof target === 'string') return target;
    if (fragment !== '' && !fragment.startsWith('/')) {
      const pointer = this.#findAnchor(target, fragment, undefined);
      if (pointer === AMBIGUOUS) return TWO_ANCHORS;
      return pointer === undefined ? MISSING : this.#walk(target, pointer, steps);
    }
    return this.#walk(target, parseReference(`#${fragment}`), steps);
  }

  /**
   * Returns the document with a URI, if the documents name themselves with `$self` (OpenAPI 3.2): the document that has
   * this name, or else the file at the same place relative to `file`, with or without `.yaml`, `.yml` or `.json`.
   * Returns undefined if there is none.
   */
  #findDocument(file: SourceFile, uri: string): SourceFile | string | undefined {
    const known = [this.#main, ...this.parts].find((one) => getSelf(one.content) === uri);
    const self = getSelf(file.content);
    if (known || self === FILE_URI) return known;
    const [from, to] = [self, uri].map((text) => tryOrUndefined(() => new URL(text)));
    if (!from || !to || from.protocol !== to.protocol || from.host !== to.host) return undefined;
    const path = join(dirname(file.path), relative(dirname(from.pathname), decodeURIComponent(to.pathname)));
    const found = ['', '.yaml', '.yml', '.json'].map((ending) => path + ending).find((one) => existsSync(one));
    return found === undefined ? undefined : this.#load(found);
  }

  #load(path: string): SourceFile | string {
    const loaded = this.#files.get(path) ?? this.#access.findRefusal(path) ?? loadFile(path, this.#access);
    this.#files.set(path, loaded);
    return loaded;
  }

  /**
   * Returns the value at a JSON Pointer, or the reason why there is none.
   * Follows references in the ancestors of the value.
   * `count`: the number of references that were already followed.
   */
  #walk(file: SourceFile, pointer: string, count: number): Target | string {
    if (count > MAX_STEPS) return 'which refers back to itself';
    const steps = parsePointer(pointer);
    let node = file.content;
    for (const [index, step] of steps.entries()) {
      if (isNode(node) && typeof node.$ref === 'string' && !Object.hasOwn(node, step)) {
        const from = formatPointer(...steps.slice(0, index));
        const target = this.find(file, node.$ref, { from, steps: count + 1 });
        if (typeof target === 'string') return target;
        return this.#walk(target.file, target.pointer + formatPointer(...steps.slice(index)), count + 1);
      }
      if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return MISSING;
      node = (node as Node)[step];
    }
    // If a value in another file is only a reference, the target of this reference is returned.
    const alias = file !== this.#main && isNode(node) && Object.keys(node).length === 1 ? node.$ref : undefined;
    return typeof alias === 'string'
      ? this.find(file, alias, { from: pointer, steps: count + 1 })
      : { file, pointer, node };
  }

  /**
   * Returns the innermost schema with an id around a value, or the file itself.
   * `pointer`: the JSON Pointer of the value in its file.
   */
  #findBase(file: SourceFile, pointer: string): Resource {
    const resources = this.#getSchemas(file).filter(
      ({ id, pointer: own }) => id !== undefined && isInside(pointer, own),
    );
    const innermost = resources.toSorted((a, b) => b.pointer.length - a.pointer.length)[0];
    return innermost ?? { pointer: '', uri: getSelf(file.content) };
  }

  /**
   * Returns the schema with an id to which a reference without its fragment refers.
   * Returns undefined if there is none, and a reason if there are several.
   */
  #findResource(file: SourceFile, location: string, { uri }: Resource): Resource | string | undefined {
    const schemas = this.#getSchemas(file).filter(({ id }) => id !== undefined);
    const target = toUri(location, uri);
    const found = schemas.filter((schema) => schema.uri === target);
    const named = found.length > 0 ? found : schemas.filter(({ id }) => id === location);
    return named.length > 1 ? TWO_ANCHORS : named[0];
  }

  /**
   * Returns the JSON Pointer of the schema with an anchor.
   * Prefers the anchors of `resource`, because an anchor belongs to the schema with an id around it.
   * Returns `AMBIGUOUS` if there are several, and undefined if there is none.
   */
  #findAnchor(file: SourceFile, name: string, resource: Resource | undefined): string | undefined {
    const named = this.#getSchemas(file).filter(({ id, anchors }) => anchors.includes(name) || id === name);
    const own = named.filter(({ pointer }) => this.#findBase(file, pointer).pointer === resource?.pointer);
    const found = own.length > 0 ? own : named;
    return found.length > 1 ? AMBIGUOUS : found[0]?.pointer;
  }

  /** Returns the schemas in a file that have an anchor or an id. */
  #getSchemas(file: SourceFile): readonly NamedSchema[] {
    const known = this.#schemas.get(file) ?? findNamedSchemas(file);
    this.#schemas.set(file, known);
    return known;
  }
}

const MISSING = 'which does not exist';
const AMBIGUOUS = 'ambiguous';
const TWO_ANCHORS = 'which several schemas have as their anchor: use a JSON Pointer such as #/components/schemas/NAME';

/** The URI of a file, to which relative ids are resolved. */
const FILE_URI = 'file:///';

/** Where a reference stands. `from`: the JSON Pointer of the object with the reference in its file. */
interface ReferencePlace {
  readonly from: string;
  /** Whether it is a `$dynamicRef`, whose anchor can belong to any schema. */
  readonly isDynamic?: boolean;
  /** The number of references that were already followed. */
  readonly steps?: number;
}

/** A schema with an id, or a whole file. References in it are relative to it (JSON Schema 2020-12, section 8.2.1). */
interface Resource {
  readonly pointer: string;
  readonly uri: string;
}

/**
 * A schema with an id or an anchor.
 * `uri`: its id as an absolute URI; for a schema without an id, the URI of the schema around it.
 */
interface NamedSchema extends Resource {
  readonly id: string | undefined;
  readonly anchors: readonly string[];
}

function isInside(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}

/** Returns the URI to which the references of a document are relative: its `$self`, or else the URI of a file. */
function getSelf(content: unknown): string {
  const { openapi, $self } = isNode(content) ? content : {};
  return typeof $self === 'string' && isVersion32({ openapi }) ? toUri($self, FILE_URI) : FILE_URI;
}

/** Resolves a URI reference. Returns it unchanged if it is invalid. */
function toUri(reference: string, base: string): string {
  return tryOrUndefined(() => new URL(reference, base).href.replace(/#$/, '')) ?? reference;
}

function loadFile(path: string, access: FileReader): SourceFile | string {
  let text: string;
  try {
    text = access.read(path);
  } catch (error) {
    return `but ${(error as Error).message}`;
  }
  const parsed = /\.(ya?ml|json)$/i.test(path) ? parseSource(path, text) : { content: text, issues: [] };
  return { path, text, ...parsed };
}

function findNamedSchemas({ text, content }: SourceFile): readonly NamedSchema[] {
  if (!/\$(id|anchor|dynamicAnchor)\b/.test(text)) return [];
  const found: Omit<NamedSchema, 'uri'>[] = [];
  mapNodes(content, (node, pointer) => {
    const anchors = [...new Set([node.$anchor, node.$dynamicAnchor].filter((name) => isText(name)))];
    const id = isText(node.$id) ? node.$id : undefined;
    if (id !== undefined || anchors.length > 0) found.push({ pointer, id, anchors });
    return node;
  });
  // `mapNodes` visits the inner schemas first. The URI of an inner schema depends on the outer one.
  const self = getSelf(content);
  const schemas: NamedSchema[] = [];
  for (const schema of found.reverse()) {
    const outer = schemas.findLast(({ id, pointer }) => id !== undefined && isInside(schema.pointer, pointer));
    const uri = outer?.uri ?? self;
    schemas.push({ ...schema, uri: schema.id === undefined ? uri : toUri(schema.id, uri) });
  }
  return schemas;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * Returns whether a JSON Pointer leads into an extension, such as `/x-internal/schema`.
 * A bundled document can't refer to a value in an extension.
 */
export function isInExtension(pointer: string): boolean {
  let isNames = false;
  for (const step of parsePointer(pointer)) {
    if (!isNames && step.startsWith('x-')) return true;
    isNames = getKind(step, isNames) === 'names';
  }
  return false;
}

/** Reads a file again. Returns whether its text is still the same. */
export function isUnchanged({ path, text }: Pick<SourceFile, 'path' | 'text'>): boolean {
  return tryOrUndefined(() => readContract(path)) === text;
}

/**
 * Creates a function that finds the source positions of values in a document from several files.
 * `origins`: the file and the place from which a value comes, by the JSON Pointer of the value in the document.
 * `locateOther`: finds the positions of all other values.
 */
export function createPartLocator(locateOther: Locate, origins: ReadonlyMap<string, Target>): Locate {
  const locators = new Map<SourceFile, Locate>();
  const choose = (pointer: string) => {
    const origin = findOrigin(origins, pointer);
    if (!origin) return { locate: locateOther, place: pointer };
    const { file } = origin;
    const locate = locators.get(file) ?? createLocator(file.path, file.text, file.toSourcePointer);
    locators.set(file, locate);
    return { locate, place: origin.pointer };
  };
  const locate = (pointer: string) => {
    const { locate: locateIn, place } = choose(pointer);
    return locateIn(place);
  };
  return Object.assign(locate, {
    key(pointer: string) {
      const { locate: locateIn, place } = choose(pointer);
      return locateIn.key(place);
    },
    find(pointer: string) {
      const { locate: locateIn, place } = choose(pointer);
      return locateIn.find(place);
    },
    findLine(pointer: string) {
      const { locate: locateIn, place } = choose(pointer);
      return locateIn.findLine(place);
    },
  });
}

/**
 * Returns the file from which a value of the document comes, and the JSON Pointer of the value in this file.
 * Returns undefined if `origins` contains neither the value nor an ancestor of the value.
 */
function findOrigin(origins: ReadonlyMap<string, Target>, pointer: string) {
  const steps = parsePointer(pointer);
  for (let length = steps.length; length > 0; length--) {
    const origin = origins.get(formatPointer(...steps.slice(0, length)));
    if (origin) return { file: origin.file, pointer: origin.pointer + formatPointer(...steps.slice(length)) };
  }
  return undefined;
}

/**
 * Decides which files a document can include with `$ref`.
 * The text of these files becomes part of the document, which clients can read without a token.
 * Allowed are files below the folder of the document or below its Git repository, except hidden files such as `.env`,
 * and the files and folders of the option `allowRefs`.
 * The target of a symbolic link counts, and not the place of the link.
 */
export class FileAccess implements FileReader {
  readonly read = readContract;
  readonly #path: string;
  readonly #allowRefs: readonly string[];
  #roots: readonly string[] | undefined;

  /** `path`: the path of the main file of the document. */
  constructor(path: string, allowRefs: readonly string[] = []) {
    this.#path = resolve(path);
    this.#allowRefs = allowRefs;
  }

  /**
   * Returns the reason why a document can't include the file at `path`, as a clause.
   * Returns undefined if it can, or if the file does not exist.
   */
  findRefusal(path: string): string | undefined {
    const target = tryOrUndefined(() => realpathSync(path));
    if (target === undefined || this.#allowRefs.some((allowed) => isInFolder(toRealPath(allowed), target)))
      return undefined;
    const remedy = `allow it with the option allowRefs (--allow-refs ${target})`;
    const [folder = ''] = this.#getRoots();
    if (!this.#getRoots().some((root) => isInFolder(root, target)))
      return `which is outside ${folder}: move it there, or ${remedy}`;
    // A link with another name can lead to a hidden file, and a hidden link to another file.
    const isHiddenFile = isHidden(relative(dirname(this.#path), path)) || this.#isHiddenTarget(target);
    return isHiddenFile ? `which is a hidden file: rename it, or ${remedy}` : undefined;
  }

  /**
   * Returns whether a file is hidden, or is in a hidden folder below the folder of the document.
   * Seen from the folder of the document or from that of its target, because a hidden folder around the document does
   * not hide its files.
   */
  #isHiddenTarget(target: string): boolean {
    return this.#getFolders().every((folder) => isHidden(relative(folder, target)));
  }

  /**
   * Returns the folders whose files are allowed.
   * The document can be a link, and the files can be beside the link or beside its target.
   */
  #getRoots(): readonly string[] {
    this.#roots ??= this.#getFolders().map((folder) => findRepository(folder) ?? folder);
    return this.#roots;
  }

  /** Returns the folders of the document and of its target, which differ if the document is a link. */
  #getFolders(): readonly string[] {
    return [toRealPath(dirname(this.#path)), dirname(toRealPath(this.#path))];
  }
}

function toRealPath(path: string): string {
  return tryOrUndefined(() => realpathSync(path)) ?? resolve(path);
}

/**
 * Returns the Git repository that contains a folder: the nearest folder with an entry `.git`.
 * Returns undefined if there is none.
 */
export function findRepository(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findRepository(parent);
}

/** Returns whether a path is a folder, or is below the folder. */
function isInFolder(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Returns whether a relative path has a segment that begins with a dot, such as `.env` or `.git`. */
function isHidden(path: string): boolean {
  return path.split(sep).some((segment) => segment.startsWith('.') && segment !== '..');
}
