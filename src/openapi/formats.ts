import type { FormatDefinition } from 'ajv';
import addFormats, { type FormatName } from 'ajv-formats';

/** The part of a date-time or time that RFC 3339, section 5.6, has stricter than ajv-formats: `T` before the time, and an offset as `+hh:mm`. */
const DATE_TIME = /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;
const TIME = /^\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;

/** The text form of a uuid alone (RFC 9562, section 4): with `urn:uuid:` it is a URN. */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Base64 with its padding (RFC 4648, section 4), in one line. */
const BASE64 = /^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/i;

/** The bound of integers of 64 bits with a sign. The largest of them, 2^63 - 1, is read as this: it has no double of its own. */
const INT64_LIMIT = 2 ** 63;

/** The formats of which ajv-formats 3.0.1 accepts more than their specification does. */
const STRICT_FORMATS: Readonly<Record<string, FormatDefinition<string> | FormatDefinition<number>>> = {
  uuid: { validate: UUID },
  'date-time': narrowed('date-time', (text) => DATE_TIME.test(text)),
  time: narrowed('time', (text) => TIME.test(text)),
  byte: { validate: BASE64 },
  // RFC 1123, section 2.1: a host name ends with a letter or digit.
  hostname: narrowed('hostname', (text) => !text.endsWith('.')),
  // RFC 3986, appendix A: a quotation mark has to be escaped.
  'uri-reference': narrowed('uri-reference', (text) => !text.includes('"')),
  int64: {
    type: 'number',
    validate: (value) => Number.isInteger(value) && value >= -INT64_LIMIT && value <= INT64_LIMIT,
  },
};

/** Any dialect of ajv. */
type AnyAjv = Parameters<typeof addFormats.default>[0];

/** Adds the formats of JSON Schema and OpenAPI to an ajv, and returns it; without them it accepts every text. */
export function addJsonFormats<Instance extends AnyAjv>(ajv: Instance): Instance {
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(STRICT_FORMATS)) ajv.addFormat(name, format);
  return ajv;
}

/** A format of ajv-formats with a further rule. */
function narrowed(name: FormatName, isAllowed: (text: string) => boolean): FormatDefinition<string> {
  const format = addFormats.default.get(name);
  if (format instanceof RegExp) return { validate: (text) => isAllowed(text) && format.test(text) };
  // Formats of texts that are no pattern are definitions with a function.
  const { validate, ...rest } = format as FormatDefinition<string> & { validate(text: string): boolean };
  return { ...rest, validate: (text: string) => isAllowed(text) && validate(text) };
}
