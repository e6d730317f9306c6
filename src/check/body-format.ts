import { isNode, type Node, toNode } from '../openapi/document.ts';
import { nestFields } from '../openapi/form-body.ts';
import { isFormBody, isJsonType, removeTypeParameters } from '../openapi/responses.ts';
import { FORM_TYPE, JSON_TYPE, MULTIPART_TYPE, parseQuery } from '../util/request-target.ts';

/** The text between the parts of a multipart body. */
const BOUNDARY = 'storefront-check-boundary';

/** Matches a part of a multipart body. */
const PARTS = new RegExp(`name="([^"]*)"\\r\\n\\r\\n([\\s\\S]*?)\\r\\n--${BOUNDARY}`, 'g');

/** Returns the Content-Type header for a media type of the contract, which can be a range such as `image/*`. */
export function toContentType(type: string): string {
  if (removeTypeParameters(type) === MULTIPART_TYPE) return `${MULTIPART_TYPE}; boundary=${BOUNDARY}`;
  if (!type.includes('*')) return type;
  const ranges: Readonly<Record<string, string>> = { image: 'image/png', text: 'text/plain' };
  return ranges[type.split('/')[0] ?? ''] ?? JSON_TYPE;
}

/** Serializes the body of a request with a content type. Returns an empty text for a form without fields. */
export function formatBody(type: string, body: unknown): string {
  if (isJsonType(type)) return JSON.stringify(body);
  if (!isFormBody(type)) return toText(body);
  const pairs = toPairs(toNode(body));
  if (removeTypeParameters(type) === MULTIPART_TYPE) return formatParts(pairs);
  return new URLSearchParams(pairs.filter(([name]) => !isNode(toNode(body)[name]))).toString();
}

/** Parses the body of a request in the same way as a server. Returns undefined for a media type that is not parsed. */
export function parseBody(type: string, text: string): unknown {
  if (type === FORM_TYPE) return parseQuery(text);
  if (!isFormBody(type)) return type === '' || isJsonType(type) ? JSON.parse(text) : undefined;
  return nestFields([...text.matchAll(PARTS)].map(([, name = '', value = '']) => [name.replaceAll('%22', '"'), value]));
}

function formatParts(pairs: readonly (readonly [name: string, value: string])[]): string {
  if (pairs.length === 0) return '';
  const parts = pairs.map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name.replaceAll('"', '%22')}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}

/** Returns the name and the text of each value in a query or a form. An array has one pair for each entry. */
export function toPairs(values: Node): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, toText(one)]),
  );
}

/** Returns the text of a value in a query, a path or a form. Objects are serialized as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
