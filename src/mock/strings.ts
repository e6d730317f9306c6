import type { Node } from '../openapi/document.ts';
import { compilePattern } from '../openapi/pattern.ts';
import type { Random } from '../util/random.ts';
import { textsOf } from './patterns.ts';
import { momentFrom, sentence, textFor } from './realistic-values.ts';

/** A text by a schema: of its pattern or format, else as one of this name may be, of a length that is allowed. */
export function textOf(schema: Node, name: string, random: Random): string {
  const lengths = lengthsOf(schema);
  if (schema.pattern !== undefined) return patternText(schema, name, random);
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  if (format) return fitted(String(schema.format), format(random), lengths);
  let text = textFor(name, random);
  while (text.length < lengths.least) text += ` ${sentence(random)}`;
  const cut = text.slice(0, Math.max(lengths.least, Math.min(text.length, lengths.most))).trimEnd();
  return cut.padEnd(lengths.least, 'x');
}

interface Lengths {
  readonly least: number;
  readonly most: number;
}

function lengthsOf({ minLength, maxLength }: Node): Lengths {
  return { least: Number(minLength ?? 0), most: Number(maxLength ?? Number.POSITIVE_INFINITY) };
}

/** The shortest texts of formats that have room for more, and where that is. */
const GROWING: Readonly<Record<string, readonly [short: string, at: number]>> = {
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

/** A text of a format in a length that is allowed, where the format leaves the choice. */
function fitted(format: string, text: string, { least, most }: Lengths): string {
  if (text.length >= least && text.length <= most) return text;
  const [short, at] = GROWING[format] ?? [];
  if (short === undefined || at === undefined) return text;
  const start = text.length < least && at === short.length ? text : short;
  const place = start === text ? text.length : at;
  return start.slice(0, place) + 'x'.repeat(Math.max(0, least - start.length)) + start.slice(place);
}

/** A text that all patterns take: one that is like the name where they take that, else one that is made of them. */
function patternText(schema: Node, name: string, random: Random): string {
  const { pattern, ...plain } = schema;
  const patterns = [pattern].flat().map(String);
  const { least, most } = lengthsOf(schema);
  const isTaken = (text: string) => {
    const length = [...text].length;
    return length >= least && length <= most && patterns.every((one) => compilePattern(one)?.test(text) ?? true);
  };
  const likely = textOf(plain, name, random);
  if (isTaken(likely)) return likely;
  let whole = '';
  for (const one of patterns) {
    let shortest: string | undefined;
    for (const text of textsOf(one, [least, most], random)) {
      if (isTaken(text)) return text;
      shortest ??= text;
    }
    whole += shortest ?? '';
  }
  return isTaken(whole) ? whole : likely;
}

const HEX = '0123456789abcdef';

function hex(random: Random, length: number): string {
  return Array.from({ length }, () => HEX[random.whole(0, 15)]).join('');
}

function iso(random: Random): string {
  return momentFrom(random).toISOString().replace('.000Z', 'Z');
}

/** A text of each format that is known; of another, any text will do. */
const FORMATS: Readonly<Record<string, (random: Random) => string>> = {
  'date-time': iso,
  date: (random) => iso(random).slice(0, 10),
  time: (random) => `${iso(random).slice(11, 19)}Z`,
  duration: (random) => `P${random.whole(1, 28)}D`,
  email: (random) => textFor('email', random),
  'idn-email': (random) => textFor('email', random),
  hostname: (random) => `host${random.whole(1, 99)}.example.com`,
  'idn-hostname': (random) => `host${random.whole(1, 99)}.example.com`,
  ipv4: (random) => `192.0.2.${random.whole(1, 254)}`,
  ipv6: (random) => `2001:db8::${hex(random, 4)}`,
  uri: (random) => textFor('url', random),
  url: (random) => textFor('url', random),
  iri: (random) => textFor('url', random),
  'uri-reference': (random) => textFor('image', random),
  'iri-reference': (random) => textFor('image', random),
  'uri-template': (random) => `https://example.com/items/{id}/${random.whole(1, 9)}`,
  uuid: (random) =>
    `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-${random.pick([...'89ab'])}${hex(random, 3)}-${hex(random, 12)}`,
  'json-pointer': (random) => `/items/${random.whole(0, 9)}`,
  'json-pointer-uri-fragment': (random) => `#/items/${random.whole(0, 9)}`,
  'relative-json-pointer': (random) => `${random.whole(0, 3)}/name`,
  regex: () => '^[a-z]+$',
  byte: (random) => base64(textFor('name', random)),
  binary: (random) => textFor('name', random),
  password: (random) => textFor('token', random),
};

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
