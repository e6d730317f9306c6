import { isJsonType, isXmlType, removeTypeParameters } from '../openapi/media-types.ts';
import { FORBIDDEN, formatXml, type XmlContract } from '../openapi/xml/xml-schema.ts';
import { createStreamFormat, formatStream, getStreamKind, type ItemFormat } from '../util/streams.ts';

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
 * Adds the boundary of a multipart stream.
 */
export function toContentType(type: string): string {
  if (type.startsWith('multipart/')) return createStreamFormat(type)?.contentType ?? type;
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
  readonly items?: ItemFormat | undefined;
}

/**
 * Formats a body for its content type.
 * A body for JSON stays a value.
 * Text and binary data stay unchanged.
 * For XML, returns the text that the schema describes; for a stream, the text of its items.
 * For other types, returns the JSON text.
 */
export function formatBody(type: string, body: unknown, { contract, schema, items }: BodySchema): unknown {
  if (body === undefined || isJsonType(type) || Buffer.isBuffer(body)) return body;
  const isText = typeof body === 'string';
  if (isText && getStreamKind(type) === 'events') return toEvents(body);
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
  const format = createStreamFormat(type, items);
  return format ? formatStream(format, Array.isArray(body) ? body : [body]) : JSON.stringify(body);
}

/** Returns whether a value can be sent with a content type: JSON, XML, or a stream of JSON texts. */
export function canFormat(type: string): boolean {
  return isJsonType(type) || isXmlType(type) || getStreamKind(type) !== undefined;
}

/** Returns a text as server-sent events. A text that already has the fields of events stays unchanged. */
function toEvents(text: string): string {
  if (/^(?:data|event|id|retry)?:/m.test(text)) return text;
  return `${text.replaceAll(/^/gm, 'data: ')}\n\n`;
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

/** An image with one gray pixel, in Base64. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';
const GIF = 'R0lGODlhAQABAIAAAICAgP///ywAAAAAAQABAAACAkQBADs=';
const WEBP = 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADMDOJaQAA3AA/u7uAAA=';
const JPEG =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z';

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#888"/></svg>`;
const HTML =
  '<!doctype html><html lang="en"><head><title>Example</title></head><body><h1>Example</h1><p>A short text.</p></body></html>';
const CSV = 'id,name\r\n1,Amber Meadow\r\n2,Quiet Harbor\r\n';
const TEXT = 'A short text.';

/** Functions that create a small valid file, by media type. */
const FILES: ReadonlyMap<string, () => Buffer | string> = new Map(
  Object.entries({
    'image/png': () => Buffer.from(PNG, 'base64'),
    'image/*': () => Buffer.from(PNG, 'base64'),
    'image/jpeg': () => Buffer.from(JPEG, 'base64'),
    'image/jpg': () => Buffer.from(JPEG, 'base64'),
    'image/gif': () => Buffer.from(GIF, 'base64'),
    'image/webp': () => Buffer.from(WEBP, 'base64'),
    'image/svg+xml': () => SVG,
    'audio/mpeg': createMp3,
    'audio/mp3': createMp3,
    'audio/wav': createWav,
    'audio/wave': createWav,
    'audio/x-wav': createWav,
    'audio/*': createWav,
    'application/pdf': createPdf,
    'application/zip': createZip,
    'application/octet-stream': () => Buffer.from([0, 1, 2, 3, 4, 5, 6, 7]),
    'text/html': () => HTML,
    'text/csv': () => CSV,
    'text/plain': () => TEXT,
    'text/markdown': () => `# Example\n\n${TEXT}\n`,
  }),
);

/**
 * Returns a small valid file of a media type: a string for text.
 * Returns undefined for JSON, XML, and unknown types.
 */
export function createSampleFile(type: string): Buffer | string | undefined {
  return FILES.get(removeTypeParameters(type))?.();
}

/**
 * Creates a PDF of one empty page (ISO 32000-1, section 7.5).
 * Its cross-reference table contains the offset of each object.
 */
function createPdf(): string {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources<<>>>>',
  ];
  let text = '%PDF-1.4\n';
  let table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const [index, object] of objects.entries()) {
    table += `${String(text.length).padStart(10, '0')} 00000 n \n`;
    text += `${index + 1} 0 obj${object}endobj\n`;
  }
  return `${text}${table}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`;
}

/** Creates a silent WAVE file of eight samples, 8 bits each at 8 kHz. */
function createWav(): Buffer {
  const samples = Buffer.alloc(8, 128);
  const header = Buffer.alloc(44);
  header.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.writeUInt32LE(16, 16);
  // The format (PCM), and the number of channels.
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  // The number of samples per second, and of bytes per second.
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(8_000, 28);
  // The number of bytes per sample, and of bits per sample.
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** Creates an MP3 file of one silent frame. A frame of 128 kbit/s at 44.1 kHz has 417 bytes (MPEG-1 layer III). */
function createMp3(): Buffer {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x00]);
  return frame;
}

/** Creates an empty ZIP archive, which consists only of an end record. */
function createZip(): Buffer {
  const record = Buffer.alloc(22);
  record.write('PK\x05\x06', 'latin1');
  return record;
}
