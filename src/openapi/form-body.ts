import type { ErrorObject } from 'ajv';
import { formatPointer } from '../util/json-pointer.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { addAt, parseDeepName } from './deep-names.ts';
import { type Document, getNode, isNode, type Node, toNode } from './document.ts';
import { findInexact } from './parameters.ts';
import { ALL_PARTS, getBranches, getSchemaParts } from './schema-parts.ts';
import { createErrorObject } from './schema-validator.ts';
import { type ConvertTexts, ParsedText } from './typed-values.ts';

/**
 * Returns the fields of a form as an object.
 * A repeated name becomes an array, and `a[b]` becomes the property `b` of the object `a`.
 */
export function nestFields(fields: readonly (readonly [name: string, value: string])[]): Node {
  // A Map, since a field can have the name `__proto__`.
  const values = new Map<string, unknown>();
  for (const [field, value] of fields) {
    const { parameter = field, keys = [] } = parseDeepName(field) ?? {};
    values.set(parameter, addAt(values.get(parameter), keys, value));
  }
  return Object.fromEntries(values);
}

/** The separators of the entries in a field, by the `style` in the Encoding Object. */
const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: ' ', pipeDelimited: '|' };

/** The value of a form, and the errors of those fields that can't be read. */
export interface Form {
  readonly body: unknown;
  readonly errors: readonly ErrorObject[];
}

/**
 * Parses the fields of a form.
 * JSON in a field is parsed if the schema of the field allows an object or an array.
 * A list in one field (`explode: false`) is split.
 * Then `convert` gives the texts the types of the schema.
 * The errors are about integers in JSON that can't be represented, and about texts in place of files.
 * `schema`: the JSON Pointer of the form's schema.
 */
export function readForm(document: Document, schema: string, form: unknown, convert: ConvertTexts): Form {
  if (!isNode(form)) return { body: form, errors: [] };
  const errors: ErrorObject[] = [];
  const encoding = toNode(getNode(document, schema.replace(/schema$/, 'encoding')));
  const branches = getBranches(document)([schema]);
  const isMultipart = schema.includes('/multipart~1form-data/');
  const entries = Object.entries(form).map(([name, value]) => {
    const field = { document, encoding: toNode(encoding[name]), place: `/requestBody${formatPointer(name)}`, errors };
    const schemas = branches.map((branch) => branch.getProperty(name)).filter((pointers) => pointers.length > 0);
    if (isMultipart && isText(value) && isFileField(document, schemas))
      errors.push(createFileError(field.place, value));
    return [name, readField(field, schemas, value)];
  });
  return { body: convert(schema, [Object.fromEntries(entries)]), errors };
}

/** Returns whether a field of a multipart form is a text. A file is a `data:` URL, or JSON if it has no name. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && !/^(?:data:|\s*[{[])/.test(value);
}

/** Returns whether a field must be a file in all alternatives of a form. */
function isFileField(document: Document, schemas: readonly (readonly string[])[]): boolean {
  return schemas.length > 0 && schemas.every((pointers) => pointers.some((one) => isFile(document, one)));
}

/** Creates the error about a text in place of a file. */
function createFileError(place: string, data: string): ErrorObject {
  return { ...createErrorObject({ keyword: 'type', instancePath: place, data }), parentSchema: FILE_SCHEMA };
}

const FILE_SCHEMA = { type: 'string', format: 'binary' };

/**
 * A field of a form.
 * `encoding`: its Encoding Object.
 * `place`: its JSON Pointer in the request.
 * `errors`: the errors that were found.
 */
interface Field {
  readonly document: Document;
  readonly encoding: Node;
  readonly place: string;
  readonly errors: ErrorObject[];
}

/** `schemas`: for each alternative of the form, the JSON Pointers of the schemas of the field. */
function readField(field: Field, schemas: readonly (readonly string[])[], value: unknown): unknown {
  const { document, encoding, place, errors } = field;
  const branches = schemas.flatMap(getBranches(document));
  const allows = (type: string) => branches.some(({ types }) => types?.has(type));
  const isList = allows('array');
  const items = branches.filter(({ types }) => types?.has('array')).map((branch) => branch.getItem(0));
  const isListOfFiles = items.flat().some((item) => isFile(document, item));
  const isJsonText = /json/i.test(String(encoding.contentType ?? ''));
  if (value === 'null' && allows('null') && (isJsonText || !allows('string'))) return new ParsedText(null);
  if (isJsonText && typeof value === 'string' && /^\s*"/.test(value)) return toParsed(value, parseAny(value));
  const isJson = allows('object') || (isList && !isListOfFiles) || isJsonText;
  const parsed = isJson ? parseJson(value) : value;
  const isOnlyList = isList && branches.every(({ types }) => types?.has('array') && types.size === 1);
  if (parsed !== value) {
    errors.push(...findInexact(place, value));
    return new ParsedText(isOnlyList ? [parsed].flat() : parsed);
  }
  if (!isList) return value;
  const separator = encoding.explode === false ? (SEPARATORS[String(encoding.style)] ?? ',') : undefined;
  const entries =
    typeof parsed === 'string' && separator !== undefined
      ? parsed.split(separator)
      : isOnlyList
        ? [parsed].flat()
        : parsed;
  if (!Array.isArray(entries)) return entries;
  return entries.map((entry, index) => readField({ ...field, encoding: {}, place: `${place}/${index}` }, items, entry));
}

function isFile(document: Document, schema: string): boolean {
  return getSchemaParts(document, schema, ALL_PARTS).some(({ node }) => node.format === 'binary');
}

/** Parses JSON. Returns the text itself if it is not JSON. */
function parseAny(text: string): unknown {
  return tryOrUndefined(() => JSON.parse(text)) ?? text;
}

function toParsed(text: string, value: unknown): unknown {
  return value === text ? text : new ParsedText(value);
}

/** Parses a string with a JSON object or array. Returns any other value unchanged. */
function parseJson(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return tryOrUndefined(() => JSON.parse(value)) ?? value;
}
