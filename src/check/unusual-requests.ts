import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { RequestToSend } from './exchange.ts';

/** The maximum length of a request target that every server should accept, in characters. */
export const MAX_PORTABLE_TARGET_LENGTH = 2_000;

/** Matches arrays that are nested as deeply as in no ordinary body. */
const NESTED = /\[{100}/;

/**
 * Returns what is unusual in a request, as the end of a sentence: ` to a URL with an invalid escape`.
 * Returns an empty text for an ordinary request.
 */
export function describeUnusual({ target = '', body }: Partial<RequestToSend> = {}): string {
  if (target.length > MAX_PORTABLE_TARGET_LENGTH) return ' to a URL of more than 2,000 characters';
  if (tryOrUndefined(() => decodeURIComponent(target)) === undefined) return ' to a URL with an invalid escape';
  return typeof body === 'string' && NESTED.test(body) ? ' to a body with deeply nested arrays' : '';
}
