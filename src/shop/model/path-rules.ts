import type { CheckContext } from '../../check/check-context.ts';
import { addConfirmed } from '../../check/confirm-findings.ts';
import { createJsonRequest, type ReceivedResponse, type RequestToSend } from '../../check/exchange.ts';
import type { Finding } from '../../check/findings.ts';
import { findAllowViolations } from '../../check/methods.ts';
import { toPath } from '../../check/requests.ts';
import { createFinding, type Session } from '../../check/session.ts';
import type { Route } from '../../openapi/routes.ts';
import { FOR_ALL, ORIGIN } from './rules.ts';

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
  const declared = routes.map(({ method }) => method);
  const reader = routes.find((route) => route.method === 'GET' && allowedRoutes.includes(route));
  if (reader) await checkReader(session, reader, target);
  await checkResponse(
    session,
    first,
    { method: 'OPTIONS', target },
    {
      rule: 'OPTIONS',
      wrong: ({ status, headers }) =>
        status >= 300 ? `is ${status}` : findAllowViolations(headers.allow, declared)[0],
    },
  );
  for (const method of declared) {
    const headers = {
      origin: ORIGIN,
      'access-control-request-method': method,
      'access-control-request-headers': 'content-type',
    };
    const wrong = (response: ReceivedResponse) => checkPreflight(response, method);
    await checkResponse(
      session,
      first,
      { method: 'OPTIONS', target, headers },
      { rule: `preflight for ${method}`, wrong },
    );
  }
}

async function checkReader(session: Session, reader: Route, target: string): Promise<void> {
  const { exchange } = await session.send('methods', reader, createJsonRequest('GET', target));
  const got = exchange?.response.status;
  const wrong = ({ status }: ReceivedResponse) =>
    got !== undefined && status !== got ? `is ${status}, that of GET ${target} ${got}` : undefined;
  await checkResponse(session, reader, { method: 'HEAD', target }, { rule: 'HEAD as GET', wrong });
  await checkResponse(session, reader, createJsonRequest('GET', `${target}/`), {
    rule: 'ignores a trailing slash',
    wrong,
  });
}

/** Returns why a browser rejects a preflight (Fetch Standard, CORS-preflight fetch); simple methods need no permission. */
function checkPreflight({ status, headers }: ReceivedResponse, method: string): string | undefined {
  const lists = (name: string, value: string) => {
    const listed = (headers[name] ?? '').split(',').map((one) => one.trim().toLowerCase());
    return listed.includes('*') || listed.includes(value.toLowerCase());
  };
  const origin = headers['access-control-allow-origin'];
  if (status >= 300) return `is ${status}`;
  if (origin !== '*' && origin !== ORIGIN) return `has Access-Control-Allow-Origin: ${origin}`;
  const isSimple = ['GET', 'HEAD', 'POST'].includes(method);
  if (!isSimple && !lists('access-control-allow-methods', method))
    return `does not have ${method} in Access-Control-Allow-Methods`;
  return lists('access-control-allow-headers', 'content-type')
    ? undefined
    : 'does not have content-type in Access-Control-Allow-Headers';
}

/** A rule for responses; `wrong` returns the end of a sentence that starts with "The response to GET /path", or undefined if the response is right. */
interface ResponseRule {
  readonly rule: string;
  readonly wrong: (response: ReceivedResponse) => string | undefined;
}

/** Sends a request and adds the findings in its response. */
async function checkResponse(
  session: Session,
  route: Route,
  request: RequestToSend,
  rule: ResponseRule,
): Promise<void> {
  const examine = () => examineResponse(session, route, request, rule);
  await addConfirmed(session, await examine(), examine);
}

async function examineResponse(
  session: Session,
  route: Route,
  request: RequestToSend,
  { rule, wrong }: ResponseRule,
): Promise<readonly Finding[]> {
  const { exchange, findings } = await session.send('methods', route, request);
  // The documentation of an operation does not apply to OPTIONS.
  const own = request.method === 'OPTIONS' ? [] : findings;
  const violation = exchange && wrong(exchange.response);
  if (!exchange || violation === undefined) return own;
  const message = `The response to ${request.method} ${request.target} ${violation}`;
  return [...own, createFinding('methods', route, exchange, { rule, message, pointer: FOR_ALL })];
}
