import { isJsonType, isXmlType, removeTypeParameters } from '../openapi/media-types.ts';
import type { XmlContract } from '../openapi/xml/xml-schema.ts';
import { FORBIDDEN, formatXml } from '../openapi/xml/xml-schema.ts';

/** The media type of problem documents (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';

const TYPES_OF_RANGES: ReadonlyMap<string, string> = new Map([
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['text/*', 'text/plain'],
  ['image/*', 'image/png'],
  ['audio/*', 'audio/wav'],
]);

/**
 * Returns the header `Vary` of a response whose media type depends on the header `Accept`.
 * `headers`: the other headers of the response.
 */
export function createVary({ Vary: vary }: Readonly<Record<string, string>>): { readonly Vary: string } {
  return { Vary: vary === undefined ? 'Accept' : `${vary}, Accept` };
}

/**
 * Returns the content type for a documented media type.
 * Replaces a media range with a type: `text/*` becomes `text/plain`.
 */
export function toContentType(type: string): string {
  return TYPES_OF_RANGES.get(type) ?? type;
}

/** A media range in an `Accept` header (RFC 9110, section 12.5.1), such as `text/*;q=0.5`. */
interface MediaRange {
  readonly type: string;
  /** The parameters before `q`, such as `version=1`, by name. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * Chooses a documented media type by an `Accept` header.
 * The quality of a type is that of the most specific range that includes it.
 * Prefers JSON if several types are equally acceptable, or if no type is acceptable.
 * Returns undefined if `types` is empty.
 */
export function chooseMediaType(types: readonly string[], accept: string): string | undefined {
  const jsonFirst = types.toSorted((a, b) => Number(isJsonType(b)) - Number(isJsonType(a)));
  if (accept === '' || types.length < 2) return jsonFirst[0];
  const [best] = findAcceptable(jsonFirst, accept).sort((a, b) => b.quality - a.quality || a.index - b.index);
  return best?.type ?? jsonFirst[0];
}

/**
 * Returns whether an `Accept` header admits one of the media types.
 * A documented range such as `image/*` can be any type, so it is always acceptable.
 */
export function isAcceptable(types: readonly string[], accept: string): boolean {
  return types.some((type) => type.includes('*')) || findAcceptable(types, accept).length > 0;
}

/**
 * Returns the acceptable types, with their quality and the index of their range in the header.
 * A header without a range accepts all types.
 */
function findAcceptable(types: readonly string[], accept: string) {
  const ranges = parseAccept(accept);
  const known = ranges.length > 0 ? ranges : [ANY];
  return types.flatMap((type) => {
    const range = findMostSpecific(known, parseRange(toContentType(type)));
    return range && range.quality > 0 ? [{ type, quality: range.quality, index: known.indexOf(range) }] : [];
  });
}

const ANY: MediaRange = { type: '*/*', parameters: new Map(), quality: 1 };

/** Parses an `Accept` header. A comma or a semicolon within quotes separates nothing. */
function parseAccept(accept: string): readonly MediaRange[] {
  const parts = accept.match(/(?:"(?:\\.|[^"\\])*"?|[^",])+/g) ?? [];
  return parts.map(parseRange).filter(({ type }) => type.includes('/') || type === '*');
}

function parseRange(text: string): MediaRange {
  const [, ...pairs] = text.match(/(?:"(?:\\.|[^"\\])*"?|[^";])+/g) ?? [];
  const parsed = pairs.map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    return [name.trim().toLowerCase(), value.trim().replaceAll('"', '').toLowerCase()] as const;
  });
  const position = parsed.findIndex(([name]) => name === 'q');
  const [, weight = ''] = parsed[position] ?? [];
  return {
    type: removeTypeParameters(text),
    parameters: new Map(position < 0 ? parsed : parsed.slice(0, position)),
    quality: /^(?:\d+\.?\d*|\.\d+)$/.test(weight) ? Number(weight) : 1,
  };
}

function findMostSpecific(ranges: readonly MediaRange[], documented: MediaRange): MediaRange | undefined {
  const matching = ranges.flatMap((range) => ({ range, specificity: getSpecificity(range, documented) }));
  const [best] = matching.toSorted((a, b) => b.specificity - a.specificity);
  return best && best.specificity > 0 ? best.range : undefined;
}

/**
 * Returns how specific a range is for a documented type; 0 if it does not include the type.
 * A parameter with another value excludes the type.
 * Decision: a parameter that the contract does not document for the type, such as `charset`, does not.
 */
function getSpecificity(range: MediaRange, { type, parameters }: MediaRange): number {
  if (range.type === '*/*' || range.type === '*') return 1;
  if (range.type.endsWith('/*')) return type.startsWith(range.type.slice(0, -1)) ? 2 : 0;
  if (range.type !== type) return 0;
  const common = [...range.parameters].filter(([name]) => parameters.has(name));
  return common.every(([name, value]) => parameters.get(name) === value) ? 3 + common.length : 0;
}

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
  const isText = typeof body === 'string';
  if (isText && removeTypeParameters(type) === EVENT_STREAM) return toEvents(body);
  if (isText && (!isXmlType(type) || body.trimStart().startsWith('<'))) return body;
  if (isXmlType(type)) {
    // The JSON form of a value has neither dates nor undefined properties.
    const value: unknown = JSON.parse(JSON.stringify(body));
    const allowed = () => toXmlValue(value);
    return (
      formatXml(contract, schema, value) ??
      formatXml(contract, schema, allowed()) ??
      formatXml(contract, undefined, allowed()) ??
      ''
    );
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
