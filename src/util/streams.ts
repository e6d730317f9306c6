import { JSON_TYPE } from './request-target.ts';
import { tryOrUndefined } from './try-or-undefined.ts';

/**
 * The formats of streams: server-sent events (HTML Standard, section 9.2), lines of JSON (JSON Lines), JSON text
 * sequences (RFC 7464), and the parts of a multipart body (RFC 2046, section 5.1).
 */
type StreamKind = 'events' | 'lines' | 'sequence' | 'parts';

const KINDS: readonly (readonly [StreamKind, RegExp])[] = [
  ['events', /^text\/event-stream$/],
  ['lines', /^application\/(?:(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)|stream\+json)$/],
  ['sequence', /^application\/(?:.+\+)?json-seq$/],
  ['parts', /^multipart\/mixed$/],
];

/** Returns the kind of a stream for its media type; undefined if the type is no stream of items. */
export function getStreamKind(contentType: string): StreamKind | undefined {
  const bare = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  return KINDS.find(([, pattern]) => pattern.test(bare))?.[0];
}

/** The items of a stream, which can be created while the stream is sent. */
export type Items = Iterable<unknown> | AsyncIterable<unknown>;

/** A server-sent event. `data`: a text, or a value that is sent as JSON. */
interface ServerSentEvent {
  readonly event?: unknown;
  readonly id?: unknown;
  readonly retry?: unknown;
  readonly data?: unknown;
}

/** The fields of a server-sent event. */
const EVENT_FIELDS: readonly string[] = ['event', 'id', 'retry', 'data'];

/** Returns whether names are the fields of a server-sent event: `data`, and perhaps `event`, `id` and `retry`. */
export function areEventFields(names: readonly string[]): boolean {
  return names.includes('data') && areAllFields(names);
}

function areAllFields(names: readonly string[]): boolean {
  return names.length > 0 && names.every((name) => EVENT_FIELDS.includes(name));
}

/** A comment, which clients ignore, but which keeps the connection open. */
export const HEARTBEAT = ': heartbeat\n\n';

/** Formats a server-sent event. A line feed in `event` or `id` would end the field, so it becomes a space. */
export function formatEvent({ event, id, retry, data }: ServerSentEvent): string {
  const fields = Object.entries({ event, id, retry }).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [`${name}: ${String(value).replaceAll(/[\r\n\0]+/g, ' ')}\n`],
  );
  const text = data === undefined ? undefined : toText(data);
  const lines = text?.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`) ?? [];
  return `${fields.join('')}${lines.join('')}\n`;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An item of a stream with the id from which a client continues. Without a value, only the id is sent. */
export class StreamItem {
  constructor(
    readonly id: string,
    readonly value: unknown,
  ) {}
}

/** How the items of a stream are written. */
export interface StreamFormat {
  /** The value of the header `Content-Type`. */
  readonly contentType: string;
  /** The text before the first item, and after the last one. */
  readonly start: string;
  readonly end: string;
  /** A text without meaning for clients, which keeps a connection open; undefined if the format has none. */
  readonly heartbeat: string | undefined;
  /** Formats an item. Throws an error if the item has no JSON form. */
  formatItem(item: unknown): string;
  /** Formats an item of which only the first half of its text is sent, in a way that is not valid JSON. */
  formatPart(item: unknown): string;
}

/** The boundary between the parts of a multipart stream. JSON has no line break before it. */
const BOUNDARY = 'storefront-part';

/** What a document says about how the items of a stream are written. */
export interface ItemFormat {
  /** Whether an object with some of the fields of an event is an event even if it has no `data`. */
  readonly areEvents: boolean;
  /** The media type of each part of a multipart stream. */
  readonly partType: string;
}

/** How items are written that a document does not describe. */
const DEFAULT_ITEMS: ItemFormat = { areEvents: false, partType: JSON_TYPE };

/** Returns how the items of a media type are written; undefined if it is no stream of items. */
export function createStreamFormat(
  contentType: string,
  { areEvents, partType }: ItemFormat = DEFAULT_ITEMS,
): StreamFormat | undefined {
  const kind = getStreamKind(contentType);
  if (kind === undefined) return undefined;
  const isMultipart = kind === 'parts';
  const format =
    kind === 'events'
      ? (item: unknown, cut: Cut) => {
          const { data, ...fields } = toEvent(item, areEvents);
          return formatEvent({ ...fields, ...(data === undefined ? {} : { data: cut(toText(data)) }) });
        }
      : (item: unknown, cut: Cut) => formatValue(kind, item, partType, cut);
  return {
    contentType: isMultipart ? `multipart/mixed; boundary=${BOUNDARY}` : contentType,
    // The delimiter after a part is sent with it, because a client needs it to see the end of the part.
    start: isMultipart ? `--${BOUNDARY}` : '',
    end: isMultipart ? '--\r\n' : '',
    heartbeat: kind === 'events' ? HEARTBEAT : undefined,
    formatItem: (item) => format(item, (text) => text),
    formatPart: (item) => format(item, corrupt),
  };
}

/** Shortens the text of an item. */
type Cut = (text: string) => string;

/** Returns the first half of a text. If it is valid JSON or empty, such as the half of a number, `{` follows it. */
function corrupt(text: string): string {
  const half = text.slice(0, Math.floor(text.length / 2));
  const isValid = half.trim() === '' || tryOrUndefined(() => JSON.parse(half) as unknown) !== undefined;
  return isValid ? `${half}{` : half;
}

/** Returns an item as an event. A value that is no event becomes its data. */
function toEvent(item: unknown, areEvents: boolean): ServerSentEvent {
  if (item instanceof StreamItem) {
    if (item.value === undefined) return { id: item.id };
    return { id: item.id, ...toEvent(item.value, areEvents) };
  }
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return { data: item };
  const names = Object.keys(item);
  return areEventFields(names) || (areEvents && areAllFields(names)) ? item : { data: item };
}

/** Formats an item without its id, which only events have. */
function formatValue(kind: 'lines' | 'sequence' | 'parts', item: unknown, partType: string, cut: Cut): string {
  const value = item instanceof StreamItem ? item.value : item;
  if (item instanceof StreamItem && value === undefined) return '';
  const json: string | undefined = JSON.stringify(value);
  if (json === undefined) throw new TypeError('an item of the stream has no JSON form');
  if (kind === 'parts') {
    const text = cut(typeof value === 'string' && !isJson(partType) ? value : json);
    return `\r\nContent-Type: ${partType}\r\n\r\n${text}\r\n--${BOUNDARY}`;
  }
  const text = cut(json);
  return `${kind === 'sequence' ? '\u001e' : ''}${text}\n`;
}

/** Returns whether a media type is JSON. A part without a type can be JSON. */
function isJson(type: string): boolean {
  return /^(?:[^;]*[/+]json\s*(?:;.*)?)?$/i.test(type);
}

/** Formats all items of a stream as one text. */
export function formatStream({ start, end, formatItem }: StreamFormat, items: readonly unknown[]): string {
  return `${start}${items.map(formatItem).join('')}${end}`;
}

/** The items of a stream. `error`: why the text after the last item is not valid. */
interface ParsedStream {
  /** The values; for server-sent events, objects with the texts of the fields. */
  readonly items: readonly unknown[];
  readonly error?: string;
}

/** Parses the text of a stream. `isCut`: whether its end is missing, so that an incomplete item is no error. */
export function parseStream(contentType: string, text: string, isCut = false): ParsedStream {
  switch (getStreamKind(contentType)) {
    case 'events':
      return parseEvents(text, isCut);
    case 'lines':
      return parseTexts(text.split(/\r?\n/), isCut);
    case 'sequence':
      return parseSequence(text, isCut);
    case 'parts':
      return parseParts(contentType, text, isCut);
    default:
      return { items: [] };
  }
}

/**
 * Parses the text of a stream in a document.
 * A multipart text without a boundary in its media type has that of its first line with `--`.
 */
export function parseWrittenStream(contentType: string, text: string): ParsedStream {
  const isIncomplete = getStreamKind(contentType) === 'parts' && getBoundary(contentType) === '';
  const [, boundary] = (isIncomplete && /^--(\S.*?)[ \t]*\r?$/m.exec(text)) || [];
  return parseStream(boundary === undefined ? contentType : `multipart/mixed; boundary="${boundary}"`, text);
}

/** Returns the text of a stream that was cut without the item that is not complete. */
export function removeIncompleteItem(contentType: string, text: string): string {
  switch (getStreamKind(contentType)) {
    case 'events':
      return /^[\s\S]*(?:\n\n|\r\n\r\n|\r\r)/.exec(text)?.[0] ?? '';
    case 'lines':
      return text.slice(0, text.lastIndexOf('\n') + 1);
    case 'sequence':
      return text.endsWith('\n') || !text.includes('\u001e') ? text : text.slice(0, text.lastIndexOf('\u001e'));
    case 'parts': {
      const boundary = getBoundary(contentType);
      const end = text.lastIndexOf(`--${boundary}`);
      return end < 0 || text.slice(end).startsWith(`--${boundary}--`)
        ? text
        : `${text.slice(0, end)}--${boundary}--\r\n`;
    }
    default:
      return text;
  }
}

function getBoundary(contentType: string): string {
  const [, quoted, plain] = /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? [];
  return quoted ?? plain ?? '';
}

/** Parses events as a browser does. An event without data is not dispatched, so it is left out. */
function parseEvents(text: string, isCut: boolean): ParsedStream {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const items: Record<string, unknown>[] = [];
  let fields: Record<string, string> = {};
  for (const [index, line] of lines.entries()) {
    if (line === '' && index < lines.length - 1) {
      if (fields.data !== undefined) items.push(fields);
      fields = {};
      continue;
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (!EVENT_FIELDS.includes(name)) continue;
    fields[name] = name === 'data' && fields.data !== undefined ? `${fields.data}\n${value}` : value;
  }
  const isIncomplete = fields.data !== undefined && !isCut;
  return isIncomplete
    ? { items, error: 'no empty line follows the last event, so clients ignore it' }
    : { items: items.map(({ retry, ...rest }) => (retry === undefined ? rest : { ...rest, retry: Number(retry) })) };
}

/** Parses JSON texts up to the first invalid one. The last text of a stream that was cut can be incomplete. */
function parseTexts(texts: readonly string[], isCut: boolean): ParsedStream {
  const items: unknown[] = [];
  for (const [index, text] of texts.entries()) {
    if (text.trim() === '') continue;
    try {
      items.push(JSON.parse(text));
    } catch (error) {
      if (isCut && index === texts.length - 1) break;
      return { items, error: `item ${items.length + 1} is not valid JSON: ${(error as Error).message}` };
    }
  }
  return { items };
}

function parseSequence(text: string, isCut: boolean): ParsedStream {
  const [before = '', ...texts] = text.split('\u001e');
  if (before.trim() !== '')
    return { items: [], error: 'no record separator (U+001E) is before the first item (RFC 7464, section 2.1)' };
  return parseTexts(texts, isCut);
}

/** The empty line between the headers and the body of a part. A text in a document can have line feeds alone. */
const EMPTY_LINE = /\r?\n\r?\n/;

/** Returns a pattern for the delimiter of parts (RFC 2046, section 5.1.1). It can also follow a line feed alone. */
function createDelimiter(boundary: string): RegExp {
  return new RegExp(`\\r?\\n--${boundary.replaceAll(/[^\w\s]/g, '\\$&')}(?=--|\\s|-?$)`);
}

function parseParts(contentType: string, text: string, isCut: boolean): ParsedStream {
  const boundary = getBoundary(contentType);
  if (boundary === '') return { items: [], error: 'the content type has no boundary' };
  const [, ...sections] = `\n${text}`.split(createDelimiter(boundary));
  const isEnded = sections.at(-1)?.startsWith('--') ?? false;
  const parts = sections.slice(0, -1).map((section) => {
    const [blank = ''] = EMPTY_LINE.exec(section) ?? [];
    const end = section.indexOf(blank);
    const body = section.slice(end + blank.length);
    const [, type = ''] = /^content-type:[ \t]*(.*?)\r?$/im.exec(section.slice(0, end)) ?? [];
    return isJson(type) ? (tryOrUndefined(() => JSON.parse(body) as unknown) ?? body) : body;
  });
  return isEnded || isCut
    ? { items: parts }
    : { items: parts, error: 'the last delimiter of the multipart body is missing' };
}
