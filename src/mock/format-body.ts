import { isJsonType, isXmlType, removeTypeParameters } from '../openapi/media-types.ts';
import { FORBIDDEN, formatXml } from '../openapi/xml/format-xml.ts';
import type { XmlContract } from '../openapi/xml/xml-schema.ts';

/** Where the schema of a body is: the contract, and the JSON Pointer of the schema. */
interface BodySchema {
  readonly contract: XmlContract;
  readonly schema: string | undefined;
}

/**
 * Formats a body for its content type.
 * A body for JSON stays a value.
 * Text and binary data stay unchanged.
 * For XML and for streams, returns the text that the schema describes; for other types, the JSON text.
 */
export function formatBody(type: string, body: unknown, { contract, schema }: BodySchema): unknown {
  if (body === undefined || isJsonType(type) || Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return removeTypeParameters(type) === EVENT_STREAM ? toEvents(body) : body;
  if (isXmlType(type)) {
    // The JSON form of a value has neither dates nor undefined properties.
    const value: unknown = JSON.parse(JSON.stringify(body));
    return formatXml(contract, schema, value) ?? formatXml(contract, undefined, toXmlValue(value)) ?? '';
  }
  const format = getStreamFormat(type);
  return format ? (Array.isArray(body) ? body : [body]).map(format).join('') : JSON.stringify(body);
}

/** Returns whether a value can be sent with a content type: JSON, XML, or a stream of JSON texts. */
export function canFormat(type: string): boolean {
  return isJsonType(type) || isXmlType(type) || getStreamFormat(type) !== undefined;
}

const EVENT_STREAM = 'text/event-stream';

/** Returns a text as server-sent events. A text that already has the fields of events stays unchanged. */
function toEvents(text: string): string {
  if (/^(?:data|event|id|retry)?:/m.test(text)) return text;
  return `${text.replaceAll(/^/gm, 'data: ')}\n\n`;
}

/** Formats one entry of a stream: a server-sent event, or a line. */
type FormatEntry = (entry: unknown) => string;

const toLine: FormatEntry = (entry) => `${JSON.stringify(entry)}\n`;

/**
 * Returns the function that formats the entries of a stream.
 * Returns undefined if the type is no stream of JSON texts.
 */
function getStreamFormat(type: string): FormatEntry | undefined {
  const bare = removeTypeParameters(type);
  if (bare === EVENT_STREAM) return (entry) => `data: ${JSON.stringify(entry)}\n\n`;
  // Each text begins with the character RS (RFC 7464).
  if (/^application\/(?:.+\+)?json-seq$/.test(bare)) return (entry) => `\u001e${toLine(entry)}`;
  return /^application\/(?:(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)|stream\+json)$/.test(bare) ? toLine : undefined;
}

/** Returns a copy of a value with names that XML allows, and without characters that XML does not allow. */
function toXmlValue(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(new RegExp(FORBIDDEN, 'g'), '\ufffd');
  if (Array.isArray(value)) return value.map(toXmlValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [toElementName(key), toXmlValue(one)]));
}

function toElementName(key: string): string {
  const name = key.replaceAll(/[^\w.-]/g, '_');
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}
