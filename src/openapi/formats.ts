import type { FormatDefinition } from 'ajv';
import addFormats, { type FormatName } from 'ajv-formats';

/** RFC 3339, section 5.6, is stricter than ajv-formats: `T` before the time, and an offset such as `+hh:mm`. */
const DATE_TIME = /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;
const TIME = /^\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;

/** A UUID (RFC 9562, section 4) without `urn:uuid:`, which would make it a URN. */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Base64 with padding (RFC 4648, section 4), on one line. */
const BASE64 = /^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/i;

/** The bound of signed 64-bit integers. The largest, 2^63 - 1, is parsed as this number, the closest double. */
const INT64_LIMIT = 2 ** 63;

/** The formats for which ajv-formats 3.0.1 accepts more than their specifications allow. */
const STRICT_FORMATS: Readonly<Record<string, FormatDefinition<string> | FormatDefinition<number>>> = {
  uuid: { validate: UUID },
  'date-time': restrictFormat('date-time', (text) => DATE_TIME.test(text)),
  time: restrictFormat('time', (text) => TIME.test(text)),
  byte: { validate: BASE64 },
  // RFC 1123, section 2.1: a host name ends with a letter or digit.
  hostname: restrictFormat('hostname', (text) => !text.endsWith('.')),
  // RFC 3986, appendix A: a quotation mark has to be escaped.
  'uri-reference': restrictFormat('uri-reference', (text) => !text.includes('"')),
  int64: {
    type: 'number',
    validate: (value) => Number.isInteger(value) && value >= -INT64_LIMIT && value <= INT64_LIMIT,
  },
};

/** An ajv of any dialect. */
type AnyAjv = Parameters<typeof addFormats.default>[0];

/** Adds the formats of JSON Schema and OpenAPI to an ajv and returns it. Without them it accepts every string. */
export function addJsonFormats<Instance extends AnyAjv>(ajv: Instance): Instance {
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(STRICT_FORMATS)) ajv.addFormat(name, format);
  return ajv;
}

/** Returns a format of ajv-formats with a further rule. */
function restrictFormat(name: FormatName, isAllowed: (text: string) => boolean): FormatDefinition<string> {
  const format = addFormats.default.get(name);
  if (format instanceof RegExp) return { validate: (text) => isAllowed(text) && format.test(text) };
  // The other formats of strings have a function.
  const { validate, ...rest } = format as FormatDefinition<string> & { validate(text: string): boolean };
  return { ...rest, validate: (text: string) => isAllowed(text) && validate(text) };
}
