import { JSON_TYPE, MULTIPART_TYPE } from '../util/request-target.ts';
import { createStreamFormat, getStreamKind } from '../util/streams.ts';
import { type Document, getNode, isNode, type Node, toNode } from './document.ts';
import { isJsonType, isXmlType, removeTypeParameters } from './media-types.ts';
import { FIELD_NAME } from './normalize-schemas.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getSchemaParts } from './schema-parts.ts';

/** The boundary between the parts of a multipart form. */
export const FORM_BOUNDARY = 'storefront-form-boundary';

/** The media type of a form as the contract spells it, and the schema (a JSON Pointer), whose `encoding` is used. */
interface FormFormat {
  readonly type: string;
  readonly schema: string | undefined;
}

/** Formats a form: URL-encoded, or as parts. Returns an empty string for a form without fields. */
export function formatForm(document: Document, format: FormFormat, body: Node): string {
  const fields = toFields(document, format, body);
  if (removeTypeParameters(format.type) === MULTIPART_TYPE) return formatParts(fields);
  return new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, value])).toString();
}

/**
 * Returns the `Content-Type` header of a request body for a media type of the contract.
 * Replaces a media range with a type: `image/*` with `image/png`, `text/*` with `text/plain`, and any other range with
 * `application/json`.
 */
export function toContentType(type: string): string {
  if (removeTypeParameters(type) === MULTIPART_TYPE) return `${MULTIPART_TYPE}; boundary=${FORM_BOUNDARY}`;
  if (getStreamKind(type) === 'parts') return createStreamFormat(type)?.contentType ?? type;
  if (!type.includes('*')) return type;
  const ranges: Readonly<Record<string, string>> = { image: 'image/png', text: 'text/plain' };
  return ranges[type.split('/')[0] ?? ''] ?? JSON_TYPE;
}

/** A field of a form. `contentType`: the content type of its part in a multipart body. */
interface Field {
  readonly name: string;
  readonly value: string;
  readonly contentType?: string;
  readonly isFile?: boolean;
}

/** Returns the fields of a form, as the Encoding Objects of the contract describe them. */
function toFields(document: Document, { type, schema }: FormFormat, body: Node): readonly Field[] {
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
    const own = properties.get(name);
    const described = { document, schema: own, contentType: encoding.contentType };
    const { [FIELD_NAME]: field = name } = toNode(own && getNode(document, own));
    return [value].flat().map((entry) => createField(String(field), entry, described));
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
    return `--${FORM_BOUNDARY}\r\nContent-Disposition: form-data; name="${ownName}"${fileName}${type}\r\n\r\n${value}\r\n`;
  });
  return `${parts.join('')}--${FORM_BOUNDARY}--\r\n`;
}

/** Returns a file name with the extension of a content type, because servers can compare both. */
function toFileName(type = ''): string {
  const [, subtype = ''] = /\/([a-z]+)$/.exec(removeTypeParameters(type)) ?? [];
  return `file.${EXTENSIONS[subtype] ?? (subtype === '' ? 'bin' : subtype)}`;
}

/** The file extensions that differ from the media subtype. */
const EXTENSIONS: Readonly<Record<string, string>> = { plain: 'txt', jpeg: 'jpg', markdown: 'md' };

/** Converts a value to the text that a query, a path or a form contains. Objects and arrays become JSON. */
export function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
