import type { Violation } from './problems.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Validates a UUID in the path. */
export function idViolations(name: string, value: string): readonly Violation[] {
  if (UUID.test(value)) return [];
  return [{ remedy: 'put a uuid there', rule: 'format', pointer: `/${name}`, in: 'path' }];
}

/** Validates a query parameter that may be given once, with one value. */
export function expandViolations(query: URLSearchParams, allowed: string): readonly Violation[] {
  const given = query.getAll('expand');
  if (given.length > 1) return repeated('expand');
  if (given.length === 0 || given[0] === allowed) return [];
  return [{ remedy: `only ${allowed} is known`, rule: 'enum', pointer: '/expand', in: 'query' }];
}

/** Validates the search term. */
export function searchViolations(query: URLSearchParams): readonly Violation[] {
  return query.getAll('search').length > 1 ? repeated('search') : [];
}

/** Validates the body that adds to the cart; undefined if there is none. */
export function additionViolations(body: unknown): readonly Violation[] {
  if (body === undefined) return [inBody('', 'required', 'send an object with productId and quantity')];
  if (!isRecord(body)) return [inBody('', 'type', 'send an object')];
  return [...productIdViolations(body.productId), ...quantityViolations(body.quantity, 10, true)];
}

/** Validates the body that changes an item; undefined if there is none. */
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

function inBody(pointer: string, rule: string, remedy: string): Violation {
  return { remedy, rule, pointer, in: 'body' };
}

function repeated(name: string): readonly Violation[] {
  return [{ remedy: 'once is enough', rule: 'type', pointer: `/${name}`, in: 'query' }];
}
