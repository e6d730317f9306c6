import { generateSync } from 'json-schema-faker';
import type { Random } from '../util/random.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';

/** The Unicode classes that json-schema-faker does not support, with the character ranges that replace them. */
const UNICODE_CLASSES: readonly (readonly [RegExp, string])[] = [
  [/^\\p\{(Lu|Uppercase_Letter|Uppercase)\}$/, 'A-Z'],
  [/^\\p\{(Ll|Lowercase_Letter|Lowercase)\}$/, 'a-z'],
  [/^\\p\{(L|Letter|Alpha|Alphabetic|Script=Latin)\}$/, 'A-Za-z'],
  [/^\\p\{(N|Nd|Number|Decimal_Number)\}$/, '0-9'],
];

/** The numbers of repetitions to try first for `*`, `+` and `{n,}`. A string of six random characters is probably unique. */
const REPETITIONS = [6, 4, 3, 8, 2, 12, 1, 0];

/** The maximum number of characters outside the repetitions of a pattern. */
const MAX_OTHER_CHARACTERS = 16;

/** Generates strings for a pattern, with various lengths. Prefers strings with one of `lengths`. The caller must check whether a string matches. */
export function* generateMatches(pattern: string, lengths: readonly number[], random: Random): Generator<string> {
  const supported = replaceBackReferences(replaceUnicodeClasses(pattern), random);
  const fromLengths = lengths
    .filter((length) => length > 0 && Number.isFinite(length))
    .flatMap((length) => Array.from({ length: MAX_OTHER_CHARACTERS }, (_, others) => length - others))
    .filter((count) => count > 0);
  for (const count of new Set([...REPETITIONS, ...fromLengths])) {
    // json-schema-faker throws for some patterns with changed quantifiers.
    const text = tryOrUndefined(() => generateMatch(setRepetitions(supported, count), random));
    if (text !== undefined) yield text;
  }
}

function generateMatch(pattern: string, random: Random): string {
  return String(generateSync({ type: 'string', pattern }, { seed: random.integer(1, 2 ** 31 - 1) }));
}

/** Replaces back references and their groups with a string that matches the group: `(a|b)\1` becomes `aa`. */
function replaceBackReferences(pattern: string, random: Random): string {
  if (!/\\(\d|k<)/.test(pattern)) return pattern;
  const groups = new Map<string, string>();
  let count = 0;
  const withoutGroups = pattern.replaceAll(
    /(?<!\\)\((?:\?<(\w+)>)?((?!\?)[^()]*)\)/g,
    (_all, name: string | undefined, inner: string) => {
      const text = generateMatch(inner, random).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      for (const key of [String(++count), name ?? '']) groups.set(key, text);
      return text;
    },
  );
  return withoutGroups.replaceAll(
    /\\(?:(\d)|k<(\w+)>)/g,
    (all, index?: string, name?: string) => groups.get(index ?? name ?? '') ?? all,
  );
}

function replaceUnicodeClasses(pattern: string): string {
  let isInClass = false;
  return pattern.replaceAll(/\\p\{[^}]*\}|\\.|[[\]]/g, (part) => {
    if (part === '[') isInClass = true;
    if (part === ']') isInClass = false;
    const characters = UNICODE_CLASSES.find(([unicodeClass]) => unicodeClass.test(part))?.[1];
    if (characters === undefined) return part;
    return isInClass ? characters : `[${characters}]`;
  });
}

/** Replaces each quantifier with a fixed number of repetitions: `count`, or the closest number that the quantifier allows. */
function setRepetitions(pattern: string, count: number): string {
  let isInClass = false;
  return pattern.replaceAll(/\\.|[[\]]|[*+]\??|\{(\d+),(\d*)\}\??/g, (part, least?: string, most?: string) => {
    if (part === '[') isInClass = true;
    if (part === ']') isInClass = false;
    if (isInClass || part.startsWith('\\') || part === '[' || part === ']') return part;
    if (part.startsWith('*')) return `{${count}}`;
    if (part.startsWith('+')) return `{${Math.max(1, count)}}`;
    const upper = most === '' ? Number.POSITIVE_INFINITY : Number(most);
    return `{${Math.min(upper, Math.max(Number(least), count))}}`;
  });
}
