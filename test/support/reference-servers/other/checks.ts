import type { Violation } from './problems.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Validates a path parameter that must be a UUID. Returns the violations. */
export function idViolations(name: string, value: string): readonly Violation[] {
  if (UUID.test(value)) return [];
  return [{ remedy: 'put a uuid there', rule: 'format', pointer: `/${name}`, in: 'path' }];
}

/** Validates the query parameter `expand`. A request can contain it once. Returns the violations. */
export function expandViolations(query: URLSearchParams): readonly Violation[] {
  return query.getAll('expand').length > 1 ? repeated('expand') : [];
}

/** Validates the query parameter `search`. A request can contain it once. Returns the violations. */
export function searchViolations(query: URLSearchParams): readonly Violation[] {
  return query.getAll('search').length > 1 ? repeated('search') : [];
}

/** Validates the query parameters `limit` and `after`, which select a page of a list. Returns the violations. */
export function pageViolations(query: URLSearchParams): readonly Violation[] {
  const [limits, places] = [query.getAll('limit'), query.getAll('after')];
  const [limit = '1'] = limits;
  const size = limit.trim() === '' ? Number.NaN : Number(limit);
  return [
    ...(limits.length > 1 ? repeated('limit') : []),
    ...(limits.length === 1 ? limitViolations(size) : []),
    ...(places.length > 1 ? repeated('after') : []),
    ...(places.length === 1 && !UUID.test(places[0] ?? '') ? [inQuery('/after', 'format', 'put a uuid there')] : []),
  ];
}

function limitViolations(size: number): readonly Violation[] {
  if (!Number.isInteger(size)) return [inQuery('/limit', 'type', 'a whole number')];
  if (size < 1) return [inQuery('/limit', 'minimum', 'at least one')];
  return size > 1_000 ? [inQuery('/limit', 'maximum', 'no more than 1000')] : [];
}

/** Validates the body of a request that adds a product to the cart. `body`: undefined if there is no body. Returns the violations. */
export function additionViolations(body: unknown): readonly Violation[] {
  if (body === undefined) return [inBody('', 'required', 'send an object with productId and quantity')];
  if (!isRecord(body)) return [inBody('', 'type', 'send an object')];
  return [...productIdViolations(body.productId), ...quantityViolations(body.quantity, 10, true)];
}

/** Validates the body of a request that changes a cart item. `body`: undefined if there is no body. Returns the violations. */
export function changeViolations(body: unknown): readonly Violation[] {
  if (body === undefined) return [];
  if (!isRecord(body)) return [inBody('', 'type', 'send an object')];
  return [...quantityViolations(body.quantity, 1_000_000, false), ...optionIdViolations(body.deliveryOptionId)];
}

function productIdViolations(value: unknown): readonly Violation[] {
  if (value === undefined) return [inBody('/productId', 'required', 'say which product')];
  if (typeof value !== 'string') return [inBody('/productId', 'type', 'write it as a string')];
  const isLong = [...value].length > 36;
  return [
    ...(isLong ? [inBody('/productId', 'maxLength', 'no more than 36 characters')] : []),
    ...(UUID.test(value) ? [] : [inBody('/productId', 'format', 'put a uuid there')]),
  ];
}

function quantityViolations(value: unknown, most: number, isRequired: boolean): readonly Violation[] {
  if (value === undefined) return isRequired ? [inBody('/quantity', 'required', 'say how many')] : [];
  if (typeof value !== 'number' || !Number.isInteger(value)) return [inBody('/quantity', 'type', 'a whole number')];
  if (value < 1) return [inBody('/quantity', 'minimum', 'at least one')];
  return value > most ? [inBody('/quantity', 'maximum', `no more than ${most}`)] : [];
}

function optionIdViolations(value: unknown): readonly Violation[] {
  if (value === undefined || typeof value === 'string' || Number.isInteger(value)) return [];
  return [inBody('/deliveryOptionId', 'anyOf', 'a string or a whole number')];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function inQuery(pointer: string, rule: string, remedy: string): Violation {
  return { remedy, rule, pointer, in: 'query' };
}

function inBody(pointer: string, rule: string, remedy: string): Violation {
  return { remedy, rule, pointer, in: 'body' };
}

function repeated(name: string): readonly Violation[] {
  return [{ remedy: 'once is enough', rule: 'type', pointer: `/${name}`, in: 'query' }];
}
