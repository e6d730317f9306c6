import type { Route } from '../openapi/routes.ts';
import type { OpenedModel } from './behaviour-model.ts';
import type { CheckContext } from './check-context.ts';
import type { CheckOptions } from './check-options.ts';
import { addConfirmed, distribute } from './confirm-findings.ts';
import { isSuccess } from './exchange.ts';
import { checkHostileInput } from './hostile-input.ts';
import { checkInput } from './input.ts';
import { checkLifeCycle, findLifeCycles } from './life-cycles.ts';
import { checkLinks } from './links.ts';
import { checkMethods } from './methods.ts';
import { Pool } from './pool.ts';
import { toRequest } from './requests.ts';
import { createResourceProvider, removeDeletedId } from './resources.ts';
import { getAllowedRoutes, isWriting } from './selection.ts';
import type { Session } from './session.ts';
import { CheckStoppedError } from './stop-signal.ts';
import { createRequestGenerator } from './valid-requests.ts';

/** Runs parts of a check one after the other, on a server or in one sandbox of it. */
export interface Worker extends CheckContext {
  /** The checks of the model, if it applies. */
  readonly model: OpenedModel | undefined;
}

/** A part of a check that does not depend on others. */
export interface CheckPart {
  readonly name: string;
  readonly check: (worker: Worker) => Promise<void>;
}

/** Creates a worker; its checks add what they can't check to `notes`. */
export async function createWorker(session: Session, options: CheckOptions, notes: string[]): Promise<Worker> {
  const { contract, seed, runs, mayWrite, isFresh } = options;
  const pool = new Pool();
  const basics = {
    session,
    fc: await import('fast-check'),
    requests: createRequestGenerator(contract, pool),
    seed,
    runs,
    mayWrite,
    allowedRoutes: getAllowedRoutes(options),
    note: (message: string) => void (notes.includes(message) || notes.push(message)),
  };
  const model = await options.model?.open(basics, pool, isFresh);
  if (model) return { ...basics, prepare: () => model.prepare(), model };
  session.onResponse = (route, exchange) => removeDeletedId(pool, route, exchange);
  await collectIds(basics, pool);
  return { ...basics, prepare: createResourceProvider(basics, pool), model };
}

/** The checks of one operation, by the start of their names. */
const OPERATION_CHECKS = { input: checkInput, 'hostile input': checkHostileInput, links: checkLinks };

/** Returns all parts of the check of some operations. */
export function createParts({ allowedRoutes, model }: Worker, routes: readonly Route[]): readonly CheckPart[] {
  const paths = [...new Set(routes.map(({ path }) => path))];
  const cycles = (model ? [] : findLifeCycles(allowedRoutes)).filter((cycle) =>
    routes.some((route) => Object.values(cycle).includes(route)),
  );
  return [
    ...orderRoutes(routes, model)
      .filter((route) => allowedRoutes.includes(route))
      .flatMap((route) =>
        Object.entries(OPERATION_CHECKS).map(([name, check]) => ({
          name: `${name} of ${route.operationId}`,
          check: (worker: Worker) => check(worker, route),
        })),
      ),
    ...paths.map((path) => ({
      name: `methods of ${path}`,
      check: (worker: Worker) => checkPath(worker, path),
    })),
    ...(model?.parts ?? []),
    ...cycles.map((cycle) => ({
      name: `life cycle of ${cycle.create.operationId}`,
      check: (worker: Worker) => checkLifeCycle(worker, cycle),
    })),
  ];
}

/** Without a model, what deletes comes last, the inner resources first: requests to nested resources need those that contain them. */
function orderRoutes(routes: readonly Route[], model: OpenedModel | undefined): readonly Route[] {
  if (model) return routes;
  const rank = ({ method, pathNames }: Route) => (method === 'DELETE' ? 100 - pathNames.length : 0);
  return routes.toSorted((one, other) => rank(one) - rank(other));
}

async function checkPath(worker: Worker, path: string): Promise<void> {
  const routes = worker.session.contract.routes.filter((route) => route.path === path);
  await worker.prepare();
  await checkMethods(worker, routes);
  await worker.model?.checkPath(worker, routes);
}

/**
 * Runs parts, one at a time in each worker. If a part throws, which is a bug in storefront, it is noted, does not count as done, and the others continue.
 * Rejects with the first `CheckStoppedError` after all workers have stopped.
 */
export async function runParts(
  parts: readonly CheckPart[],
  workers: readonly Worker[],
  onDone: (part: CheckPart) => void,
): Promise<void> {
  await distribute(parts, workers, async (part, worker) => {
    try {
      await part.check(worker);
      onDone(part);
    } catch (error) {
      if (error instanceof CheckStoppedError) throw error;
      worker.note(`Bug in storefront: the check "${part.name}" failed: ${(error as Error).stack ?? error}`);
    }
  });
}

/** Adds the findings and notes that need the results of all parts. */
export function finishChecks({ allowedRoutes, note, model, session }: Worker, routes: readonly Route[]): void {
  model?.finish();
  const left = routes.filter((route) => !allowedRoutes.includes(route)).map(({ operationId }) => operationId);
  if (left.length > 0) note(`Not requested without --allow-writes: ${left.join(', ')}`);
  for (const { operationId } of routes.filter((route) => allowedRoutes.includes(route))) {
    const statuses = session.ledger.getStatuses(operationId);
    if (statuses.length > 0 && !statuses.some((status) => /^[123]|^default$/.test(status)))
      note(`${operationId} never succeeded, so only its errors were checked: ${statuses.join(', ')}`);
  }
}

/** Sends the requests that need no ids, and creates resources, so that ids are known for the other requests. */
async function collectIds(
  { session, requests, seed, allowedRoutes }: Omit<CheckContext, 'prepare'>,
  pool: Pool,
): Promise<void> {
  const plain = allowedRoutes.filter(({ pathNames }) => pathNames.length === 0);
  const creating = plain.filter(({ method }) => method === 'POST');
  for (const route of [...plain.filter((one) => !isWriting(one)), ...creating]) {
    const values = requests.createValid(route, seed);
    if (!values) continue;
    const send = () => session.send('input', route, toRequest(route, values));
    const { exchange, findings } = await send();
    await addConfirmed(session, findings, async () => (await send()).findings);
    if (exchange && isSuccess(exchange.response)) pool.collectValues(route, exchange.response.body);
  }
}
