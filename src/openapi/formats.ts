import type * as AjvPackage from 'ajv';
import type { Format, FormatDefinition } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { loadPackage } from '../util/load-package.ts';

/**
 * Matches a date and time (RFC 3339, section 5.6), such as `2025-06-01T12:00:00Z`.
 * Unlike ajv-formats, requires `T` before the time, and `Z` or an offset such as `+02:00`.
 */
const DATE_TIME = /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;
/**
 * Matches a time (RFC 3339, section 5.6), such as `09:00:00`.
 * The offset is optional, because most documents use local times, such as opening hours.
 */
const TIME = /^\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)?$/i;

/** A UUID (RFC 9562, section 4), without the prefix `urn:uuid:`. */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Base64 with padding (RFC 4648, section 4), on one line. */
const BASE64 = /^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/i;

/** The limit of signed 64-bit integers. JSON.parse rounds the largest 64-bit integer, 2^63 - 1, to this number. */
const INT64_LIMIT = 2 ** 63;

/** The largest number with single precision (IEEE 754, binary32). */
export const MAX_FLOAT = (2 - 2 ** -23) * 2 ** 127;

/**
 * Matches a relative path such as `images/mug.svg`, which is a valid URI reference.
 * It is checked before the complete pattern, which takes milliseconds to compile.
 */
const RELATIVE_PATH = /^[\w.~-]+(?:\/[\w.~-]+)*$/;

/** Matches a URI reference (RFC 3986), as ajv-formats defines it. */
const URI_REFERENCE = fullFormats['uri-reference'] as RegExp;

/** Matches the start of a URL in the pattern of ajv-formats. The credentials before `@` take quadratic time. */
const URL_START = String.raw`^(?:https?|ftp):\/\/(?:\S+(?::\S*)?@)?`;

/** Matches the host, the port and the path of a URL, as ajv-formats defines them. */
const URL_REST = new RegExp((fullFormats.url as RegExp).source.slice(URL_START.length), 'iuy');

/**
 * Returns whether a text is an http, https or ftp URL.
 * Accepts the same texts as the format of ajv-formats, but takes linear time.
 */
function isUrl(text: string): boolean {
  const [prefix] = /^(?:https?|ftp):\/\/(?=\S+$)/i.exec(text) ?? [];
  if (prefix === undefined) return false;
  const matchesAt = (start: number) => {
    URL_REST.lastIndex = start;
    return URL_REST.test(text);
  };
  if (matchesAt(prefix.length)) return true;
  // Credentials end at any `@`, because they can contain `@` too.
  for (let at = text.indexOf('@', prefix.length + 1); at !== -1; at = text.indexOf('@', at + 1))
    if (matchesAt(at + 1)) return true;
  return false;
}

/**
 * The validators for the keyword `format`, by the name of the format.
 * Some are stricter than those of ajv-formats 3.0.1, which accept values that the specifications forbid.
 */
export const formats: Readonly<Record<string, Format>> = {
  ...fullFormats,
  uuid: { validate: UUID },
  'date-time': restrictFormat('date-time', (text) => DATE_TIME.test(text)),
  time: restrictFormat('iso-time', (text) => TIME.test(text)),
  byte: { validate: BASE64 },
  url: { validate: isUrl },
  // RFC 1123, section 2.1: a host name ends with a letter or digit.
  hostname: restrictFormat('hostname', (text) => !text.endsWith('.')),
  'uri-reference': {
    // RFC 3986, appendix A: a quotation mark must be escaped.
    validate: (text: string) => RELATIVE_PATH.test(text) || (!text.includes('"') && URI_REFERENCE.test(text)),
  },
  int64: {
    type: 'number',
    validate: (value: number) => Number.isInteger(value) && value >= -INT64_LIMIT && value <= INT64_LIMIT,
  },
  float: { type: 'number', validate: (value: number) => Math.abs(value) <= MAX_FLOAT },
};

/** Returns a format of ajv-formats with an additional rule. `isAllowed`: returns whether a text passes this rule. */
function restrictFormat(
  name: keyof typeof fullFormats,
  isAllowed: (text: string) => boolean,
): FormatDefinition<string> {
  const format = fullFormats[name];
  if (format instanceof RegExp) return { validate: (text) => isAllowed(text) && format.test(text) };
  // A string format without a regular expression has a function.
  const { validate, ...rest } = format as FormatDefinition<string> & { validate(text: string): boolean };
  return { ...rest, validate: (text: string) => isAllowed(text) && validate(text) };
}

/**
 * Creates the definition of the keyword `uniqueItems` for ajv.
 * It replaces ajv's own, which compares each entry with all others if the entries can be objects or arrays.
 * The errors are the same.
 */
export function createUniqueItems(): AjvPackage.CodeKeywordDefinition {
  const { _, str } = loadPackage<typeof AjvPackage>('ajv');
  return {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: {
      message: ({ params: { i, j } }) => str`must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
      params: ({ params: { i, j } }) => _`{i: ${i}, j: ${j}}`,
    },
    code(context) {
      const { gen, data, schema } = context;
      if (schema !== true) return;
      // The code of precompiled validators calls the function by this name.
      const find = gen.scopeValue('func', { ref: findEqualEntries, code: _`findEqualEntries` });
      const found = gen.const('equalEntries', _`${find}(${data})`);
      context.setParams({ i: _`${found}[0]`, j: _`${found}[1]` });
      context.fail(_`${found} !== undefined`);
    },
  };
}

/**
 * Returns the indexes of two equal entries of a list, the smaller index first.
 * Returns undefined if all entries are different.
 * Two objects are equal if they have the same properties in any order.
 * The time is linear in the size of the list, except for sorting the names of properties.
 */
export function findEqualEntries(list: readonly unknown[]): readonly [earlier: number, later: number] | undefined {
  const scalars = new Map<unknown, number>();
  const texts = new Map<string, number>();
  for (const [index, entry] of list.entries()) {
    const isScalar = typeof entry !== 'object' || entry === null;
    const [indexes, key] = isScalar ? [scalars, entry] : [texts as Map<unknown, number>, formatCanonically(entry)];
    const earlier = indexes.get(key);
    if (earlier !== undefined) return [earlier, index];
    indexes.set(key, index);
  }
  return undefined;
}

/** Formats a JSON value as text. Equal values have the same text: the properties of objects are sorted. */
function formatCanonically(value: unknown): string {
  // A number that is too large is not null, as `JSON.stringify` would format it.
  if (typeof value === 'number') return String(value === 0 ? 0 : value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(formatCanonically).join()}]`;
  const names = Object.keys(value).sort();
  const properties = names.map(
    (name) => `${JSON.stringify(name)}:${formatCanonically((value as Readonly<Record<string, unknown>>)[name])}`,
  );
  return `{${properties.join()}}`;
}
