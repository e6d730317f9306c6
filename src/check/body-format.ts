import { isNode, type Node, toNode } from '../openapi/document.ts';
import { nestFields } from '../openapi/form-body.ts';
import { isFormBody, isJsonType, removeTypeParameters } from '../openapi/media-types.ts';
import { FORM_TYPE, JSON_TYPE, MULTIPART_TYPE, parseQuery } from '../util/request-target.ts';

/** The boundary between the parts of a multipart body. */
const BOUNDARY = 'storefront-check-boundary';

/** Matches a part of a multipart body. The groups are the name and the value of the form field. */
const PARTS = new RegExp(`name="([^"]*)"\\r\\n\\r\\n([\\s\\S]*?)\\r\\n--${BOUNDARY}`, 'g');

/**
 * Returns the `Content-Type` header to send for a media type of the contract. Replaces a media range with a type: `image/*` with `image/png`, `text/*` with
 * `text/plain`, and any other range with `application/json`.
 */
export function toContentType(type: string): string {
  if (removeTypeParameters(type) === MULTIPART_TYPE) return `${MULTIPART_TYPE}; boundary=${BOUNDARY}`;
  if (!type.includes('*')) return type;
  const ranges: Readonly<Record<string, string>> = { image: 'image/png', text: 'text/plain' };
  return ranges[type.split('/')[0] ?? ''] ?? JSON_TYPE;
}

/** Serializes a request body for the content type `type`: as JSON, as a form, or as text. Returns an empty string for a form without fields. */
export function formatBody(type: string, body: unknown): string {
  if (isJsonType(type)) return JSON.stringify(body);
  if (!isFormBody(type)) return toText(body);
  const pairs = toPairs(toNode(body));
  if (removeTypeParameters(type) === MULTIPART_TYPE) return formatParts(pairs);
  return new URLSearchParams(pairs.filter(([name]) => !isNode(toNode(body)[name]))).toString();
}

/**
 * Parses a request body with the content type `type`, as a server does. An empty type means JSON. Returns undefined if the type is neither JSON nor a form.
 * Throws a `SyntaxError` for invalid JSON.
 */
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

/** Returns name-value pairs for a query or a form. An array becomes one pair for each entry: `{ tag: ['a', 'b'] }` becomes `[['tag', 'a'], ['tag', 'b']]`. */
export function toPairs(values: Node): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, toText(one)]),
  );
}

/** Converts a value to the text that a query, a path or a form contains. Objects and arrays become JSON. */
export function toText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
