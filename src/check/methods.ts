import { METHODS as KNOWN } from 'node:http';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import { examineAll } from './confirm-findings.ts';
import type { Finding } from './findings.ts';
import { toPath } from './requests.ts';
import { createFinding, SAFE_METHODS, type SendResult, type Session } from './session.ts';

/** The methods to try on paths without them, safe ones first; QUERY only if Node knows it. */
const METHODS_TO_TRY = ['GET', 'HEAD', 'TRACE', 'QUERY', 'PUT', 'POST', 'DELETE', 'PATCH'].filter((method) =>
  KNOWN.includes(method),
);

/** Methods that a path may support without documenting them. */
const IMPLICIT_METHODS: readonly string[] = ['HEAD', 'OPTIONS'];

/** Checks that a path rejects unsupported methods with 405 and an `Allow` of the documented ones. The routes are those of the path. */
export async function checkMethods(
  { session, requests, seed, mayWrite }: CheckContext,
  [route]: readonly Route[],
): Promise<void> {
  if (!route) return;
  const target = toPath(route, requests.createPath(route, seed));
  const methods = METHODS_TO_TRY.filter((one) => mayWrite || SAFE_METHODS.includes(one));
  const missing = methods.flatMap((method) => {
    // Another path of the contract may have the method and hold this one: /items/{id} beside /items/latest.
    const routed = session.contract.route(method, target);
    return routed.kind === 'unknown-method' ? [{ route, documented: routed.allow, method }] : [];
  });
  const examine = async (one: MissingMethod) =>
    checkResponse(session, one, await session.send('methods', route, { method: one.method, target }));
  await examineAll(session, missing, { examine });
}

/** A method that a path does not support, with the documented ones. */
interface MissingMethod {
  readonly route: Route;
  readonly documented: readonly string[];
  readonly method: string;
}

/** Whether a status rejects a method. Where no model applies, routing or an access check may respond first. */
function isRefusal({ hasModel }: Session, status: number, method: string): boolean {
  // A server may respond 501 to a method that it does not know (RFC 9110, section 15.6.2).
  if (status === 501) return !hasModel || ['TRACE', 'QUERY'].includes(method);
  return !hasModel && status >= 400 && status < 500;
}

function checkResponse(
  session: Session,
  { route, documented, method }: MissingMethod,
  { exchange, findings }: SendResult,
): readonly Finding[] {
  if (!exchange) return findings;
  const { status, headers } = exchange.response;
  const pointer = route.pointer.slice(0, route.pointer.lastIndexOf('/'));
  const createMethodFinding = (rule: string, message: string) =>
    createFinding('methods', route, exchange, { rule, message, pointer });
  if (status !== 405 && isRefusal(session, status, method)) return [];
  if (status !== 405) {
    return [createMethodFinding('405', `Status ${status} instead of 405: ${route.path} does not support ${method}`)];
  }
  const isDocumented = findResponse(route.responses, 405) !== undefined;
  const [violation] = findAllowViolations(headers.allow, documented);
  return [
    ...(isDocumented ? findings : []),
    ...(violation === undefined ? [] : [createMethodFinding('Allow', `The 405 response ${violation}`)]),
  ];
}

/** Returns the violations of an `Allow` header, by the documented methods of the path (RFC 9110, section 15.5.6). */
export function findAllowViolations(allow: string | undefined, documented: readonly string[]): readonly string[] {
  if (allow === undefined) return [`has no Allow header; it must list ${documented.join(', ')}`];
  const listed = allow.split(',').map((method) => method.trim().toUpperCase());
  const missing = documented.filter((method) => !listed.includes(method)).map((method) => `lacks ${method}`);
  const additional = listed
    .filter((method) => !documented.includes(method) && !IMPLICIT_METHODS.includes(method))
    .map((method) => `has ${method}`);
  return [...missing, ...additional].map(
    (one) => `has Allow: ${allow}, which ${one}; the path supports ${documented.join(', ')}`,
  );
}
