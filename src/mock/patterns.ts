import { generateSync } from 'json-schema-faker';
import type { Random } from '../util/random.ts';

/** Classes of Unicode that the generator takes for letters as they stand, and letters that are of them. */
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/\\p\{(Lu|Uppercase_Letter|Uppercase)\}/g, 'A-Z'],
  [/\\p\{(Ll|Lowercase_Letter|Lowercase)\}/g, 'a-z'],
  [/\\p\{(L|Letter|Alpha|Alphabetic|Script=Latin)\}/g, 'A-Za-z'],
  [/\\p\{(N|Nd|Number|Decimal_Number)\}/g, '0-9'],
];

/** How often what may be repeated at will is, at first. */
const REPEATS = [1, 2, 3, 4, 6, 8, 12, 0];

/** How many letters of a text may be others than those that are repeated. */
const OTHERS = 16;

/** Texts that a pattern may take, of various lengths, those asked for among them: whoever uses them looks which one is right. */
export function* textsOf(pattern: string, lengths: readonly number[], random: Random): Generator<string> {
  const known = withoutBackReferences(withKnownClasses(pattern), random);
  const wanted = lengths
    .filter((length) => length > 0 && Number.isFinite(length))
    .flatMap((length) => Array.from({ length: OTHERS }, (_, others) => length - others))
    .filter((repeats) => repeats > 0);
  for (const repeats of new Set([...REPEATS, ...wanted])) {
    try {
      const asked = { type: 'string', pattern: withRepeats(known, repeats) };
      yield String(generateSync(asked, { seed: random.whole(1, 2 ** 31 - 1) }));
    } catch {
      // A pattern that it can't read: another one may do.
    }
  }
}

/** A pattern in which each group that is referred to again stands for one text: `(a|b)\\1` for `aa`, say. */
function withoutBackReferences(pattern: string, random: Random): string {
  if (!/\\(\d|k<)/.test(pattern)) return pattern;
  const groups = new Map<string, string>();
  let count = 0;
  const settled = pattern.replaceAll(
    /(?<!\\)\((?:\?<(\w+)>)?((?!\?)[^()]*)\)/g,
    (_all, name: string | undefined, inner: string) => {
      const text = escaped(
        String(generateSync({ type: 'string', pattern: inner }, { seed: random.whole(1, 2 ** 31 - 1) })),
      );
      for (const key of [String(++count), name ?? '']) groups.set(key, text);
      return text;
    },
  );
  return settled.replaceAll(
    /\\(?:(\d)|k<(\w+)>)/g,
    (all, place?: string, name?: string) => groups.get(place ?? name ?? '') ?? all,
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
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
