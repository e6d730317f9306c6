import type { Contract } from '../openapi/contract.ts';
import type { Node } from '../openapi/document.ts';
import type { Edit, RequestPart } from './request-edits.ts';
import { getSchema } from './value-classes.ts';

/** Numbers at the limits of common integer and floating-point types. */
const NUMBERS = [0, 1, -1, 1.5, 2 ** 31, 2 ** 53, 1e300];

/** Strings with a special meaning in JavaScript, C or Unicode, and strings that look like values of other types. */
const STRINGS = ['', ' ', 'x', '3', 'null', '__proto__', 'constructor', '\u0000', '\ud800', '\u202e\u0301😀'];

/** A string that is longer than most servers expect. */
const LONG_STRING = 'a'.repeat(5_000);

/** Values of each JSON type that can replace any value in a body. Most replacements violate the schema of the replaced value. */
const BODY_VALUES = [null, true, false, ...NUMBERS, ...STRINGS, LONG_STRING, [], ['x'], {}, { x: 1 }];

/** Strings that look like values of other types, for any parameter. */
const TYPED_TEXTS = ['', ' ', '0', '-1', '1.5', '9'.repeat(30), 'true', 'null', '[]', 'x'];

/** Strings with characters that have a special meaning in URLs, JavaScript, HTML or SQL, for any parameter. */
const SPECIAL_TEXTS = ['%', '%00', 'a/b', '__proto__', 'constructor', '\u0000', '\u202e\u0301😀', `"'><`, '; --'];

/** All strings that can replace the value of a parameter. */
const PARAMETER_TEXTS = [...TYPED_TEXTS, ...SPECIAL_TEXTS, LONG_STRING];

/** Functions that make a string invalid for its `format` or `pattern`, for example by removing the hyphens of a UUID. */
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

/**
 * Returns edits of a request that often reveal missing validation. `part`: the edited parameter, or the edited value in the body. `current`: the value of the
 * part in a valid request. An edit removes or repeats the part, adds a property, or sets another value: for example, a value of another type or beyond a limit
 * of the schema.
 */
export function createCoverageSet(contract: Contract, part: RequestPart, current: unknown): readonly Edit[] {
  const schema = getSchema(contract, part);
  const defaultValue = schema.default === undefined ? [] : [schema.default];
  const bounds = [...defaultValue, ...getBoundaryValues(schema), ...createMalformedTexts(schema, current)];
  const values =
    part.kind === 'body'
      ? [...BODY_VALUES, [current], ...bounds, ...toTexts(current)]
      : [...PARAMETER_TEXTS, ...bounds.map(String)];
  const replacements = [...new Set(values)].map((value): Edit => ({ kind: 'set', value }));
  return [{ kind: 'remove' }, { kind: 'repeat' }, { kind: 'add property', value: 'x' }, ...replacements];
}

/** Returns values at the limits of a schema, such as `maximum` and `maxLength`, and values just below and above these limits. */
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

function createMalformedTexts({ format, pattern }: Node, current: unknown): readonly unknown[] {
  return typeof current === 'string' && (format !== undefined || pattern !== undefined)
    ? MALFORMATIONS.map((malformText) => malformText(current))
    : [];
}

function toTexts(value: unknown): readonly unknown[] {
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}
