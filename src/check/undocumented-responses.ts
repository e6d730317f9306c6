import type { Contract } from '../openapi/contract.ts';
import { type Document, getNode, isNode, toNode } from '../openapi/document.ts';
import { findMediaType, isJsonType, isXmlType } from '../openapi/media-types.ts';
import { type DocumentedResponse, findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { getPartItems, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { groupByPointer, isReadOrWriteOnly } from '../openapi/schema-validator.ts';
import { parseXml } from '../openapi/xml/parse-xml.ts';
import { isXmlSchema } from '../openapi/xml/xml-schema.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { isIdName } from '../util/names.ts';
import { parseQuery } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { canBeRefused, hasMalformedType } from './ambiguity.ts';
import { changesPassword, isLogin } from './credentials.ts';
import type { ReceivedResponse, RequestToSend } from './exchange.ts';
import { isConditionStatus, isKeyRejection } from './request-headers.ts';
import { getBodyFormat, isCursor, parseRequest } from './requests.ts';
import { MAX_PORTABLE_TARGET_LENGTH } from './unusual-requests.ts';

/** The maximum size of a request body that every server should accept, in bytes. */
const MAX_PORTABLE_BODY_BYTES = 10_000;

/** Error statuses that a web server or a proxy can return for any request, such as 408 (timeout). */
const TRANSPORT_STATUSES: readonly number[] = [408, 417, 421, 426, 429];

/** The statuses with which an operation refuses a wrong password, or an unknown user. */
const PASSWORD_STATUSES: readonly number[] = [400, 401, 403, 422];

/** The statuses of permanent and temporary redirects (RFC 9110, section 15.4). */
const REDIRECT_STATUSES: readonly number[] = [301, 302, 307, 308];

/**
 * Characters and escapes that servers and proxies may refuse or decode differently: escaped slashes, control
 * characters, invalid escapes, and quotes.
 */
const AMBIGUOUS_CHARACTER = /%(2f|5c|[01][0-9a-f]|7f|25|ed%a0)|%(?![0-9a-f]{2})|[{};'"<>\\]/i;

/** Matches escapes of quotes, brackets and braces, as in SQL and HTML. */
const ESCAPED_MARKUP = /%(22|27|3c|3e|60|7b|7d)/i;

/** The statuses of responses to invalid requests. */
export const INVALID_REQUEST_STATUSES: readonly number[] = [400, 422];

/** The statuses of responses to requests for a resource that does not exist. */
export const MISSING_RESOURCE_STATUSES: readonly number[] = [404, 410];

const CONFLICT_STATUSES = [409];

/** The error statuses that a contract need not document: for invalid requests, missing resources and conflicts. */
export const REFUSAL_STATUSES: readonly number[] = [
  ...INVALID_REQUEST_STATUSES,
  ...MISSING_RESOURCE_STATUSES,
  ...CONFLICT_STATUSES,
];

/** A kind of unusual requests, and the statuses with which a server, a proxy or a firewall may refuse them. */
interface UnusualKind {
  /** The end of a sentence that starts with "status 414 for". */
  readonly name: string;
  readonly statuses: readonly number[];
  readonly includes: (route: Route, request: RequestToSend) => boolean;
}

/**
 * Requests that clients seldom send, so that a contract need not document how they are refused, often before they reach
 * the operation.
 */
const UNUSUAL_KINDS: readonly UnusualKind[] = [
  { name: 'other methods', statuses: [405], includes: (route, { method }) => method !== route.method },
  {
    name: 'URLs of more than 2,000 characters',
    statuses: [400, 403, 404, 414, 431],
    includes: (_, { target }) => target.length > MAX_PORTABLE_TARGET_LENGTH,
  },
  {
    name: 'special characters in the URL',
    statuses: [400, 403, 404, 405],
    includes: (_, one) => isAmbiguousTarget(one),
  },
  // A firewall decodes a URL before it looks for quotes and brackets.
  { name: 'quotes and brackets in the URL', statuses: [403], includes: (_, { target }) => ESCAPED_MARKUP.test(target) },
  {
    name: 'bodies of more than 10,000 bytes',
    statuses: [403, 413],
    includes: (_, { body }) => Buffer.byteLength(body ?? '') > MAX_PORTABLE_BODY_BYTES,
  },
  {
    name: 'headers of more than 2,000 characters',
    statuses: [400, 431],
    includes: (_, { headers = {} }) => JSON.stringify(headers).length > MAX_PORTABLE_TARGET_LENGTH,
  },
  { name: 'requests without a body', statuses: [411], includes: (_, { body }) => body === undefined },
  {
    name: 'undocumented content types',
    statuses: [415],
    includes: (route, request) => !hasDocumentedType(route, request) || hasMalformedType(request.headers ?? {}),
  },
  {
    // A server that reads such a body as another format, or not at all, finds it invalid.
    name: 'undocumented content types',
    statuses: [400, 422],
    includes: (route, request) => request.body !== undefined && !hasDocumentedType(route, request),
  },
];

/** Returns the kind of an unusual request that can be refused with `status`; undefined for any other response. */
export function findUnusualKind(route: Route, request: RequestToSend, status: number): string | undefined {
  return UNUSUAL_KINDS.find(({ statuses, includes }) => statuses.includes(status) && includes(route, request))?.name;
}

/**
 * Returns whether a response is an error that a contract need not document.
 * A web server, a proxy or an access check can return such an error for any API.
 * An operation can also refuse an invalid request with a status that the contract does not document.
 */
export function canBeUndocumented(
  contract: Contract,
  route: Route,
  request: RequestToSend,
  { status }: ReceivedResponse,
): boolean {
  if (isConditionStatus(route, request, status)) return true;
  if (TRANSPORT_STATUSES.includes(status) || isKeyRejection(request, status)) return true;
  if (findUnusualKind(route, request, status) !== undefined) return true;
  if ((status === 401 || status === 403) && isSecured(contract, route)) return true;
  // Servers and proxies redirect a path with escaped slashes or dot segments to its normal form.
  if (REDIRECT_STATUSES.includes(status) && hasAmbiguousPath(request)) return true;
  return isUndocumentedRejection(contract, route, request, status);
}

/**
 * Returns whether `status` can be a refusal that the operation does not document.
 * The possible reasons are: the request is invalid, the resource in its path or query does not exist, the change
 * conflicts with the data, or a password is wrong.
 */
function isUndocumentedRejection(contract: Contract, route: Route, request: RequestToSend, status: number): boolean {
  const isSilent = (statuses: readonly number[]) =>
    statuses.includes(status) && !statuses.some((one) => findResponse(route.responses, one));
  if (isSilent(PASSWORD_STATUSES) && (isLogin(route) || changesPassword(route))) return true;
  // A framework refuses input that it can't parse before the operation's own validation, which can use another status.
  if (isSilent([status]) && INVALID_REQUEST_STATUSES.includes(status) && isRefusedByParser(route, request)) return true;
  if (isSilent(INVALID_REQUEST_STATUSES)) return isInvalid(contract, route, request) || hasCursor(route, request);
  if (isSilent(MISSING_RESOURCE_STATUSES)) return namesResource(route) || route.method === 'DELETE';
  return isSilent(CONFLICT_STATUSES) && !['GET', 'HEAD'].includes(route.method);
}

/** Returns whether the path or the query of an operation has an id. */
function namesResource({ pathNames, parameters }: Route): boolean {
  return pathNames.length > 0 || parameters.some((parameter) => parameter.in === 'query' && isIdName(parameter.name));
}

/** Returns whether a JSON body can't be parsed, or a parser or a router may refuse the request. */
function isRefusedByParser(route: Route, request: RequestToSend): boolean {
  const isReadable = !Buffer.isBuffer(request.body) && tryOrUndefined(() => parseRequest(route, request)) !== undefined;
  return !isReadable || canBeRefused(route, request);
}

function hasCursor({ parameters }: Route, { target }: RequestToSend): boolean {
  const query = parseQuery(target.split('?')[1] ?? '');
  return parameters.some((parameter) => isCursor(parameter) && Object.hasOwn(query, parameter.name));
}

function isInvalid(contract: Contract, route: Route, request: RequestToSend): boolean {
  // A body that can't be parsed is invalid.
  return validateSentRequest(contract, route, request)?.kind !== 'call';
}

/** Validates a request as it was sent. Returns undefined if its body can't be parsed. */
export function validateSentRequest(contract: Contract, route: Route, request: RequestToSend) {
  return tryOrUndefined(() =>
    contract.validateRequest(route, parseRequest(route, request, findFormat(contract, route, request))),
  );
}

function findFormat(contract: Contract, route: Route, { headers = {} }: RequestToSend) {
  const type = findMediaType(Object.keys(route.bodyMedia), headers['content-type'] ?? '');
  return type === undefined ? undefined : getBodyFormat(contract, route, type);
}

/**
 * Returns whether a server refuses a request because of its size.
 * Returns false for a request that is small enough for every server.
 */
export function isTooLarge({ target, body }: RequestToSend, { status }: ReceivedResponse): boolean {
  if (status === 413) return Buffer.byteLength(body ?? '') > MAX_PORTABLE_BODY_BYTES;
  return [414, 431].includes(status) && target.length > MAX_PORTABLE_TARGET_LENGTH;
}

/** Returns whether servers and proxies may parse a target in different ways. */
function isAmbiguousTarget({ target }: Pick<RequestToSend, 'target'>): boolean {
  const isDecodable = tryOrUndefined(() => decodeURIComponent(target)) !== undefined;
  const hasEmptyName = /[?&](?:[&=]|$)/.test(target);
  return hasEmptyName || AMBIGUOUS_CHARACTER.test(target) || !isDecodable;
}

/** Returns whether servers and proxies may parse the path of a request in different ways. */
export function hasAmbiguousPath({ target }: Pick<RequestToSend, 'target'>): boolean {
  return isAmbiguousTarget({ target: target.split('?')[0] ?? '' });
}

function hasDocumentedType({ bodyMedia }: Route, { headers = {}, body }: RequestToSend): boolean {
  return body !== undefined && findMediaType(Object.keys(bodyMedia), headers['content-type'] ?? '') !== undefined;
}

/** Returns whether the contract requires credentials for an operation. */
function isSecured({ normalized: plain }: Contract, { pointer }: Route): boolean {
  const own = getNode(plain, `${pointer}/security`) ?? getNode(plain, '/security');
  return Array.isArray(own) && own.some((one) => isNode(one) && Object.keys(one).length > 0);
}

/** What a schema documents about the values in a value: their schemas, as JSON Pointers. */
interface InnerSchemas {
  readonly items: string | undefined;
  readonly properties: ReadonlyMap<string, { readonly schema: string; readonly isWriteOnly: boolean }>;
}

/** Returns a function that reads the inner schemas of a schema once, because every response needs them. */
const getInnerSchemas = memoizeByObject((document: Document) => {
  const known = new Map<string, InnerSchemas>();
  const read = (schema: string): InnerSchemas => {
    const parts = getSchemaParts(document, schema);
    const properties = [...getPartProperties(parts)].map(([name, property]) => {
      const isWriteOnly = isReadOrWriteOnly(document, { $ref: `#${property}` }, 'writeOnly');
      return [name, { schema: property, isWriteOnly }] as const;
    });
    return { items: getPartItems(parts), properties: new Map(properties) };
  };
  return (schema: string): InnerSchemas => {
    const inner = known.get(schema) ?? read(schema);
    known.set(schema, inner);
    return inner;
  };
});

/** The maximum depth at which a response is searched. */
const MAX_DEPTH = 20;

/**
 * Returns the JSON Pointers of the values in a response that the schema marks `writeOnly`.
 * Does not look into `oneOf` and `anyOf`, because a value need not match the alternative that marks it.
 * `*` stands for any index of an array.
 */
function findWriteOnly(document: Document, schema: string, value: unknown, depth = 0): readonly string[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  const { items, properties } = getInnerSchemas(document)(schema);
  const addStep = (step: string) => (pointer: string) => `/${step}${pointer}`;
  if (Array.isArray(value)) {
    const found = items === undefined ? [] : value.flatMap((entry) => findWriteOnly(document, items, entry, depth + 1));
    return [...new Set(found)].map(addStep('*'));
  }
  return Object.entries(toNode(value)).flatMap(([name, one]) => {
    const property = properties.get(name);
    if (property === undefined) return [];
    const step = formatPointer(name).slice(1);
    if (property.isWriteOnly) return [`/${step}`];
    return findWriteOnly(document, property.schema, one, depth + 1).map(addStep(step));
  });
}

/** Returns the places of the values in a JSON response whose schema is `writeOnly`. */
export function findWriteOnlyViolations(
  { normalized }: Contract,
  documented: DocumentedResponse | undefined,
  { headers, body }: ReceivedResponse,
): readonly string[] {
  const schema = documented && getMediaSchema(documented, headers['content-type']);
  return schema === undefined || !isJsonType(headers['content-type'] ?? '')
    ? []
    : findWriteOnly(normalized, schema, body);
}

/**
 * Returns the rules that an XML response violates, each with a message.
 * Text of a schema that describes neither an object nor an array is not compared.
 */
export function findXmlViolations(
  contract: Contract,
  documented: DocumentedResponse | undefined,
  { headers, text }: ReceivedResponse,
): readonly (readonly [rule: string, message: string])[] {
  const type = headers['content-type'] ?? '';
  const schema = documented && getMediaSchema(documented, type);
  if (schema === undefined || !isXmlType(type) || !isXmlSchema(contract.normalized, schema)) return [];
  try {
    const value = parseXml(contract, schema, text);
    return [...groupByPointer(contract.getErrors(schema, value))].map(([pointer, { keyword, message }]) => {
      const place = `body${pointer}`;
      return [`${place.replaceAll(/\/\d+(?=\/|$)/g, '/*')} ${keyword}`, `${place} ${message}`];
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [['body XML', `The content type is ${type}, but the body is not the documented XML: ${error.message}`]];
  }
}

function getMediaSchema({ media }: DocumentedResponse, type = ''): string | undefined {
  return media[findMediaType(Object.keys(media), type) ?? '']?.schema;
}
