import { isSame } from '../sandbox/snapshots.ts';
import { StateTooLargeError } from '../store/backend.ts';
import type { State } from '../store/state.ts';
import type { Issue } from '../util/issue.ts';
import type { ControlParts } from './handler.ts';
import { ControlProblemError, describeIssues } from './refusal.ts';

/**
 * The maximum number of validations in slices. If another request changes the state during a validation, the new state is validated again. The last validation
 * runs without slices, so that no other request can change the state.
 */
const MAX_SLICED_VALIDATIONS = 3;

/**
 * Replaces collections of the state of a sandbox. Validates the new state in slices, so that the server can handle other requests between two slices. Throws a
 * `ControlProblemError` if the state is invalid or too large. If the state is invalid, creates no sandbox.
 */
export async function replaceCollections(
  id: string,
  collections: State,
  { sandboxes, validator, defaults }: ControlParts,
): Promise<void> {
  let base = sandboxes.find(id)?.store.read().state ?? defaults();
  // Resolves to undefined if the collections were replaced, or to the current state if the condition is false.
  const replaceIf = (condition: (state: State) => boolean) => {
    const change = (state: State) =>
      condition(state) ? { next: { ...state, ...collections }, result: undefined } : { result: state };
    return sandboxes.use(id, ({ store }) => store.update<State | undefined>(change).catch(rejectTooLarge));
  };
  // Lists that are not replaced can violate the contract since a reload, if the collections depend on the contract.
  const toChecked = (state: State) => (validator().hasVariableCollections ? collections : { ...state, ...collections });
  for (let attempt = 1; attempt <= MAX_SLICED_VALIDATIONS; attempt++) {
    rejectInvalid(await validator().validateInSlices(toChecked(base)));
    const current = await replaceIf((state) => isSame(state, base));
    if (current === undefined) return;
    base = current;
  }
  await replaceIf((state) => {
    rejectInvalid(validator().validate(structuredClone(toChecked(state))));
    return true;
  });
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
