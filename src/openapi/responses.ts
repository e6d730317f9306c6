import type { ErrorObject } from 'ajv';
import type { ObjectStyle } from '../util/headers.ts';
import { isServerHeader } from '../util/headers.ts';
import type { IssueParts } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { JSON_TYPE } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { getStatuses } from './check-structure.ts';
import { describeError } from './describe-error.ts';
import { type Document, getNode, getTarget, isNode, resolvePointer, toNode } from './document.ts';
import { allowsJson, findMediaType, isJsonType, isXmlType, removeTypeParameters } from './media-types.ts';
import { groupByPointer, type SchemaValidator } from './schema-validator.ts';
import { type DocumentedItems, findItemErrors, getDocumentedItems, verifyStream } from './stream-items.ts';

/** A documented response of an operation. */
export interface DocumentedResponse {
  /** A status, a range such as `4XX`, or `default`. */
  readonly name: string;
  /**
   * The JSON Pointer of the response in the operation, such as `/paths/~1pets/get/responses/200`.
   * If there is a reference at this place, it is not followed.
   */
  readonly pointer: string;
  /** Whether a response without content can have a body, although the method is not GET. */
  readonly isOpen?: boolean;
  /** The bodies by media type; empty if the response has no body. */
  readonly media: Readonly<Record<string, DocumentedMedia>>;
  readonly headers: readonly DocumentedHeader[];
}

/** A Media Type Object. */
export interface DocumentedMedia {
  /** The JSON Pointer of the schema; undefined if there is no schema. */
  readonly schema: string | undefined;
  readonly examples: readonly Example[];
  /** The JSON Pointer of the schema of each item of a stream (`itemSchema`); absent if there is no such schema. */
  readonly itemSchema?: string;
  /** The items of a stream, such as server-sent events. Undefined if the media type is no stream. */
  readonly items?: DocumentedItems;
  /**
   * The JSON Pointer of the schema of the examples; absent unless these alone describe the value.
   * Values are not validated against it.
   */
  readonly exampleSchema?: string;
}

/** Returns the JSON Pointer of the schema that describes a value: that of the examples, or the one in the document. */
export function getShape(media: DocumentedMedia | undefined): string | undefined {
  return media?.exampleSchema ?? media?.schema;
}

/** The keyword of a Media Type Object with the schema of its examples, in a normalized document. */
export const EXAMPLE_SCHEMA = 'exampleSchema';

/** A Header Object. */
export interface DocumentedHeader extends DocumentedMedia {
  readonly name: string;
  readonly isRequired: boolean;
  /** The type of the header value. */
  readonly type: string;
  readonly objectStyle: ObjectStyle;
}

/** An example of a body, header or parameter. An example from the keyword `example` has no name. */
export interface Example {
  readonly name: string | undefined;
  readonly value: unknown;
  /** The value as it is sent (`serializedValue` of OpenAPI 3.2); absent if the document does not have it. */
  readonly serialized?: string;
}

/** Returns the documented responses of the operation at a JSON Pointer. */
export function getResponses(document: Document, operation: string): readonly DocumentedResponse[] {
  return getStatuses(toNode(getNode(document, `${operation}/responses`))).map((name) => {
    const pointer = `${operation}/responses/${name}`;
    const target = resolvePointer(document, pointer);
    return {
      name: name.toUpperCase() === 'DEFAULT' ? 'default' : name.toUpperCase(),
      pointer,
      media: getMedia(document, `${target}/content`),
      headers: Object.keys(toNode(getNode(document, `${target}/headers`)))
        // A header named Content-Type is ignored (OpenAPI 3.0, Response Object).
        .filter((header) => header.toLowerCase() !== 'content-type')
        .map((header) => createHeader(document, `${target}/headers`, header)),
    };
  });
}

/** Returns a function that finds something in the responses of an operation only once for each status. */
function memoizeByStatus<Found>(
  find: (responses: readonly DocumentedResponse[], status: number) => Found | undefined,
): (responses: readonly DocumentedResponse[], status: number) => Found | undefined {
  const getKnown = memoizeByObject((_responses: readonly DocumentedResponse[]) => new Map<number, Found | undefined>());
  return (responses, status) => {
    const known = getKnown(responses);
    const found = known.get(status);
    if (found !== undefined || known.has(status)) return found;
    known.set(status, find(responses, status));
    return known.get(status);
  };
}

/**
 * Returns the documented response for a status.
 * Tries exactly this status, then its range such as `4XX`, then `default`.
 * Returns undefined if there is none.
 */
export const findResponse = memoizeByStatus((responses, status): DocumentedResponse | undefined => {
  const exact = responses.find(({ name }) => name === String(status));
  const range = `${Math.floor(status / 100)}XX`;
  return exact ?? responses.find(({ name }) => name === range) ?? responses.find(({ name }) => name === 'default');
});

/** A body of a response, and its media type. */
interface TypedMedia extends DocumentedMedia {
  readonly type: string;
}

/** For an error status, similar statuses that some documents use instead. */
const SIMILAR_STATUSES: Readonly<Record<number, readonly number[]>> = { 400: [422], 404: [410] };

/**
 * Returns the documented response for an error status.
 * Tries exactly this status, then similar ones (422 for 400, 410 for 404), then its range such as `4XX`, then
 * `default`.
 * `similar`: the similar statuses, the best first.
 * If `default` is the only response of the operation, it describes the success, and is not returned.
 */
export function findErrorResponse(
  responses: readonly DocumentedResponse[],
  status: number,
  similar: readonly number[] = SIMILAR_STATUSES[status] ?? [],
): DocumentedResponse | undefined {
  const names = [...[status, ...similar].map(String), `${Math.floor(status / 100)}XX`];
  const candidates = responses.length > 1 ? [...names, 'default'] : names;
  return candidates.map((name) => responses.find((response) => response.name === name)).find(Boolean);
}

/**
 * Returns the first JSON media type that is documented for a status, with its schema and examples.
 * If there is none, returns the first range that includes JSON, such as `application/*`, as `application/json`.
 * Returns undefined if there is no such range either.
 */
export const findJsonMedia = memoizeByStatus((responses, status): TypedMedia | undefined => {
  const media = Object.entries(findResponse(responses, status)?.media ?? {});
  const found = media.find(([type]) => isJsonType(type)) ?? media.find(([type]) => allowsJson(type));
  return found && { ...found[1], type: isJsonType(found[0]) ? found[0] : JSON_TYPE };
});

/** Like `findJsonMedia`, but returns the first XML media type if there is neither JSON nor a range that includes it. */
export const findValueMedia = memoizeByStatus((responses, status): TypedMedia | undefined => {
  const json = findJsonMedia(responses, status);
  const xml = Object.entries(findResponse(responses, status)?.media ?? {}).find(([type]) => isXmlType(type));
  return json ?? (xml && { ...xml[1], type: xml[0] });
});

/**
 * Returns whether a response can have any body, because the document describes no content for its success.
 * Frameworks that generate documents from code often leave out the content, and a GET without a body has no use.
 * The same is true of a change at a path whose GET has no content.
 */
export function hasOpenContent(
  method: string,
  { name, media, isOpen = method === 'GET' }: DocumentedResponse,
): boolean {
  return isOpen && Object.keys(media).length === 0 && /^2/.test(name) && !BODILESS.includes(name);
}

/** The parts of an operation that say what it returns. */
interface ResponseParts {
  readonly method: string;
  readonly responses: readonly DocumentedResponse[];
  readonly successStatus: number;
}

/** Keywords of schemas that allow any value. */
const ANNOTATIONS = ['title', 'description'];

/**
 * Returns whether the document leaves open which JSON a GET returns, or a change at the path of such a GET: its success
 * response has no content, or JSON without a schema and without examples.
 */
export function allowsAnyBody(document: Document, route: ResponseParts): boolean {
  const { method, responses, successStatus } = route;
  const response = findResponse(responses, successStatus);
  if (response === undefined) return false;
  return hasOpenContent(method, response) || (method === 'GET' && allowsAnyJson(document, route));
}

/**
 * Returns whether the success response of an operation is JSON without a schema and without examples, or with a schema
 * that allows any value.
 */
export function allowsAnyJson(document: Document, { responses, successStatus }: ResponseParts): boolean {
  const media = findJsonMedia(responses, successStatus);
  const isOnly = Object.keys(findResponse(responses, successStatus)?.media ?? {}).length === 1;
  if (!media || !isOnly || media.examples.length > 0) return false;
  const schema = toNode(getTarget(document, media.schema ?? ''));
  return media.schema === undefined || Object.keys(schema).every((keyword) => ANNOTATIONS.includes(keyword));
}

/** Statuses whose responses never have a body (RFC 9110, sections 15.3.5 and 15.3.6). */
const BODILESS = ['204', '205'];

/**
 * Returns the Media Type Objects of the `content` object at a JSON Pointer, by media type.
 * A media type can be a reference, such as `#/components/mediaTypes/Pets` (OpenAPI 3.2).
 */
export function getMedia(document: Document, content: string): DocumentedResponse['media'] {
  const entries = Object.keys(toNode(getNode(document, content))).map((type) => [
    type,
    createMedia(document, resolvePointer(document, content + formatPointer(type)), type),
  ]);
  return Object.fromEntries(entries);
}

function createMedia(document: Document, pointer: string, type: string): DocumentedMedia {
  const schema = getSchemaPointer(document, pointer);
  const itemSchema = getSchemaPointer(document, pointer, 'itemSchema');
  const exampleSchema = getSchemaPointer(document, pointer, EXAMPLE_SCHEMA);
  const itemEncoding = getNode(document, `${pointer}/itemEncoding`);
  const items = getDocumentedItems(document, type, { schema, itemSchema, itemEncoding });
  return {
    schema,
    examples: getMediaExamples(document, pointer, type),
    ...(items && { items }),
    ...(exampleSchema !== undefined && { exampleSchema }),
    ...(itemSchema !== undefined && { itemSchema }),
  };
}

function createHeader(document: Document, headers: string, name: string): DocumentedHeader {
  const pointer = resolvePointer(document, headers + formatPointer(name));
  const isRequired = getNode(document, `${pointer}/required`) === true;
  const [content] = Object.values(getMedia(document, `${pointer}/content`));
  // The value is text in the format of a media type, such as JSON, so it is not compared with the schema.
  if (content) return { name, isRequired, type: 'object', objectStyle: 'json', ...content };
  const schema = getSchemaPointer(document, pointer);
  const { type } = toNode(getTarget(document, schema ?? ''));
  const valueType = schema === undefined ? 'string' : String(Array.isArray(type) ? type[0] : type);
  return {
    name,
    isRequired,
    type: valueType,
    objectStyle: getNode(document, `${pointer}/explode`) === true ? 'pairs' : 'list',
    schema,
    examples: getExamples(document, pointer, (text) => parseHeader(text, valueType)),
  };
}

function getSchemaPointer(document: Document, parent: string, key = 'schema'): string | undefined {
  const schema = getNode(document, `${parent}/${key}`);
  return isNode(schema) || schema === true ? `${parent}/${key}` : undefined;
}

/** Returns the examples of the Media Type Object at a JSON Pointer. */
export function getMediaExamples(document: Document, pointer: string, type: string): readonly Example[] {
  return getExamples(document, pointer, (text) =>
    isJsonType(type) ? (tryOrUndefined((): unknown => JSON.parse(text)) ?? text) : text,
  );
}

/**
 * Returns the examples of the media type, header or parameter at a JSON Pointer.
 * The keyword `example` is used only if `examples` has none.
 * `parse`: returns the value of a `serializedValue` without a `dataValue`.
 */
export function getExamples(
  document: Document,
  pointer: string,
  parse: (text: string) => unknown = (text) => text,
): readonly Example[] {
  const parent = toNode(getNode(document, pointer));
  const named = Object.keys(toNode(parent.examples)).flatMap((name): readonly Example[] => {
    const example = getTarget(document, `${pointer}/examples${formatPointer(name)}`);
    if (!isNode(example)) return [];
    const { dataValue, value, serializedValue: serialized } = example;
    if (typeof serialized === 'string')
      return [{ name, value: 'dataValue' in example ? dataValue : parse(serialized), serialized }];
    if ('dataValue' in example) return [{ name, value: dataValue }];
    return 'value' in example ? [{ name, value }] : [];
  });
  if (named.length > 0) return named;
  return 'example' in parent ? [{ name: undefined, value: parent.example }] : [];
}

/** A response before it is sent. */
export interface ResponseToVerify {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if the response has no body. */
  readonly body?: unknown;
}

/** A part of a response that violates the contract. */
export interface ResponseViolation {
  /** The place: `status`, `content type`, `header NAME`, or `body` followed by a JSON Pointer. */
  readonly where: string;
  /**
   * The JSON Schema keyword that failed; `documented` if the contract does not document the status, the content type or
   * the body.
   */
  readonly rule: string;
  /** The place and the problem, such as `body/price must be integer`. */
  readonly message: string;
  /**
   * Returns the problem and how to fix it.
   * This is a function because the log omits functions, and its result must not be logged.
   */
  readonly describe?: () => IssueParts;
  /**
   * Returns the position of an example with the same mistake; undefined if there is none.
   * A function for the same reason.
   */
  readonly findExample?: () => string | undefined;
}

/**
 * Returns the position of an example in the document with the same mistake; undefined if there is none.
 * `schema`: the schema of the validated value.
 */
export type FindExample = (schema: string, error: ErrorObject) => string | undefined;

/**
 * The functions that find the violations in the parts of a response.
 * `isReceived`: whether the response has the headers that only the server sets.
 */
interface Verifier {
  readonly validate: SchemaValidator;
  readonly findExample: FindExample;
  readonly isReceived?: boolean | undefined;
}

/** Returns the violations in the status, media type, body and headers of a response. */
export function verifyResponse(
  verifier: Verifier,
  { method, responses }: { readonly method: string; readonly responses: readonly DocumentedResponse[] },
  response: ResponseToVerify,
): readonly ResponseViolation[] {
  const documented = findResponse(responses, response.status);
  if (!documented) return [createUndocumented('status', `status ${response.status} is not documented`)];
  const expected = documented.headers.filter(({ name }) => verifier.isReceived || !isServerHeader(name));
  const headers = expected.length > 0 ? verifyHeaders(verifier, expected, response) : [];
  return [...verifyBody(verifier, { method, documented }, response), ...headers];
}

function verifyBody(
  verifier: Verifier,
  { method, documented }: { readonly method: string; readonly documented: DocumentedResponse },
  response: ResponseToVerify,
) {
  const types = Object.keys(documented.media);
  if (types.length === 0)
    return response.body === undefined || hasOpenContent(method, documented)
      ? []
      : [createUndocumented('body', 'a body is not documented')];
  const contentType = getHeader(response, 'Content-Type');
  if (contentType === undefined) return [createUndocumented('content type', 'the content type is missing')];
  const type = findMediaType(types, contentType);
  if (type === undefined) return [createUndocumented('content type', `content type ${contentType} is not documented`)];
  const { schema, items } = documented.media[type] ?? {};
  if (items && typeof response.body === 'string') return verifyItems(verifier, items, contentType, response.body);
  if (schema === undefined || !isJsonType(removeTypeParameters(contentType))) return [];
  const errors = verifier.validate(schema, response.body);
  return errors.length === 0 ? [] : toViolations(verifier, errors, { part: 'body', schema });
}

/** Returns the violations in the items of a stream. Their places are those of the entries of a list: `body/1/name`. */
function verifyItems(
  verifier: Verifier,
  items: DocumentedItems,
  contentType: string,
  text: string,
): readonly ResponseViolation[] {
  const { error, errors } = verifyStream(items, verifier.validate, { contentType, text });
  const violations = errors.flatMap((item) => toItemViolations(verifier, items, item.error, item.index));
  if (error === undefined) return violations;
  return [
    ...violations,
    { where: 'body', rule: 'stream', message: `body is no valid ${removeTypeParameters(contentType)}: ${error}` },
  ];
}

function toItemViolations(
  verifier: Verifier,
  { schema = '' }: DocumentedItems,
  error: ErrorObject,
  index: number,
): readonly ResponseViolation[] {
  return toViolations(verifier, [error], { part: `body/${index}`, schema });
}

/** Returns the violations of one item of a stream. `index`: its position in the stream. */
export function verifyItem(
  verifier: Verifier,
  items: DocumentedItems,
  { index, value }: { readonly index: number; readonly value: unknown },
): readonly ResponseViolation[] {
  return findItemErrors(items, verifier.validate, value).flatMap((error) =>
    toItemViolations(verifier, items, error, index),
  );
}

function verifyHeaders(verifier: Verifier, headers: readonly DocumentedHeader[], response: ResponseToVerify) {
  return headers.flatMap(({ name, isRequired, type, schema }) => {
    const where = `header ${name}`;
    const value = getHeader(response, name);
    if (value === undefined) return isRequired ? [{ where, rule: 'required', message: `${where} is missing` }] : [];
    if (schema === undefined || STRUCTURED_TYPES.has(type)) return [];
    return toViolations(verifier, verifier.validate(schema, parseHeader(value, type)), { part: where, schema });
  });
}

/** The types of header values that are not parsed and not validated. */
const STRUCTURED_TYPES = new Set(['array', 'object']);

function parseHeader(text: string, type: string): unknown {
  if (type === 'integer' || type === 'number') return Number(text);
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

/** Returns the value of a header of a response. `name`: the header name, in upper or lower case. */
function getHeader({ headers }: ResponseToVerify, name: string): string | undefined {
  return headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

function toViolations(
  { findExample }: Verifier,
  errors: readonly ErrorObject[],
  { part, schema }: { readonly part: string; readonly schema: string },
): readonly ResponseViolation[] {
  return [...groupByPointer(errors)].map(([pointer, error]) => ({
    where: part + pointer,
    rule: error.keyword,
    message: `${part}${pointer} ${error.message}`,
    describe: () => describeError(error),
    findExample: () => findExample(schema, error),
  }));
}

function createUndocumented(where: string, message: string): ResponseViolation {
  return { where, rule: 'documented', message };
}
