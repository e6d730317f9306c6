import type { Route } from '../openapi/routes.ts';
import { checkActionPairs } from './action-pairs.ts';
import { findItemActions, findReturningActions } from './actions.ts';
import { getListDelayMs } from './life-cycle-rules.ts';
import { checkLifeCycle, getRoutes, isKeyed, type LifeCycle } from './life-cycles.ts';
import { checkList } from './list-rules.ts';
import { checkLocation } from './locations.ts';
import { checkMinimalResource } from './minimal-resources.ts';
import { checkNestedResources, isNested } from './nested-resources.ts';
import { type CheckPart, type Worker, withOwnKeys } from './run-parts.ts';
import { checkSideEffects, getChanges } from './side-effects.ts';
import { checkSpecialValues } from './special-values.ts';
import { checkTransitions } from './transitions.ts';
import { checkUniqueValues, documentsConflict } from './unique-values.ts';
import { checkUnknownIds } from './unknown-ids.ts';

/** The checks of the resources of a collection, besides their life cycle, with the operations that they are about. */
const COLLECTION_CHECKS: readonly {
  readonly name: string;
  readonly isAlone?: boolean;
  readonly check: (worker: Worker, cycle: LifeCycle) => Promise<void>;
  readonly getRoutes: (cycle: LifeCycle, worker: Worker) => readonly Route[];
}[] = [
  {
    name: 'pages and filters',
    isAlone: true,
    check: checkList,
    getRoutes: ({ list }, { session: { contract } }) => (list && getListDelayMs(contract, list) === 0 ? [list] : []),
  },
  { name: 'Location', check: checkLocation, getRoutes: (cycle) => (isKeyed(cycle) ? [] : [cycle.create]) },
  { name: 'special values', check: checkSpecialValues, getRoutes: ({ read }) => [read] },
  {
    name: 'transitions',
    check: checkTransitions,
    getRoutes: ({ read }, worker) => findReturningActions(worker, read),
  },
  { name: 'action pairs', check: checkActionPairs, getRoutes: ({ read }, worker) => findItemActions(worker, read) },
  {
    name: 'side effects',
    isAlone: true,
    check: checkSideEffects,
    getRoutes: (cycle, worker) => [cycle.read, ...getChanges(worker, cycle)],
  },
  {
    name: 'unknown ids',
    isAlone: true,
    check: checkUnknownIds,
    getRoutes: (cycle, worker) => [...getItemRoutes(cycle, worker), ...getNestedRoutes(cycle)],
  },
  {
    name: 'parents',
    check: checkNestedResources,
    getRoutes: (cycle) => (isNested(cycle) ? [cycle.read, ...(cycle.list ? [cycle.list] : [])] : []),
  },
  {
    name: 'unique values',
    check: checkUniqueValues,
    getRoutes: ({ create, updates }) => (documentsConflict(create) ? [create, ...updates] : []),
  },
];

/** Returns the operations of one resource: those that read, change and delete it, and its actions. */
function getItemRoutes({ read, updates, remove }: LifeCycle, worker: Worker): readonly Route[] {
  return [read, ...updates, ...findReturningActions(worker, read), ...(remove ? [remove] : [])];
}

/** Returns the operations of a collection that is below another resource. */
function getNestedRoutes({ create, list }: LifeCycle): readonly Route[] {
  return [create, ...(list ? [list] : [])].filter(({ pathNames }) => pathNames.length > 0);
}

/** Returns the parts about the resources of a collection. `routes`: the operations to check. */
export function createCollectionParts(
  worker: Worker,
  cycle: LifeCycle,
  routes: readonly Route[],
): readonly CheckPart[] {
  return COLLECTION_CHECKS.flatMap(({ name, isAlone = false, check, getRoutes }) => {
    const own = getRoutes(cycle, worker).filter((route) => routes.includes(route));
    if (own.length === 0) return [];
    return {
      name: `${name} of ${cycle.create.operationId}`,
      operationIds: toIds(own),
      isAlone,
      check: (one: Worker) => check(withOwnKeys(one, cycle), cycle),
    };
  });
}

/** Returns the ids of operations. */
export function toIds(routes: readonly Route[]): readonly string[] {
  return routes.map(({ operationId }) => operationId);
}

/** The weight of a life cycle, which checks several operations and most rules. */
const LIFE_CYCLE_WEIGHT = 10;

/** Returns the part about the life cycle of the resources of a collection. */
export function createLifeCyclePart(cycle: LifeCycle): CheckPart {
  return {
    name: `life cycle of ${cycle.create.operationId}`,
    operationIds: toIds(getRoutes(cycle)),
    weight: LIFE_CYCLE_WEIGHT,
    check: async (worker) => {
      const own = withOwnKeys(worker, cycle);
      // Later, the list can have more resources than a page.
      await checkMinimalResource(own, cycle);
      await checkLifeCycle(own, cycle);
    },
  };
}
