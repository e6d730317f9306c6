import type { Route } from '../../contract/routes.ts';
import type { Bases } from '../bases.ts';
import { type Ask, asking, type Exchange, type Reply } from '../exchange.ts';
import { allowTroubles } from '../methods.ts';
import { askOf } from '../requests.ts';
import { type Examined, nameOf, type Session } from '../session.ts';

/** Where the contract says it, and a page that may ask. */
const FOR_ALL = '/info/description';
const ORIGIN = 'http://shop.example';

/**
 * Judges what the shop's contract says of every path in words: HEAD as GET without the body, OPTIONS with `Allow`, a preflight that lets a page of any
 * origin ask, and a slash at the end that doesn't count.
 */
export async function judgeFront(
  session: Session,
  bases: Bases,
  seed: number,
  routes: readonly Route[],
): Promise<void> {
  const [first] = routes;
  const values = first && bases.base(first, seed);
  if (!first || !values) return;
  const { target } = askOf(first, { ...values, query: {}, body: undefined });
  const declared = routes.map(({ method }) => method);
  const reader = routes.find(({ method }) => method === 'GET');
  if (reader) {
    const { reply } = await session.ask('methods', reader, asking('GET', target));
    const as = (got: Reply) =>
      reply && got.status !== reply.status ? `${got.status}, GET ${target} ${reply.status}` : undefined;
    await see(session, reader, { method: 'HEAD', target }, 'HEAD as GET', as);
    await see(session, reader, asking('GET', `${target}/`), 'a slash at the end does not count', as);
  }
  const preflight = {
    origin: ORIGIN,
    'access-control-request-method': declared[0] ?? 'GET',
    'access-control-request-headers': 'content-type',
  };
  await see(session, first, { method: 'OPTIONS', target }, 'OPTIONS', ({ status, headers }) =>
    status >= 300 ? String(status) : allowTroubles(headers.allow, declared)[0],
  );
  await see(session, first, { method: 'OPTIONS', target, headers: preflight }, 'preflight', ({ status, headers }) => {
    const allowed = headers['access-control-allow-origin'];
    return status >= 300 || (allowed !== '*' && allowed !== ORIGIN)
      ? `${status} with Access-Control-Allow-Origin: ${allowed}`
      : undefined;
  });
}

/** Sends a request and takes in what is wrong with its answer: `wrong` says it, the end of a sentence that begins with "is answered". */
async function see(
  session: Session,
  route: Route,
  ask: Ask,
  rule: string,
  wrong: (reply: Reply) => string | undefined,
): Promise<void> {
  const { exchange, reply, findings }: Examined = await session.ask('methods', route, ask);
  // What is documented of an operation isn't of OPTIONS.
  for (const finding of ask.method === 'OPTIONS' ? [] : findings) session.ledger.add(finding);
  const trouble = reply && wrong(reply);
  if (!exchange || trouble === undefined) return;
  const said = `${ask.method} ${ask.target} is answered ${trouble}`;
  session.ledger.add({
    judge: 'methods',
    operationId: route.operationId,
    status: nameOf(route, (exchange as Exchange).reply.status),
    rule,
    said,
    pointer: FOR_ALL,
    exchanges: [exchange],
  });
}
