import { type Document, getNode, isNode, type Node, toNode } from '../openapi/document.ts';
import { nestFields } from '../openapi/form-body.ts';
import { isFormBody, isJsonType, isXmlType, removeTypeParameters } from '../openapi/media-types.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { parseXml } from '../openapi/xml/parse-xml.ts';
import type { XmlContract } from '../openapi/xml/xml-schema.ts';
import { formatXml } from '../openapi/xml/xml-schema.ts';
import { FORM_TYPE, JSON_TYPE, MULTIPART_TYPE, parseQuery } from '../util/request-target.ts';
import { createStreamFormat, getStreamKind } from '../util/streams.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';

/**
 * How a request body is serialized: its media type as the contract spells it, and the schema (a JSON Pointer), whose
 * `encoding` and `xml` are used.
 */
export interface BodyFormat {
  readonly type: string;
  readonly contract: XmlContract;
  readonly schema: string | undefined;
}

/** The boundary between the parts of a multipart body. */
const BOUNDARY = 'storefront-check-boundary';

/**
 * Matches a part of a multipart body.
 * The groups are the name of the form field, the other headers of the part, and the value.
 */
const PARTS = new RegExp(
  `name="([^"]*)"([^\\r\\n]*(?:\\r\\n[^\\r\\n]+)*)\\r\\n\\r\\n([\\s\\S]*?)\\r\\n--${BOUNDARY}`,
  'g',
);

/**
 * Returns the `Content-Type` header to send for a media type of the contract.
 * Replaces a media range with a type: `image/*` with `image/png`, `text/*` with `text/plain`, and any other range with
 * `application/json`.
 */
export function toContentType(type: string): string {
  if (removeTypeParameters(type) === MULTIPART_TYPE) return `${MULTIPART_TYPE}; boundary=${BOUNDARY}`;
  if (getStreamKind(type) === 'parts') return createStreamFormat(type)?.contentType ?? type;
  if (!type.includes('*')) return type;
  const ranges: Readonly<Record<string, string>> = { image: 'image/png', text: 'text/plain' };
  return ranges[type.split('/')[0] ?? ''] ?? JSON_TYPE;
}

/**
 * Serializes a request body: as JSON, as a form, as XML, or as text.
 * Returns an empty string for a form without fields, and undefined for a value that XML can't represent.
 */
export function formatBody({ type, contract, schema }: BodyFormat, body: unknown): string | undefined {
  const sentType = toContentType(type);
  if (isJsonType(sentType)) return JSON.stringify(body);
  if (isXmlType(sentType) && schema !== undefined && !isXmlText(body)) return formatXml(contract, schema, body);
  if (!isFormBody(sentType)) return toText(body);
  const fields = toFields({ type, contract, schema }, toNode(body));
  if (removeTypeParameters(sentType) === MULTIPART_TYPE) return formatParts(fields);
  return new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, value])).toString();
}

/** Returns whether a body is already XML, as an example in the contract can be. */
function isXmlText(body: unknown): boolean {
  return typeof body === 'string' && body.trimStart().startsWith('<');
}

/**
 * Parses a request body with the content type `type`, as a server does.
 * An empty type means JSON.
 * Returns undefined if the type is neither JSON nor a form nor XML with a schema.
 * Throws a `SyntaxError` for invalid JSON.
 */
export function parseBody(type: string, text: string, { contract, schema }: Partial<BodyFormat> = {}): unknown {
  if (removeTypeParameters(type) === FORM_TYPE) return parseQuery(text);
  if (isXmlType(type) && contract !== undefined && schema !== undefined)
    return tryOrUndefined(() => parseXml(contract, schema, text));
  if (!isFormBody(type)) return type === '' || isJsonType(type) ? JSON.parse(text) : undefined;
  return nestFields(
    [...text.matchAll(PARTS)].map(([, name = '', headers = '', value = '']) => [
      name.replaceAll('%22', '"'),
      readPart(headers, value),
    ]),
  );
}

/** Returns the text of a part. The value of a JSON string is its text. */
function readPart(headers: string, value: string): string {
  const [, type = ''] = /content-type: ([^\r\n]*)/i.exec(headers) ?? [];
  const parsed: unknown = isJsonType(type) ? tryOrUndefined(() => JSON.parse(value)) : undefined;
  return typeof parsed === 'string' ? parsed : value;
}

/** A field of a form. `contentType`: the content type of its part in a multipart body. */
interface Field {
  readonly name: string;
  readonly value: string;
  readonly contentType?: string;
  readonly isFile?: boolean;
}

/** Returns the fields of a form, as the Encoding Objects of the contract describe them. */
function toFields({ type, contract, schema }: BodyFormat, body: Node): readonly Field[] {
  const document = contract.normalized;
  const parts = schema === undefined ? [] : getSchemaParts(document, schema, ALL_PARTS);
  const properties = getPartProperties(parts);
  const required = parts.flatMap(({ node }) => (Array.isArray(node.required) ? node.required : []));
  const encodings = toNode(getNode(document, (schema ?? '').replace(/schema$/, 'encoding')));
  const isMultipart = removeTypeParameters(type) === MULTIPART_TYPE;
  return Object.entries(body).flatMap(([name, value]) => {
    const encoding = toNode(encodings[name]);
    const isStyled = !isMultipart || encoding.style !== undefined || encoding.explode !== undefined;
    const styled = isStyled ? toStyledFields(name, value, encoding) : undefined;
    if (styled) return styled;
    // Decision: servers read an object in a URL-encoded form in different ways.
    // It is sent as JSON, but only if the contract asks for it.
    if (!isMultipart && isNode(value) && !required.includes(name) && encoding.contentType === undefined) return [];
    const described = { document, schema: properties.get(name), contentType: encoding.contentType };
    return [value].flat().map((entry) => createField(name, entry, described));
  });
}

/** The separators of the entries of an array in one field, by the `style` of the Encoding Object. */
const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: ' ', pipeDelimited: '|' };

/**
 * Returns the fields of an array with `explode: false`, or of an object with `style: deepObject`.
 * Returns undefined for other values.
 */
function toStyledFields(
  name: string,
  value: unknown,
  { style, explode, contentType }: Node,
): readonly Field[] | undefined {
  if (contentType !== undefined) return undefined;
  if (Array.isArray(value) && explode === false && value.every((entry) => typeof entry !== 'object'))
    return [{ name, value: value.map(toText).join(SEPARATORS[String(style)] ?? ',') }];
  if (!isNode(value) || style !== 'deepObject') return undefined;
  return Object.entries(value).map(([key, one]) => ({ name: `${name}[${key}]`, value: toText(one) }));
}

/**
 * What the contract says about a form field: the schema of the property (a JSON Pointer), and `contentType` of its
 * Encoding Object.
 */
interface FieldDescription {
  readonly document: Document;
  readonly schema: string | undefined;
  readonly contentType: unknown;
}

function createField(name: string, value: unknown, { document, schema, contentType }: FieldDescription): Field {
  const parts = schema === undefined ? [] : getSchemaParts(document, schema, ALL_PARTS);
  const items = getPartItems(parts);
  const entryParts = items === undefined ? parts : getSchemaParts(document, items, ALL_PARTS);
  const [encoded] =
    typeof contentType === 'string' ? contentType.split(',').map((one) => toContentType(one.trim())) : [];
  const isBinary = entryParts.some(
    ({ node: { format, contentMediaType } }) =>
      format === 'binary' || (typeof contentMediaType === 'string' && !isTextType(contentMediaType)),
  );
  const [media] = entryParts.flatMap(({ node: { contentMediaType } }) =>
    typeof contentMediaType === 'string' ? contentMediaType : [],
  );
  const isStructured = typeof value === 'object' && value !== null;
  const isFile = isBinary || (!isStructured && encoded !== undefined && !isTextType(encoded));
  const ownType = encoded ?? media ?? (isFile ? 'application/octet-stream' : undefined);
  if (isFile) return { name, value: toText(value), isFile, contentType: ownType ?? 'application/octet-stream' };
  if (isStructured) return { name, value: JSON.stringify(value), contentType: ownType ?? JSON_TYPE };
  if (ownType === undefined) return { name, value: toText(value) };
  return { name, value: isJsonType(ownType) ? JSON.stringify(value) : toText(value), contentType: ownType };
}

/** Returns whether a part with this content type is a text field, and not a file. */
function isTextType(type: string): boolean {
  return isJsonType(type) || isXmlType(type) || removeTypeParameters(type).startsWith('text/');
}

function formatParts(fields: readonly Field[]): string {
  if (fields.length === 0) return '';
  const parts = fields.map(({ name, value, isFile, contentType }) => {
    const ownName = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
    const fileName = isFile ? `; filename="${toFileName(contentType)}"` : '';
    const type = contentType === undefined ? '' : `\r\nContent-Type: ${contentType}`;
    return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${ownName}"${fileName}${type}\r\n\r\n${value}\r\n`;
  });
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}

/** Returns a file name with the extension of a content type, because servers can compare both. */
function toFileName(type = ''): string {
  const [, subtype = ''] = /\/([a-z]+)$/.exec(removeTypeParameters(type)) ?? [];
  return `file.${EXTENSIONS[subtype] ?? (subtype === '' ? 'bin' : subtype)}`;
}

/** The file extensions that differ from the media subtype. */
const EXTENSIONS: Readonly<Record<string, string>> = { plain: 'txt', jpeg: 'jpg', markdown: 'md' };

/**
 * Returns name-value pairs for a query.
 * An array becomes one pair for each entry: `{ tag: ['a', 'b'] }` becomes `[['tag', 'a'], ['tag', 'b']]`.
 */
export function toPairs(values: Node): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, toText(one)]),
  );
}

/** Converts a value to the text that a query, a path or a form contains. Objects and arrays become JSON. */
export function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
