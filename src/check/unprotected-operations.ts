import type { Route } from '../openapi/routes.ts';
import { joinList } from '../util/text.ts';
import type { CheckContext } from './check-context.ts';
import { addInventedCredentials, hasGivenCredentials } from './credentials.ts';
import { type Exchange, isSuccess, type RequestToSend } from './exchange.ts';
import type { Finding } from './findings.ts';
import { toRequest } from './requests.ts';
import { isWriteOperation } from './selection.ts';
import { createFinding } from './session.ts';

/** The maximum number of operations in the message of a finding. */
const MAX_OPERATIONS = 20;

/**
 * Returns whether each security requirement of an operation has a credential, so that a request without credentials
 * must be rejected.
 */
export function requiresCredentials({ security }: Route): boolean {
  return security.length > 0 && security.every((requirement) => requirement.length > 0);
}

/**
 * Checks that the operations that require credentials reject requests without them, and requests with invented ones.
 * An operation is checked only if it accepts the same request with credentials.
 * Adds one finding for all operations that require the same credentials and accept the same requests.
 */
export async function checkCredentials(context: CheckContext, routes: readonly Route[]): Promise<void> {
  const unprotected = new Map<string, { readonly finding: Finding; readonly operationIds: string[] }>();
  for (const route of routes) {
    const finding = await findUnprotected(context, route);
    if (!finding) continue;
    const cause = `${finding.message}, although the contract requires ${describeSecurity(route)}`;
    const known = unprotected.get(cause);
    if (known) known.operationIds.push(route.operationId);
    else unprotected.set(cause, { finding, operationIds: [route.operationId] });
  }
  for (const [cause, { finding, operationIds }] of unprotected) {
    const names = joinList(operationIds, MAX_OPERATIONS);
    const message = `The server accepts ${cause}: ${names}`;
    context.session.results.add({ ...finding, message });
  }
}

/**
 * Sends a valid request with credentials, and then others without them.
 * If the user has specified credentials, one of these has invented credentials.
 * Returns a finding if the server accepts one of them.
 */
async function findUnprotected({ session, requests, seed, prepare }: CheckContext, route: Route) {
  const { client } = session;
  const isAccepted = async (complete: (request: RequestToSend) => RequestToSend) => {
    if (isWriteOperation(route)) await prepare();
    const values = requests.createValid(route, seed);
    if (!values) return undefined;
    const { exchange } = await session.send('behaviour', route, complete(toRequest(route, values)));
    return exchange && isSuccess(exchange.response) ? exchange : undefined;
  };
  const rule = 'requires credentials';
  const toFinding = (exchange: Exchange, message: string) =>
    createFinding('behaviour', route, exchange, { rule, message, pointer: route.pointer });
  if (!(await isAccepted((request) => request))) return undefined;
  const anonymous = await isAccepted((request) => ({ ...request, isAnonymous: true }));
  if (anonymous) return toFinding(anonymous, 'requests without credentials');
  // A storefront server accepts any credentials.
  if (!hasGivenCredentials(route, client) || Object.hasOwn(client.headers, 'x-sandbox')) return undefined;
  const invented = await isAccepted((request) => ({ ...addInventedCredentials(route, request), isAnonymous: true }));
  return invented && toFinding(invented, 'requests with invented credentials');
}

/** Describes the credentials that an operation requires, such as `bearer` or `the header x-key`. */
function describeSecurity({ security }: Route): string {
  const requirements = security.map((requirement) =>
    requirement
      .map(({ in: location, name, scheme }) =>
        scheme === undefined ? `the ${location} ${name}` : `${scheme} authentication`,
      )
      .join(' and '),
  );
  return [...new Set(requirements)].join(', or ');
}
