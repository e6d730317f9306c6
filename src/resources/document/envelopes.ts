import type { HandlerResponse } from '../../application.ts';
import type { Contract } from '../../openapi/contract.ts';
import { getTarget, isNode, toNode } from '../../openapi/document.ts';
import { findResponse, findValueMedia, getShape } from '../../openapi/responses.ts';
import { getRoutes, type Route } from '../../openapi/routes.ts';
import type { Entry } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { getOwn } from '../entries/entry-values.ts';
import { isEnvelopeName, type SchemaReader } from './schema-reader.ts';

/** A response with a success status. `text`: what the document says about it. */
interface Success {
  readonly status: number;
  readonly text: string;
}

/** Names of properties without uppercase letters and separators, and a function that lists their possible values. */
type Field = readonly [names: readonly string[], listValues: (success: Success) => readonly unknown[]];

/**
 * The properties that say whether a request succeeded.
 * The best values are first.
 */
const FIELDS: readonly Field[] = [
  [['success', 'ok', 'issuccess', 'issuccessful', 'succeeded'], () => [true]],
  [['message', 'msg', 'statusmsg', 'statusmessage'], ({ text }) => [text]],
  [['messages'], ({ text }) => [[text], []]],
  [['status'], ({ status }) => ['success', 'SUCCESS', 'ok', 'OK', 'Success', status, String(status), true]],
  [
    ['statuscode', 'httpstatus', 'httpcode', 'code'],
    ({ status }) => [status, String(status), 'success', 'SUCCESS', 'ok', 'OK'],
  ],
  [['error', 'iserror', 'haserror', 'failed'], () => [false, null]],
  [['errors', 'warnings'], () => [[], null]],
];

/** The properties that say it in each body. */
const SURE_FIELDS: readonly Field[] = [
  ...FIELDS.slice(0, 1),
  [['statuscode', 'httpstatus', 'httpcode'], ({ status }) => [status, String(status)]],
];

/**
 * Returns the properties of a success response that say that the request succeeded, such as `success` and `message`.
 * The text is the example of the property, that of the response, or the description of the response. An example that
 * several operations share, such as `Logged out`, says less than a description such as `Channel deleted`.
 * Returns an empty object if the body has other properties than these beside objects and lists.
 */
export function getEnvelopeValues(
  reader: SchemaReader,
  isValid: Contract['isValid'],
  route: Route,
  status: number,
): Entry {
  const media = findValueMedia(route.responses, status);
  const schema = getShape(media);
  if (status < 200 || status > 299 || schema === undefined || reader.getItems(schema) !== undefined) return {};
  const properties = [...reader.getProperties(schema)];
  if (route.method !== 'GET' && isOnlyBoolean(reader, properties)) return { [properties[0]?.[0] ?? '']: true };
  const isWhole = isEnvelope(reader, properties);
  // A success response never says that the request failed. The `success` of an entry can be about something else.
  const fields = isWhole ? FIELDS : reader.hasId(schema, '') ? [] : SURE_FIELDS;
  const text = describeResponse(reader, route, status);
  const example = media?.examples.map(({ value }) => value).find(isNode) ?? {};
  const values = properties.flatMap(([name, pointer]) => {
    const known = fields.find(([names]) => names.includes(normalizeName(name)));
    const own = known && [getOwn(example, name), ...known[1]({ status, text })];
    const isText = known !== undefined && /^mes|^msg/.test(normalizeName(name));
    const shown = isText ? reader.getExample(pointer) : undefined;
    const isOther = typeof shown === 'string' && !GENERIC.test(text) && isSharedProperty(reader, pointer);
    const value = (isOther ? [...(own ?? []), shown] : [shown, ...(own ?? [])]).find(
      (one) => one !== undefined && isValid(pointer, one),
    );
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(values);
}

/** Matches descriptions of responses that do not say what an operation has done. */
const GENERIC =
  /^(?:the )?(?:ok|success\w*|created|accepted|updated|deleted|no content|default|message|response|result)?(?: ?(?:response|operation|request|message|result)s?)?[.!]?$/i;

/** Returns whether the responses of several operations have a property, because they share its schema. */
function isSharedProperty(reader: SchemaReader, property: string): boolean {
  return (indexUses(reader).get(property) ?? 0) > 1;
}

/** Returns how many success responses have a property, by the JSON Pointers of the properties. */
const indexUses = memoizeByObject((reader: SchemaReader): ReadonlyMap<string, number> => {
  const uses = new Map<string, number>();
  for (const route of getRoutes(reader.document)) {
    const schema = reader.getResponseSchema(route, route.successStatus);
    for (const [, pointer] of schema === undefined ? [] : reader.getProperties(schema))
      uses.set(pointer, (uses.get(pointer) ?? 0) + 1);
  }
  return uses;
});

/** Matches an id in a message, such as `Event created successfully with ID: 1` or `Order #7 was cancelled`. */
const ID_IN_TEXT = /(?<=\bid ?[:=] ?['"]?)\w[\w-]*(?=['"]?(?:[) .!,]|$))|(?<=(?:^| )#)\d+\b/i;

/** Returns the properties of an envelope, whose messages name an entry by its id instead of that of an example. */
export function addIdToMessages(envelope: Entry, id: string | undefined): Entry {
  if (id === undefined) return envelope;
  return Object.fromEntries(
    Object.entries(envelope).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(ID_IN_TEXT, () => id) : value,
    ]),
  );
}

/**
 * Returns a success response without JSON: without a body, or with a text such as `Deleted`, which is its example or
 * its description.
 */
export function createTextResponse(
  reader: SchemaReader,
  isValid: Contract['isValid'],
  route: Route,
  status: number,
): HandlerResponse {
  const { media = {} } = findResponse(route.responses, status) ?? {};
  const type = Object.keys(media).find((one) => one.startsWith('text/'));
  const { schema, examples = [] } = media[type ?? ''] ?? {};
  if (type === undefined) return { status };
  const texts = [...examples.map(({ value }) => value), describeResponse(reader, route, status), ''];
  const text = texts.find((one) => typeof one === 'string' && (schema === undefined || isValid(schema, one)));
  return { status, headers: { 'Content-Type': type }, body: text };
}

/** Returns whether the only property of a body is a boolean that says whether the request succeeded. */
function isOnlyBoolean(
  reader: SchemaReader,
  properties: readonly (readonly [name: string, pointer: string])[],
): boolean {
  const [[name, pointer] = ['', ''], ...others] = properties;
  const types = reader.getTypes(pointer);
  return others.length === 0 && /^(?:data|result)$/i.test(name) && types.length === 1 && types[0] === 'boolean';
}

/** Returns whether a body wraps an entry, as `{ success, data }` does, or only says that a request succeeded. */
function isEnvelope(reader: SchemaReader, properties: readonly (readonly [name: string, pointer: string])[]): boolean {
  const simple = properties.filter(
    ([, pointer]) => !reader.isObject(pointer) && reader.getItems(pointer) === undefined,
  );
  const named = simple.filter(([name]) => isEnvelopeName(name));
  const isClear = properties.some(([name]) =>
    /^(?:is)?(?:success|ok$|message$|msg$|data$|statuscode$)/.test(normalizeName(name)),
  );
  return isClear && (named.length === simple.length || properties.length > simple.length);
}

/** Returns whether all properties of a body only say that a request succeeded, as in `{ success, message }`. */
export function isOnlyEnvelope(reader: SchemaReader, schema: string): boolean {
  const properties = [...reader.getProperties(schema)];
  return properties.length > 0 && properties.every(([name]) => isEnvelopeName(name)) && isEnvelope(reader, properties);
}

/** Returns the description of a response, or `OK` if the document has none. */
function describeResponse({ document }: SchemaReader, { responses }: Route, status: number): string {
  const { description } = toNode(getTarget(document, findResponse(responses, status)?.pointer ?? ''));
  const [line = ''] = String(description ?? '')
    .trim()
    .split('\n');
  return line === '' ? 'OK' : line;
}
