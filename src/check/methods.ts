import { METHODS as KNOWN } from 'node:http';
import { responseTo } from '../contract/responses.ts';
import type { Route } from '../contract/routes.ts';
import type { Bases } from './bases.ts';
import type { Finding } from './findings.ts';
import { askOf } from './requests.ts';
import { type Examined, nameOf, type Session } from './session.ts';

/** Methods that a path may lack, the safe ones first. QUERY is left out where this machine's HTTP doesn't know it. */
const TRIED = ['GET', 'HEAD', 'TRACE', 'QUERY', 'PUT', 'POST', 'DELETE', 'PATCH'].filter((method) =>
  KNOWN.includes(method),
);
const SAFE: readonly string[] = ['GET', 'HEAD', 'TRACE', 'QUERY'];

/** What a path has beside the methods of the document without being said to. */
const BESIDE: readonly string[] = ['HEAD', 'OPTIONS'];

/** A path of the contract with its operations. */
export interface PathParts {
  readonly session: Session;
  readonly bases: Bases;
  readonly seed: number;
  /** Whether methods are tried that may change something. */
  readonly mayWrite: boolean;
  /** The operations of one path. */
  readonly routes: readonly Route[];
}

/** Judges how a path answers methods that it doesn't have: with 405 and an `Allow` that lists those of the document. */
export async function judgeMethods({ session, bases, seed, mayWrite, routes }: PathParts): Promise<void> {
  const [route] = routes;
  const values = route && bases.base(route, seed);
  if (!route || !values) return;
  const { target, headers = {} } = askOf(route, { ...values, query: {}, body: undefined });
  const declared = routes.map(({ method }) => method);
  // Ours: a path that has GET has HEAD.
  const lacking = TRIED.filter(
    (method) => !declared.includes(method) && !(method === 'HEAD' && declared.includes('GET')),
  );
  for (const method of lacking.filter((one) => mayWrite || SAFE.includes(one))) {
    const examined = await session.ask('methods', route, { method, target, headers });
    for (const finding of troublesOf(route, declared, method, examined)) session.ledger.add(finding);
  }
}

function troublesOf(
  route: Route,
  declared: readonly string[],
  method: string,
  { exchange, reply, findings }: Examined,
): readonly Finding[] {
  if (!exchange || !reply) return findings;
  const found = (rule: string, said: string): Finding => ({
    status: nameOf(route, reply.status),
    rule,
    said,
    pointer: route.pointer.slice(0, route.pointer.lastIndexOf('/')),
    judge: 'methods',
    operationId: route.operationId,
    exchanges: [exchange],
  });
  if (reply.status !== 405)
    return [found('405', `${method} is no method of ${route.path} and is answered ${reply.status} instead of 405`)];
  const isDocumented = responseTo(route.responses, 405) !== undefined;
  const [allow] = allowTroubles(reply.headers.allow, declared);
  return [...(isDocumented ? findings : []), ...(allow === undefined ? [] : [found('Allow', `405 ${allow}`)])];
}

/** What is wrong with an `Allow`, by the methods that a path has (RFC 9110, section 15.5.6). */
export function allowTroubles(allow: string | undefined, declared: readonly string[]): readonly string[] {
  if (allow === undefined) return [`comes without Allow: ${declared.join(', ')}`];
  const told = allow.split(',').map((method) => method.trim().toUpperCase());
  const wrong = declared.filter((method) => !told.includes(method)).map((method) => `lacks ${method}`);
  const beyond = told
    .filter((method) => !declared.includes(method) && !BESIDE.includes(method))
    .map((method) => `names ${method}`);
  return [...wrong, ...beyond].map(
    (one) => `comes with Allow: ${allow}, which ${one}; the path has ${declared.join(', ')}`,
  );
}
