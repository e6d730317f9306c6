/** The tokens of JSON that matter here: strings, and what opens, closes and separates. Between them stand numbers, literals and blanks. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** Returns the first name that an object in a text of valid JSON has twice (RFC 8259, section 4); undefined when each name is unique. */
export function findRepeatedName(json: string): string | undefined {
  /** The names of the objects that are open, one set for each; undefined for a list. */
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
