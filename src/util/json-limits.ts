/**
 * The maximum nesting of objects and arrays in JSON from clients and files.
 * It prevents stack overflows, because recursive functions call themselves once for each level.
 */
export const MAX_JSON_DEPTH = 100;

/** The start of the error message about a value that is nested too deeply. */
export const TOO_DEEP = `is nested deeper than ${MAX_JSON_DEPTH} levels`;

/** The end of the error message about a value that is nested too deeply: what to do. */
export const TOO_DEEP_REMEDY = 'reduce the nesting';

/** The maximum number of issues that `findJsonIssues` returns. */
const MAX_ISSUES = 20;

/**
 * A part of a JSON value that the server can't process.
 * The rule `depth`: the value is nested too deeply.
 * The rule `finite`: the value is a number that is too large.
 */
interface JsonIssue {
  readonly rule: 'depth' | 'finite';
  /** The property names and array indexes that lead to the value. For the rule `depth`, only the first two of them. */
  readonly path: readonly string[];
  /** The value at `path`. */
  readonly value: unknown;
}

/**
 * Returns the parts of a JSON value that the server can't process.
 * A value that is nested too deeply gets a single issue with the rule `depth`.
 * Otherwise each number that is too large gets an issue with the rule `finite`: `JSON.parse` returns `Infinity` for
 * `1e400`.
 * The first `outerLevels` levels of nesting do not count.
 */
export function findJsonIssues(value: unknown, outerLevels = 0): readonly JsonIssue[] {
  const maxDepth = MAX_JSON_DEPTH + outerLevels;
  if (!hasJsonIssues(value, maxDepth)) return [];
  const issues: JsonIssue[] = [];
  const path: (string | number)[] = [];
  /** Returns false if the value is nested too deeply. */
  const visit = (inner: unknown): boolean => {
    if (typeof inner === 'number') {
      if (!Number.isFinite(inner) && issues.length < MAX_ISSUES)
        issues.push({ rule: 'finite', path: path.length > 0 ? path.map(String) : [''], value: inner });
      return true;
    }
    if (typeof inner !== 'object' || inner === null) return true;
    if (path.length >= maxDepth) return false;
    // Creates no array of entries and no object for each value, because a large body has millions of values.
    if (Array.isArray(inner)) {
      for (let index = 0; index < inner.length; index++) if (!visitEntry(index, inner[index])) return false;
      return true;
    }
    for (const key in inner) if (!visitEntry(key, (inner as Readonly<Record<string, unknown>>)[key])) return false;
    return true;
  };
  const visitEntry = (key: string | number, inner: unknown): boolean => {
    path.push(key);
    const isShallow = visit(inner);
    if (isShallow) path.pop();
    return isShallow;
  };
  return visit(value) ? issues : [createDepthIssue(value, path.map(String))];
}

/**
 * Returns whether a value has more than `maxDepth` levels of nesting, or contains a number that is not finite.
 * Creates no objects, so it is faster than `findJsonIssues`.
 */
export function hasJsonIssues(value: unknown, maxDepth = MAX_JSON_DEPTH): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  if (maxDepth === 0) return true;
  if (Array.isArray(value)) return value.some((entry) => hasJsonIssues(entry, maxDepth - 1));
  for (const key in value)
    if (hasJsonIssues((value as Readonly<Record<string, unknown>>)[key], maxDepth - 1)) return true;
  return false;
}

/** The number of property names and array indexes that locate a value that is nested too deeply. */
const DEPTH_PATH_LENGTH = 2;

function createDepthIssue(root: unknown, steps: readonly string[]): JsonIssue {
  const path = steps.slice(0, DEPTH_PATH_LENGTH);
  const value = path.reduce<unknown>((inner, step) => (inner as Readonly<Record<string, unknown>>)[step], root);
  return { rule: 'depth', path, value };
}

/**
 * The maximum number of values in JSON from a client.
 * JSON of 16 MB usually has at most 1,060,000 values, but arrays of many short strings can have more.
 */
export const MAX_JSON_VALUES = 1_200_000;

/**
 * Returns whether a JSON text has too many objects, arrays, properties and array items (more than `MAX_JSON_VALUES`).
 * Takes 20 ms for 16 MB.
 */
export function hasTooManyValues(json: string): boolean {
  if (json.length <= MAX_JSON_VALUES) return false;
  let count = 0;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) index = findStringEnd(json, index);
    else if (code === COMMA || code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (++count > MAX_JSON_VALUES) return true;
    }
  }
  return false;
}

const [QUOTE, COMMA, OPEN_ARRAY, OPEN_OBJECT, BACKSLASH] = [0x22, 0x2c, 0x5b, 0x7b, 0x5c];

/**
 * Returns the index of the closing quotation mark of the string that starts at `start`.
 * Returns the length of the text if the string has no end.
 */
export function findStringEnd(json: string, start: number): number {
  for (let index = start + 1; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) index++;
  }
  return json.length;
}
