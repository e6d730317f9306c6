import { dirname, isAbsolute, join, normalize } from 'node:path';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { isNode, type Node, parseReference, parseText, readContract } from './document.ts';
import { FileAccess } from './file-access.ts';
import { createLocator, type Locate } from './source-location.ts';
import { getKind, mapNodes } from './walk-schemas.ts';

/** A file that belongs to an OpenAPI document. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** The parsed text. */
  readonly content: unknown;
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

/** The files of a document. A file is read on the first reference to it. */
export class SourceFiles {
  readonly #main: SourceFile;
  readonly #access: FileAccess;
  readonly #files = new Map<string, SourceFile | string>();
  readonly #anchors = new Map<SourceFile, ReadonlyMap<string, string>>();

  constructor(main: SourceFile, access = new FileAccess(main.path)) {
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
   * Finds the value to which a `$ref` in a file refers. If there is none, returns the reason as a clause, such as `which does not exist`. Throws
   * `ContractError` for a file with a syntax error. `steps`: the number of references that were already followed.
   */
  find(file: SourceFile, reference: string, steps = 0): Target | string {
    const end = reference.indexOf('#');
    const [location, fragment] = end < 0 ? [reference, ''] : [reference.slice(0, end), reference.slice(end + 1)];
    const anchor = this.#getAnchors(file).get(location === '' ? fragment : location);
    if (anchor === AMBIGUOUS)
      return 'which several schemas have as their anchor: use a JSON Pointer such as #/components/schemas/NAME';
    if (anchor !== undefined) return this.#walk(file, location === '' ? anchor : anchor + fragment, steps);
    if (/^([a-z][\w+.-]*:|\/\/)/i.test(location))
      return 'which is not loaded, because the server makes no requests: save a copy beside this file, and refer to the copy';
    if (isAbsolute(location)) return 'which is an absolute path: use a path relative to this file';
    const target = location === '' ? file : this.#load(join(dirname(file.path), parseReference(`#${location}`)));
    if (typeof target === 'string') return target;
    if (fragment !== '' && !fragment.startsWith('/')) {
      const pointer = this.#getAnchors(target).get(fragment);
      return pointer === undefined ? MISSING : this.#walk(target, pointer, steps);
    }
    return this.#walk(target, parseReference(`#${fragment}`), steps);
  }

  #load(path: string): SourceFile | string {
    const loaded = this.#files.get(path) ?? this.#access.findRefusal(path) ?? loadFile(path);
    this.#files.set(path, loaded);
    return loaded;
  }

  /**
   * Returns the value at a JSON Pointer, or the reason why there is none. Follows references in the ancestors of the value. `count`: the number of references
   * that were already followed.
   */
  #walk(file: SourceFile, pointer: string, count: number): Target | string {
    if (count > MAX_STEPS) return 'which refers back to itself';
    const steps = parsePointer(pointer);
    let node = file.content;
    for (const [index, step] of steps.entries()) {
      if (isNode(node) && typeof node.$ref === 'string' && !Object.hasOwn(node, step)) {
        const target = this.find(file, node.$ref, count + 1);
        if (typeof target === 'string') return target;
        return this.#walk(target.file, target.pointer + formatPointer(...steps.slice(index)), count + 1);
      }
      if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return MISSING;
      node = (node as Node)[step];
    }
    // If a value in another file is only a reference, the target of this reference is returned.
    const alias = file !== this.#main && isNode(node) && Object.keys(node).length === 1 ? node.$ref : undefined;
    return typeof alias === 'string' ? this.find(file, alias, count + 1) : { file, pointer, node };
  }

  /** Returns the JSON Pointers of the schemas in a file that have an anchor or an id. */
  #getAnchors(file: SourceFile): ReadonlyMap<string, string> {
    const known = this.#anchors.get(file) ?? findAnchors(file);
    this.#anchors.set(file, known);
    return known;
  }
}

const MISSING = 'which does not exist';
const AMBIGUOUS = 'ambiguous';

function loadFile(path: string): SourceFile | string {
  let text: string;
  try {
    text = readContract(path);
  } catch (error) {
    return `but ${(error as Error).message}`;
  }
  return { path, text, content: /\.(ya?ml|json)$/i.test(path) ? parseText(path, text) : text };
}

function findAnchors({ text, content }: SourceFile): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  if (!/\$(id|anchor|dynamicAnchor)\b/.test(text)) return anchors;
  mapNodes(content, (node, pointer) => {
    for (const name of [node.$id, node.$anchor, node.$dynamicAnchor]) {
      if (typeof name === 'string' && name !== '') anchors.set(name, anchors.has(name) ? AMBIGUOUS : pointer);
    }
    return node;
  });
  return anchors;
}

/** Returns whether a JSON Pointer leads into an extension, such as `/x-internal/schema`. A bundled document can't refer to a value in an extension. */
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
 * Creates a function that finds the source positions of values in a document from several files. `origins`: the file and the place from which a value comes, by
 * the JSON Pointer of the value in the document. `locateOther`: finds the positions of all other values.
 */
export function createPartLocator(locateOther: Locate, origins: ReadonlyMap<string, Target>): Locate {
  const locators = new Map<SourceFile, Locate>();
  const choose = (pointer: string) => {
    const origin = findOrigin(origins, pointer);
    if (!origin) return { locate: locateOther, place: pointer };
    const { file } = origin;
    const locate = locators.get(file) ?? createLocator(file.path, file.text);
    locators.set(file, locate);
    return { locate, place: origin.pointer };
  };
  const locate = (pointer: string) => {
    const { locate: locateIn, place } = choose(pointer);
    return locateIn(place);
  };
  return Object.assign(locate, {
    find(pointer: string) {
      const { locate: locateIn, place } = choose(pointer);
      return locateIn.find(place);
    },
  });
}

/**
 * Returns the file from which a value of the document comes, and the JSON Pointer of the value in this file. Returns undefined if `origins` contains neither
 * the value nor an ancestor of the value.
 */
function findOrigin(origins: ReadonlyMap<string, Target>, pointer: string) {
  const steps = parsePointer(pointer);
  for (let length = steps.length; length > 0; length--) {
    const origin = origins.get(formatPointer(...steps.slice(0, length)));
    if (origin) return { file: origin.file, pointer: origin.pointer + formatPointer(...steps.slice(length)) };
  }
  return undefined;
}
