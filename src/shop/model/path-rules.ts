import type { CheckContext } from '../../check/check-context.ts';
import { examineAll } from '../../check/confirm-findings.ts';
import type { ReceivedResponse, RequestToSend } from '../../check/exchange.ts';
import type { Finding } from '../../check/findings.ts';
import { findAllowViolations } from '../../check/methods.ts';
import { toPath } from '../../check/requests.ts';
import { createFinding, type Session } from '../../check/session.ts';
import type { Route } from '../../openapi/routes.ts';
import { ALLOWED_ORIGIN, DESCRIPTION_POINTER } from './rules.ts';

/** A rule for the response to a request. */
interface PathRule {
  readonly route: Route;
  readonly request: RequestToSend;
  readonly rule: string;
  /** Returns the end of a sentence that starts with "The response to GET /path"; undefined if the response is right. */
  readonly findViolation: (response: ReceivedResponse) => string | undefined;
}

/**
 * Checks the rules of the shop's contract for all paths: HEAD as GET without a body, OPTIONS with `Allow`, preflights for pages of loopback origins,
 * and an ignored trailing slash.
 */
export async function checkPathRules(
  { session, requests, seed, allowedRoutes }: CheckContext,
  routes: readonly Route[],
): Promise<void> {
  const [first] = routes;
  if (!first) return;
  const target = toPath(first, requests.createPath(first, seed));
  const methods = routes.map(({ method }) => method);
  const reader = routes.find((route) => route.method === 'GET' && allowedRoutes.includes(route));
  const rules = [
    ...(reader ? await createReaderRules(session, reader, target) : []),
    ...createOptionsRules(first, target, methods),
  ];
  await examineAll(session, rules, { examine: (rule) => examineRule(session, rule), mustRunAlone: () => true });
}

async function createReaderRules(session: Session, route: Route, target: string): Promise<readonly PathRule[]> {
  const { exchange } = await session.send('methods', route, { method: 'GET', target });
  const expected = exchange?.response.status;
  const findViolation = ({ status }: ReceivedResponse) =>
    expected !== undefined && status !== expected ? `is ${status}, that of GET ${target} ${expected}` : undefined;
  return [
    { route, request: { method: 'HEAD', target }, rule: 'HEAD as GET', findViolation },
    { route, request: { method: 'GET', target: `${target}/` }, rule: 'ignores a trailing slash', findViolation },
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
      rule: `preflight for ${method}`,
      findViolation: (response) => findPreflightViolation(response, method),
    };
  });
  const findViolation = ({ status, headers }: ReceivedResponse) =>
    status >= 300 ? `is ${status}` : findAllowViolations(headers.allow, methods)[0];
  return [{ route, request: { method: 'OPTIONS', target }, rule: 'OPTIONS', findViolation }, ...preflights];
}

/** Returns why a browser rejects a preflight (Fetch Standard, CORS-preflight fetch); simple methods need no permission. */
function findPreflightViolation({ status, headers }: ReceivedResponse, method: string): string | undefined {
  const lists = (name: string, value: string) => {
    const listed = (headers[name] ?? '').split(',').map((one) => one.trim().toLowerCase());
    return listed.includes('*') || listed.includes(value.toLowerCase());
  };
  const origin = headers['access-control-allow-origin'];
  if (status >= 300) return `is ${status}`;
  if (origin !== '*' && origin !== ALLOWED_ORIGIN) return `has Access-Control-Allow-Origin: ${origin}`;
  const isSimple = ['GET', 'HEAD', 'POST'].includes(method);
  if (!isSimple && !lists('access-control-allow-methods', method))
    return `does not have ${method} in Access-Control-Allow-Methods`;
  return lists('access-control-allow-headers', 'content-type')
    ? undefined
    : 'does not have content-type in Access-Control-Allow-Headers';
}

/** Sends the request of a rule. Returns the findings in the response. */
async function examineRule(session: Session, pathRule: PathRule): Promise<readonly Finding[]> {
  const { route, request, rule, findViolation } = pathRule;
  const { exchange, findings } = await session.send('methods', route, request);
  // The documentation of an operation does not apply to OPTIONS.
  const own = request.method === 'OPTIONS' ? [] : findings;
  const violation = exchange && findViolation(exchange.response);
  if (!exchange || violation === undefined) return own;
  const message = `The response to ${request.method} ${request.target} ${violation}`;
  return [...own, createFinding('methods', route, exchange, { rule, message, pointer: DESCRIPTION_POINTER })];
}
