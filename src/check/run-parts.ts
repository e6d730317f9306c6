import type { Route } from '../openapi/routes.ts';
import type { OpenedModel } from './behaviour-model.ts';
import type { CheckContext } from './check-context.ts';
import { distribute } from './confirm-findings.ts';
import { CheckStoppedError, isUnavailable } from './exchange.ts';
import { isKeyed, type LifeCycle } from './life-cycles.ts';
import { withNewKeys } from './valid-requests.ts';

/** Runs parts of `storefront check` one after another, on a server or in one sandbox of a server. */
export interface Worker extends CheckContext {
  /** The checks that compare the server with a model; undefined if no model describes the contract. */
  readonly model: OpenedModel | undefined;
  /**
   * Returns why the check knew no id of an existing resource for the path of an operation.
   * Returns undefined if the check knew an id, or if the reason is unknown.
   */
  readonly explainUnreached: (route: Route) => string | undefined;
}

/** Returns a worker whose requests create resources with new keys, if clients choose them. */
export function withOwnKeys(worker: Worker, cycle: LifeCycle): Worker {
  return isKeyed(cycle) ? { ...worker, requests: withNewKeys(worker.requests, cycle.create) } : worker;
}

/** A part of `storefront check`, such as the input of one operation. Parts can run in any order. */
export interface CheckPart {
  readonly name: string;
  /** The operations that the part checks. */
  readonly operationIds: readonly string[];
  /** Whether the check is complete without this part, if the time limit is reached. Default: false. */
  readonly isOptional?: boolean;
  /** Whether the part tests fewer entries if the server is slow. Default: false. */
  readonly canBeShortened?: boolean;
  /** The part's share of the remaining time, compared with that of other parts. Default: 1. */
  readonly weight?: number;
  /**
   * Whether no other part may run on the same data at the same time: for example, because it compares two responses of
   * a list.
   * Default: false.
   */
  readonly isAlone?: boolean;
  readonly check: (worker: Worker) => Promise<void>;
}

/** How many times its share of the remaining time a part may take. Most parts need less than their share. */
const SHARES = 3;

/** The largest share of the remaining time that a part may take, so that the parts after it have time. */
const MAX_SHARE = 1 / 3;

/** The parts that have not ended, and the number of parts that run at the same time. */
interface RemainingParts {
  readonly parts: readonly CheckPart[];
  readonly workers: number;
}

/** Returns the time that a part may take if it shares the time until `endMs` with all remaining parts, in ms. */
export function getShareMs(endMs: number, { weight = 1 }: CheckPart, { parts, workers }: RemainingParts): number {
  const sum = parts.reduce((total, part) => total + (part.weight ?? 1), 0);
  const share = Math.min(MAX_SHARE, (SHARES * weight * workers) / Math.max(1, sum));
  return share * Math.max(0, endMs - performance.now());
}

/**
 * Runs parts of the check, one at a time in each worker.
 * If the workers share the data of the server, the parts that must run alone come first.
 * Calls `onDone` after each part.
 * If a part throws an error, adds a note about a bug in storefront and continues with the next part.
 * Returns the parts that could not be run because an operation was not available, with the reason.
 * Any other `CheckStoppedError` stops all workers.
 * When they have stopped, the promise is rejected with this error.
 * `getPartMs`: returns the time that a part may take, in ms.
 */
export async function runParts(
  parts: readonly CheckPart[],
  workers: readonly Worker[],
  onDone: (part: CheckPart) => void,
  getPartMs: (part: CheckPart) => number = () => Number.POSITIVE_INFINITY,
): Promise<ReadonlyMap<CheckPart, CheckStoppedError>> {
  const deferred = new Map<CheckPart, CheckStoppedError>();
  const run = async (part: CheckPart, worker: Worker) => {
    worker.session.endOfPartMs = performance.now() + getPartMs(part);
    try {
      await part.check(worker);
      onDone(part);
    } catch (error) {
      if (isUnavailable(error)) return void deferred.set(part, error);
      if (error instanceof CheckStoppedError) throw error;
      worker.note(`Bug in storefront: the check "${part.name}" failed: ${(error as Error).stack ?? error}`);
    }
  };
  const areShared = new Set(workers.map(({ session }) => session.client)).size < workers.length;
  const isAlone = (part: CheckPart) => areShared && part.isAlone === true;
  await distribute(parts.filter(isAlone), workers.slice(0, 1), run);
  await distribute(
    parts.filter((part) => !isAlone(part)),
    workers,
    run,
  );
  return deferred;
}
