import type { ErrorObject } from 'ajv';
import { JSON_TYPE } from '../util/request-target.ts';
import { areEventFields, getStreamKind, type ItemFormat, parseStream } from '../util/streams.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type Document, isNode, resolvePointer, toNode } from './document.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getSchemaParts } from './schema-parts.ts';
import type { SchemaValidator } from './schema-validator.ts';

/** What a document says about the items of a stream. */
export interface DocumentedItems extends ItemFormat {
  /** The JSON Pointer of the schema of an item. Undefined if there is none. */
  readonly schema: string | undefined;
  /** The JSON Pointer of the array schema that describes all items; undefined if `schema` is documented alone. */
  readonly list: string | undefined;
  /** The JSON Pointer of the schema of the data of an event. The data of other items is the item. */
  readonly data: string | undefined;
  /** Whether the data of an event is a text with the JSON that `data` describes (`contentSchema`). */
  readonly isEncoded: boolean;
}

/**
 * Returns what a document says about the items of a media type; undefined if the type is no stream of items.
 * The keyword `itemSchema` of OpenAPI 3.2 describes an item.
 * Decision: without it, a `schema` of an array describes all items, and any other `schema` describes an item.
 * Decision: for `text/event-stream`, a schema with the property `data`, and perhaps `event`, `id` and `retry`,
 * describes an event, and any other schema describes the data of an event.
 */
export function getDocumentedItems(
  document: Document,
  type: string,
  { schema, itemSchema, itemEncoding }: ItemSource,
): DocumentedItems | undefined {
  const kind = getStreamKind(type);
  if (kind === undefined) return undefined;
  const parts = schema === undefined ? [] : getSchemaParts(document, schema);
  const items = getPartItems(parts);
  // Items whose schemas depend on their positions have no common schema.
  const isTuple = items === undefined && parts.some(({ node }) => Array.isArray(node.prefixItems));
  const item = itemSchema ?? items ?? (isTuple ? undefined : schema);
  const list = items === undefined ? undefined : schema;
  const base = { schema: item, list, partType: getPartType(itemEncoding) };
  if (item === undefined || kind !== 'events') return { ...base, areEvents: false, data: item, isEncoded: false };
  const properties = getPartProperties(getSchemaParts(document, item, ALL_PARTS));
  if (!areEventFields([...properties.keys()])) return { ...base, areEvents: false, data: item, isEncoded: false };
  const data = properties.get('data');
  const [content] =
    data === undefined ? [] : getSchemaParts(document, data).filter(({ node }) => isNode(node.contentSchema));
  return {
    ...base,
    areEvents: true,
    data: content ? resolvePointer(document, `${content.pointer}/contentSchema`) : data,
    isEncoded: content !== undefined,
  };
}

/** The parts of a Media Type Object about items: JSON Pointers, and the Encoding Object of each item. */
interface ItemSource {
  readonly schema: string | undefined;
  readonly itemSchema?: string | undefined;
  readonly itemEncoding?: unknown;
}

/** Returns the media type of each part: the first one of `contentType` that is no range, else JSON. */
function getPartType(encoding: unknown): string {
  const types = String(toNode(encoding).contentType ?? '').split(',');
  return types.map((type) => type.trim()).find((type) => /^[\w.+-]+\/[\w.+-]+$/.test(type)) ?? JSON_TYPE;
}

/** An error of an item. `index`: the position of the item in the stream. */
interface ItemError {
  readonly index: number;
  readonly error: ErrorObject;
}

/** Returns the errors of an item as it is sent: an event with the texts of its fields, or a JSON value. */
export function findItemErrors(
  { schema, areEvents, data, isEncoded }: DocumentedItems,
  validate: SchemaValidator,
  item: unknown,
): readonly ErrorObject[] {
  if (schema === undefined) return [];
  if (!isNode(item) || !areEvents) return validate(schema, item);
  const outer = validate(schema, item);
  if (outer.length > 0 || !isEncoded || data === undefined) return outer;
  const content = tryOrUndefined(() => JSON.parse(String(item.data)) as unknown);
  // A data text that is no JSON can be an event of another kind, such as `[DONE]`.
  if (content === undefined) return [];
  return validate(data, content).map((error) => ({ ...error, instancePath: `/data${error.instancePath}` }));
}

/** The errors of the items of a received stream. */
interface VerifiedStream {
  /** Why the text is no valid stream. */
  readonly error?: string;
  readonly errors: readonly ItemError[];
}

/** The maximum number of items with errors that are reported. */
const MAX_INVALID_ITEMS = 20;

/** Parses the text of a received stream, and validates its items. */
export function verifyStream(
  items: DocumentedItems,
  validate: SchemaValidator,
  { contentType, text }: { readonly contentType: string; readonly text: string },
): VerifiedStream {
  const parsed = parseStream(contentType, text);
  const areEvents = getStreamKind(contentType) === 'events';
  const values = areEvents ? parsed.items.map((event) => toValue(items, validate, event)) : parsed.items;
  const errors: ItemError[] = [];
  for (const [index, value] of values.entries()) {
    if (new Set(errors.map((one) => one.index)).size >= MAX_INVALID_ITEMS) break;
    errors.push(...findItemErrors(items, validate, value).map((error) => ({ index, error })));
  }
  return { errors, ...(parsed.error === undefined ? {} : { error: parsed.error }) };
}

/**
 * Returns the value of a received event that the schema describes.
 * All fields of an event are texts: data that is JSON, and a number as an id, are compared as such if the text is not
 * valid.
 */
function toValue(items: DocumentedItems, validate: SchemaValidator, event: unknown): unknown {
  if (!isNode(event)) return event;
  const text = String(event.data);
  const json = tryOrUndefined(() => JSON.parse(text) as unknown);
  const datas = json === undefined ? [text] : [text, json];
  const id = event.id === undefined || !/^\d+$/.test(String(event.id)) ? undefined : Number(event.id);
  const candidates = items.areEvents
    ? datas.flatMap((data) => [{ ...event, data }, ...(id === undefined ? [] : [{ ...event, data, id }])])
    : datas;
  const isValid = (value: unknown) => findItemErrors(items, validate, value).length === 0;
  return candidates.find(isValid) ?? (items.areEvents && items.isEncoded ? candidates[0] : candidates.at(-1));
}
