import type { Judging } from '../../check/check-context.ts';
import { addConfirmed } from '../../check/confirm-findings.ts';
import { type Ask, createRequestSender, type Reply } from '../../check/exchange.ts';
import type { Finding } from '../../check/findings.ts';
import { allowTroubles } from '../../check/methods.ts';
import { pathOf } from '../../check/requests.ts';
import { findingIn, type Session } from '../../check/session.ts';
import type { Route } from '../../openapi/routes.ts';
import { FOR_ALL, ORIGIN } from './rules.ts';

/**
 * Judges what the shop's contract says of every path in words: HEAD as GET without the body, OPTIONS with `Allow`, a preflight that allows
 * pages of loopback origins, and a slash at the end that doesn't count.
 */
export async function judgeFront({ session, bases, seed, asked }: Judging, routes: readonly Route[]): Promise<void> {
  const [first] = routes;
  if (!first) return;
  const target = pathOf(first, bases.path(first, seed));
  const declared = routes.map(({ method }) => method);
  const reader = routes.find((route) => route.method === 'GET' && asked.includes(route));
  if (reader) await judgeReader(session, reader, target);
  await see(
    session,
    first,
    { method: 'OPTIONS', target },
    {
      rule: 'OPTIONS',
      wrong: ({ status, headers }) => (status >= 300 ? `is ${status}` : allowTroubles(headers.allow, declared)[0]),
    },
  );
  for (const method of declared) {
    const headers = {
      origin: ORIGIN,
      'access-control-request-method': method,
      'access-control-request-headers': 'content-type',
    };
    const wrong = (reply: Reply) => wrongPreflight(reply, method);
    await see(session, first, { method: 'OPTIONS', target, headers }, { rule: `preflight for ${method}`, wrong });
  }
}

async function judgeReader(session: Session, reader: Route, target: string): Promise<void> {
  const { exchange } = await session.ask('methods', reader, createRequestSender('GET', target));
  const got = exchange?.reply.status;
  const wrong = ({ status }: Reply) =>
    got !== undefined && status !== got ? `is ${status}, that of GET ${target} ${got}` : undefined;
  await see(session, reader, { method: 'HEAD', target }, { rule: 'HEAD as GET', wrong });
  await see(session, reader, createRequestSender('GET', `${target}/`), {
    rule: 'ignores a trailing slash',
    wrong,
  });
}

/** What keeps a browser from asking, by the answer to its preflight (Fetch Standard, CORS-preflight fetch); simple methods need no leave. */
function wrongPreflight({ status, headers }: Reply, method: string): string | undefined {
  const lists = (name: string, wanted: string) => {
    const told = (headers[name] ?? '').split(',').map((one) => one.trim().toLowerCase());
    return told.includes('*') || told.includes(wanted.toLowerCase());
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
interface Held {
  readonly rule: string;
  readonly wrong: (reply: Reply) => string | undefined;
}

/** Sends a request and takes in what is wrong with its answer. */
async function see(session: Session, route: Route, ask: Ask, held: Held): Promise<void> {
  const examine = () => examined(session, route, ask, held);
  await addConfirmed(session, await examine(), examine);
}

async function examined(session: Session, route: Route, ask: Ask, { rule, wrong }: Held): Promise<readonly Finding[]> {
  const { exchange, findings } = await session.ask('methods', route, ask);
  // What is documented of an operation isn't of OPTIONS.
  const own = ask.method === 'OPTIONS' ? [] : findings;
  const trouble = exchange && wrong(exchange.reply);
  if (!exchange || trouble === undefined) return own;
  const said = `The response to ${ask.method} ${ask.target} ${trouble}`;
  return [...own, findingIn('methods', route, exchange, { rule, message: said, pointer: FOR_ALL })];
}
