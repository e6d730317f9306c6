import { generateSync } from 'json-schema-faker';
import type { Random } from './random.ts';

/** Classes of Unicode that the generator takes for letters as they stand, and letters that are of them. */
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/\\p\{(Lu|Uppercase_Letter|Uppercase)\}/g, 'A-Z'],
  [/\\p\{(Ll|Lowercase_Letter|Lowercase)\}/g, 'a-z'],
  [/\\p\{(L|Letter|Alpha|Alphabetic|Script=Latin)\}/g, 'A-Za-z'],
  [/\\p\{(N|Nd|Number|Decimal_Number)\}/g, '0-9'],
];

/** How often what may be repeated at will is, one after the other, until the length is right. */
const REPEATS = [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 100, 128, 200, 255, 0];

/** Texts that a pattern may take, of various lengths: whoever uses them looks which one is. */
export function* textsOf(pattern: string, random: Random): Generator<string> {
  const known = withKnownClasses(pattern);
  for (const repeats of REPEATS) {
    const bounded = withRepeats(known, repeats);
    try {
      yield String(generateSync({ type: 'string', pattern: bounded }, { seed: random.whole(1, 2 ** 31 - 1) }));
    } catch {
      // A pattern that it can't read: another one may do.
    }
  }
}

function withKnownClasses(pattern: string): string {
  let isInside = false;
  return pattern.replaceAll(/\\p\{[^}]*\}|\\.|[[\]]/g, (part) => {
    if (part === '[') isInside = true;
    if (part === ']') isInside = false;
    const letters = CLASSES.find(([one]) => new RegExp(`^${one.source}$`).test(part))?.[1];
    return letters === undefined ? part : isInside ? letters : `[${letters}]`;
  });
}

/** A pattern in which what may be repeated at will is repeated so often. */
function withRepeats(pattern: string, repeats: number): string {
  let isInside = false;
  return pattern.replaceAll(/\\.|[[\]]|[*+]\??|\{(\d+),(\d*)\}\??/g, (part, least?: string, most?: string) => {
    if (part === '[') isInside = true;
    if (part === ']') isInside = false;
    if (isInside || part.startsWith('\\') || part === '[' || part === ']') return part;
    if (part.startsWith('*')) return `{${repeats}}`;
    if (part.startsWith('+')) return `{${Math.max(1, repeats)}}`;
    const upper = most === '' ? Number.POSITIVE_INFINITY : Number(most);
    return `{${Math.min(upper, Math.max(Number(least), repeats))}}`;
  });
}
