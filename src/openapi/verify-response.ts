import type { ErrorObject } from 'ajv';
import type { IssueParts } from '../util/issue.ts';
import { describeError } from './describe-error.ts';
import {
  type DocumentedResponse,
  findMediaType,
  findResponse,
  isJsonType,
  type ResponseToVerify,
  removeTypeParameters,
} from './responses.ts';
import { groupByPointer, type SchemaValidator } from './schema-validator.ts';

/** One way in which a response violates the contract. */
export interface ResponseViolation {
  /** The place: `status`, `content type`, `header NAME`, or `body` followed by a JSON Pointer. */
  readonly where: string;
  /** The JSON Schema keyword that failed, or `documented`. */
  readonly rule: string;
  /** A clause that has the place and the problem. */
  readonly message: string;
  /** Returns the problem and the remedy. A function, so that logs do not contain the result. */
  readonly describe?: () => IssueParts;
}

/** Returns the violations in the status, media type, body and headers of a response. */
export function verifyResponse(
  validate: SchemaValidator,
  responses: readonly DocumentedResponse[],
  response: ResponseToVerify,
): readonly ResponseViolation[] {
  const documented = findResponse(responses, response.status);
  if (!documented) return [createUndocumented('status', `status ${response.status} is not documented`)];
  return [...verifyBody(validate, documented, response), ...verifyHeaders(validate, documented, response)];
}

function verifyBody(validate: SchemaValidator, { media }: DocumentedResponse, response: ResponseToVerify) {
  const types = Object.keys(media);
  if (types.length === 0)
    return response.body === undefined ? [] : [createUndocumented('body', 'a body is not documented')];
  const contentType = getHeader(response, 'Content-Type');
  if (contentType === undefined) return [createUndocumented('content type', 'the content type is missing')];
  const type = findMediaType(types, contentType);
  if (type === undefined) return [createUndocumented('content type', `content type ${contentType} is not documented`)];
  const schema = media[type]?.schema;
  if (schema === undefined || !isJsonType(removeTypeParameters(contentType))) return [];
  return toResponseViolations('body', validate(schema, response.body));
}

function verifyHeaders(validate: SchemaValidator, { headers }: DocumentedResponse, response: ResponseToVerify) {
  return headers.flatMap(({ name, isRequired, type, schema }) => {
    const where = `header ${name}`;
    const value = getHeader(response, name);
    if (value === undefined) return isRequired ? [{ where, rule: 'required', message: `${where} is missing` }] : [];
    if (schema === undefined || STRUCTURED_TYPES.has(type)) return [];
    return toResponseViolations(where, validate(schema, parseHeader(value, type)));
  });
}

/** The types of header values that are not parsed and not validated. */
const STRUCTURED_TYPES = new Set(['array', 'object']);

function parseHeader(text: string, type: string): unknown {
  if (type === 'integer' || type === 'number') return Number(text);
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

/** Returns the value of a header, whose name is case-insensitive. */
function getHeader({ headers }: ResponseToVerify, name: string): string | undefined {
  return headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

function toResponseViolations(part: string, errors: readonly ErrorObject[]): readonly ResponseViolation[] {
  return [...groupByPointer(errors)].map(([pointer, error]) => ({
    where: part + pointer,
    rule: error.keyword,
    message: `${part}${pointer} ${error.message}`,
    describe: () => describeError(error),
  }));
}

function createUndocumented(where: string, message: string): ResponseViolation {
  return { where, rule: 'documented', message };
}
