import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, type Node, resolvePointer } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { generalizePlace } from './body-places.ts';
import type { Edit, RequestPart } from './request-edits.ts';
import { getBodySchema } from './requests.ts';

/** The class of the values that are not special for a schema. */
export const ORDINARY = 'an ordinary value';

/**
 * The largest integer of 32 bits.
 * Many servers store integers in 32 bits if the contract has neither a maximum nor the format `int64`.
 */
const MAX_INT32 = 2 ** 31 - 1;

/** The maximum length of a text that every server should accept if the contract has no `maxLength`. */
const MAX_PLAIN_LENGTH = 250;

/**
 * Matches text that every server can store: printable ASCII without characters that have a special meaning in HTML,
 * SQL, a shell or a URL.
 */
const PLAIN_TEXT = /^[A-Za-z0-9 .,:_@+-]*$/;

/** Matches names of properties that refer to other resources. The server can refuse any value that it does not know. */
export const REFERENCE_NAME = /(id|ids|uuid|code|key|ref|reference|token|slug)$/i;

/**
 * Returns a description of an edited part of a request, such as `body /name`, and `body /tags/*` for any entry of a
 * list.
 */
export function describePart({ normalized }: Contract, route: Route, part: RequestPart): string {
  if (part.kind === 'parameter') return `${part.parameter.in} ${part.parameter.name}`;
  const place = generalizePlace(normalized, getBodySchema(route), `body${formatPointer(...part.path)}`);
  return place.replace('/', ' /');
}

/** Returns the schema of a request part, with `$ref` resolved. Returns an empty schema if the part has no schema. */
export function getSchema({ normalized: plain }: Contract, { schema }: RequestPart): Node {
  const node = schema === undefined ? undefined : getNode(plain, resolvePointer(plain, schema));
  return isNode(node) ? node : {};
}

/**
 * Returns the class of an edit that makes a valid request, such as `the maximum length 40`.
 * The schema allows each value of the class for the same reason, so a server that refuses all of them contradicts the
 * schema.
 * Returns undefined for values that servers may refuse for reasons that OpenAPI can't express, such as U+0000 in a
 * text, or an integer of more than 32 bits.
 */
export function getValueClass(contract: Contract, part: RequestPart, edit: Edit): string | undefined {
  if (edit.kind === 'remove') return part.kind === 'body' && part.path.length === 0 ? undefined : 'a missing value';
  if (edit.kind !== 'set') return undefined;
  const schema = getSchema(contract, part);
  const { value } = edit;
  if (Array.isArray(schema.enum)) return `the value ${JSON.stringify(value)}`;
  if (typeof value === 'number' || isNumberText(schema, value)) return getNumberClass(schema, Number(value));
  if (typeof value === 'string') return getTextClass(schema, part, value);
  if (value === null || typeof value === 'boolean') return `the value ${value}`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : ORDINARY;
  return undefined;
}

/** Returns whether a value is the text of a number, as in a parameter. */
function isNumberText({ type }: Node, value: unknown): boolean {
  const types = [type].flat();
  return typeof value === 'string' && value !== '' && (types.includes('integer') || types.includes('number'));
}

function getNumberClass({ minimum, maximum, format }: Node, value: number): string | undefined {
  if (value === minimum) return `the minimum ${minimum}`;
  if (value === maximum) return `the maximum ${maximum}`;
  if (Math.abs(value) <= MAX_INT32) return ORDINARY;
  const isBounded = value > 0 ? typeof maximum === 'number' : typeof minimum === 'number';
  if (format === 'int64' && Number.isSafeInteger(value)) return 'an integer of more than 32 bits';
  return isBounded ? ORDINARY : undefined;
}

function getTextClass({ minLength = 0, maxLength }: Node, part: RequestPart, text: string): string | undefined {
  const { length } = text;
  if (!PLAIN_TEXT.test(text) || (length > MAX_PLAIN_LENGTH && maxLength === undefined)) return undefined;
  // A parameter without a value counts as missing for many servers.
  if (text === '') return part.kind === 'body' ? 'an empty text' : undefined;
  // A server that trims texts refuses one that is then too short.
  if (text.trim() === '') return Number(minLength) > 0 ? undefined : 'a text of spaces';
  if (REFERENCE_NAME.test(getName(part))) return ORDINARY;
  if (length === maxLength) return `the maximum length ${maxLength}`;
  return length === minLength && length > 1 ? `the minimum length ${minLength}` : ORDINARY;
}

function getName(part: RequestPart): string {
  return part.kind === 'body' ? (part.path.findLast((key) => !/^\d+$/.test(key)) ?? '') : part.parameter.name;
}
