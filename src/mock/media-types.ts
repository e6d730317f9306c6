import { removeTypeParameters } from '../openapi/responses.ts';
import { toXml } from './format-xml.ts';

/** The media type of problem documents (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';

/** Returns the content type for a documented media type, which can be a range: `application/*` becomes JSON, `text/*` becomes `text/plain`. */
export function toContentType(type: string): string {
  if (type === '*/*' || type === 'application/*') return 'application/json';
  return type.endsWith('/*') ? `${type.slice(0, -1)}plain` : type;
}

/** Formats a body whose content type is not JSON. A string stays unchanged; other values become XML or JSON text. */
export function toText(type: string, body: unknown): string {
  if (typeof body === 'string') return body;
  return /[/+]xml$/.test(removeTypeParameters(type)) ? toXml(body) : JSON.stringify(body);
}
