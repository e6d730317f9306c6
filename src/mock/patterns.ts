import { createTextGenerator, type TextGenerator } from '../openapi/patterns/generate-text.ts';
import type { Random } from '../util/random.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { GenerationLimit } from './generation-limit.ts';

/** The number of further attempts with random lengths, for example for a pattern with lookaround. */
const MAX_ATTEMPTS = 30;

/** The maximum difference between the usual length of a text and the length in a further attempt. */
const MAX_DIFFERENCE = 12;

/** The maximum usual length of a text, unless the pattern or the schema requires a longer one. */
const MAX_USUAL_LENGTH = 24;

/** The allowed lengths of a string, in characters. */
interface AllowedLengths {
  readonly minLength: number;
  readonly maxLength: number;
}

/**
 * Generates strings for a pattern, with various lengths.
 * Prefers the usual length of a string for this pattern, if it is allowed.
 * The caller must check whether a string matches.
 */
export function* generateMatches(
  pattern: string,
  { minLength, maxLength }: AllowedLengths,
  random: Random,
  limit: GenerationLimit,
): Generator<string> {
  const generator = getGenerator(pattern);
  if (!generator) return;
  const clamp = (length: number) => Math.max(minLength, Math.min(maxLength, length));
  const usual = clamp(Math.min(generator.usualLength, Math.max(generator.lengths.min, MAX_USUAL_LENGTH)));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const length = attempt === 0 ? usual : clamp(usual + random.integer(-attempt, Math.min(attempt, MAX_DIFFERENCE)));
    const text = generator.generate(length, random, limit);
    yield text;
    // A pattern without `$` also matches longer texts.
    if (text.length >= minLength) continue;
    limit.addCharacters(minLength);
    yield text.padEnd(minLength, 'x');
  }
}

/** The generators of the patterns in use. */
const generators = new Map<string, TextGenerator | undefined>();

/** The maximum number of generators in the cache. */
const MAX_CACHED = 1_000;

function getGenerator(pattern: string): TextGenerator | undefined {
  if (!generators.has(pattern)) {
    if (generators.size >= MAX_CACHED) generators.clear();
    generators.set(
      pattern,
      tryOrUndefined(() => createTextGenerator(pattern)),
    );
  }
  return generators.get(pattern);
}
