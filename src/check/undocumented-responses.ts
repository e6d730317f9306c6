import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode } from '../openapi/document.ts';
import { findMediaType } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import type { ReceivedResponse, RequestToSend } from './exchange.ts';

/** The maximum length of a target that all servers should accept, in characters, and of a body, in bytes. */
export const MAX_TARGET_LENGTH = 2_000;
export const MAX_BODY_BYTES = 10_000;

/** Statuses of servers and proxies for any API: timeout, length, size of body, target and headers, expectation, wrong host, upgrade, rate. */
const TRANSPORT_STATUSES: readonly number[] = [408, 411, 413, 414, 417, 421, 426, 429, 431];

/** Escapes that servers and proxies decode differently or reject: slashes, backslashes, control characters, percent signs, and invalid escapes. */
const AMBIGUOUS_ESCAPE = /%(2f|5c|[01][0-9a-f]|7f|25|ed%a0)|%(?![0-9a-f]{2})|[{};'"<>\\]/i;

/** Whether a response is an error that an API need not document, since a server, a proxy or an access check makes it. */
export function canBeUndocumented(
  contract: Contract,
  route: Route,
  request: RequestToSend,
  { status }: ReceivedResponse,
): boolean {
  if (TRANSPORT_STATUSES.includes(status)) return true;
  if (status === 401 || status === 403) return isSecured(contract, route);
  if (status === 415) return !hasDocumentedType(route, request);
  return (status === 400 || status === 404) && isAmbiguousTarget(request);
}

/** Whether the status rejects a request that is so large that servers may differ. */
export function isTooLarge({ target, body }: RequestToSend, { status }: ReceivedResponse): boolean {
  if (status === 413) return Buffer.byteLength(body ?? '') > MAX_BODY_BYTES;
  return [414, 431].includes(status) && target.length > MAX_TARGET_LENGTH;
}

/** Whether proxies and servers may read a target differently. */
function isAmbiguousTarget({ target }: RequestToSend): boolean {
  return target.length > MAX_TARGET_LENGTH || AMBIGUOUS_ESCAPE.test(target) || !isUtf8(target);
}

function isUtf8(target: string): boolean {
  return tryOrUndefined(() => decodeURIComponent(target)) !== undefined;
}

function hasDocumentedType({ bodyMedia }: Route, { headers = {}, body }: RequestToSend): boolean {
  return body !== undefined && findMediaType(Object.keys(bodyMedia), headers['content-type'] ?? '') !== undefined;
}

/** Whether the contract requires credentials for an operation. */
function isSecured({ normalized: plain }: Contract, { pointer }: Route): boolean {
  const own = getNode(plain, `${pointer}/security`) ?? getNode(plain, '/security');
  return Array.isArray(own) && own.some((one) => isNode(one) && Object.keys(one).length > 0);
}
