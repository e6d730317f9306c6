import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode } from '../openapi/document.ts';
import { mediaTypeFor } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { ReceivedResponse, RequestToSend } from './exchange.ts';

/** How long a path and a query are that any server should take, in characters, and a body, in bytes. */
export const MAX_TARGET_LENGTH = 2_000;
export const MAX_BODY_BYTES = 10_000;

/** Statuses by which a server or a proxy before it refuses a message, whatever the API is: timeout, length, size of body, target and headers, expectation, wrong host, upgrade, rate. */
const TRANSPORT_STATUSES: readonly number[] = [408, 411, 413, 414, 417, 421, 426, 429, 431];

/** What servers and proxies decode in ways of their own, or refuse: escaped slashes, backslashes, controls and percent signs, and escapes that are none. */
const AMBIGUOUS_ESCAPE = /%(2f|5c|[01][0-9a-f]|7f|25|ed%a0)|%(?![0-9a-f]{2})|[{};'"<>\\]/i;

/** Whether an answer is a refusal that an API needn't document, since it isn't the API that makes it: HTTP does, a proxy, or an access check. */
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

/** Whether a request is so large that servers may differ in whether they take it, and the status says so. */
export function isTooLarge({ target, body }: RequestToSend, { status }: ReceivedResponse): boolean {
  if (status === 413) return Buffer.byteLength(body ?? '') > MAX_BODY_BYTES;
  return [414, 431].includes(status) && target.length > MAX_TARGET_LENGTH;
}

/** Whether a target is one that proxies and servers read in different ways: what leads to another path, or is no text. */
function isAmbiguousTarget({ target }: RequestToSend): boolean {
  return target.length > MAX_TARGET_LENGTH || AMBIGUOUS_ESCAPE.test(target) || !isUtf8(target);
}

function isUtf8(target: string): boolean {
  try {
    decodeURIComponent(target);
    return true;
  } catch {
    return false;
  }
}

function hasDocumentedType({ bodyMedia }: Route, { headers = {}, body }: RequestToSend): boolean {
  return body !== undefined && mediaTypeFor(Object.keys(bodyMedia), headers['content-type'] ?? '') !== undefined;
}

/** Whether the contract says that an operation needs credentials. */
function isSecured({ plain }: Contract, { pointer }: Route): boolean {
  const own = getNode(plain, `${pointer}/security`) ?? getNode(plain, '/security');
  return Array.isArray(own) && own.some((one) => isNode(one) && Object.keys(one).length > 0);
}
