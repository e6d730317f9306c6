import type { ContractImplementation, StateView } from '../application.ts';
import { HttpProblemError } from '../http/problem.ts';
import { isNode } from '../openapi/document.ts';
import type { Change, ChangeResult } from '../store/change.ts';
import { findNewIssues } from '../store/new-issues.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import type { StateValidator } from '../store/validate-state.ts';
import { findJsonIssues, MAX_JSON_DEPTH } from '../util/json-limits.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { describeIssues, findIssues } from './state-issues.ts';

/**
 * Creates a function that wraps the store of a handler, so that the handler can't make the state invalid. `userOperationId`: the operationId if a user has
 * written the handler, or undefined for a built-in handler.
 */
export function createStoreGuard(
  validator: StateValidator,
  { validatesChanges, stateView = PLAIN_VIEW }: Pick<ContractImplementation, 'validatesChanges' | 'stateView'>,
) {
  return (store: Store, userOperationId?: string): Store => {
    if (userOperationId !== undefined) return guardForUser(store, userOperationId, { validator, stateView });
    return validatesChanges ? guardForApplication(store, validator) : store;
  };
}

const PLAIN_VIEW: StateView = { show: (state) => state, toStored: (state) => state };

function guardForApplication(store: Store, validator: StateValidator): Store {
  return withCheckedChanges(store, ({ next }, state) => {
    const issues = next ? findNewIssues(findIssues(next, validator), { state, next, validator }) : [];
    if (issues.length === 0) return undefined;
    return `nothing was changed because the new state would violate the contract: ${describeIssues(issues)}`;
  });
}

/**
 * Returns a store for a handler of a user. The handler gets a frozen view of the state. `update` rejects with an error that names the operation if the
 * change returns an invalid value or an invalid state.
 */
function guardForUser(
  store: Store,
  operationId: string,
  { validator, stateView }: { readonly validator: StateValidator; readonly stateView: StateView },
): Store {
  const show = (state: State) => deepFreeze(stateView.show(deepFreeze(state)));
  const checked = withCheckedChanges(store, (result, state) => {
    const issue = findChangeIssue(result, state, validator);
    return issue && `nothing was changed: in the handler of ${operationId}, the function passed to update() ${issue}`;
  });
  return {
    ...checked,
    read: () => {
      const snapshot = store.read();
      return { ...snapshot, state: show(snapshot.state) };
    },
    update: (change) =>
      checked.update((state, nowMs) => {
        const result = change(show(state), nowMs);
        return isNode(result?.next) ? { ...result, next: stateView.toStored(result.next) } : result;
      }),
  };
}

/** Wraps a store. `update` rejects a change if `findError` returns an error message for the result of the change. */
function withCheckedChanges(
  store: Store,
  findError: (result: ChangeResult<unknown>, state: State) => string | undefined,
): Store {
  return {
    ...store,
    update: <Result>(change: Change<Result>) =>
      store.update((state, nowMs) => {
        const result = change(state, nowMs);
        const detail = findError(result, state);
        if (detail === undefined) return result;
        throw new HttpProblemError({ code: 'internal-error', detail });
      }),
  };
}

/** Returns what is wrong with the result of a change, as the end of a sentence: `returned an invalid state: …`. Returns undefined if the result is valid. */
function findChangeIssue(result: ChangeResult<unknown>, state: State, validator: StateValidator): string | undefined {
  if (typeof result !== 'object' || result === null) return 'did not return an object: return { next, result }';
  if ('then' in result) {
    // An unhandled rejection would stop the process.
    Promise.resolve(result).catch(() => {});
    return 'returned a promise: do asynchronous work before the call of update(), and return { next, result } synchronously';
  }
  const { next } = result;
  if (next === undefined) return undefined;
  if (findJsonIssues(next).some(({ rule }) => rule === 'depth'))
    return `returned a state with a cycle, or with more than ${MAX_JSON_DEPTH} levels`;
  // The data file contains JSON, so the validator gets the state as JSON would store it. It gets undefined if the state can't be converted to JSON, for example
  // because of a BigInt.
  const found = validator.validate(tryOrUndefined(() => JSON.parse(JSON.stringify(next))));
  const issues = findNewIssues(found, { state, next, validator });
  return issues.length > 0 ? `returned an invalid state: ${describeIssues(issues)}` : undefined;
}

/** The objects that `deepFreeze` has frozen. */
const frozen = new WeakSet<object>();

/**
 * Freezes an object and all objects in it. Skips objects that are already frozen by this function, because a new state shares most objects with the previous
 * state.
 */
function deepFreeze<Value extends object>(value: Value): Value {
  if (frozen.has(value)) return value;
  frozen.add(value);
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}
