import { generateSync } from 'json-schema-faker';
import type { Node } from '../contract/document.ts';
import { momentFrom, sentence, textFor } from './lifelike.ts';
import type { Random } from './random.ts';

/** How many texts are tried for a pattern and its lengths. */
const TRIES = 20;

/** A text by a schema: of its pattern or format, else as one of this name may be, of a length that is allowed. */
export function textOf(schema: Node, name: string, random: Random): string {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema as { minLength?: number; maxLength?: number };
  if (typeof schema.pattern === 'string') return patternText(schema, name, random);
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  if (format) {
    const texts = Array.from({ length: TRIES }, () => format(random));
    return texts.find(({ length }) => length >= minLength && length <= maxLength) ?? (texts[0] as string);
  }
  let text = textFor(name, random);
  while (text.length < minLength) text += ` ${sentence(random)}`;
  const cut = text.slice(0, Math.max(minLength, Math.min(text.length, maxLength))).trimEnd();
  return cut.padEnd(minLength, 'x');
}

/** A text that a pattern takes: one that is like the name where it takes that, else one that is made of the pattern. */
function patternText(schema: Node, name: string, random: Random): string {
  const { pattern, format, ...plain } = schema;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema as { minLength?: number; maxLength?: number };
  const isTaken = (text: string) =>
    text.length >= minLength && text.length <= maxLength && matches(String(pattern), text);
  const likely = textOf({ ...plain, ...(format === undefined ? {} : { format }) }, name, random);
  if (isTaken(likely)) return likely;
  const lengths = {
    ...(minLength > 0 ? { minLength } : {}),
    ...(maxLength < Number.POSITIVE_INFINITY ? { maxLength } : {}),
  };
  let made = likely;
  for (let time = 0; time < TRIES; time++) {
    // With the lengths and without them: it gives up a pattern for a length.
    const asked = { type: 'string', pattern: String(pattern), ...(time % 2 === 0 ? lengths : {}) };
    made = String(generateSync(asked, { seed: random.whole(1, 2 ** 31) }));
    if (isTaken(made)) return made;
  }
  return made;
}

function matches(pattern: string, text: string): boolean {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags).test(text);
    } catch {
      // Not in this mode.
    }
  }
  return true;
}

const HEX = '0123456789abcdef';

function hex(random: Random, length: number): string {
  return Array.from({ length }, () => HEX[random.whole(0, 15)]).join('');
}

function iso(random: Random): string {
  return momentFrom(random).toISOString();
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
