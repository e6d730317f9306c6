import { isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { type Exchange, getLocationPath, isSuccess } from './exchange.ts';
import type { Finding } from './findings.ts';
import { type RequestValues, toRequest, withParameter } from './requests.ts';
import { createFinding, type Session } from './session.ts';

/** The operations that create, read and delete a resource. */
export interface LifeCycle {
  readonly create: Route;
  readonly read: Route;
  readonly remove: Route | undefined;
}

/** Returns the life cycles of an API by their paths: `POST /things` and `GET /things/{id}`, with DELETE if there is one. */
export function findLifeCycles(routes: readonly Route[]): readonly LifeCycle[] {
  return routes
    .filter(({ method }) => method === 'POST')
    .flatMap((create) => {
      const itemPath = new RegExp(
        `^${create.path.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replace(/\/$/, '')}/\\{[^/{}]+\\}$`,
      );
      const findRoute = (method: string) =>
        routes.find((route) => route.method === method && itemPath.test(route.path));
      const read = findRoute('GET');
      return read ? [{ create, read, remove: findRoute('DELETE') }] : [];
    });
}

/** Checks that a created resource can be read, and that it is gone after it is deleted. */
export async function checkLifeCycle(context: CheckContext, cycle: LifeCycle): Promise<void> {
  const examine = () => examineLifeCycle(context, cycle);
  await addConfirmed(context.session, await examine(), examine);
}

async function examineLifeCycle(context: CheckContext, cycle: LifeCycle): Promise<readonly Finding[]> {
  const steps = new Steps(context.session);
  await follow(context, cycle, steps);
  return steps.findings;
}

async function follow(
  { requests, seed, note }: CheckContext,
  { create, read, remove }: LifeCycle,
  steps: Steps,
): Promise<void> {
  const values = requests.createValid(create, seed);
  if (!values) return;
  const created = await steps.send(create, values);
  // After 202 the resource may not exist yet.
  const isCreated = created && [200, 201].includes(created.response.status);
  const id = isCreated ? getCreatedId(create, read, created) : undefined;
  const one = id === undefined ? undefined : withId(requests.createValid(read, seed), read, id);
  if (!one) return note(`The resource that ${create.operationId} creates could not be read: its id is unknown`);
  const found = await steps.send(read, one);
  if (found && GONE_STATUSES.includes(found.response.status))
    steps.addFinding(read, found, 'created resources can be read', 'a resource that was just created');
  const removal = remove && withId(requests.createValid(remove, seed), remove, id);
  const removed =
    found && isSuccess(found.response) && remove && removal ? await steps.send(remove, removal) : undefined;
  // After 202 the deletion may take time.
  if (!removed || !isSuccess(removed.response) || removed.response.status === 202) return;
  const again = await steps.send(read, one);
  if (again && isSuccess(again.response))
    steps.addFinding(read, again, 'deleted resources are gone', 'a resource that was just deleted');
}

/** Statuses of a resource that does not exist. */
const GONE_STATUSES: readonly number[] = [404, 410];

/** Sends requests one after the other, and collects the findings with all preceding requests. */
class Steps {
  readonly findings: Finding[] = [];
  readonly #exchanges: Exchange[] = [];
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async send(route: Route, values: RequestValues): Promise<Exchange | undefined> {
    const { exchange, findings } = await this.#session.send('behaviour', route, toRequest(route, values));
    for (const finding of findings)
      this.findings.push({ ...finding, exchanges: [...this.#exchanges, ...finding.exchanges] });
    if (exchange) this.#exchanges.push(exchange);
    return exchange;
  }

  /** Adds a finding about the last exchange. */
  addFinding(route: Route, exchange: Exchange, rule: string, what: string): void {
    const message = `Status ${exchange.response.status} for ${what}`;
    const finding = createFinding('behaviour', route, exchange, { rule, message, pointer: route.pointer });
    this.findings.push({ ...finding, exchanges: [...this.#exchanges] });
  }
}

/** Returns the id of a created resource, from its `Location` or its body. */
function getCreatedId(create: Route, read: Route, { response }: Exchange): unknown {
  const name = read.pathNames.at(-1) ?? '';
  const { body } = response;
  return (
    parseLocation(response.headers.location, create, read, name) ?? (isNode(body) ? (body[name] ?? body.id) : undefined)
  );
}

/** Returns a request for the resource with an id. */
function withId(values: RequestValues | undefined, route: Route, id: unknown): RequestValues | undefined {
  const parameter = route.parameters.find((one) => one.in === 'path' && one.name === route.pathNames.at(-1));
  return values && parameter ? withParameter(values, parameter, id) : undefined;
}

/** Returns the id in a `Location` that refers to the operation that reads a resource. */
function parseLocation(location: string | undefined, create: Route, read: Route, name: string): string | undefined {
  const path = location === undefined ? undefined : getLocationPath(location);
  if (path === undefined) return undefined;
  try {
    const start = Math.max(0, path.indexOf(create.path.split('{')[0] ?? ''));
    return read.pathParameters(path.slice(start))[name] || undefined;
  } catch {
    // Its escapes are invalid.
    return undefined;
  }
}
