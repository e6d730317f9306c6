import { isSame } from '../sandbox/snapshots.ts';
import { StateTooLargeError } from '../store/backend.ts';
import { findNewIssues } from '../store/new-issues.ts';
import type { State } from '../store/state.ts';
import type { Issue } from '../util/issue.ts';
import type { ControlParts } from './handler.ts';
import { ControlProblemError, describeIssues } from './refusal.ts';

/**
 * How often a new state is validated in slices before it is validated in one go. Between slices, the server handles other requests. If one of them changes the
 * state, the validation starts again. A validation in one go can't be interrupted.
 */
const MAX_SLICED_VALIDATIONS = 3;

/**
 * Changes the state of a sandbox. `change`: a pure function that returns the new state. Validates the new state in slices, between which the server handles
 * other requests. Throws a `ControlProblemError` if the new state is invalid or too large. If the sandbox does not exist, creates it after the validation.
 */
export async function changeState(
  id: string,
  change: (state: State) => State,
  { sandboxes, validator, defaults }: ControlParts,
): Promise<void> {
  let base = sandboxes.find(id)?.store.read().state ?? defaults();
  // Resolves to undefined if `getNext` returns a new state, which is then stored. Otherwise resolves to the current state.
  const replace = (getNext: (state: State) => State | undefined, counted: State = {}) => {
    const toResult = (state: State) => {
      const next = getNext(state);
      return next ? { next, result: undefined } : { result: state };
    };
    return sandboxes.use(id, ({ store, countInSlices }) =>
      countInSlices(counted, () => store.update<State | undefined>(toResult)).catch(rejectTooLarge),
    );
  };
  for (let attempt = 1; attempt <= MAX_SLICED_VALIDATIONS; attempt++) {
    const next = change(base);
    const issues = await validator().validateInSlices(selectListsToValidate(base, next, validator()));
    rejectInvalid(findNewIssues(issues, { state: base, next, validator: validator() }));
    const current = await replace((state) => (isSame(state, base) ? next : undefined), next);
    if (current === undefined) return;
    base = current;
  }
  await replace((state) => {
    const next = change(state);
    const issues = validator().validate(structuredClone(selectListsToValidate(state, next, validator())));
    rejectInvalid(findNewIssues(issues, { state, next, validator: validator() }));
    return next;
  });
}

/**
 * Returns the lists of `next` that must be validated. If the contract defines the collections, these are only the changed lists. An unchanged list may violate
 * a contract that was reloaded, but the change did not cause this.
 */
function selectListsToValidate(
  state: State,
  next: State,
  { hasVariableCollections }: ReturnType<ControlParts['validator']>,
): State {
  if (!hasVariableCollections) return next;
  return Object.fromEntries(Object.entries(next).filter(([name, list]) => list !== state[name]));
}

function rejectTooLarge(error: unknown): never {
  if (error instanceof StateTooLargeError)
    throw new ControlProblemError('state-too-large', `the state was not replaced: ${error.message}`);
  throw error;
}

function rejectInvalid(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const detail = `the state is invalid, so nothing was changed: ${describeIssues(issues)}`;
  throw new ControlProblemError('invalid-state', detail, issues);
}
