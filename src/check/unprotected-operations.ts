import type { Route } from '../openapi/routes.ts';
import { joinList } from '../util/text.ts';
import { sendAccepted } from './accepted-requests.ts';
import type { CheckContext } from './check-context.ts';
import { addGeneratedCredentials, type CommonInput, hasGivenCredentials } from './credentials.ts';
import { type Exchange, isSuccess, type RequestToSend } from './exchange.ts';
import type { Finding } from './findings.ts';
import { findLifeCycles, type LifeCycle } from './life-cycles.ts';
import { RequestSequence } from './request-sequence.ts';
import { type RequestValues, toRequest } from './requests.ts';
import { createViolation } from './rules.ts';
import { isWriteOperation } from './selection.ts';
import { createFinding, type Session } from './session.ts';

/** The maximum number of operations in the message of a finding. */
const MAX_OPERATIONS = 20;

/**
 * Checks that the operations that require credentials refuse requests without them, and requests with other ones.
 * An operation is checked only if it accepts the same request with credentials.
 * Adds one finding for all operations that require the same credentials and accept the same requests, and one for all
 * operations whose refusals violate the contract in the same way.
 */
export async function checkCredentials(context: CheckContext, routes: readonly Route[]): Promise<void> {
  const unprotected = new Map<string, FindingOfOperations>();
  const refusals = new Map<string, FindingOfOperations>();
  // Finding the life cycles of 1,000 operations takes 70 ms.
  const cycles = findLifeCycles(context.allowedRoutes, context.session.contract);
  for (const route of routes) {
    const { finding, refused } = await examineOperation(context, route, cycles);
    if (finding)
      group(unprotected, `${finding.message}, although the contract requires ${describeSecurity(route)}`, finding);
    for (const one of refused) group(refusals, `${one.status} ${one.title} ${one.message}`, one);
  }
  for (const [cause, { finding, operationIds }] of unprotected) {
    const names = joinList(operationIds, MAX_OPERATIONS);
    context.session.results.add({ ...finding, message: `The server accepts ${cause}: ${names}` });
  }
  for (const { finding, operationIds } of refusals.values()) {
    const others = operationIds.length > 1 ? ` (${joinList(operationIds, MAX_OPERATIONS)})` : '';
    context.session.results.add({ ...finding, message: finding.message + others });
  }
}

/** A finding that several operations have. */
interface FindingOfOperations {
  readonly finding: Finding;
  readonly operationIds: string[];
}

function group(groups: Map<string, FindingOfOperations>, cause: string, finding: Finding): void {
  const known = groups.get(cause);
  if (known?.operationIds.includes(finding.operationId)) return;
  if (known) known.operationIds.push(finding.operationId);
  else groups.set(cause, { finding, operationIds: [finding.operationId] });
}

/**
 * Sends a valid request with credentials, and then others without them.
 * If the user has specified credentials, some of these have other credentials.
 * Returns a finding if the server accepts one of them, and the findings in the refusals.
 */
async function examineOperation(context: CheckContext, route: Route, cycles: readonly LifeCycle[]) {
  const { session, prepare } = context;
  const { client } = session;
  const refused: Finding[] = [];
  const createPath = createPathProvider(context, route, cycles);
  const send = async (values: RequestValues, complete: (request: RequestToSend) => RequestToSend) => {
    const { exchange } = await session.send('behaviour', route, complete(toRequest(route, values)));
    if (exchange) refused.push(...findRefusalFindings(session, route, exchange));
    return exchange;
  };
  await prepare();
  const path = await createPath();
  const accepted = await sendAccepted(
    context,
    route,
    async (values) => (await send(values, (one) => one))?.response,
    (values) => ({ ...values, path: { ...values.path, ...path } }),
  );
  if (!accepted) return { finding: undefined, refused: [] };
  for (const { name, complete } of createForgeries(route, client)) {
    // The accepted request can have deleted its resource.
    const existing = isWriteOperation(route) ? await createPath() : undefined;
    const exchange = await send({ ...accepted.values, path: { ...accepted.values.path, ...existing } }, complete);
    if (exchange) session.results.coverage.countRule('credentials-required', route);
    if (!exchange || !isSuccess(exchange.response)) continue;
    const violation = { message: `requests ${name}`, pointer: route.pointer };
    return {
      finding: createFinding('behaviour', route, exchange, createViolation('credentials-required', violation)),
      refused,
    };
  }
  return { finding: undefined, refused };
}

/** The difference between the seeds of two created resources. */
const SEED_STEP = 6_521;

/**
 * Returns a function that creates a resource for an operation such as `DELETE /things/{id}`, and returns the path
 * parameters of a request for it.
 * For other operations, the function returns those of a known resource.
 */
function createPathProvider(
  context: CheckContext,
  route: Route,
  cycles: readonly LifeCycle[],
): () => Promise<RequestValues['path']> {
  const { requests, seed, prepare } = context;
  // An action of a resource has the path parameters of the resource, and a nested resource has more.
  const cycle = cycles.find(
    ({ read: { path, pathNames } }) =>
      `${route.path}/`.startsWith(`${path}/`) && pathNames.length === route.pathNames.length,
  );
  let count = 0;
  return async () => {
    const sequence = new RequestSequence(context);
    const resource = cycle && (await sequence.create(cycle, seed + ++count * SEED_STEP));
    const name = cycle?.read.pathNames.at(-1) ?? '';
    if (resource) return { ...resource.values.path, [name]: resource.id };
    await prepare();
    return requests.createValid(route, seed)?.path ?? {};
  };
}

/** The status of a response to a request without valid credentials (RFC 9110, section 15.5.2). */
const UNAUTHORIZED = 401;

/** Returns the findings in a 401 response that the operation documents: another media type, for example. */
function findRefusalFindings({ contract, results }: Session, route: Route, exchange: Exchange): readonly Finding[] {
  const { status, headers, body } = exchange.response;
  const documented = route.responses.find(({ name }) => name === String(UNAUTHORIZED));
  if (status !== UNAUTHORIZED || !documented || Object.keys(documented.media).length === 0) return [];
  results.coverage.countRule('refusal-schema', route);
  const violations = contract.verifyResponse(route, { status, headers, body }, { closed: false, isReceived: true });
  return violations.slice(0, 1).map(({ where, rule, message }) => {
    const violation = createViolation('refusal-schema', {
      title: `refusal ${where} ${rule}`,
      message,
      pointer: documented.pointer,
    });
    return createFinding('behaviour', route, exchange, violation);
  });
}

/** A request with missing or wrong credentials. `name`: the end of the text "requests …". */
interface Forgery {
  readonly name: string;
  readonly complete: (request: RequestToSend) => RequestToSend;
}

function createForgeries(route: Route, client: CommonInput): readonly Forgery[] {
  const anonymous = { name: 'without credentials', complete: (one: RequestToSend) => ({ ...one, isAnonymous: true }) };
  // A storefront server accepts any credentials.
  if (!hasGivenCredentials(route, client) || Object.hasOwn(client.headers, 'x-sandbox')) return [anonymous];
  const generated = {
    name: 'with generated credentials',
    complete: (one: RequestToSend) => ({ ...addGeneratedCredentials(route, one), isAnonymous: true }),
  };
  const changed = changeToken(client.headers.authorization);
  if (changed === undefined) return [anonymous, generated];
  const complete = (one: RequestToSend) => ({
    ...one,
    headers: { ...one.headers, authorization: changed },
    isAnonymous: true,
  });
  return [anonymous, generated, { name: 'with a changed token', complete }];
}

/** The minimum length of a token that is changed, in characters. */
const MIN_TOKEN_LENGTH = 8;

/**
 * Replaces some characters within the last part of a bearer token, such as the signature of a JSON Web Token.
 * Returns undefined for other credentials.
 */
function changeToken(authorization = ''): string | undefined {
  const [, start = '', last = ''] = /^(bearer\s+(?:\S*\.)?)([^\s.]+)$/i.exec(authorization) ?? [];
  if (last.length < MIN_TOKEN_LENGTH) return undefined;
  const middle = Math.floor(last.length / 2);
  const other = last.slice(middle - 2, middle + 2).replaceAll(/./g, (one) => (one === 'A' ? 'B' : 'A'));
  return start + last.slice(0, middle - 2) + other + last.slice(middle + 2);
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
