import { isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Judging } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { type Exchange, isSuccess, pathOfLocation } from './exchange.ts';
import type { Finding } from './findings.ts';
import { askOf, type Values, withParameter } from './requests.ts';
import { findingIn, type Session } from './session.ts';

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
export async function checkLifeCycle(judging: Judging, cycle: LifeCycle): Promise<void> {
  const examine = () => examineLifeCycle(judging, cycle);
  await addConfirmed(judging.session, await examine(), examine);
}

async function examineLifeCycle(judging: Judging, cycle: LifeCycle): Promise<readonly Finding[]> {
  const step = stepper(judging.session);
  await follow(judging, cycle, step);
  return step.found;
}

async function follow(
  { bases, seed, note }: Judging,
  { create, read, remove }: LifeCycle,
  step: Stepper,
): Promise<void> {
  const values = bases.base(create, seed);
  if (!values) return;
  const created = await step(create, values);
  // What was only taken on (202) may not be there yet.
  const isCreated = created && [200, 201].includes(created.reply.status);
  const id = isCreated ? idOf(create, read, created) : undefined;
  const one = id === undefined ? undefined : withId(bases.base(read, seed), read, id);
  if (!one) return note(`The resource that ${create.operationId} creates could not be read: its id is unknown`);
  const found = await step(read, one);
  if (found && GONE.includes(found.reply.status))
    step.off(read, 'created resources can be read', 'a resource that was just created', found);
  const gone = remove && withId(bases.base(remove, seed), remove, id);
  const removed = found && isSuccess(found.reply) && remove && gone ? await step(remove, gone) : undefined;
  // What was taken on (202) may take its time.
  if (!removed || !isSuccess(removed.reply) || removed.reply.status === 202) return;
  const again = await step(read, one);
  if (again && isSuccess(again.reply))
    step.off(read, 'deleted resources are gone', 'a resource that was just deleted', again);
}

/** What says that something isn't there. */
const GONE: readonly number[] = [404, 410];

type Stepper = ReturnType<typeof stepper>;

/** Takes steps one after the other, and gathers what is found with what led to it. */
function stepper(session: Session) {
  const steps: Exchange[] = [];
  const found: Finding[] = [];
  const step = async (route: Route, sent: Values): Promise<Exchange | undefined> => {
    const { exchange, findings } = await session.ask('behaviour', route, askOf(route, sent));
    found.push(...findings.map((finding) => ({ ...finding, exchanges: [...steps, ...finding.exchanges] })));
    if (exchange) steps.push(exchange);
    return exchange;
  };
  const off = (route: Route, rule: string, what: string, exchange: Exchange): void => {
    const said = `Status ${exchange.reply.status} for ${what}`;
    const finding = findingIn('behaviour', route, exchange, { rule, message: said, pointer: route.pointer });
    found.push({ ...finding, exchanges: [...steps] });
  };
  return Object.assign(step, { off, found });
}

/** The id of what was created: by its `Location`, else by its body. */
function idOf(create: Route, read: Route, { reply }: Exchange): unknown {
  const name = read.pathNames.at(-1) ?? '';
  const { body } = reply;
  return idIn(reply.headers.location, create, read, name) ?? (isNode(body) ? (body[name] ?? body.id) : undefined);
}

/** A request about the thing of an id. */
function withId(values: Values | undefined, route: Route, id: unknown): Values | undefined {
  const parameter = route.parameters.find((one) => one.in === 'path' && one.name === route.pathNames.at(-1));
  return values && parameter ? withParameter(values, parameter, id) : undefined;
}

/** The id that a `Location` leads to, where it leads to the operation that reads one. */
function idIn(location: string | undefined, create: Route, read: Route, name: string): string | undefined {
  const path = location === undefined ? undefined : pathOfLocation(location);
  if (path === undefined) return undefined;
  try {
    const start = Math.max(0, path.indexOf(create.path.split('{')[0] ?? ''));
    return read.pathParameters(path.slice(start))[name] || undefined;
  } catch {
    // Its escapes are broken: it leads nowhere.
    return undefined;
  }
}
