/** The relevant tokens of JSON: strings, brackets, braces and colons. Numbers, literals and whitespace are between them. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** Returns the first name that an object in valid JSON has twice (RFC 8259, section 4); undefined if all names are unique. */
export function findRepeatedName(json: string): string | undefined {
  /** The names of each open object; undefined for a list. */
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
