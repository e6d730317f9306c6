import { exec, type JsonValue } from 'jsonpath-rfc9535';
import { type Issue, UserError } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { tryOrError } from '../util/try-or-undefined.ts';
import { type Document, formatIssues, isNode, type Node, parseText, readContract, toNode } from './document.ts';
import { FileAccess, type FileReader, type SourceFile, type Target } from './source-files.ts';
import { createLocator } from './source-location.ts';

/** The file name endings of overlays. For example, the overlay of `openapi.yaml` is `openapi.overlay.yaml`. */
const ENDINGS = ['.overlay.yaml', '.overlay.yml', '.overlay.json'];

/** The path and the text of an overlay: a file with changes to an OpenAPI document (OpenAPI Overlay Specification). */
export type Overlay = Omit<SourceFile, 'content'>;

/**
 * Returns the paths that an overlay of the document at `path` can have, such as `openapi.overlay.yaml` for
 * `openapi.yaml`.
 */
export function listOverlayPaths(path: string): readonly string[] {
  return ENDINGS.map((ending) => path.replace(/\.(ya?ml|json)$/i, '') + ending);
}

/**
 * Reads the overlay of the document at `path`.
 * Returns undefined if there is no overlay.
 * Throws `UserError` if the overlay can't be read, or if there are several overlays.
 */
export function readOverlay(
  path: string,
  access: Pick<FileReader, 'findRefusal'> = new FileAccess(path),
): Overlay | undefined {
  const [overlay, other] = listOverlayPaths(path).flatMap((file) => {
    const text = readIfExists(file);
    if (text === undefined) return [];
    const refusal = access.findRefusal(file);
    if (refusal !== undefined) throw new UserError(`${file} refers to a file ${refusal}`);
    return [{ path: file, text }];
  });
  if (overlay && other)
    throw new UserError(`${overlay.path} and ${other.path} both change ${path}: remove one of them`);
  return overlay;
}

function readIfExists(path: string): string | undefined {
  try {
    return readContract(path);
  } catch (error) {
    const { cause } = error as UserError;
    if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A document that an overlay has changed. */
interface OverlaidDocument {
  readonly document: Document;
  /**
   * For each value from the overlay: its place in the overlay.
   * The key is the JSON Pointer of the value in `document`.
   */
  readonly origins: ReadonlyMap<string, Target>;
  /** A message about the actions that change nothing; undefined if there are none. */
  readonly warning: string | undefined;
}

/**
 * Applies an overlay of version 1.0 or 1.1 to a document (OpenAPI Overlay Specification).
 * Does not support the property `copy` of actions (version 1.1).
 * Throws `UserError` if the overlay is invalid.
 * The error message lists the invalid places in the overlay.
 */
export function applyOverlay(document: Document, { path, text }: Overlay): OverlaidDocument {
  const content = parseText(path, text);
  if (!isNode(content) || !/^1\.\d/.test(String(content.overlay)))
    throw new UserError(`${path} is not an overlay: it must have a version such as "overlay: 1.0.0" at the top level`);
  const applied = new OverlayActions(document, { path, text, content });
  const locate = createLocator(path, text);
  const { issues, unused, origins } = applied;
  if (issues.size > 0) throw new UserError(formatIssues(locate, [...issues.values()]));
  return {
    document: applied.document as Document,
    origins,
    warning: unused.length > 0 ? formatIssues(locate, unused) : undefined,
  };
}

/** The JSON Pointers of a value that an overlay adds. `pointer`: in the document. `source`: in the overlay. */
interface Place {
  readonly pointer: string;
  readonly source: string;
}

/**
 * Applies the actions of an overlay to a document.
 * The constructor applies all actions, and the properties have the results.
 */
class OverlayActions {
  document: unknown;
  /** The errors in the overlay, by their JSON Pointers in the overlay. */
  readonly issues = new Map<string, Issue>();
  /** Warnings about the targets that select nothing in the document. */
  readonly unused: Issue[] = [];
  readonly origins = new Map<string, Target>();
  readonly #file: SourceFile;

  constructor(document: Document, file: SourceFile) {
    this.document = document;
    this.#file = file;
    const { actions } = file.content as Node;
    if (Array.isArray(actions))
      for (const [index, action] of actions.entries()) this.#apply(action, `/actions/${index}`);
    else this.#refuse('/actions', 'must be a list of overlay actions');
  }

  #apply(action: unknown, pointer: string): void {
    const { target, update, remove } = toNode(action);
    if (update === undefined && remove !== true)
      this.#refuse(pointer, 'has neither update nor remove: add one of them');
    else
      for (const selected of this.#select(target, `${pointer}/target`)) {
        const place = { pointer: selected, source: `${pointer}/update` };
        const change = (node: unknown) => (remove === true ? REMOVED : this.#merge(node, update, place));
        this.document = changeAt(this.document, parsePointer(selected), change);
      }
    if (this.document === REMOVED)
      this.#refuse(`${pointer}/target`, 'is the whole document: select a part of it to remove');
  }

  #refuse(pointer: string, message: string): void {
    this.issues.set(pointer, { pointer, message });
  }

  /**
   * Returns the JSON Pointers of the values that a JSONPath selects.
   * Later array entries come first, so that removing them does not change the indexes of earlier entries.
   */
  #select(target: unknown, pointer: string): readonly string[] {
    const pointers: string[] = [];
    const error = tryOrError(Error, () =>
      exec(this.document as JsonValue, String(target), (_, path) => void pointers.push(formatPointer(...path))),
    );
    if (error)
      this.#refuse(pointer, `is not a JSONPath: use a JSONPath such as $.paths['/pets'].get (${error.message})`);
    else if (pointers.length === 0)
      this.unused.push({
        pointer,
        message: 'selects nothing in the document: correct the JSONPath, or remove the action',
      });
    return [...new Set(pointers)].sort(compareByIndex).reverse();
  }

  /**
   * Returns a node with an update applied: objects are merged, values are appended to a list, and simple values are
   * replaced.
   * `value`: the update.
   */
  #merge(node: unknown, value: unknown, place: Place): unknown {
    if (isNode(node) && isNode(value)) {
      const merged = Object.entries(value).map(([key, own]) => {
        const child = { pointer: place.pointer + formatPointer(key), source: place.source + formatPointer(key) };
        return [key, Object.hasOwn(node, key) ? this.#merge(node[key], own, child) : this.#add(own, child)];
      });
      return { ...node, ...Object.fromEntries(merged) };
    }
    if (Array.isArray(node)) return [...node, ...this.#listEntries(value, node.length, place)];
    if (node === null || (typeof node !== 'object' && (typeof value !== 'object' || value === null)))
      return this.#add(value, place);
    this.#refuse(
      place.source,
      `is ${nameType(value)}, but the target is ${nameType(node)}: remove the target in an earlier action`,
    );
    return node;
  }

  #listEntries(value: unknown, length: number, { pointer, source }: Place): readonly unknown[] {
    const toPlace = (index: number) => ({
      pointer: `${pointer}/${length + index}`,
      source: Array.isArray(value) ? `${source}/${index}` : source,
    });
    return [value].flat().map((entry, index) => this.#add(entry, toPlace(index)));
  }

  #add(value: unknown, { pointer, source }: Place): unknown {
    this.origins.set(pointer, { file: this.#file, pointer: source, node: value });
    return value;
  }
}

function nameType(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isNode(value) ? 'an object' : 'a simple value';
}

function compareByIndex(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

const REMOVED = Symbol('removed');

/**
 * Replaces the value at a parsed JSON Pointer (`[step, ...rest]`) by the result of `change`, and returns the changed
 * copy of `node`.
 * If the result of `change` is `REMOVED`, the copy lacks the value.
 */
function changeAt(node: unknown, [step, ...rest]: readonly string[], change: (node: unknown) => unknown): unknown {
  if (step === undefined) return change(node);
  if (Array.isArray(node)) {
    const index = Number(step);
    const changed = changeAt(node[index], rest, change);
    return [...node.slice(0, index), ...(changed === REMOVED ? [] : [changed]), ...node.slice(index + 1)];
  }
  const entries = Object.entries(node as Node).flatMap(([key, value]) => {
    const changed = key === step ? changeAt(value, rest, change) : value;
    return changed === REMOVED ? [] : [[key, changed]];
  });
  return Object.fromEntries(entries);
}
