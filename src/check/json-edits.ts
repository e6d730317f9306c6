/** A place in a JSON value: the names and indexes that lead to it. */
type JsonPath = readonly string[];

/** The JSON text of a value in which the first number, or the first text, is replaced by `raw`, in depth-first order. Undefined if the value has none. */
export function replaceFirst(type: 'number' | 'string', value: unknown, raw: string): string | undefined {
  const path = findFirst(type, value);
  return path && stringifyWith(value, path, raw);
}

function findFirst(type: 'number' | 'string', value: unknown): JsonPath | undefined {
  if (typeof value === type) return [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const below = findFirst(type, child);
    if (below) return [key, ...below];
  }
  return undefined;
}

/** The JSON text of a value with `raw` in place of what stands at `path`. */
function stringifyWith(value: unknown, [key, ...rest]: JsonPath, raw: string): string {
  if (key === undefined) return raw;
  const texts = Object.entries(value as object).map(([name, child]: [string, unknown]) => ({
    name,
    text: name === key ? stringifyWith(child, rest, raw) : JSON.stringify(child),
  }));
  if (Array.isArray(value)) return `[${texts.map(({ text }) => text).join(',')}]`;
  return `{${texts.map(({ name, text }) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** What JSON.parse makes of a text, with the largest number in place of those that are too large for a double: by a schema both are the same, unless it has a bound. */
export function parseFinite(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? Math.sign(value) * Number.MAX_VALUE : value,
  );
}
