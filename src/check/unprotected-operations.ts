import type { Route } from '../openapi/routes.ts';
import { joinList } from '../util/text.ts';
import { sendAccepted, withOrderedDates } from './accepted-requests.ts';
import { findActions } from './actions.ts';
import { generalizePlace } from './body-places.ts';
import type { CheckContext } from './check-context.ts';
import { distribute, getConcurrency, isTimeOver } from './confirm-findings.ts';
import { addGeneratedCredentials, type CommonInput, getInput, hasGivenCredentials } from './credentials.ts';
import { CONFLICT } from './described-statuses.ts';
import { type Exchange, isSuccess, type RequestToSend } from './exchange.ts';
import type { Finding } from './findings.ts';
import { findLifeCycles, type LifeCycle } from './life-cycles.ts';
import { RequestSequence } from './request-sequence.ts';
import { type RequestValues, toRequest } from './requests.ts';
import { createViolation } from './rules.ts';
import { isWriteOperation } from './selection.ts';
import { createFinding, findViolatedSchema, type Session } from './session.ts';

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
  const examined = new Map<Route, Awaited<ReturnType<typeof examineOperation>>>();
  await distribute(routes, Array.from({ length: getConcurrency(context.session) }), async (route) => {
    if (!isTimeOver(context.session)) examined.set(route, await examineOperation(context, route, cycles));
  });
  for (const route of routes) {
    const { finding, refused = [] } = examined.get(route) ?? {};
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
  const send = async (values: RequestValues, complete: (request: RequestToSend) => RequestToSend) => {
    const { exchange } = await session.send('behaviour', route, complete(toRequest(route, values)));
    if (exchange) refused.push(...findRefusalFindings(session, route, exchange));
    return exchange;
  };
  await prepare();
  const found = await findAccepted(context, route, cycles, (values) => send(values, (one) => one));
  if (!found) return { finding: undefined, refused: [] };
  const { accepted, createPath } = found;
  for (const { name, complete } of createForgeries(route, client)) {
    let exchange: Exchange | undefined;
    for (const values of createSimilar(context, route, accepted.values)) {
      // The accepted request can have deleted its resource, or changed its status.
      const existing = isWriteOperation(route) && !isUpdate(route) ? await createPath() : undefined;
      exchange = await send({ ...values, path: { ...values.path, ...existing } }, complete);
      if (exchange) session.results.coverage.countRule('credentials-required', route);
      if (!exchange || !OTHER_REFUSALS.includes(exchange.response.status)) break;
    }
    if (!exchange || !isSuccess(exchange.response)) continue;
    const violation = { message: `requests ${name}`, pointer: route.pointer };
    return {
      finding: createFinding('behaviour', route, exchange, createViolation('credentials-required', violation)),
      refused,
    };
  }
  return { finding: undefined, refused };
}

type PathProvider = () => Promise<RequestValues['path']>;

/**
 * Sends a valid request until the server accepts it.
 * If an action is refused because of the status of its resource, sends another action of the resource before it.
 * Returns the accepted request, and a function that prepares another resource for it.
 */
async function findAccepted(
  context: CheckContext,
  route: Route,
  cycles: readonly LifeCycle[],
  send: (values: RequestValues) => Promise<Exchange | undefined>,
): Promise<{ readonly accepted: { readonly values: RequestValues }; readonly createPath: PathProvider } | undefined> {
  // An action of a resource has the path parameters of the resource, and a nested resource has more.
  const cycle = cycles.find(
    ({ read: { path, pathNames } }) =>
      `${route.path}/`.startsWith(`${path}/`) && pathNames.length === route.pathNames.length,
  );
  const actions = cycle ? findActions(context, cycle.read) : [];
  const others = actions.includes(route) ? actions.filter((one) => one !== route).slice(0, MAX_ACTIONS) : [];
  for (const before of [undefined, ...others]) {
    const createPath = createPathProvider(context, route, cycle, before);
    const path = await createPath();
    let status: number | undefined;
    const accepted = await sendAccepted(
      context,
      route,
      async (values) => {
        const response = (await send(values))?.response;
        status = response?.status;
        return response;
      },
      (values) => ({ ...values, path: { ...values.path, ...path } }),
    );
    if (accepted) return { accepted, createPath };
    if (status !== CONFLICT) return undefined;
  }
  return undefined;
}

/** The maximum number of other actions that are tried before an action. */
const MAX_ACTIONS = 5;

/** The number of requests with other values that are sent if a request is refused because of its values. */
const OTHER_VALUES = 2;

/** The statuses of refusals that can have another reason than missing credentials, such as a unique value. */
const OTHER_REFUSALS: readonly number[] = [400, 404, 409, 422];

/** Returns whether an operation changes a resource, and can be repeated for the same resource. */
function isUpdate({ method }: Route): boolean {
  return method === 'PUT' || method === 'PATCH';
}

/** Returns an accepted request, and requests with other bodies for the same path. */
function* createSimilar(
  { session: { contract }, requests, seed }: CheckContext,
  route: Route,
  accepted: RequestValues,
): Generator<RequestValues> {
  yield accepted;
  for (let number = 1; number <= OTHER_VALUES && accepted.body !== undefined; number++) {
    const other = requests.createValid(route, seed + number * SEED_STEP);
    if (other) yield { ...(withOrderedDates(contract, route, other) ?? other), path: accepted.path };
  }
}

/** The difference between the seeds of two created resources. */
const SEED_STEP = 6_521;

/**
 * Returns a function that creates a resource for an operation such as `DELETE /things/{id}`, and returns the path
 * parameters of a request for it.
 * For other operations, the function returns those of a known resource.
 * `before`: an action that is sent for the created resource.
 */
function createPathProvider(
  context: CheckContext,
  route: Route,
  cycle: LifeCycle | undefined,
  before: Route | undefined,
): PathProvider {
  const { requests, seed, prepare } = context;
  let count = 0;
  return async () => {
    const sequence = new RequestSequence(context);
    const resource = cycle && (await sequence.create(cycle, seed + ++count * SEED_STEP));
    const name = cycle?.read.pathNames.at(-1) ?? '';
    const action = before && resource && sequence.toOwn(before, resource);
    if (before && action) await sequence.send(before, action);
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
    const schema = findViolatedSchema(documented, headers['content-type'] ?? '', { where });
    const violation = createViolation('refusal-schema', {
      title: `refusal ${generalizePlace(contract.normalized, schema, where)} ${rule}`,
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
    name: 'with invalid credentials',
    complete: (one: RequestToSend) => ({ ...addGeneratedCredentials(route, one), isAnonymous: true }),
  };
  const names = route.security.flat().flatMap(({ in: location, name }) => (location === 'header' ? [name] : []));
  const tokens = names.flatMap((name) => {
    const token = changeToken(getInput(route, client).headers[name]);
    return token === undefined ? [] : [[name, token] as const];
  });
  const changed: Readonly<Record<string, string>> = Object.fromEntries(tokens);
  if (tokens.length === 0) return [anonymous, generated];
  const complete = (one: RequestToSend) => ({ ...one, headers: { ...one.headers, ...changed }, isAnonymous: true });
  return [anonymous, generated, { name: 'with changed credentials', complete }];
}

/** The minimum length of a token that is changed, in characters. */
const MIN_TOKEN_LENGTH = 8;

/**
 * Replaces some characters within a key, or within the last part of a bearer token, such as the signature of a JSON Web
 * Token.
 * Returns undefined for short keys, and for other credentials.
 */
function changeToken(value = ''): string | undefined {
  const [, start = '', last = ''] = /^((?:bearer\s+)?(?:\S*\.)?)([^\s.]+)$/i.exec(value) ?? [];
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
        scheme === undefined ? `the ${location} ${name}` : `HTTP authentication (${scheme})`,
      )
      .join(' and '),
  );
  return [...new Set(requirements)].join(', or ');
}
