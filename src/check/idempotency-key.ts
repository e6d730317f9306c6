import { randomUUID } from 'node:crypto';
import type { RequestToSend } from './exchange.ts';

/**
 * The header that identifies repetitions of the same request.
 * A server rejects a key that was sent with a different request.
 */
const HEADER = 'idempotency-key';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The statuses of responses that reject an idempotency key (draft-ietf-httpapi-idempotency-key-header; Stripe uses
 * 400).
 */
const KEY_STATUSES: readonly number[] = [400, 409, 422];

/** Replaces the idempotency key in headers with a fixed UUID. Returns headers without a key unchanged. */
export function withUuidKey(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return headers[HEADER] === undefined ? headers : { ...headers, [HEADER]: '00000000-0000-4000-8000-000000000000' };
}

/**
 * Replaces an idempotency key that is a UUID with a new random UUID.
 * The new key does not depend on the seed, because the server may still know the keys of an earlier check with the same
 * seed.
 */
export function withNewKey(request: RequestToSend): RequestToSend {
  const { headers = {} } = request;
  return UUID.test(headers[HEADER] ?? '') ? { ...request, headers: { ...headers, [HEADER]: randomUUID() } } : request;
}

/**
 * Returns whether a request has an idempotency key that is not a UUID.
 * Servers may reject the request, because another request may have the same key.
 */
export function hasSharedKey({ headers = {} }: Pick<RequestToSend, 'headers'>): boolean {
  const key = headers[HEADER];
  return key !== undefined && !UUID.test(key);
}

/** Returns whether `status` may mean that a server rejects the idempotency key of a request. */
export function isKeyRejection(request: RequestToSend, status: number): boolean {
  return KEY_STATUSES.includes(status) && hasSharedKey(request);
}
