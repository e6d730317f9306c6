import { isNode } from '../contract/document.ts';
import type { Route } from '../contract/routes.ts';
import type { Bases } from './bases.ts';
import type { Exchange } from './exchange.ts';
import type { Finding } from './findings.ts';
import { askOf, type Values, withParameter } from './requests.ts';
import { nameOf, type Session } from './session.ts';

/** A collection that things are created in, with what can be done with one of them. */
export interface LifeCycle {
  readonly create: Route;
  readonly read: Route;
  readonly remove: Route | undefined;
}

/** The collections of an API by their paths: `POST /things` beside `GET /things/{id}`, and its DELETE where there is one. */
export function lifeCyclesOf(routes: readonly Route[]): readonly LifeCycle[] {
  return routes
    .filter(({ method }) => method === 'POST')
    .flatMap((create) => {
      const own = new RegExp(
        `^${create.path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replace(/\/$/, '')}/\\{[^/{}]+\\}$`,
      );
      const of = (method: string) => routes.find((route) => route.method === method && own.test(route.path));
      const read = of('GET');
      return read ? [{ create, read, remove: of('DELETE') }] : [];
    });
}

/** Creates a thing, reads it, removes it, and sees that it is gone then. */
export async function judgeLifeCycle(
  session: Session,
  bases: Bases,
  seed: number,
  { create, read, remove }: LifeCycle,
): Promise<void> {
  const values = bases.base(create, seed);
  if (!values) return;
  const steps: Exchange[] = [];
  const step = async (route: Route, sent: Values): Promise<number> => {
    const { exchange, reply, findings } = await session.ask('behaviour', route, askOf(route, sent));
    for (const finding of findings) session.ledger.add({ ...finding, exchanges: [...steps, ...finding.exchanges] });
    if (exchange) steps.push(exchange);
    return reply?.status ?? 0;
  };
  const wrong = (route: Route, rule: string, said: string, status: number) => {
    const pointer = route.pointer;
    const finding: Finding = {
      judge: 'behaviour',
      operationId: route.operationId,
      status: nameOf(route, status),
      rule,
      said,
      pointer,
      exchanges: steps,
    };
    session.ledger.add(finding);
  };
  const created = await step(create, values);
  const one = created >= 200 && created < 300 ? valuesOf(values, create, read, steps.at(-1)) : undefined;
  if (!one) return;
  const found = await step(read, one);
  if (found === 404 || found === 410)
    return wrong(read, 'what is created is there', `what was just created is answered ${found}`, found);
  if (!remove) return;
  const removed = await step(remove, one);
  if (removed < 200 || removed >= 300 || removed === 202) return;
  const again = await step(read, one);
  if (again >= 200 && again < 300)
    wrong(read, 'what is deleted is gone', `what was just deleted is still answered ${again}`, again);
}

/** The parameters that lead to what was created: by its `Location`, else by its id. */
function valuesOf(values: Values, create: Route, read: Route, exchange: Exchange | undefined): Values | undefined {
  const name = read.pathNames.at(-1);
  const parameter = read.parameters.find((one) => one.in === 'path' && one.name === name);
  if (!exchange || name === undefined || !parameter) return undefined;
  const { location } = exchange.reply.headers;
  const path = location === undefined ? undefined : new URL(location, 'http://localhost').pathname;
  const byLocation =
    path === undefined
      ? undefined
      : read.pathParameters(path.slice(Math.max(0, path.indexOf(create.path.split('{')[0] ?? ''))))[name];
  const { body } = exchange.reply;
  const byBody = isNode(body) ? (body[name] ?? body.id) : undefined;
  const id = byLocation || byBody;
  return id === undefined
    ? undefined
    : withParameter({ path: values.path, query: {}, headers: values.headers }, parameter, id);
}
