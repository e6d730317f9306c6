import type { CheckContext } from '../../check/check-context.ts';
import { examineAll } from '../../check/confirm-findings.ts';
import type { Exchange, ReceivedResponse, RequestToSend } from '../../check/exchange.ts';
import { type Finding, getResponseName } from '../../check/findings.ts';
import { findAllowViolations } from '../../check/methods.ts';
import { toPath } from '../../check/requests.ts';
import type { Rule, Session } from '../../check/session.ts';
import { removeTypeParameters } from '../../openapi/media-types.ts';
import type { Route } from '../../openapi/routes.ts';

/** The JSON Pointer to the description of the contract, which has the rules for all responses. */
const DESCRIPTION_POINTER = '/info/description';

/** An origin that the shop must allow: the default address of the Vite development server. */
export const ALLOWED_ORIGIN = 'http://localhost:5173';

/** For each rule, a function that checks a response. It returns a message for each violation of the rule. */
const violationFinders: Readonly<Record<string, (exchange: Exchange) => readonly string[]>> = {
  'no-store': ({ response: { headers } }) =>
    /\bno-store\b/i.test(headers['cache-control'] ?? '')
      ? []
      : [`Cache-Control is ${headers['cache-control'] ?? 'missing'} instead of no-store`],
  CORS({ request: { headers: { origin } = {} }, response }) {
    const allowed = response.headers['access-control-allow-origin'];
    if (origin === undefined || allowed === '*' || allowed === origin) return [];
    return [`Web pages of ${origin} cannot read the response: Access-Control-Allow-Origin is ${allowed ?? 'missing'}`];
  },
  access: (exchange) =>
    isAccessDenial(exchange)
      ? [`Status ${exchange.response.status}, but no operation of the contract requires credentials`]
      : [],
  'problem document': findProblemViolations,
};

/** The rules for every response of the shop that a JSON Schema can't express, such as `Cache-Control: no-store`. */
export const shopRules: readonly Rule[] = Object.entries(violationFinders).map(([title, find]) => (route, exchange) => {
  const status = getResponseName(route, exchange.response.status);
  return find(exchange).map((message) => ({
    status,
    rule: 'model' as const,
    title,
    message,
    pointer: DESCRIPTION_POINTER,
  }));
});

/**
 * Returns whether a response denies access (status 401 or 403) without a documented reason.
 * The only documented reason is an unknown `Host`, because no operation requires credentials.
 * A 403 response to HEAD is ignored, because it has no body with the reason.
 */
function isAccessDenial({ request: { method }, response: { status, body } }: Exchange): boolean {
  const { type } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return status === 401 || (status === 403 && method !== 'HEAD' && !String(type).endsWith('/host-not-allowed'));
}

/**
 * Returns a message for each contradiction in a problem document (RFC 9457), for example between its `instance` and the
 * path of the request.
 */
function findProblemViolations({ request, response: { headers, body } }: Exchange): readonly string[] {
  if (removeTypeParameters(headers['content-type'] ?? '') !== 'application/problem+json') return [];
  const { type, detail, message, instance, violations } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const path = (request.target.split('?')[0] ?? '').replace(/\/+$/, '');
  // A server may percent-encode a path or not, and shorten a long one, so only short paths without special characters
  // are compared.
  const isPlain = /^[\w/-]{0,2000}$/.test(path);
  const found: string[] = [];
  if (message !== undefined && detail !== message)
    found.push('The problem document has different texts in message and detail');
  if (String(type).endsWith('/invalid-request') && !Array.isArray(violations))
    found.push('The problem document of an invalid request has no property violations');
  if (isPlain && instance !== undefined && !String(instance).replace(/\/+$/, '').endsWith(path))
    found.push(`The instance of the problem document is ${instance} instead of ${path}`);
  return found;
}

/** A request to a path, and a rule for its response. */
interface PathRule {
  readonly route: Route;
  readonly request: RequestToSend;
  readonly title: string;
  /**
   * Describes how a response breaks the rule, as the end of a sentence that starts with "The response to GET /path".
   * Returns undefined if the response follows the rule.
   */
  readonly findViolation: (response: ReceivedResponse) => string | undefined;
}

/**
 * Checks the rules that the shop's contract has for every path.
 * HEAD has the same status as GET.
 * OPTIONS returns `Allow`.
 * A CORS preflight from localhost succeeds.
 * A trailing slash is ignored.
 * `routes`: the operations of one path.
 */
export async function checkPathRules(
  { session, requests, seed, allowedRoutes }: CheckContext,
  routes: readonly Route[],
): Promise<void> {
  const [first] = routes;
  if (!first) return;
  const target = toPath(first, requests.createPath(first, seed));
  const methods = routes.map(({ method }) => method);
  const getRoute = routes.find((route) => route.method === 'GET' && allowedRoutes.includes(route));
  const rules = [
    ...(getRoute ? await createGetRules(session, getRoute, target) : []),
    ...createOptionsRules(first, target, methods),
  ];
  await examineAll(session, rules, { examine: (rule) => examineRule(session, rule), mustRunAlone: () => true });
}

async function createGetRules(session: Session, route: Route, target: string): Promise<readonly PathRule[]> {
  const { exchange } = await session.send('methods', route, { method: 'GET', target });
  const expected = exchange?.response.status;
  const findViolation = ({ status }: ReceivedResponse) =>
    expected !== undefined && status !== expected
      ? `has status ${status}, but GET ${target} has status ${expected}`
      : undefined;
  return [
    { route, request: { method: 'HEAD', target }, title: 'HEAD has the status of GET', findViolation },
    { route, request: { method: 'GET', target: `${target}/` }, title: 'ignores a trailing slash', findViolation },
  ];
}

function createOptionsRules(route: Route, target: string, methods: readonly string[]): readonly PathRule[] {
  const preflights = methods.map((method): PathRule => {
    const headers = {
      origin: ALLOWED_ORIGIN,
      'access-control-request-method': method,
      'access-control-request-headers': 'content-type',
    };
    return {
      route,
      request: { method: 'OPTIONS', target, headers },
      title: `preflight for ${method}`,
      findViolation: (response) => findPreflightViolation(response, method),
    };
  });
  const findViolation = ({ status, headers }: ReceivedResponse) =>
    status >= 300 ? `has status ${status}` : findAllowViolations(headers.allow, methods)[0];
  return [{ route, request: { method: 'OPTIONS', target }, title: 'OPTIONS', findViolation }, ...preflights];
}

/**
 * Returns why a browser rejects the response to a CORS preflight, as the end of a sentence that starts with "The
 * response".
 * Returns undefined if a browser accepts it (Fetch Standard, CORS-preflight fetch).
 * GET, HEAD and POST need not be listed, because they are CORS-safelisted methods.
 */
function findPreflightViolation({ status, headers }: ReceivedResponse, method: string): string | undefined {
  const includes = (name: string, value: string) => {
    const listed = (headers[name] ?? '').split(',').map((one) => one.trim().toLowerCase());
    return listed.includes('*') || listed.includes(value.toLowerCase());
  };
  const origin = headers['access-control-allow-origin'];
  if (status >= 300) return `has status ${status}`;
  if (origin !== '*' && origin !== ALLOWED_ORIGIN)
    return origin === undefined ? 'has no Access-Control-Allow-Origin' : `has Access-Control-Allow-Origin: ${origin}`;
  const isSafelisted = ['GET', 'HEAD', 'POST'].includes(method);
  if (!isSafelisted && !includes('access-control-allow-methods', method))
    return `does not have ${method} in Access-Control-Allow-Methods`;
  return includes('access-control-allow-headers', 'content-type')
    ? undefined
    : 'does not have content-type in Access-Control-Allow-Headers';
}

/**
 * Sends the request of a rule.
 * Returns a finding (an error for the report of the check) if the response breaks the rule.
 */
async function examineRule(session: Session, pathRule: PathRule): Promise<readonly Finding[]> {
  const { route, request, title, findViolation } = pathRule;
  const { findings } = await session.send('methods', route, request, (_, { response }) => {
    const violation = findViolation(response);
    const message = `The response to ${request.method} ${request.target} ${violation}`;
    return violation === undefined ? [] : [{ rule: 'model', title, message, pointer: DESCRIPTION_POINTER }];
  });
  return findings;
}
