import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, type Node, resolvePointer } from '../openapi/document.ts';
import type { Edit, RequestPart } from './request-edits.ts';

/** Numbers and strings at the limits of common types, or with a special meaning in JavaScript, C or Unicode. */
const NUMBERS = [0, 1, -1, 1.5, 2 ** 31, 2 ** 53, 1e300];
const STRINGS = ['', ' ', 'x', '3', 'null', '__proto__', 'constructor', '\u0000', '\ud800', '\u202e\u0301😀'];
const LONG_STRING = 'a'.repeat(5_000);

/** Values of each JSON type, for any part of a body. Most of them violate the schema of the part. */
const BODY_VALUES = [null, true, false, ...NUMBERS, ...STRINGS, LONG_STRING, [], ['x'], {}, { x: 1 }];

/** Strings for any parameter. The first list looks like values of other types; the second has special characters. */
const TYPED_TEXTS = ['', ' ', '0', '-1', '1.5', '9'.repeat(30), 'true', 'null', '[]', 'x'];
const SPECIAL_TEXTS = ['%', '%00', 'a/b', '__proto__', 'constructor', '\u0000', '\u202e\u0301😀', `"'><`, '; --'];
const PARAMETER_TEXTS = [...TYPED_TEXTS, ...SPECIAL_TEXTS, LONG_STRING];

/** Changes that make a text with a format or a pattern, such as a UUID, invalid. */
const MALFORMATIONS: readonly ((text: string) => string)[] = [
  (text) => text.slice(1),
  (text) => `${text}0`,
  (text) => `{${text}}`,
  (text) => `urn:uuid:${text}`,
  (text) => text.replaceAll('-', ''),
  (text) => `g${text.slice(1)}`,
  (text) => ` ${text}`,
  (text) => `${text}\n`,
];

/** Returns the edits of a request part that often reveal errors: removal, repetition, other types, and values at and beyond the limits of the schema. */
export function createCoverageSet(contract: Contract, part: RequestPart, current: unknown): readonly Edit[] {
  const schema = getSchema(contract, part);
  const bounds = [...getBoundaryValues(schema), ...malform(schema, current)];
  const values =
    part.kind === 'body'
      ? [...BODY_VALUES, [current], ...bounds, ...toTexts(current)]
      : [...PARAMETER_TEXTS, ...bounds.map(String)];
  const replacements = [...new Set(values)].map((value): Edit => ({ kind: 'set', value }));
  return [{ kind: 'remove' }, { kind: 'repeat' }, { kind: 'add property', value: 'x' }, ...replacements];
}

/** Returns the schema of a request part with its reference resolved; an empty schema if the part has none. */
function getSchema({ normalized: plain }: Contract, { schema }: RequestPart): Node {
  const node = schema === undefined ? undefined : getNode(plain, resolvePointer(plain, schema));
  return isNode(node) ? node : {};
}

/** Returns values at the limits of a schema, and values just below and above them. */
function getBoundaryValues(schema: Node): readonly unknown[] {
  const { minimum, maximum, multipleOf, minLength, maxLength } = schema;
  const numbers = [minimum, maximum].flatMap((bound) =>
    typeof bound === 'number' ? [bound, bound - 1, bound + 1, bound - 0.5, bound + 0.5] : [],
  );
  const steps = typeof multipleOf === 'number' ? [multipleOf, multipleOf * 1.5] : [];
  const lengths = [minLength, maxLength].flatMap((bound) =>
    typeof bound === 'number' && bound < MAX_TEXT_LENGTH
      ? [bound, bound - 1, bound + 1].map((length) => 'a'.repeat(Math.max(0, length)))
      : [],
  );
  const enumValues = Array.isArray(schema.enum) ? schema.enum.flatMap((value) => [value, ...toTexts(value)]) : [];
  return [
    ...numbers,
    ...steps,
    ...lengths,
    ...enumValues.flatMap((value) => (typeof value === 'string' ? [value, `${value}x`, value.toUpperCase()] : [value])),
  ];
}

/** The maximum length of a generated string, in characters. */
const MAX_TEXT_LENGTH = 20_000;

function malform({ format, pattern }: Node, current: unknown): readonly unknown[] {
  return typeof current === 'string' && (format !== undefined || pattern !== undefined)
    ? MALFORMATIONS.map((malformText) => malformText(current))
    : [];
}

function toTexts(value: unknown): readonly unknown[] {
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}
