import type { Format, FormatDefinition } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Dates and times of RFC 3339, section 5.6. Unlike ajv-formats, it requires `T` before the time, and an offset such as `+hh:mm`. */
const DATE_TIME = /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;
const TIME = /^\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;

/** A UUID (RFC 9562, section 4), without the prefix `urn:uuid:`. */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Base64 with padding (RFC 4648, section 4), on one line. */
const BASE64 = /^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/i;

/** The limit of signed 64-bit integers. JSON.parse rounds the largest 64-bit integer, 2^63 - 1, to this number. */
const INT64_LIMIT = 2 ** 63;

/** A URI reference that needs no further check: segments of unreserved characters. The complete pattern takes milliseconds to compile. */
const RELATIVE_PATH = /^[\w.~-]+(?:\/[\w.~-]+)*$/;

/** URI references as ajv-formats defines them. */
const URI_REFERENCE = fullFormats['uri-reference'] as RegExp;

/** The formats of JSON Schema and OpenAPI. Some are stricter than those of ajv-formats 3.0.1, which accept more than their specifications allow. */
export const formats: Readonly<Record<string, Format>> = {
  ...fullFormats,
  uuid: { validate: UUID },
  'date-time': restrictFormat('date-time', (text) => DATE_TIME.test(text)),
  time: restrictFormat('time', (text) => TIME.test(text)),
  byte: { validate: BASE64 },
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
};

/** Returns a format of ajv-formats with an additional rule. */
function restrictFormat(
  name: keyof typeof fullFormats,
  isAllowed: (text: string) => boolean,
): FormatDefinition<string> {
  const format = fullFormats[name];
  if (format instanceof RegExp) return { validate: (text) => isAllowed(text) && format.test(text) };
  // The other string formats have a function.
  const { validate, ...rest } = format as FormatDefinition<string> & { validate(text: string): boolean };
  return { ...rest, validate: (text: string) => isAllowed(text) && validate(text) };
}
