import { HttpProblemError } from '../http/problem.ts';
import type { Contract } from '../openapi/contract.ts';
import { ContractError } from '../openapi/document.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import type { StateValidator } from '../store/validate-state.ts';
import type { Issue } from '../util/issue.ts';
import { guardStore } from './guarded-store.ts';

/** Creates the function that guards a store for a handler: for one of the application, or for that of a user, which implements the operation that is named. */
export function createStoreGuard(
  validator: StateValidator,
  validatesChanges: boolean,
): (store: Store, userOperationId?: string) => Store {
  const guardForApplication = validatesChanges
    ? (store: Store) => validating(store, validator)
    : (store: Store) => store;
  return (store, userOperationId) =>
    userOperationId === undefined ? guardForApplication(store) : guardStore(store, userOperationId, validator);
}

/** Returns a store that refuses changes to a state that is invalid. */
function validating(store: Store, validator: StateValidator): Store {
  return {
    ...store,
    update: (change) =>
      store.update((state, nowMs) => {
        const changed = change(state, nowMs);
        const issues = changed.next ? findIssues(changed.next, validator) : [];
        if (issues.length === 0) return changed;
        const detail = `nothing was changed, since the data would contradict the contract: ${describeIssues(issues)}`;
        throw new HttpProblemError({ code: 'internal-error', detail });
      }),
  };
}

/** The number of issues that a sentence names; the rest are counted. */
const MAX_NAMED = 3;

function describeIssues(issues: readonly Issue[]): string {
  const named = issues.slice(0, MAX_NAMED).map(({ pointer, message }) => `${pointer} ${message}`);
  const rest = issues.length - named.length;
  return [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
}

/** Throws a `ContractError` if a state is invalid under a contract. */
export function refuseContradictions({ path }: Contract, state: State, validator: StateValidator): void {
  const issues = findIssues(state, validator);
  if (issues.length > 0) throw new ContractError(`${path} contradicts the data: ${describeIssues(issues)}`);
}

/** Returns the issues of a state, which stays as it is: a validation adds defaults. */
function findIssues(state: State, validator: StateValidator): readonly Issue[] {
  return validator.validate(structuredClone(state));
}
