import type { Route } from '../openapi/routes.ts';
import type { OpenedModel } from './behaviour-model.ts';
import type { CheckContext } from './check-context.ts';
import type { CheckOptions } from './check-options.ts';
import { CheckStoppedError } from './check-stopped-error.ts';
import { addConfirmed } from './confirm-findings.ts';
import { isSuccess } from './exchange.ts';
import type { CheckName, Finding } from './findings.ts';
import { checkHostileInput } from './hostile-input.ts';
import { checkInput } from './input.ts';
import { checkLifeCycle, findLifeCycles } from './life-cycles.ts';
import { checkLinks } from './links.ts';
import { checkMethods } from './methods.ts';
import { Pool } from './pool.ts';
import { toRequest } from './requests.ts';
import { getAllowedRoutes, isWriting } from './selection.ts';
import type { Session } from './session.ts';
import { createRequestGenerator } from './valid-requests.ts';

/** Runs parts of a check one after the other, on a server or in one sandbox of it. */
export interface Worker {
  readonly context: CheckContext;
  /** The checks of the shop model, if the server is a shop. */
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
  const model = options.model?.applies(contract) ? await options.model.open(basics, pool, isFresh) : undefined;
  const context: CheckContext = { ...basics, prepare: async () => model?.prepare() };
  if (!model) await collectIds(context, pool);
  return { context, model };
}

/** Returns all parts of the check of some operations. */
export function createParts({ context, model }: Worker, routes: readonly Route[]): readonly CheckPart[] {
  const { allowedRoutes, session } = context;
  const paths = routes.filter((route, place) => routes.findIndex(({ path }) => path === route.path) === place);
  const cycles = (model ? [] : findLifeCycles(allowedRoutes)).filter((cycle) =>
    routes.some((route) => Object.values(cycle).includes(route)),
  );
  return [
    ...routes
      .filter((one) => allowedRoutes.includes(one))
      .flatMap((route): CheckPart[] => [
        { name: `input of ${route.operationId}`, check: (worker) => checkInput(worker.context, route) },
        { name: `hostile input of ${route.operationId}`, check: (worker) => checkHostileInput(worker.context, route) },
        { name: `links of ${route.operationId}`, check: (worker) => checkLinks(worker.context, route) },
      ]),
    ...paths.map((first) => ({
      name: `methods of ${first.path}`,
      check: (worker: Worker) =>
        checkPath(
          worker,
          session.contract.routes.filter(({ path }) => path === first.path),
        ),
    })),
    ...(model?.parts ?? []).map(({ name, check }) => ({ name, check: (worker: Worker) => check(worker.context) })),
    ...cycles.map((cycle) => ({
      name: `life cycle of ${cycle.create.operationId}`,
      check: (worker: Worker) => checkLifeCycle(worker.context, cycle),
    })),
  ];
}

async function checkPath({ context, model }: Worker, routes: readonly Route[]): Promise<void> {
  await context.prepare();
  await checkMethods(context, routes);
  await model?.checkPath(context, routes);
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
  const left = parts.values();
  let stopped: CheckStoppedError | undefined;
  const runNextParts = async (worker: Worker) => {
    for (const part of left) {
      if (stopped) return;
      try {
        await part.check(worker);
        onDone(part);
      } catch (error) {
        if (error instanceof CheckStoppedError) stopped ??= error;
        else
          worker.context.note(`Bug in storefront: the check "${part.name}" failed: ${(error as Error).stack ?? error}`);
      }
    }
  };
  await Promise.all(workers.map(runNextParts));
  if (stopped) throw stopped;
}

/** Adds the findings and notes that need the results of all parts. */
export function finishChecks({ context, model }: Worker, routes: readonly Route[]): void {
  const { allowedRoutes, note } = context;
  model?.finish();
  const left = routes.filter((route) => !allowedRoutes.includes(route)).map(({ operationId }) => operationId);
  if (left.length > 0) note(`Not requested without --allow-writes: ${left.join(', ')}`);
  for (const route of routes.filter((one) => allowedRoutes.includes(one))) noteNeverSucceeded(context, route);
}

/** Creates a finding for a failure of the whole check, without requests. */
export function createSessionFinding(
  check: CheckName,
  route: Route | undefined,
  rule: string,
  message: string,
): Finding {
  const { operationId = '', pointer = '' } = route ?? {};
  return { check, operationId, status: 'none', rule, message, pointer, exchanges: [] };
}

/** Notes that an operation never succeeded: only its errors were checked. */
function noteNeverSucceeded({ session: { ledger }, note }: CheckContext, { operationId }: Route): void {
  const statuses = ledger.getStatuses(operationId);
  if (statuses.length === 0 || statuses.some((status) => /^[123]|^default$/.test(status))) return;
  note(`${operationId} never succeeded, so only its errors were checked: ${statuses.join(', ')}`);
}

/** Sends the requests that need no ids, and creates resources, so that ids are known for the other requests. */
async function collectIds({ session, requests, seed, allowedRoutes }: CheckContext, pool: Pool): Promise<void> {
  const plain = allowedRoutes.filter(({ pathNames }) => pathNames.length === 0);
  const creating = plain.filter(({ method }) => method === 'POST');
  for (const route of [...plain.filter((one) => !isWriting(one)), ...creating]) {
    const values = requests.createValid(route, seed);
    if (!values) continue;
    const send = () => session.send('input', route, toRequest(route, values));
    const { exchange, findings } = await send();
    await addConfirmed(session, findings, async () => (await send()).findings);
    if (exchange && isSuccess(exchange.response)) pool.learn(route, exchange.response.body);
  }
}
