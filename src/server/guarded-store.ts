import { HttpProblemError } from '../http/problem.ts';
import type { Contract } from '../openapi/contract.ts';
import { ContractError } from '../openapi/document.ts';
import type { State } from '../store/state.ts';
import type { Change, ChangeResult, Store } from '../store/store.ts';
import type { StateValidator } from '../store/validate-state.ts';
import type { Issue } from '../util/issue.ts';
import { findJsonIssues, MAX_JSON_DEPTH } from '../util/json-limits.ts';
import { limitList } from '../util/limit-list.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';

/**
 * Creates the function that guards the store of a handler: it returns a store that refuses changes to an invalid state. `validatesChanges`: whether the
 * changes of the application's own handlers are validated. `userOperationId`: the operation of the user's handler that gets the store.
 */
export function createStoreGuard(validator: StateValidator, validatesChanges: boolean) {
  return (store: Store, userOperationId?: string): Store => {
    if (userOperationId !== undefined) return guardFromUser(store, userOperationId, validator);
    return validatesChanges ? guardFromApplication(store, validator) : store;
  };
}

/** Throws a `ContractError` if a state is invalid under a contract. */
export function refuseContradictions({ path }: Contract, state: State, validator: StateValidator): void {
  const issues = findIssues(state, validator);
  if (issues.length > 0) throw new ContractError(`${path} contradicts the data: ${describeIssues(issues)}`);
}

function guardFromApplication(store: Store, validator: StateValidator): Store {
  return withCheckedChanges(store, ({ next }) => {
    const issues = next ? findIssues(next, validator) : [];
    if (issues.length === 0) return undefined;
    return `nothing was changed because the new state would violate the contract: ${describeIssues(issues)}`;
  });
}

/**
 * Guards a store against the handler of a user: what it reads is frozen, and a change that is no change, or whose state could not be stored or served,
 * fails the request with an error that names the operation. Nothing is changed then.
 */
function guardFromUser(store: Store, operationId: string, validator: StateValidator): Store {
  const checked = withCheckedChanges(store, (result) => {
    const issue = findChangeIssue(result, validator);
    return issue && `nothing was changed: in the handler of ${operationId}, the function passed to update() ${issue}`;
  });
  return {
    ...checked,
    read: () => {
      const snapshot = store.read();
      deepFreeze(snapshot.state);
      return snapshot;
    },
    update: (change) =>
      checked.update((state, nowMs) => {
        deepFreeze(state);
        return change(state, nowMs);
      }),
  };
}

/** Returns a store whose changes fail, without an effect, if `findError` returns the detail of a problem. */
function withCheckedChanges(store: Store, findError: (result: ChangeResult<unknown>) => string | undefined): Store {
  return {
    ...store,
    update: <Result>(change: Change<Result>) =>
      store.update((state, nowMs) => {
        const result = change(state, nowMs);
        const detail = findError(result);
        if (detail === undefined) return result;
        throw new HttpProblemError({ code: 'internal-error', detail });
      }),
  };
}

/** Returns what is wrong with the result of a change, as the end of a sentence; undefined if it is valid. */
function findChangeIssue(result: ChangeResult<unknown>, validator: StateValidator): string | undefined {
  if (typeof result !== 'object' || result === null) return 'did not return an object: return { next, result }';
  if ('then' in result) {
    // Its rejection is part of the same mistake.
    Promise.resolve(result).catch(() => {});
    return 'returned a promise: wait before you call update(), and return { next, result } at once';
  }
  const { next } = result;
  if (next === undefined) return undefined;
  if (findJsonIssues(next).some(({ rule }) => rule === 'depth'))
    return `returned a state with a cycle, or with more than ${MAX_JSON_DEPTH} levels`;
  // As it would be stored; undefined if JSON can't represent it, such as a BigInt.
  const issues = validator.validate(tryOrUndefined(() => JSON.parse(JSON.stringify(next))));
  return issues.length > 0 ? `returned an invalid state: ${describeIssues(issues)}` : undefined;
}

/** Returns the issues of a state, which stays as it is: a validation adds defaults. */
function findIssues(state: State, validator: StateValidator): readonly Issue[] {
  return validator.validate(structuredClone(state));
}

/** The number of issues that a message describes; it counts the others. */
const MAX_SHOWN_ISSUES = 3;

function describeIssues(issues: readonly Issue[]): string {
  return limitList(issues, MAX_SHOWN_ISSUES, ({ pointer, message }) => `${pointer || 'the state'} ${message}`).join(
    '; ',
  );
}

/** Objects that are frozen with all that is in them. */
const frozen = new WeakSet<object>();

/** Freezes an object with all that is in it, each only once: states share what did not change. */
function deepFreeze(value: object): void {
  if (frozen.has(value)) return;
  frozen.add(value);
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  Object.freeze(value);
}
