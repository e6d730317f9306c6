import { METHODS as KNOWN } from 'node:http';
import { responseTo } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { Judging } from './check-context.ts';
import { examineAtOnce } from './confirm-findings.ts';
import type { Finding } from './findings.ts';
import { pathOf } from './requests.ts';
import { type Examined, findingIn, SAFE, type Session } from './session.ts';

/** Methods that a path may lack, the safe ones first. QUERY is left out where this machine's HTTP doesn't know it. */
const TRIED = ['GET', 'HEAD', 'TRACE', 'QUERY', 'PUT', 'POST', 'DELETE', 'PATCH'].filter((method) =>
  KNOWN.includes(method),
);

/** What a path has beside the methods of the document without being said to. */
const BESIDE: readonly string[] = ['HEAD', 'OPTIONS'];

/** Judges how a path, given by its operations, answers methods that it doesn't have: with 405 and an `Allow` that lists those of the document. */
export async function checkMethods(
  { session, bases, seed, mayWrite }: Judging,
  routes: readonly Route[],
): Promise<void> {
  const [route] = routes;
  if (!route) return;
  const target = pathOf(route, bases.path(route, seed));
  const tried = TRIED.filter((one) => mayWrite || SAFE.includes(one));
  const missing = tried.flatMap((method) => {
    // Another path of the contract may have the method and hold this one: /orders/{id} beside /orders/latest.
    const routed = session.contract.route(method, target);
    return routed.kind === 'unknown-method' ? [{ route, declared: routed.allow, method }] : [];
  });
  const examine = async (one: Missing) =>
    findingsOf(session, one, await session.ask('methods', route, { method: one.method, target }));
  await examineAtOnce(session, missing, { examine, repeat: examine });
}

/** A method that a path doesn't have, and those that it has. */
interface Missing {
  readonly route: Route;
  readonly declared: readonly string[];
  readonly method: string;
}

/** Whether a status refuses a method. In an API other than the shop, a router that finds no route or an access check may respond first. */
function isRefusal({ isShop }: Session, status: number, method: string): boolean {
  // Who doesn't know a method at all may say that (RFC 9110, section 15.6.2).
  if (status === 501) return !isShop || ['TRACE', 'QUERY'].includes(method);
  return !isShop && status >= 400 && status < 500;
}

function findingsOf(
  session: Session,
  { route, declared, method }: Missing,
  { exchange, findings }: Examined,
): readonly Finding[] {
  if (!exchange) return findings;
  const { status, headers } = exchange.reply;
  const pointer = route.pointer.slice(0, route.pointer.lastIndexOf('/'));
  const found = (rule: string, said: string) => findingIn('methods', route, exchange, { rule, message: said, pointer });
  if (status !== 405 && isRefusal(session, status, method)) return [];
  if (status !== 405) {
    return [found('405', `Status ${status} instead of 405: ${route.path} does not support ${method}`)];
  }
  const isDocumented = responseTo(route.responses, 405) !== undefined;
  const [trouble] = allowTroubles(headers.allow, declared);
  return [
    ...(isDocumented ? findings : []),
    ...(trouble === undefined ? [] : [found('Allow', `The 405 response ${trouble}`)]),
  ];
}

/** What is wrong with an `Allow`, by the methods that a path has (RFC 9110, section 15.5.6). */
export function allowTroubles(allow: string | undefined, declared: readonly string[]): readonly string[] {
  if (allow === undefined) return [`has no Allow header; it must list ${declared.join(', ')}`];
  const told = allow.split(',').map((method) => method.trim().toUpperCase());
  const wrong = declared.filter((method) => !told.includes(method)).map((method) => `lacks ${method}`);
  const beyond = told
    .filter((method) => !declared.includes(method) && !BESIDE.includes(method))
    .map((method) => `has ${method}`);
  return [...wrong, ...beyond].map(
    (one) => `has Allow: ${allow}, which ${one}; the path supports ${declared.join(', ')}`,
  );
}
