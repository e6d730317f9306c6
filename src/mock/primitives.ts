import type { Node } from '../openapi/document.ts';
import { createTextGenerator, type TextGenerator } from '../openapi/patterns/generate-text.ts';
import { createPattern } from '../openapi/patterns/pattern.ts';
import { createUuid, type Random } from '../util/random.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { GenerationLimit } from './generation-limit.ts';
import {
  generateHex,
  generatePath,
  generateSentence,
  generateText,
  generateTime,
  generateUrl,
  getRealisticRange,
  type Label,
} from './realistic-values.ts';

/**
 * Generates a string for the pattern or the format of a schema, else a realistic string for the property name.
 * Throws the error of `createEndlessError` if the string is too long.
 */
export function generateString(schema: Node, place: Label, random: Random, limit: GenerationLimit): string {
  const lengths = getLengths(schema);
  limit.addCharacters(lengths.minLength);
  if (schema.pattern !== undefined) return generateForPattern(schema, place, random, limit);
  const label = { ...place, maxLength: lengths.maxLength };
  const format = FORMATS.get(schema.format);
  if (format) return fitLength(format, format[0](random, label), lengths);
  const words = [generateText(label, random)];
  for (let { length = 0 } = words[0] ?? ''; length < lengths.minLength; length += (words.at(-1)?.length ?? 0) + 1)
    words.push(generateSentence(random));
  const text = words.join(' ');
  const end = Math.max(lengths.minLength, Math.min(text.length, lengths.maxLength));
  return text.slice(0, end).trimEnd().padEnd(lengths.minLength, 'x');
}

function getLengths({ minLength, maxLength }: Node) {
  return { minLength: Number(minLength ?? 0), maxLength: Number(maxLength ?? Number.POSITIVE_INFINITY) };
}

/**
 * Changes the length of a string to an allowed length, in the same format.
 * Returns the string unchanged if its length is allowed, or if all strings of the format have the same length.
 */
function fitLength(
  [, shortest, index]: Format,
  text: string,
  { minLength, maxLength }: ReturnType<typeof getLengths>,
): string {
  const isAllowed = text.length >= minLength && text.length <= maxLength;
  if (isAllowed || shortest === undefined || index === undefined) return text;
  const base = text.length < minLength && index === shortest.length ? text : shortest;
  const insertAt = base === text ? text.length : index;
  return base.slice(0, insertAt) + 'x'.repeat(Math.max(0, minLength - base.length)) + base.slice(insertAt);
}

/** Generates a string that matches all patterns of a schema. Tries a realistic string for the property name first. */
function generateForPattern(schema: Node, label: Label, random: Random, limit: GenerationLimit): string {
  const { pattern, ...rest } = schema;
  const patterns = [pattern].flat().map(String);
  const lengths = getLengths(schema);
  const isAllowed = (text: string) => {
    const length = countCharacters(text);
    const hasLength = length >= lengths.minLength && length <= lengths.maxLength;
    return hasLength && hasTimeFormat(schema.format, text) && patterns.every((each) => createPattern(each).test(text));
  };
  const realistic = generateString(rest, label, random, limit);
  if (isAllowed(realistic)) return realistic;
  // Patterns such as `^https://` allow no image in the URL itself.
  const file = realistic.startsWith('data:') ? generateString(rest, { ...label, isSent: true }, random, limit) : '';
  if (file !== '' && isAllowed(file)) return file;
  let joined = '';
  for (const each of patterns) {
    let first: string | undefined;
    for (const text of generateMatches(each, lengths, random, limit)) {
      for (const candidate of [completeTime(text, realistic), text]) if (isAllowed(candidate)) return candidate;
      first ??= text;
    }
    joined += first ?? '';
  }
  return isAllowed(joined) ? joined : (listTimes(realistic).find(isAllowed) ?? realistic);
}

/** The last day of each month, in a year that is not a leap year. */
const LAST_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The forms of dates and times (RFC 3339, section 5.6). */
const TIME_FORMATS: ReadonlyMap<unknown, RegExp> = new Map([
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i],
]);

/** Returns whether a text has the format of a schema. Returns true if the format is no date. */
function hasTimeFormat(format: unknown, text: string): boolean {
  const form = TIME_FORMATS.get(format);
  return form === undefined || (form.test(text) && !Number.isNaN(Date.parse(text)));
}

/** Times of the day, fractions of a second, and offsets, which patterns often require. */
const TIMES = ['00:00:00', '12:00:00', '23:59:59'];
const FRACTIONS = ['', '.000', '.000000'];
const OFFSETS = ['Z', '+00:00', '+02:00', '-05:00'];

/**
 * Returns dates, with or without times, for patterns such as `-31$` and `T23:59:59`.
 * `template`: a date of the format. For another text, the result is empty.
 */
function listTimes(template: string): readonly string[] {
  const [, year, time] = /^(\d{4})-\d\d-\d\d(?:T(\d\d:\d\d:\d\d))?/.exec(template) ?? [];
  if (year === undefined) return [];
  const days = LAST_DAYS.flatMap((lastDay, index) => {
    const month = String(index + 1).padStart(2, '0');
    return ['01', '15', '28', String(lastDay)].map((day) => `${year}-${month}-${day}`);
  });
  if (time === undefined) return days;
  const times = [time, ...TIMES].flatMap((one) =>
    FRACTIONS.flatMap((fraction) => OFFSETS.map((offset) => `T${one}${fraction}${offset}`)),
  );
  const day = template.slice(0, 10);
  return [...times.map((one) => day + one), ...days.flatMap((one) => times.map((rest) => one + rest))];
}

/**
 * Completes a text to a date, with or without a time, if its pattern gives only some digits of it: `2019-` becomes
 * `2019-06-15`, and `2019-83-00` becomes `2019-12-01`.
 * `template`: a date of the format.
 */
function completeTime(text: string, template: string): string {
  if (!/^\d{4}-\d\d-\d\d/.test(template)) return text;
  const limit = (digits: string, least: number, most: number) =>
    String(Math.min(most, Math.max(least, Number(digits)))).padStart(2, '0');
  return (text + template.slice(text.length))
    .replace(/^(\d{4})-(\d\d)-(\d\d)/, (_, year, month, day) => `${year}-${limit(month, 1, 12)}-${limit(day, 1, 28)}`)
    .replace(/(T\d\d):(\d\d):(\d\d)/i, (_, hour, minute, second) => {
      return `T${limit(hour.slice(1), 0, 23)}:${limit(minute, 0, 59)}:${limit(second, 0, 59)}`;
    });
}

/** Returns the number of code points in a text, which is its length in JSON Schema. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function generateIsoTime(random: Random, { name }: Label): string {
  return generateTime(random, name).toISOString().replace('.000Z', 'Z');
}

/**
 * A generator of strings of a format, such as `email`.
 * If the length of the strings can vary, `shortest` is the shortest string of the format.
 * To lengthen this string, characters are inserted at the index `insertAt`.
 */
type Format = readonly [generate: (random: Random, label: Label) => string, shortest?: string, insertAt?: number];

const EMAIL: Format = [(random) => generateText({ name: 'email', subject: '' }, random), 'a@b.co', 1];
const HOSTNAME: Format = [(random) => `host${random.integer(1, 99)}.example.com`, 'a.co', 1];
const URI: Format = [(random, label) => generateUrl(label, random), 'http://a.co', 11];
const URI_REFERENCE: Format = [(random, label) => generatePath(label, random), 'a', 1];

/** The generators by format. Other formats are ignored. */
const FORMATS: ReadonlyMap<unknown, Format> = new Map(
  Object.entries<Format>({
    'date-time': [generateIsoTime],
    date: [(random, label) => generateIsoTime(random, label).slice(0, 10)],
    time: [(random, label) => `${generateIsoTime(random, label).slice(11, 19)}Z`],
    duration: [(random) => `P${random.integer(1, 28)}D`],
    email: EMAIL,
    'idn-email': EMAIL,
    hostname: HOSTNAME,
    'idn-hostname': [HOSTNAME[0]],
    ipv4: [(random) => `192.0.2.${random.integer(1, 254)}`],
    ipv6: [(random) => `2001:db8::${generateHex(random, 4)}`],
    uri: URI,
    url: URI,
    iri: URI,
    'uri-reference': URI_REFERENCE,
    'iri-reference': URI_REFERENCE,
    'uri-template': [(random) => `https://example.com/items/{id}/${random.integer(1, 9)}`],
    uuid: [createUuid],
    'json-pointer': [(random) => `/items/${random.integer(0, 9)}`],
    'json-pointer-uri-fragment': [(random) => `#/items/${random.integer(0, 9)}`],
    'relative-json-pointer': [(random) => `${random.integer(0, 3)}/name`],
    regex: [() => '^[a-z]+$'],
    byte: [(random) => Buffer.from(generateText({ name: 'name', subject: '' }, random)).toString('base64')],
    binary: [(random) => generateText({ name: 'name', subject: '' }, random), 'a', 1],
    password: [(random) => generateText({ name: 'token', subject: '' }, random), 'a', 1],
  }),
);

/** The size of the range of numbers if a schema has only a minimum, or only a maximum. */
const SPAN = 1_000;

/** The size of the range of numbers if the default range has no multiple of `multipleOf`. */
const WIDE_SPAN = 1e12;

/** The maximum number of attempts to generate a number other than `exclusiveMinimum` and `exclusiveMaximum`. */
const MAX_ATTEMPTS = 20;

/**
 * The range of numbers by format.
 * The limits of 64-bit integers are not exact numbers, so the range for `int64` is slightly smaller.
 */
const INTEGER_RANGES: ReadonlyMap<unknown, readonly [least: number, most: number]> = new Map([
  ['int8', [-128, 127]],
  ['uint8', [0, 255]],
  ['int16', [-(2 ** 15), 2 ** 15 - 1]],
  ['uint16', [0, 2 ** 16 - 1]],
  ['int32', [-(2 ** 31), 2 ** 31 - 1]],
  ['uint32', [0, 2 ** 32 - 1]],
  ['uint64', [0, 2 ** 64 - 2_048]],
  ['int64', [-(2 ** 63), 2 ** 63 - 1_024]],
]);

/**
 * Generates a number for a schema, preferably in a realistic range for the property name.
 * For integers, `multipleOf` must be set.
 */
export function generateNumber(schema: Node, name: string, random: Random): number {
  const bounds = schema as Readonly<Record<string, number | undefined>>;
  const multipleOf = bounds.multipleOf ?? (INTEGER_RANGES.has(schema.format) ? 1 : undefined);
  const [formatLeast, formatMost] = INTEGER_RANGES.get(schema.format) ?? [-Infinity, Infinity];
  const least = Math.max(bounds.minimum ?? -Infinity, bounds.exclusiveMinimum ?? -Infinity);
  const most = Math.min(bounds.maximum ?? Infinity, bounds.exclusiveMaximum ?? Infinity);
  const isAllowed = (value: number) =>
    value >= least && value <= most && value !== bounds.exclusiveMinimum && value !== bounds.exclusiveMaximum;
  const [realisticLeast, realisticMost] = getRealisticRange(name);
  const ranges = [
    [Math.max(least, realisticLeast), Math.min(most, realisticMost)],
    [Number.isFinite(least) ? least : most - SPAN, Number.isFinite(most) ? most : least + SPAN],
    [
      Number.isFinite(least) ? least : Math.min(-WIDE_SPAN, most - WIDE_SPAN),
      Number.isFinite(most) ? most : Math.max(WIDE_SPAN, least + WIDE_SPAN),
    ],
  ] as const;
  for (const range of ranges) {
    const [from, to] = [Math.max(range[0], formatLeast), Math.min(range[1], formatMost)];
    for (const step of multipleOf === undefined ? [0.01, (to - from) / 1_000] : [multipleOf]) {
      const [first, last] = [Math.ceil(from / step - 1e-9), Math.floor(to / step + 1e-9)];
      if (last - first < (multipleOf === undefined ? 100 : 0)) continue;
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const value = multiply(random.integer(first, last), step);
        if (isAllowed(value)) return value;
      }
    }
  }
  return [least, most].find(Number.isFinite) ?? 0;
}

/** Multiplies, and rounds a fraction to 15 digits, so that 3 × 0.1 is 0.3. */
function multiply(count: number, step: number): number {
  return Number.isInteger(step) ? count * step : Number((count * step).toPrecision(15));
}

/** The number of further attempts with random lengths, for example for a pattern with lookaround. */
const MAX_TEXTS = 30;

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
function* generateMatches(
  pattern: string,
  { minLength, maxLength }: AllowedLengths,
  random: Random,
  limit: GenerationLimit,
): Generator<string> {
  const generator = getGenerator(pattern);
  if (!generator) return;
  const clamp = (length: number) => Math.max(minLength, Math.min(maxLength, length));
  const usual = clamp(Math.min(generator.usualLength, Math.max(generator.lengths.min, MAX_USUAL_LENGTH)));
  for (let attempt = 0; attempt < MAX_TEXTS; attempt++) {
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
