import type { Route } from '../openapi/routes.ts';
import { limitList } from '../util/limit-list.ts';
import type { CheckContext } from './check-context.ts';
import { isSuccess } from './exchange.ts';
import type { Finding } from './findings.ts';
import { toRequest } from './requests.ts';
import { isWriteOperation } from './selection.ts';
import { createFinding } from './session.ts';

/** The maximum number of operations in the message of a finding. */
const MAX_OPERATIONS = 20;

/** Returns whether each security requirement of an operation has a credential, so that a request without credentials must be rejected. */
export function requiresCredentials({ security }: Route): boolean {
  return security.length > 0 && security.every((requirement) => requirement.length > 0);
}

/**
 * Checks that the operations that require credentials reject requests without them. An operation is checked only if it accepts the same request with credentials.
 * Adds one finding for all operations that require the same credentials.
 */
export async function checkCredentials(context: CheckContext, routes: readonly Route[]): Promise<void> {
  const unprotected = new Map<string, { readonly finding: Finding; readonly operationIds: string[] }>();
  for (const route of routes) {
    const finding = await findUnprotected(context, route);
    if (!finding) continue;
    const cause = describeSecurity(route);
    const known = unprotected.get(cause);
    if (known) known.operationIds.push(route.operationId);
    else unprotected.set(cause, { finding, operationIds: [route.operationId] });
  }
  for (const [cause, { finding, operationIds }] of unprotected) {
    const names = limitList(operationIds, MAX_OPERATIONS).join(', ');
    const message = `The server accepts requests without credentials, although the contract requires ${cause}: ${names}`;
    context.session.results.add({ ...finding, message });
  }
}

/** Sends a valid request with credentials, and then one without them. Returns a finding if the server accepts both. */
async function findUnprotected({ session, requests, seed, prepare }: CheckContext, route: Route) {
  const send = async (isAnonymous: boolean) => {
    if (isWriteOperation(route)) await prepare();
    const values = requests.createValid(route, seed);
    if (!values) return undefined;
    return (await session.send('behaviour', route, { ...toRequest(route, values), isAnonymous })).exchange;
  };
  const authorized = await send(false);
  if (!authorized || !isSuccess(authorized.response)) return undefined;
  const anonymous = await send(true);
  if (!anonymous || !isSuccess(anonymous.response)) return undefined;
  const rule = 'requires credentials';
  return createFinding('behaviour', route, anonymous, { rule, message: rule, pointer: route.pointer });
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
