/** The names and indexes that lead to a place in a JSON value. */
type JsonPath = readonly string[];

/** Returns the JSON text of a value with its first number or text (depth-first) replaced by `raw`; undefined if it has none. */
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

/** Returns the JSON text of a value with `raw` in place of the value at a path. */
function stringifyWith(value: unknown, [key, ...rest]: JsonPath, raw: string): string {
  if (key === undefined) return raw;
  const texts = Object.entries(value as object).map(([name, child]: [string, unknown]) => ({
    name,
    text: name === key ? stringifyWith(child, rest, raw) : JSON.stringify(child),
  }));
  if (Array.isArray(value)) return `[${texts.map(({ text }) => text).join(',')}]`;
  return `{${texts.map(({ name, text }) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** Parses JSON; numbers that are too large for a double become the largest double, which is the same for a schema without bounds. */
export function parseFinite(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? Math.sign(value) * Number.MAX_VALUE : value,
  );
}
