/** Matches the strings, brackets, braces and colons of a JSON text. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/**
 * Returns the first name that occurs twice in the same object of a valid JSON text (RFC 8259, section 4); undefined if
 * there is none.
 */
export function findRepeatedName(json: string): string | undefined {
  /**
   * The objects and arrays that are still open, outermost first.
   * An object is represented by its property names, and an array by undefined.
   */
  const open: (Set<string> | undefined)[] = [];
  let last = '';
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name: string = last.includes('\\') ? JSON.parse(last) : last.slice(1, -1);
      const names = open.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
    last = token;
  }
  return undefined;
}
