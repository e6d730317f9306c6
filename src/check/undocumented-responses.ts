import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode } from '../openapi/document.ts';
import { mediaTypeFor } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { Ask, Reply } from './exchange.ts';

/** How long a path and a query are that any server should take, in characters, and a body, in bytes. */
export const LONGEST_TARGET = 2_000;
export const LONGEST_BODY = 10_000;

/** Statuses by which a server or a proxy before it refuses a message, whatever the API is: timeout, length, size of body, target and headers, expectation, wrong host, upgrade, rate. */
const OF_HTTP: readonly number[] = [408, 411, 413, 414, 417, 421, 426, 429, 431];

/** What servers and proxies decode in ways of their own, or refuse: escaped slashes, backslashes, controls and percent signs, and escapes that are none. */
const ODD_ESCAPE = /%(2f|5c|[01][0-9a-f]|7f|25|ed%a0)|%(?![0-9a-f]{2})|[{};'"<>\\]/i;

/** Whether an answer is a refusal that an API needn't document, since it isn't the API that makes it: HTTP does, a proxy, or an access check. */
export function needsNoDocument(contract: Contract, route: Route, ask: Ask, { status }: Reply): boolean {
  if (OF_HTTP.includes(status)) return true;
  if (status === 401 || status === 403) return isSecured(contract, route);
  if (status === 415) return !isOfDocumentedType(route, ask);
  return (status === 400 || status === 404) && isOdd(ask);
}

/** Whether a request is so large that servers may differ in whether they take it, and the status says so. */
export function isTooLarge({ target, body }: Ask, { status }: Reply): boolean {
  if (status === 413) return Buffer.byteLength(body ?? '') > LONGEST_BODY;
  return [414, 431].includes(status) && target.length > LONGEST_TARGET;
}

/** Whether a target is one that proxies and servers read in different ways: what leads to another path, or is no text. */
function isOdd({ target }: Ask): boolean {
  return target.length > LONGEST_TARGET || ODD_ESCAPE.test(target) || !isUtf8(target);
}

function isUtf8(target: string): boolean {
  try {
    decodeURIComponent(target);
    return true;
  } catch {
    return false;
  }
}

function isOfDocumentedType({ bodyMedia }: Route, { headers = {}, body }: Ask): boolean {
  return body !== undefined && mediaTypeFor(Object.keys(bodyMedia), headers['content-type'] ?? '') !== undefined;
}

/** Whether the contract says that an operation needs credentials. */
function isSecured({ plain }: Contract, { pointer }: Route): boolean {
  const own = getNode(plain, `${pointer}/security`) ?? getNode(plain, '/security');
  return Array.isArray(own) && own.some((one) => isNode(one) && Object.keys(one).length > 0);
}
