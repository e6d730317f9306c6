import { Ajv, type ErrorObject, type FormatDefinition, type Options, type ValidateFunction } from 'ajv';
import addFormats, { type FormatName } from 'ajv-formats';
import { formatPointer } from '../util/json-pointer.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type Document, isNode, omitKeys, resolveNode } from './document.ts';
import { mapNodes } from './walk-schemas.ts';

/** The ajv options for requests and responses. Each error has the invalid value and its schema (`verbose`). */
export const ajvOptions: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  // JSON.parse turns 1e400 into Infinity, which is not a JSON number.
  strictNumbers: true,
  // 4.35 counts as a multiple of 0.01, despite rounding errors.
  multipleOfPrecision: 9,
  code: { regExp: Object.assign((pattern: string) => compilePattern(pattern) ?? /^/, { code: 'new RegExp' }) },
};

/** Returns a document without examples, because ajv would search the examples for schemas with an id. */
function removeExamples(document: Document): Document {
  return mapNodes(document, (node) => omitKeys(node, EXAMPLE_KEYS));
}

const EXAMPLE_KEYS = ['example', 'examples', 'x-refused-examples'];

/** Returns the errors of a value. `pointer`: the JSON Pointer of the schema in the document. */
export type SchemaValidator = (pointer: string, value: unknown) => readonly ErrorObject[];

/**
 * Creates a validator for the schemas of a document. Each schema is compiled on first use. If ajv can't compile a schema, every value has an error with the
 * keyword `unusable`. `options`: further options of ajv.
 */
export function createSchemaValidator(getDocument: () => Document, options: Options = {}): SchemaValidator {
  const compiled = new Map<string, ValidateFunction | ErrorObject>();
  let ajv: Ajv | undefined;
  const compile = (pointer: string) => {
    try {
      ajv ??= addJsonFormats(new Ajv({ ...ajvOptions, ...options, validateSchema: false })).addSchema(
        removeExamples(getDocument()),
        'contract',
      );
      return ajv.compile({ $ref: `contract#${pointer.split('/').map(encodeURIComponent).join('/')}` });
    } catch (error) {
      return createUnusableError(pointer, error as Error);
    }
  };
  return (pointer, value) => {
    const validate = compiled.get(pointer) ?? compile(pointer);
    compiled.set(pointer, validate);
    if (typeof validate !== 'function') return [validate];
    try {
      validate(value);
    } catch (error) {
      // A schema that contains itself causes endless recursion.
      return [createUnusableError(pointer, error as Error)];
    }
    return validate.errors ?? [];
  };
}

function createUnusableError(pointer: string, error: Error): ErrorObject {
  const message = `can't be validated because the schema at #${pointer} is not usable: ${error.message}`;
  return createErrorObject({ keyword: 'unusable', message });
}

/** Creates an ajv error for a rule that ajv does not check. */
export function createErrorObject(parts: Pick<ErrorObject, 'keyword'> & Partial<ErrorObject>): ErrorObject {
  return { instancePath: '', schemaPath: '', params: {}, ...parts };
}

/**
 * Returns one error for each invalid value, by JSON Pointer. If a value has several errors, returns the error of an `anyOf` or `oneOf`, else the first
 * error. The error of a missing or unknown property has the pointer of the property.
 */
export function groupByPointer(errors: readonly ErrorObject[]): ReadonlyMap<string, ErrorObject> {
  const byPointer = new Map<string, ErrorObject>();
  for (const error of errors) {
    if (isErrorOfBranch(error)) continue;
    const pointer = getPointer(error);
    if (!byPointer.has(pointer) || error.keyword === 'anyOf' || error.keyword === 'oneOf')
      byPointer.set(pointer, error);
  }
  return byPointer;
}

/**
 * Returns whether an error belongs to a branch of an `anyOf` or `oneOf` and the branch only lists required properties. The error of the `anyOf`
 * describes all branches.
 */
function isErrorOfBranch({ keyword, schemaPath, parentSchema = {} }: ErrorObject): boolean {
  return (
    keyword === 'required' &&
    schemaPath.includes('Of/') &&
    /\/(?:anyOf|oneOf)\/\d+\/required$/.test(schemaPath) &&
    !('properties' in parentSchema)
  );
}

function getPointer({ instancePath, keyword, params, propertyName }: ErrorObject): string {
  if (keyword === 'propertyNames') return instancePath + formatPointer(params.propertyName);
  if (propertyName !== undefined) return instancePath + formatPointer(propertyName);
  if (keyword === 'required') return instancePath + formatPointer(params.missingProperty);
  if (keyword === 'additionalProperties') return instancePath + formatPointer(params.additionalProperty);
  return instancePath;
}

/**
 * Returns a copy of the document in which properties with the keyword `only` are not required (OpenAPI 3.0, Schema Object). `only` is `readOnly` for
 * requests and `writeOnly` for responses.
 */
export function createDirectionView(document: Document, text: string, only: Direction): Document {
  if (!text.includes(only)) return document;
  return mapNodes(document, (node) => {
    const { required, properties } = node;
    if (!Array.isArray(required) || !isNode(properties)) return node;
    return { ...node, required: required.filter((name) => !isOneWay(document, properties[name], only)) };
  });
}

type Direction = 'readOnly' | 'writeOnly';

/** Returns whether a property, or the schema that it refers to, has the keyword `only` with the value true. */
export function isOneWay(document: Document, property: unknown, only: Direction): boolean {
  return [property, resolveNode(document, property)].some((schema) => isNode(schema) && schema[only] === true);
}

/** Dates and times of RFC 3339, section 5.6. Unlike ajv-formats, it requires `T` before the time, and an offset such as `+hh:mm`. */
const DATE_TIME = /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;
const TIME = /^\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i;

/** A UUID (RFC 9562, section 4), without the prefix `urn:uuid:`. */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Base64 with padding (RFC 4648, section 4), on one line. */
const BASE64 = /^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/i;

/** The limit of signed 64-bit integers. JSON.parse rounds the largest 64-bit integer, 2^63 - 1, to this number. */
const INT64_LIMIT = 2 ** 63;

/** Formats for which ajv-formats 3.0.1 accepts more than their specifications allow. */
const STRICT_FORMATS: Readonly<Record<string, FormatDefinition<string> | FormatDefinition<number>>> = {
  uuid: { validate: UUID },
  'date-time': restrictFormat('date-time', (text) => DATE_TIME.test(text)),
  time: restrictFormat('time', (text) => TIME.test(text)),
  byte: { validate: BASE64 },
  // RFC 1123, section 2.1: a host name ends with a letter or digit.
  hostname: restrictFormat('hostname', (text) => !text.endsWith('.')),
  // RFC 3986, appendix A: a quotation mark must be escaped.
  'uri-reference': restrictFormat('uri-reference', (text) => !text.includes('"')),
  int64: {
    type: 'number',
    validate: (value) => Number.isInteger(value) && value >= -INT64_LIMIT && value <= INT64_LIMIT,
  },
};

/** An ajv for any dialect of JSON Schema. */
type AnyAjv = Parameters<typeof addFormats.default>[0];

/** Adds the formats of JSON Schema and OpenAPI to an ajv, which otherwise ignores formats. Returns the ajv. */
export function addJsonFormats<Instance extends AnyAjv>(ajv: Instance): Instance {
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(STRICT_FORMATS)) ajv.addFormat(name, format);
  return ajv;
}

/** Returns a format of ajv-formats with an additional rule. */
function restrictFormat(name: FormatName, isAllowed: (text: string) => boolean): FormatDefinition<string> {
  const format = addFormats.default.get(name);
  if (format instanceof RegExp) return { validate: (text) => isAllowed(text) && format.test(text) };
  // The other string formats have a function.
  const { validate, ...rest } = format as FormatDefinition<string> & { validate(text: string): boolean };
  return { ...rest, validate: (text: string) => isAllowed(text) && validate(text) };
}

/** Compiles the `pattern` of a schema, in Unicode mode if the pattern is valid in Unicode mode. Returns undefined for an invalid pattern. */
export function compilePattern(pattern: string): RegExp | undefined {
  return tryOrUndefined(() => new RegExp(pattern, 'u')) ?? tryOrUndefined(() => new RegExp(pattern));
}
