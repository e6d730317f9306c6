import type { Node } from '../openapi/document.ts';
import { compilePattern } from '../openapi/schema-validator.ts';
import type { Random } from '../util/random.ts';
import { generateMatches } from './patterns.ts';
import { generateSentence, generateText, generateTime } from './realistic-values.ts';

/** Generates a string for a schema: for its pattern or format, else one that is realistic for its name. */
export function generateString(schema: Node, name: string, random: Random): string {
  if (schema.pattern !== undefined) return generateForPattern(schema, name, random);
  const lengths = getLengths(schema);
  const generate = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  if (generate) return fitLength(String(schema.format), generate(random), lengths);
  let text = generateText(name, random);
  while (text.length < lengths.least) text += ` ${generateSentence(random)}`;
  const end = Math.max(lengths.least, Math.min(text.length, lengths.most));
  return text.slice(0, end).trimEnd().padEnd(lengths.least, 'x');
}

interface Lengths {
  readonly least: number;
  readonly most: number;
}

function getLengths({ minLength, maxLength }: Node): Lengths {
  return { least: Number(minLength ?? 0), most: Number(maxLength ?? Number.POSITIVE_INFINITY) };
}

/** The shortest strings of formats that allow more characters, and where these are inserted. */
const EXTENDABLE: Readonly<Record<string, readonly [shortest: string, index: number]>> = {
  email: ['a@b.co', 1],
  'idn-email': ['a@b.co', 1],
  hostname: ['a.co', 1],
  uri: ['http://a.co', 11],
  url: ['http://a.co', 11],
  iri: ['http://a.co', 11],
  'uri-reference': ['a', 1],
  'iri-reference': ['a', 1],
  password: ['a', 1],
  binary: ['a', 1],
};

/** Returns the string, or one of the same format with an allowed length if the format has any length. */
function fitLength(format: string, text: string, { least, most }: Lengths): string {
  if (text.length >= least && text.length <= most) return text;
  const [shortest, index] = EXTENDABLE[format] ?? [];
  if (shortest === undefined || index === undefined) return text;
  const base = text.length < least && index === shortest.length ? text : shortest;
  const insertAt = base === text ? text.length : index;
  return base.slice(0, insertAt) + 'x'.repeat(Math.max(0, least - base.length)) + base.slice(insertAt);
}

/** Returns a string that matches all patterns: one that is realistic for the name if that matches, else one generated from the patterns. */
function generateForPattern(schema: Node, name: string, random: Random): string {
  const { pattern, ...rest } = schema;
  const patterns = [pattern].flat().map(String);
  const { least, most } = getLengths(schema);
  const isAllowed = (text: string) => {
    const length = [...text].length;
    return length >= least && length <= most && patterns.every((each) => compilePattern(each)?.test(text) ?? true);
  };
  const realistic = generateString(rest, name, random);
  if (isAllowed(realistic)) return realistic;
  let joined = '';
  for (const each of patterns) {
    let first: string | undefined;
    for (const text of generateMatches(each, [least, most], random)) {
      if (isAllowed(text)) return text;
      first ??= text;
    }
    joined += first ?? '';
  }
  return isAllowed(joined) ? joined : realistic;
}

const HEX = '0123456789abcdef';

function generateHex(random: Random, length: number): string {
  return Array.from({ length }, () => HEX[random.integer(0, 15)]).join('');
}

function generateIsoTime(random: Random): string {
  return generateTime(random).toISOString().replace('.000Z', 'Z');
}

/** Generators by format. Strings of other formats are not restricted. */
const FORMATS: Readonly<Record<string, (random: Random) => string>> = {
  'date-time': generateIsoTime,
  date: (random) => generateIsoTime(random).slice(0, 10),
  time: (random) => `${generateIsoTime(random).slice(11, 19)}Z`,
  duration: (random) => `P${random.integer(1, 28)}D`,
  email: (random) => generateText('email', random),
  'idn-email': (random) => generateText('email', random),
  hostname: (random) => `host${random.integer(1, 99)}.example.com`,
  'idn-hostname': (random) => `host${random.integer(1, 99)}.example.com`,
  ipv4: (random) => `192.0.2.${random.integer(1, 254)}`,
  ipv6: (random) => `2001:db8::${generateHex(random, 4)}`,
  uri: (random) => generateText('url', random),
  url: (random) => generateText('url', random),
  iri: (random) => generateText('url', random),
  'uri-reference': (random) => generateText('image', random),
  'iri-reference': (random) => generateText('image', random),
  'uri-template': (random) => `https://example.com/items/{id}/${random.integer(1, 9)}`,
  uuid: (random) =>
    `${generateHex(random, 8)}-${generateHex(random, 4)}-4${generateHex(random, 3)}-${random.pick([...'89ab'])}${generateHex(random, 3)}-${generateHex(random, 12)}`,
  'json-pointer': (random) => `/items/${random.integer(0, 9)}`,
  'json-pointer-uri-fragment': (random) => `#/items/${random.integer(0, 9)}`,
  'relative-json-pointer': (random) => `${random.integer(0, 3)}/name`,
  regex: () => '^[a-z]+$',
  byte: (random) => Buffer.from(generateText('name', random)).toString('base64'),
  binary: (random) => generateText('name', random),
  password: (random) => generateText('token', random),
};
