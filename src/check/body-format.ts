import { type Node, toNode } from '../openapi/document.ts';
import { nestFields } from '../openapi/form-body.ts';
import { FORM_BOUNDARY, formatForm, toContentType, toText } from '../openapi/format-form.ts';
import { isFormBody, isJsonType, isXmlType, removeTypeParameters } from '../openapi/media-types.ts';
import { parseXml } from '../openapi/xml/parse-xml.ts';
import type { XmlContract } from '../openapi/xml/xml-schema.ts';
import { formatXml } from '../openapi/xml/xml-schema.ts';
import { FORM_TYPE, parseQuery } from '../util/request-target.ts';
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

/**
 * Matches a part of a multipart body.
 * The groups are the name of the form field, the other headers of the part, and the value.
 */
const PARTS = new RegExp(
  `name="([^"]*)"([^\\r\\n]*(?:\\r\\n[^\\r\\n]+)*)\\r\\n\\r\\n([\\s\\S]*?)\\r\\n--${FORM_BOUNDARY}`,
  'g',
);

/**
 * Serializes a request body: as JSON, as a form, as XML, or as text.
 * Returns an empty string for a form without fields, and undefined for a value that XML can't represent.
 */
export function formatBody({ type, contract, schema }: BodyFormat, body: unknown): string | undefined {
  const sentType = toContentType(type);
  if (isJsonType(sentType)) return JSON.stringify(body);
  if (isXmlType(sentType) && schema !== undefined && !isXmlText(body)) return formatXml(contract, schema, body);
  if (!isFormBody(sentType)) return toText(body);
  return formatForm(contract.normalized, { type, schema }, toNode(body));
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

/** Returns the text of a part. The value of a JSON string is its text, and that of a file is its `data:` URL. */
function readPart(headers: string, value: string): string {
  const [, type = ''] = /content-type: ([^\r\n]*)/i.exec(headers) ?? [];
  if (/;\s*filename=/i.test(headers)) return `data:${type};base64,${Buffer.from(value).toString('base64')}`;
  const parsed: unknown = isJsonType(type) ? tryOrUndefined(() => JSON.parse(value)) : undefined;
  return typeof parsed === 'string' ? parsed : value;
}

/**
 * Returns name-value pairs for a query.
 * An array becomes one pair for each entry: `{ tag: ['a', 'b'] }` becomes `[['tag', 'a'], ['tag', 'b']]`.
 */
export function toPairs(values: Node): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, toText(one)]),
  );
}
