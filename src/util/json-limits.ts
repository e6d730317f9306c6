/** How many objects and lists of JSON from outside may stand in each other: what follows such values calls itself for each level. */
export const MAX_JSON_DEPTH = 100;

/** How many issues of a value are returned at most. */
const MAX_ISSUES = 20;

/** A reason why a JSON value can't be processed. */
export interface JsonIssue {
  readonly rule: 'depth' | 'finite';
  /** The names and places that lead there; with `depth`, the first two of them. */
  readonly path: readonly string[];
  /** The number, or the value in which too much is nested. */
  readonly value: unknown;
}

/**
 * Returns the reasons why a value can't be processed: more levels than `MAX_JSON_DEPTH` (then it returns nothing else), and numbers that
 * JavaScript can't represent, as `1e400`, which `JSON.parse` makes `Infinity`. Recursion ends at `MAX_JSON_DEPTH`, so depth does no harm.
 * `outerLevels`: how many levels around the values that were sent do not count.
 */
export function findJsonIssues(value: unknown, outerLevels = 0): readonly JsonIssue[] {
  const issues: JsonIssue[] = [];
  const path: (string | number)[] = [];
  const maxDepth = MAX_JSON_DEPTH + outerLevels;
  /** Whether a value has no more levels than are allowed. */
  const visit = (inner: unknown): boolean => {
    if (typeof inner === 'number') {
      if (!Number.isFinite(inner) && issues.length < MAX_ISSUES)
        issues.push({ rule: 'finite', path: path.length > 0 ? path.map(String) : [''], value: inner });
      return true;
    }
    if (typeof inner !== 'object' || inner === null) return true;
    if (path.length >= maxDepth) return false;
    // Large bodies have millions of values: neither a list of entries nor an object is created for one.
    if (Array.isArray(inner)) {
      for (let at = 0; at < inner.length; at++) if (!visitAt(at, inner[at])) return false;
      return true;
    }
    for (const key in inner) if (!visitAt(key, (inner as Readonly<Record<string, unknown>>)[key])) return false;
    return true;
  };
  const visitAt = (key: string | number, inner: unknown): boolean => {
    path.push(key);
    const isShallow = visit(inner);
    if (isShallow) path.pop();
    return isShallow;
  };
  return visit(value) ? issues : [tooDeep(value, path.map(String))];
}

/** How many steps of the path to what is nested too deep are told. */
const STEPS_TOLD = 2;

function tooDeep(whole: unknown, steps: readonly string[]): JsonIssue {
  const path = steps.slice(0, STEPS_TOLD);
  const value = path.reduce<unknown>((inner, step) => (inner as Readonly<Record<string, unknown>>)[step], whole);
  return { rule: 'depth', path, value };
}

/** How many values a JSON text may have that is parsed: 16 MB of orders without products have 1,060,000, the most of all states of that length but for lists of short keywords. */
export const MAX_JSON_VALUES = 1_200_000;

/** Whether a JSON text has more than `MAX_JSON_VALUES` objects, lists, properties and entries. Takes 20 ms for 16 MB. */
export function hasTooManyValues(json: string): boolean {
  if (json.length <= MAX_JSON_VALUES) return false;
  let count = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) at = endOfText(json, at);
    else if (character === COMMA || character === OPEN_LIST || character === OPEN_OBJECT) {
      if (++count > MAX_JSON_VALUES) return true;
    }
  }
  return false;
}

const [QUOTE, COMMA, OPEN_LIST, OPEN_OBJECT, BACKSLASH] = [0x22, 0x2c, 0x5b, 0x7b, 0x5c];

/** The place of the quotation mark that ends the text which begins at `start`; the end of the JSON where there is none. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) return at;
    if (character === BACKSLASH) at++;
  }
  return json.length;
}
