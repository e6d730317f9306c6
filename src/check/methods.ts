import { METHODS as KNOWN } from 'node:http';
import { responseTo } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import { examineConcurrently } from './confirm-findings.ts';
import type { Finding } from './findings.ts';
import { toPath } from './requests.ts';
import { createFinding, SAFE_METHODS, type SendResult, type Session } from './session.ts';

/** Methods that a path may lack, the safe ones first. QUERY is left out where this machine's HTTP doesn't know it. */
const METHODS_TO_TRY = ['GET', 'HEAD', 'TRACE', 'QUERY', 'PUT', 'POST', 'DELETE', 'PATCH'].filter((method) =>
  KNOWN.includes(method),
);

/** What a path has beside the methods of the document without being said to. */
const IMPLICIT_METHODS: readonly string[] = ['HEAD', 'OPTIONS'];

/** Judges how a path, given by its operations, answers methods that it doesn't have: with 405 and an `Allow` that lists those of the document. */
export async function checkMethods(
  { session, requests, seed, mayWrite }: CheckContext,
  routes: readonly Route[],
): Promise<void> {
  const [route] = routes;
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
  await examineConcurrently(session, missing, { examine, repeat: examine });
}

/** A method that a path doesn't have, and those that it has. */
interface MissingMethod {
  readonly route: Route;
  readonly documented: readonly string[];
  readonly method: string;
}

/** Whether a status refuses a method. In an API other than the shop, a router that finds no route or an access check may respond first. */
function isRefusal({ isShop }: Session, status: number, method: string): boolean {
  // Who doesn't know a method at all may say that (RFC 9110, section 15.6.2).
  if (status === 501) return !isShop || ['TRACE', 'QUERY'].includes(method);
  return !isShop && status >= 400 && status < 500;
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
  const isDocumented = responseTo(route.responses, 405) !== undefined;
  const [violation] = findAllowViolations(headers.allow, documented);
  return [
    ...(isDocumented ? findings : []),
    ...(violation === undefined ? [] : [createMethodFinding('Allow', `The 405 response ${violation}`)]),
  ];
}

/** What is wrong with an `Allow`, by the methods that a path has (RFC 9110, section 15.5.6). */
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
