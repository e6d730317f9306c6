import { sample as drawSample, stringMatching } from 'fast-check';
import { type Document, isObject, list, type Node } from './document.ts';
import { discriminatorValues } from './json-schema.ts';

/** Options of the generation of a value. */
export interface SampleOptions {
  readonly document: Document;
  /** Makes texts and numbers of different samples differ. */
  readonly number: number;
  /** The depth down to which optional properties are generated. 0: only required properties. */
  readonly optionalDepth: number;
  /** Whether required properties are generated that are `readOnly`, which a request needs not have. */
  readonly withReadOnly?: boolean;
}

interface Place extends SampleOptions {
  readonly depth: number;
}

/** A depth that no valid value needs: a schema that is deeper requires itself. */
const MAX_DEPTH = 12;

const FORMATS: Readonly<Record<string, (number: number) => string>> = {
  'date-time': (number) => new Date(Date.UTC(2026, 0, 1 + (number % 300))).toISOString().replace('.000', ''),
  date: (number) => new Date(Date.UTC(2026, 0, 1 + (number % 300))).toISOString().slice(0, 10),
  time: () => '10:00:00Z',
  email: (number) => `person${number}@example.com`,
  hostname: (number) => `host${number}.example.com`,
  ipv4: () => '192.0.2.1',
  ipv6: () => '2001:db8::1',
  uri: (number) => `https://example.com/${number}`,
  url: (number) => `https://example.com/${number}`,
  uuid: (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  byte: () => 'dGV4dA==',
};

/** Generates a value for a request from a schema. It is valid for most schemas: validate it. */
export function generateSample(schema: unknown, options: SampleOptions): unknown {
  return generate(schema, { ...options, depth: 0 });
}

function generate(schema: unknown, place: Place): unknown {
  const flat = flatten(schema, place.document);
  if (flat.const !== undefined) return flat.const;
  if (Array.isArray(flat.enum)) return flat.enum.find((one) => one !== null);
  const type = list(flat.type).find((one) => one !== 'null') ?? flat.type ?? guessType(flat);
  if (type === 'object') return generateObject(flat, place);
  if (type === 'array') return generateArray(flat, place);
  if (type === 'integer' || type === 'number') return generateNumber(flat, place);
  if (type === 'boolean') return flat.default ?? true;
  return type === 'null' ? null : generateString(flat, place);
}

function guessType({ properties, items, minimum, additionalProperties }: Node): string {
  if (properties !== undefined || isObject(additionalProperties)) return 'object';
  if (items !== undefined) return 'array';
  return minimum === undefined ? 'string' : 'number';
}

/** Joins a schema with its references, with all of `allOf` and with the first alternative of `oneOf` and `anyOf`. */
export function flatten(schema: unknown, document: Document, depth = 0): Node {
  const { allOf, oneOf, anyOf, ...own } = document.resolve(schema);
  if (depth > MAX_DEPTH) return own;
  const all = list(allOf).map((one) => flatten(one, document, depth + 1));
  const alternatives = list(oneOf ?? anyOf);
  const chosen = alternatives.find((one) => document.resolve(one).type !== 'null');
  const alternative = chosen === undefined ? {} : flatten(chosen, document, depth + 1);
  return [...all, alternative, discriminate(document, own, chosen, alternatives), own].reduce(join, {});
}

function discriminate(
  document: Document,
  { discriminator }: Node,
  chosen: unknown,
  alternatives: readonly unknown[],
): Node {
  if (!isObject(discriminator) || !isObject(chosen) || typeof chosen.$ref !== 'string') return {};
  const values = discriminatorValues(document, discriminator, alternatives as readonly { $ref: string }[]);
  const value = values.find(([, reference]) => reference === chosen.$ref)?.[0];
  const name = discriminator.propertyName as string;
  return value === undefined ? {} : { properties: { [name]: { const: value } }, required: [name] };
}

function join(one: Node, other: Node): Node {
  const properties = { ...(one.properties as Node) };
  for (const [name, schema] of Object.entries((other.properties ?? {}) as Node))
    properties[name] = properties[name] === undefined ? schema : { allOf: [properties[name], schema] };
  return {
    ...one,
    ...other,
    ...(one.properties || other.properties ? { properties } : {}),
    ...(one.required || other.required ? { required: [...list(one.required), ...list(other.required)] } : {}),
  };
}

function generateObject(schema: Node, place: Place): Node {
  const { properties = {}, required, minProperties, additionalProperties } = schema;
  const inner = { ...place, depth: place.depth + 1 };
  const others = isObject(additionalProperties) ? additionalProperties : {};
  const known = Object.entries(properties as Node).filter(([name, one]) => isGenerated(schema, name, one, place));
  const undeclared = list(required)
    .map(String)
    .filter((name) => (properties as Node)[name] === undefined);
  const made = [...known, ...undeclared.map((name) => [name, others] as const)];
  const missing = additionalProperties === false ? 0 : Math.max(0, Number(minProperties ?? 0) - made.length);
  const extra = Array.from({ length: missing }, (_, index) => [`property${index}`, others] as const);
  return Object.fromEntries([...made, ...extra].map(([name, one]) => [name, generate(one, inner)]));
}

function isGenerated({ required }: Node, name: string, property: unknown, place: Place): boolean {
  const isRequired = list(required).includes(name);
  if (place.depth > MAX_DEPTH) return false;
  if (flatten(property, place.document).readOnly === true) return isRequired && place.withReadOnly === true;
  return isRequired || place.depth < place.optionalDepth;
}

function generateArray({ items, prefixItems, minItems }: Node, place: Place): readonly unknown[] {
  const first = list(prefixItems);
  const length = Math.max(Number(minItems ?? (place.depth > MAX_DEPTH ? 0 : 1)), first.length);
  return Array.from({ length }, (_, index) =>
    generate(first[index] ?? items ?? {}, { ...place, depth: place.depth + 1, number: place.number + index }),
  );
}

function generateNumber(schema: Node, { number }: Place): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = Number(multipleOf ?? 1);
  const isAbove = exclusiveMinimum === true || typeof exclusiveMinimum === 'number';
  const least = typeof exclusiveMinimum === 'number' ? exclusiveMinimum : Number(minimum ?? 0);
  const most = typeof exclusiveMaximum === 'number' ? exclusiveMaximum - step : Number(maximum ?? 1e6);
  const lowest = Math.ceil(least / step) * step + (isAbove ? step : 0);
  return Math.max(lowest, Math.min(lowest + number * step, Math.floor(most / step) * step));
}

function generateString(schema: Node, { number }: Place): string {
  const { pattern, format, minLength = 0, maxLength = 1_000 } = schema;
  if (typeof pattern === 'string') return generateMatch(pattern, number) ?? `text${number}`;
  const made = FORMATS[String(format)]?.(number) ?? `text${number}`;
  return made.padEnd(Number(minLength), 'x').slice(0, Number(maxLength));
}

/** Generates a text that matches a pattern, of printable ASCII characters if possible. */
function generateMatch(pattern: string, number: number): string | undefined {
  for (const flags of ['u', '']) {
    try {
      const texts = drawSample(stringMatching(new RegExp(pattern, flags)), { numRuns: 20, seed: number });
      return texts.find((text) => /^[ -~]+$/.test(text)) ?? texts[0];
    } catch {
      // The pattern is invalid with these flags, or has what fast-check can't generate, such as a look-ahead.
    }
  }
  return undefined;
}
