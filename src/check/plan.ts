import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { limitList } from '../util/limit-list.ts';
import type { OpenedModel } from './behaviour-model.ts';
import type { CheckContext } from './check-context.ts';
import type { CheckOptions } from './check-options.ts';
import { distribute, sendConfirmed } from './confirm-findings.ts';
import { isSuccess } from './exchange.ts';
import { checkHostileInput } from './hostile-input.ts';
import { checkInput } from './input.ts';
import { checkLifeCycle, findLifeCycles, getRoutes } from './life-cycles.ts';
import { checkLinks } from './links.ts';
import { checkMethods } from './methods.ts';
import { Pool } from './pool.ts';
import { toRequest } from './requests.ts';
import { createResourceProvider, removeDeletedId } from './resource-provider.ts';
import { getAllowedRoutes, isWriting } from './selection.ts';
import type { Session } from './session.ts';
import { CheckStoppedError } from './stop-signal.ts';
import { REFUSALS } from './undocumented-responses.ts';
import { createRequestGenerator } from './valid-requests.ts';

/** Runs parts of a check one after another, on a server or in one sandbox of a server. */
export interface Worker extends CheckContext {
  /** The checks that compare the server with a model; undefined if no model describes the contract. */
  readonly model: OpenedModel | undefined;
}

/** A part of a check. Parts can run in any order. */
export interface CheckPart {
  readonly name: string;
  readonly check: (worker: Worker) => Promise<void>;
}

/** Creates a worker. Its checks add sentences for the report to `notes`. */
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

/** The checks that run for each operation. A key is the start of a part name, such as `input of getOrder`. */
const OPERATION_CHECKS = { input: checkInput, 'hostile input': checkHostileInput, links: checkLinks };

/** Returns the parts of a check of the given operations. */
export function createParts({ allowedRoutes, model }: Worker, routes: readonly Route[]): readonly CheckPart[] {
  const paths = [...new Set(routes.map(({ path }) => path))];
  const cycles = (model ? [] : findLifeCycles(allowedRoutes)).filter((cycle) =>
    getRoutes(cycle).some((route) => routes.includes(route)),
  );
  return [
    ...(model ? routes : moveDeletionsToEnd(routes))
      .filter((route) => allowedRoutes.includes(route))
      .flatMap((route) =>
        Object.entries(OPERATION_CHECKS).map(([name, check]) => ({
          name: `${name} of ${route.operationId}`,
          check: (worker: Worker) => check(worker, route),
        })),
      ),
    ...paths.map((path) => ({ name: `methods of ${path}`, check: (worker: Worker) => checkPath(worker, path) })),
    ...(model?.parts ?? []),
    ...cycles.map((cycle) => ({
      name: `life cycle of ${cycle.create.operationId}`,
      check: (worker: Worker) => checkLifeCycle(worker, cycle),
    })),
  ];
}

/** Moves the operations that delete resources to the end. Nested resources are deleted before the resources that contain them. */
function moveDeletionsToEnd(routes: readonly Route[]): readonly Route[] {
  const deletions = routes.filter(({ method }) => method === 'DELETE');
  const innerFirst = deletions.toSorted((one, other) => other.pathNames.length - one.pathNames.length);
  return [...routes.filter((route) => !deletions.includes(route)), ...innerFirst];
}

async function checkPath(worker: Worker, path: string): Promise<void> {
  const routes = worker.session.contract.routes.filter((route) => route.path === path);
  await worker.prepare();
  await checkMethods(worker, routes);
  await worker.model?.checkPath(worker, routes);
}

/**
 * Runs parts, one at a time in each worker, and calls `onDone` after each part. An error in a part is a bug in storefront. If a part throws an error,
 * adds a note and continues with the next part. When all workers have stopped, rejects with the first `CheckStoppedError`.
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

/** Adds the findings and notes that need the results of all parts. Returns descriptions of the operations that never succeeded. */
export function finishChecks(
  { allowedRoutes, note, model, session }: Worker,
  routes: readonly Route[],
): readonly string[] {
  model?.finish();
  const skipped = routes.filter((route) => !allowedRoutes.includes(route)).map(({ operationId }) => operationId);
  if (skipped.length > 0) note(`Operations that need --allow-writes were skipped: ${skipped.join(', ')}`);
  if (!model) noteRefusals(session, routes, note);
  // A model checks itself whether the documented statuses occur.
  const failing = (model ? [] : routes).flatMap((route) => {
    const statusCodes = session.results.getStatusCodes(route.operationId);
    const canSucceed = allowedRoutes.includes(route) && route.successStatus < 400 && statusCodes.length > 0;
    if (!canSucceed || statusCodes.some((status) => status < 400)) return [];
    return [`${route.operationId} (only ${statusCodes.join(', ')} received)`];
  });
  if (failing.length > 0) note(NEVER_SUCCEEDED);
  return failing;
}

/** Adds a note about the refusals that the contract does not document. They are no violations. */
function noteRefusals({ results }: Session, routes: readonly Route[], note: (message: string) => void): void {
  const names = routes.flatMap(({ operationId, responses }) =>
    results
      .getStatusCodes(operationId)
      .filter((status) => REFUSALS.includes(status) && !findResponse(responses, status))
      .map((status) => `${operationId} ${status}`),
  );
  if (names.length > 0)
    note(`Refused requests whose status is not documented: ${limitList(names, MAX_REFUSALS).join(', ')}`);
}

/** The maximum number of refusals in the report. */
const MAX_REFUSALS = 20;

const NEVER_SUCCEEDED =
  'Some operations never succeeded. Add examples to the contract that make them succeed, send credentials with --header, or exclude the operations with --exclude.';

/** Sends requests without path parameters, and adds the ids in the responses to the pool. Sends requests that only read first, then POST requests. */
async function collectIds({ session, requests, seed, allowedRoutes }: Omit<CheckContext, 'prepare'>, pool: Pool) {
  const collections = allowedRoutes.filter(({ pathNames }) => pathNames.length === 0);
  const creating = collections.filter(({ method }) => method === 'POST');
  for (const route of [...collections.filter((one) => !isWriting(one)), ...creating]) {
    const values = requests.createValid(route, seed);
    if (!values) continue;
    const { exchange } = await sendConfirmed(session, 'input', route, toRequest(route, values));
    if (exchange && isSuccess(exchange.response)) pool.collectValues(route, exchange.response.body);
  }
}
