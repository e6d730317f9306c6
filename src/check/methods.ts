import { METHODS as NODE_METHODS } from 'node:http';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { SAFE_METHODS } from '../util/request-target.ts';
import type { CheckContext } from './check-context.ts';
import { examineAll } from './confirm-findings.ts';
import type { Finding } from './findings.ts';
import { toPath } from './requests.ts';
import type { RuleName } from './rules.ts';
import { createFinding, type SendResult, type Session } from './session.ts';

/**
 * The methods that the check tries on a path if the contract does not document them.
 * Safe methods come first.
 * Omits QUERY if this version of Node can't send it.
 */
const METHODS_TO_TRY = ['GET', 'HEAD', 'TRACE', 'QUERY', 'PUT', 'POST', 'DELETE', 'PATCH'].filter((method) =>
  NODE_METHODS.includes(method),
);

/** Methods that a proxy can refuse before they reach the API. */
const PROXY_METHODS: readonly string[] = ['TRACE', 'QUERY'];

/** Methods that a path may support although the contract does not document them. */
const IMPLICIT_METHODS: readonly string[] = ['HEAD', 'OPTIONS'];

/**
 * Checks that a path refuses undocumented methods with status 405, and lists the documented methods in the `Allow`
 * header.
 * The second argument has the operations of the path.
 */
export async function checkMethods(
  { session, requests, seed, mayWrite }: CheckContext,
  routes: readonly Route[],
): Promise<void> {
  const [route] = routes;
  if (!route) return;
  const own = routes.map(({ method }) => method);
  const target = toPath(route, requests.createPath(route, seed));
  const methods = METHODS_TO_TRY.filter((one) => mayWrite || SAFE_METHODS.includes(one));
  const unsupported = methods.flatMap((method) => {
    // Another path can match the same URL and support the method: /items/{id} also matches /items/latest.
    const routed = session.contract.route(method, target);
    return routed.kind === 'unknown-method' ? [{ own, allowed: routed.allow, method }] : [];
  });
  const examine = async (one: UnsupportedMethod) => {
    const sent = await session.send('methods', route, { method: one.method, target });
    for (const each of sent.exchange ? routes : []) {
      session.results.coverage.countRule('method', each);
      if (sent.exchange?.response.status === 405) session.results.coverage.countRule('allow', each);
      else session.results.coverage.skipRule('allow', each, 'no response has status 405');
    }
    return checkResponse(session, route, one, sent);
  };
  await examineAll(session, unsupported, { examine });
}

/**
 * A method that a path does not support.
 * `own`: the documented methods of the path.
 * `allowed`: also those of other paths that match the same URL.
 */
interface UnsupportedMethod {
  readonly own: readonly string[];
  readonly allowed: readonly string[];
  readonly method: string;
}

/**
 * Returns whether a server may refuse an undocumented method with `status` instead of 405.
 * For example, a router or an access check may respond with another 4xx, unless a behaviour model describes the
 * contract.
 */
function isOtherRejection({ hasModel }: Session, status: number, method: string): boolean {
  // 501 refuses a method that the server does not support for any path (RFC 9110, section 15.6.2).
  if (status === 501) return !hasModel || PROXY_METHODS.includes(method);
  return !hasModel && status >= 400 && status < 500;
}

function checkResponse(
  session: Session,
  route: Route,
  { own, allowed, method }: UnsupportedMethod,
  { exchange, findings }: SendResult,
): readonly Finding[] {
  if (!exchange) return findings;
  const { status, headers } = exchange.response;
  const pointer = route.pointer.slice(0, route.pointer.lastIndexOf('/'));
  const createMethodFinding = (rule: RuleName, title: string, message: string) =>
    createFinding('methods', route, exchange, { rule, title, message, pointer });
  if (status !== 405) {
    const message = `Status ${status} instead of 405: ${route.path} does not support ${method}`;
    return isOtherRejection(session, status, method) ? [] : [createMethodFinding('method', '405', message)];
  }
  // A proxy that refuses a method of its own does not know the methods of the path.
  if (headers.allow === undefined && !session.hasModel && PROXY_METHODS.includes(method)) return [];
  const isDocumented = findResponse(route.responses, 405) !== undefined;
  const [violation] = findAllowViolations(headers.allow, own, allowed);
  return [
    ...(isDocumented ? findings : []),
    ...(violation === undefined ? [] : [createMethodFinding('allow', 'Allow', `The 405 response ${violation}`)]),
  ];
}

/**
 * Returns the differences between an `Allow` header and the documented methods of its path (RFC 9110, section 15.5.6).
 * Each difference completes a sentence that starts with "The response", such as "has no Allow header; it must list GET,
 * POST".
 * `allowed`: the methods that the header may also list, because other paths match the same URL.
 */
export function findAllowViolations(
  allow: string | undefined,
  documented: readonly string[],
  allowed: readonly string[] = documented,
): readonly string[] {
  if (allow === undefined) return [`has no Allow header; it must list ${documented.join(', ')}`];
  const listed = allow.split(',').map((method) => method.trim().toUpperCase());
  const missing = documented.filter((method) => !listed.includes(method)).map((method) => `lacks ${method}`);
  const additional = listed
    .filter((method) => !allowed.includes(method) && !IMPLICIT_METHODS.includes(method))
    .map((method) => `has ${method}`);
  return [...missing, ...additional].map(
    (one) => `has Allow: ${allow}, which ${one}; the path supports ${documented.join(', ')}`,
  );
}
