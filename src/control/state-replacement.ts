import { isSame } from '../sandbox/snapshots.ts';
import { StateTooLargeError } from '../store/backend.ts';
import type { State } from '../store/state.ts';
import type { Issue } from '../util/issue.ts';
import type { ControlParts } from './handler.ts';
import { ControlProblemError, describeIssues } from './refusal.ts';

/** How often a new state is validated in slices. If other changes come in between each time, the last validation is done in one go. */
const ATTEMPTS = 3;

/**
 * Replaces collections of a sandbox's state. A large state is validated in slices, so that other requests are handled meanwhile. Invalid collections create
 * no sandbox.
 */
export async function replaceCollections(
  id: string,
  collections: State,
  { sandboxes, validator, defaults }: ControlParts,
): Promise<void> {
  let base = sandboxes.find(id)?.store.read().state ?? defaults();
  // Resolves with the current state if it may not be replaced.
  const replaceIf = (mayReplace: (state: State) => boolean) => {
    const change = (state: State) =>
      mayReplace(state) ? { next: { ...state, ...collections }, result: undefined } : { result: state };
    return sandboxes.use(id, ({ store }) => store.update<State | undefined>(change).catch(refuseTooLarge));
  };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    refuseInvalid(await validator().validateInSlices({ ...base, ...collections }));
    const current = await replaceIf((state) => isSame(state, base));
    if (current === undefined) return;
    base = current;
  }
  await replaceIf((state) => {
    refuseInvalid(validator().validate(structuredClone({ ...state, ...collections })));
    return true;
  });
}

function refuseTooLarge(error: unknown): never {
  if (error instanceof StateTooLargeError)
    throw new ControlProblemError('state-too-large', `the state was not replaced: ${error.message}`);
  throw error;
}

function refuseInvalid(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const detail = `the state is invalid, so nothing was changed: ${describeIssues(issues)}`;
  throw new ControlProblemError('invalid-state', detail, issues);
}
