import type { Contract } from '../openapi/contract.ts';
import { parseDeepName } from '../openapi/deep-names.ts';
import { type Document, isNode, type Node, toNode } from '../openapi/document.ts';
import { readForm } from '../openapi/form-body.ts';
import { isFormBody, isJsonType, isXmlType } from '../openapi/media-types.ts';
import { isDeepShape } from '../openapi/parameters.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getPartTypes, getSchemaParts } from '../openapi/schema-parts.ts';
import { keepTexts } from '../openapi/typed-values.ts';
import { isAmbiguousInXml } from '../openapi/xml/xml-schema.ts';
import { parseQuery } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { RequestToSend } from './exchange.ts';
import { hasSharedKey, hasUnknownVersion } from './request-headers.ts';
import {
  getBodySchema,
  getBodyType,
  isCursor,
  parseRequest,
  type RequestValues,
  readParameterTexts,
  toRequest,
} from './requests.ts';

/**
 * Returns whether correct servers can disagree about the validity of a request.
 * Examples are requests with a number such as `1e3` or with a cursor, and a request `PUT /things` whose body has no id.
 */
export function isAmbiguous(contract: Contract, route: Route, values: RequestValues): boolean {
  const hasCursor = route.parameters.some((one) => isCursor(one) && values.query[one.name] !== undefined);
  if (hasCursor || hasSharedKey(values) || hasUnknownVersion(values) || isChangeWithoutId(route, values)) return true;
  if (hasAmbiguousParameter(contract, route, values) || isAmbiguousForm(contract, route, values)) return true;
  const { type, schema } = values.format ?? { type: getBodyType(route), schema: getBodySchema(route) };
  if (isXmlType(type ?? '') && isAmbiguousInXml(values.body)) return true;
  if (schema === undefined || values.body === undefined) return false;
  return hasImplicitType(contract, schema, values.body) || isOtherThanObject(contract, schema, values.body);
}

/** Returns whether a request such as `PUT /things` has no id in its body, although the body can have one. */
function isChangeWithoutId({ method, path, knownNames }: Route, { body }: RequestValues): boolean {
  const isChange = (method === 'PUT' || method === 'PATCH') && !path.endsWith('}');
  return isChange && knownNames.body.includes('id') && isNode(body) && !('id' in body);
}

/**
 * Returns whether the validity of a form depends on the server: some servers treat a missing body as an empty form, and
 * a field can have a text such as `1e300`.
 */
function isAmbiguousForm(contract: Contract, route: Route, values: RequestValues): boolean {
  const contentType = values.format?.type ?? getBodyType(route) ?? '';
  const schema = route.bodyMedia[contentType]?.schema;
  if (!isFormBody(contentType)) return false;
  const request = parseRequest(route, toRequest(route, values), values.format);
  if (request.body !== undefined)
    return (
      schema !== undefined &&
      hasAmbiguousText(contract.normalized, schema, readForm(contract.normalized, schema, request.body, keepTexts).body)
    );
  const asEmpty = { ...request, body: {}, contentType };
  return contract.validateRequest(route, request).kind !== contract.validateRequest(route, asEmpty).kind;
}

function hasAmbiguousParameter(contract: Contract, route: Route, values: RequestValues): boolean {
  const parsed = readParameterTexts(route, values);
  return route.parameters.some((parameter) => {
    const name = parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name;
    return hasAmbiguousText(contract.normalized, parameter.schema, parsed[parameter.in][name]);
  });
}

/** Matches a number that every server parses in the same way: short and without an exponent. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d{0,15})(\.\d{1,9})?$/;

/** Matches the texts that some servers parse as a boolean, in addition to `true` and `false`. */
const LENIENT_BOOLEAN = /^(1|0|yes|no|on|off|true|false|t|f|y|n|)$/i;

/**
 * Returns whether a parsed parameter or form has a text that some servers convert to a number or a boolean, and others
 * refuse: `1e3`, a space, or `yes`.
 * Also returns true if a field that is no list occurs twice.
 * `schema`: the JSON Pointer of the schema of `value`.
 */
function hasAmbiguousText(document: Document, schema: string, value: unknown): boolean {
  if (value === undefined) return false;
  const parts = getSchemaParts(document, schema, ALL_PARTS);
  if (typeof value === 'string') {
    const types = getPartTypes(parts);
    const isNumber = types.includes('integer') || types.includes('number');
    if (isNumber && !PLAIN_NUMBER.test(value) && !Number.isNaN(Number(value))) return true;
    // A single text can be the only entry of an array.
    const items = getPartItems(parts);
    if (items !== undefined && hasAmbiguousText(document, items, value)) return true;
    return types.includes('boolean') && LENIENT_BOOLEAN.test(value) && !['true', 'false'].includes(value);
  }
  if (Array.isArray(value)) {
    const items = getPartItems(parts);
    // Many servers use the first or the last value of a field that occurs twice.
    const isRepeated = value.length > 1 && items === undefined && !getPartTypes(parts).includes('array');
    return isRepeated || (items !== undefined && value.some((entry) => hasAmbiguousText(document, items, entry)));
  }
  const properties = getPartProperties(parts);
  return Object.entries(toNode(value)).some(([name, one]) => {
    const property = properties.get(name);
    return property !== undefined && hasAmbiguousText(document, property, one);
  });
}

/**
 * Returns whether an object in a body is valid for an alternative of a `oneOf` or `anyOf`, but not for the alternative
 * that its discriminator selects implicitly: by the name of the schema.
 * Many servers don't compare implicit names.
 */
function hasImplicitType(contract: Contract, schema: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const parts = getSchemaParts(contract.document, schema, ALL_PARTS);
  if (Array.isArray(value)) {
    const items = getPartItems(parts);
    return items !== undefined && value.some((entry) => hasImplicitType(contract, items, entry));
  }
  if (parts.some(({ node }) => isImplicitType(contract, node, toNode(value)))) return true;
  const properties = getPartProperties(parts);
  return Object.entries(value).some(([name, one]) => {
    const property = properties.get(name);
    return property !== undefined && hasImplicitType(contract, property, one);
  });
}

/**
 * Returns whether a body has another value where a schema has `properties` but no `type`: the schema allows it, but
 * means an object.
 */
function isOtherThanObject(contract: Contract, schema: string, value: unknown): boolean {
  const parts = getSchemaParts(contract.document, schema, ALL_PARTS);
  if (Array.isArray(value)) {
    const items = getPartItems(parts);
    if (items !== undefined) return value.some((entry) => isOtherThanObject(contract, items, entry));
  }
  const properties = getPartProperties(parts);
  if (!isNode(value)) return properties.size > 0 && getPartTypes(parts).length === 0;
  return Object.entries(value).some(([name, one]) => {
    const property = properties.get(name);
    return property !== undefined && isOtherThanObject(contract, property, one);
  });
}

function isImplicitType(contract: Contract, { discriminator, oneOf, anyOf }: Node, value: Node): boolean {
  const { propertyName, mapping } = toNode(discriminator);
  const type = typeof propertyName === 'string' ? value[propertyName] : undefined;
  if (typeof type !== 'string') return false;
  const pointers = [oneOf ?? [], anyOf ?? []]
    .flat()
    .flatMap((one) => (isNode(one) && typeof one.$ref === 'string' ? [one.$ref.slice(1)] : []));
  const names = pointers.map((pointer) => pointer.slice(pointer.lastIndexOf('/') + 1));
  const mapped = Object.keys(toNode(mapping));
  if (mapped.length > 0 && (mapped.includes(type) || !names.includes(type))) return false;
  const named = pointers[names.indexOf(type)];
  if (named !== undefined && contract.isValid(named, value)) return false;
  return pointers.some((pointer) => contract.isValid(pointer, value));
}

/** Names of properties that some JSON parsers refuse, because they have a special meaning in JavaScript. */
const SPECIAL_NAME = /"(?:__proto__|constructor|prototype)"\s*:/;

/** Matches a media type with valid parameters (RFC 9110, section 8.3.1). */
const MEDIA_TYPE =
  /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+(?:[ \t]*;[ \t]*[\w!#$%&'*+.^`|~-]+=(?:"[^"]*"|[\w!#$%&'*+.^`|~-]+))*[ \t]*$/;

/**
 * Returns whether a server may refuse a request as invalid although it is valid against the contract: if the request
 * has unknown query parameters, an empty value of a query parameter without `allowEmptyValue`, a JSON name such as
 * `__proto__` or twice the same name, or a malformed content type.
 */
export function canBeRefused(route: Route, { target, headers = {}, body }: RequestToSend): boolean {
  const query = Object.entries(parseQuery(target.split('?')[1] ?? ''));
  if (query.some(([name, value]) => isUnknownParameter(route, name) || isForbiddenEmpty(route, name, value)))
    return true;
  if (body === undefined) return false;
  if (hasMalformedType(headers)) return true;
  const text = isJsonType(headers['content-type'] ?? '') ? String(body) : '';
  return SPECIAL_NAME.test(text) || tryOrUndefined(() => findRepeatedName(text)) !== undefined;
}

/** Returns whether a request has a content type that is not a valid media type. */
export function hasMalformedType({ 'content-type': type }: Readonly<Record<string, string>>): boolean {
  return type !== undefined && !MEDIA_TYPE.test(type);
}

function isUnknownParameter({ knownNames, parameters, security }: Route, name: string): boolean {
  if (knownNames.query.includes(name)) return false;
  if (security.flat().some((credential) => credential.in === 'query' && credential.name === name)) return false;
  const deepName = parseDeepName(name)?.parameter;
  return !parameters.some(({ shape, name: own }) => isDeepShape(shape) && own === deepName);
}

function isForbiddenEmpty({ parameters }: Route, name: string, value: string | string[]): boolean {
  const parameter = parameters.find((one) => one.in === 'query' && one.name === name);
  return [value].flat().includes('') && parameter?.mayBeEmpty !== true;
}

/** Matches the strings, brackets, braces and colons of a JSON text. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/**
 * Returns the first name that occurs twice in the same object of a valid JSON text (RFC 8259, section 4); undefined if
 * there is none.
 */
export function findRepeatedName(json: string): string | undefined {
  /**
   * The objects and arrays that are still open, outermost first.
   * An object is represented by its property names, and an array by undefined.
   */
  const open: (Set<string> | undefined)[] = [];
  let last = '';
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name: string = last.includes('\\') ? JSON.parse(last) : last.slice(1, -1);
      const names = open.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
    last = token;
  }
  return undefined;
}
