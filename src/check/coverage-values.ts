import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, type Node, resolvePointer } from '../openapi/document.ts';
import type { Edit, RequestPart } from './request-edits.ts';

/** Numbers and texts at the limits of common types, or with a special meaning somewhere. */
const NUMBERS = [0, 1, -1, 1.5, 2 ** 31, 2 ** 53, 1e300];
const STRINGS = ['', ' ', 'x', '3', 'null', '__proto__', 'constructor', '\u0000', '\ud800', '\u202e\u0301😀'];
const LONG_STRING = 'a'.repeat(5_000);

/** Values of all types, for any place of a body; most of them violate its schema. */
const VALUES = [null, true, false, ...NUMBERS, ...STRINGS, LONG_STRING, [], ['x'], {}, { x: 1 }];

/** Texts of all kinds, for any parameter: those that look like other values, and those with special characters. */
const PLAIN_TEXTS = ['', ' ', '0', '-1', '1.5', '9'.repeat(30), 'true', 'null', '[]', 'x'];
const SPECIAL_TEXTS = ['%', '%00', 'a/b', '__proto__', 'constructor', '\u0000', '\u202e\u0301😀', `"'><`, '; --'];
const TEXTS = [...PLAIN_TEXTS, ...SPECIAL_TEXTS, LONG_STRING];

/** Changes that make a UUID or another format invalid. */
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

/** Returns the edits of a place that are worth testing: missing values, wrong types, values at and beyond a bound. */
export function createCoverageSet(contract: Contract, place: RequestPart, current: unknown): readonly Edit[] {
  const schema = getSchema(contract, place);
  const bounds = [...getBoundaryValues(schema), ...malform(schema, current)];
  const values =
    place.kind === 'body' ? [...VALUES, [current], ...bounds, ...toTexts(current)] : [...TEXTS, ...bounds.map(String)];
  const replacements = [...new Set(values)].map((value): Edit => ({ kind: 'set', value }));
  return [{ kind: 'remove' }, { kind: 'repeat' }, { kind: 'add property', value: 'x' }, ...replacements];
}

/** Returns the schema of a place, with its reference resolved. */
function getSchema({ normalized: plain }: Contract, { schema }: RequestPart): Node {
  const node = schema === undefined ? undefined : getNode(plain, resolvePointer(plain, schema));
  return isNode(node) ? node : {};
}

/** Returns the values at and next to the bounds of a schema. */
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
  const listed = Array.isArray(schema.enum) ? schema.enum.flatMap((value) => [value, ...toTexts(value)]) : [];
  return [
    ...numbers,
    ...steps,
    ...lengths,
    ...listed.flatMap((value) => (typeof value === 'string' ? [value, `${value}x`, value.toUpperCase()] : [value])),
  ];
}

/** The maximum length of a generated text, in characters. */
const MAX_TEXT_LENGTH = 20_000;

function malform({ format, pattern }: Node, current: unknown): readonly unknown[] {
  return typeof current === 'string' && (format !== undefined || pattern !== undefined)
    ? MALFORMATIONS.map((malformation) => malformation(current))
    : [];
}

function toTexts(value: unknown): readonly unknown[] {
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}
