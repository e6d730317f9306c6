import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../util/issue.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { hasJsonIssues, MAX_JSON_DEPTH, MEGABYTE } from '../util/limits.ts';

/**
 * An operation of a JSON Patch (RFC 6902).
 * `from` is the source of `move` and `copy`.
 * `value` is the value of `add`, `replace` and `test`.
 */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/**
 * The result of a JSON Patch: the changed document, or the operation that can't be applied.
 * `failed`: the index of this operation.
 * `reason`: for example `there is no value at "name"`.
 */
type PatchResult<Value> =
  | { readonly document: Value; readonly failed?: undefined }
  | { readonly failed: number; readonly reason: string };

/**
 * Applies a JSON Patch (RFC 6902).
 * Does not change `document`: an object or a list is copied before its first change.
 * The result shares all unchanged values with `document`.
 */
export function applyPatch<Value>(document: Value, operations: readonly PatchOperation[]): PatchResult<Value> {
  const patched = new PatchedDocument(document);
  for (const [failed, operation] of operations.entries()) {
    try {
      patched.apply(operation);
    } catch (error) {
      if (error instanceof UserError) return { failed, reason: error.message };
      throw error;
    }
  }
  return { document: patched.document as Value };
}

/** An object or a list that a patch can change. */
type Container = Record<string, unknown> | unknown[];

/**
 * The maximum total size of the values that the `copy` operations of a patch copy, in characters of JSON.
 * Without a limit, each operation could double the size of the document.
 */
const MAX_COPIED_LENGTH = 2 * MEGABYTE;

/** A document while the operations of a patch are applied to it. */
class PatchedDocument {
  document: unknown;
  /** The objects and lists that have already been copied, so that they can be changed in place. */
  readonly #copies = new Set<unknown>();
  #copiedLength = 0;

  constructor(document: unknown) {
    this.document = document;
  }

  apply({ op, path, from = '', value }: PatchOperation): void {
    if (op === 'test') this.#test(path, value);
    else if (op === 'add') this.#add(path, value);
    else if (op === 'remove') this.#remove(path);
    else if (op === 'replace') this.#replace(path, value);
    else if (op === 'copy') this.#add(path, this.#duplicate(this.#read(from)));
    else this.#move(from, path);
  }

  #test(path: string, value: unknown): void {
    const current = this.#read(path);
    // A failed test is the last operation, so the values are copied at most once.
    if (!isDeepStrictEqual(current, value) && !isDeepStrictEqual(toJson(current), toJson(value)))
      throw new UserError('the value has changed');
  }

  #add(path: string, value: unknown): void {
    this.#insert(path, value, true);
  }

  #insert(path: string, value: unknown, isNew: boolean): void {
    const { parent, step } = this.#open(path);
    if (isNew) checkDepth(path, value);
    if (!Array.isArray(parent)) setProperty(parent, step, value);
    else parent.splice(step === '-' ? parent.length : toIndex(parent, step, parent.length), 0, value);
  }

  #remove(path: string): unknown {
    const { parent, step } = this.#open(path);
    const removed = getChild(parent, step);
    if (Array.isArray(parent)) parent.splice(Number(step), 1);
    else delete parent[step];
    return removed;
  }

  #replace(path: string, value: unknown): void {
    const { parent, step } = this.#open(path);
    getChild(parent, step);
    checkDepth(path, value);
    if (Array.isArray(parent)) parent[Number(step)] = value;
    else setProperty(parent, step, value);
  }

  #move(from: string, path: string): void {
    if (path.startsWith(`${from}/`)) throw new UserError('the path is inside the value that it moves');
    const { parent, step } = this.#open(from);
    if (!Array.isArray(parent) || getParentPath(from) !== getParentPath(path)) {
      // A value that does not become deeper was checked where it is: checking it again takes as long as its size.
      const isDeeper = parsePath(path).length > parsePath(from).length;
      this.#insert(path, this.#remove(from), isDeeper);
      return;
    }
    const source = toIndex(parent, step, parent.length - 1);
    const target = path.slice(path.lastIndexOf('/') + 1);
    moveEntry(parent, source, target === '-' ? parent.length - 1 : toIndex(parent, target, parent.length - 1));
  }

  #read(path: string): unknown {
    return parsePath(path).reduce<unknown>(getChild, this.document);
  }

  #duplicate(value: unknown): unknown {
    const text = JSON.stringify(value);
    this.#copiedLength += text.length;
    if (this.#copiedLength > MAX_COPIED_LENGTH) throw new UserError('the patch copies more than 2 MB');
    return JSON.parse(text);
  }

  /**
   * Copies all objects and lists that contain the value at `path`.
   * Returns the copy of the innermost one, and the last segment of the path.
   */
  #open(path: string): { readonly parent: Container; readonly step: string } {
    const steps = parsePath(path);
    let parent = this.#copyOnce(this.document);
    this.document = parent;
    for (const step of steps.slice(0, -1)) {
      const child = this.#copyOnce(getChild(parent, step));
      if (Array.isArray(parent)) parent[Number(step)] = child;
      else setProperty(parent, step, child);
      parent = child;
    }
    return { parent, step: steps.at(-1) ?? '' };
  }

  #copyOnce(value: unknown): Container {
    if (typeof value !== 'object' || value === null)
      throw new UserError('the path leads through a value that is neither an object nor a list');
    if (this.#copies.has(value)) return value as Container;
    const copy = Array.isArray(value) ? [...value] : { ...value };
    this.#copies.add(copy);
    return copy;
  }
}

/** Returns a copy of a JSON value in which -0 is 0, because numbers are compared by value (RFC 6902, section 4.6). */
function toJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function getParentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/**
 * Moves an entry of a list in place.
 * Removing and inserting the entry would be slower, because each of the two calls could copy a long list.
 */
function moveEntry(list: unknown[], from: number, to: number): void {
  const entry = list[from];
  const step = from < to ? 1 : -1;
  for (let index = from; index !== to; index += step) list[index] = list[index + step];
  list[to] = entry;
}

function parsePath(path: string): readonly string[] {
  const steps = parsePointer(path);
  if (steps.length > MAX_JSON_DEPTH) throw new UserError(`the path has more than ${MAX_JSON_DEPTH} segments`);
  return steps;
}

/** Throws a `UserError` if a value contains a number that is too large, or would be nested too deeply at `path`. */
function checkDepth(path: string, value: unknown): void {
  const maxDepth = MAX_JSON_DEPTH - parsePath(path).length;
  if (hasJsonIssues(value, maxDepth))
    throw new UserError(
      `the value has a number that is too large, or has more than ${MAX_JSON_DEPTH} levels together with its path`,
    );
}

/** Returns the property of an object, or the entry of a list. Throws a `UserError` if it does not exist. */
function getChild(node: unknown, step: string): unknown {
  if (Array.isArray(node)) return node[toIndex(node, step, node.length - 1)];
  if (typeof node === 'object' && node !== null && Object.hasOwn(node, step))
    return (node as Record<string, unknown>)[step];
  throw new UserError(`there is no value at ${JSON.stringify(step)}`);
}

function toIndex(list: readonly unknown[], step: string, last: number): number {
  if (/^(0|[1-9]\d*)$/.test(step) && Number(step) <= last) return Number(step);
  throw new UserError(`there is no index ${JSON.stringify(step)} in a list of ${list.length} entries`);
}

/** Sets a property of an object. The name can be `__proto__`. */
function setProperty(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}
