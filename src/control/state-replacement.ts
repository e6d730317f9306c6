import { StateTooLargeError } from '../store/backend.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import { flawsInSlices, type StateIssue, type ValidateEntry, validateState } from '../store/validate-state.ts';
import type { ControlParts } from './handler.ts';
import { ControlProblemError } from './refusal.ts';

/** How often a new state is checked in slices. If other changes come in between each time, the last check is done in one go. */
const ATTEMPTS = 3;

/** Replaces lists of a sandbox's state. A large state is checked in slices, so that other requests are handled meanwhile. Refused lists create no sandbox. */
export async function replaceLists(
  id: string,
  lists: Partial<State>,
  { sandboxes, check, defaults }: Pick<ControlParts, 'sandboxes' | 'check' | 'defaults'>,
): Promise<void> {
  let checked = sandboxes.find(id)?.store.read().state ?? defaults();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    refuseFlaws(await flawsInSlices({ ...checked, ...lists }, check()));
    const now = await sandboxes.use(id, ({ store }) => replaceWhere(store, lists, (state) => isSame(state, checked)));
    if (now === undefined) return;
    checked = now;
  }
  await sandboxes.use(id, ({ store }) => replaceWhere(store, lists, (state) => holds({ ...state, ...lists }, check())));
}

/** Replaces lists of a state that may be replaced. Returns the state where it may not. */
async function replaceWhere(
  store: Store,
  lists: Partial<State>,
  mayReplace: (state: State) => boolean,
): Promise<State | undefined> {
  try {
    return await store.update((state) =>
      mayReplace(state) ? { next: { ...state, ...lists }, result: undefined } : { result: state },
    );
  } catch (error) {
    if (error instanceof StateTooLargeError)
      throw new ControlProblemError('state-too-large', `the state was not replaced: ${error.message}`);
    throw error;
  }
}

/** Returns true, or throws a `ControlProblemError`. */
function holds(state: State, check: ValidateEntry): boolean {
  refuseFlaws(validateState(structuredClone(state), check));
  return true;
}

function refuseFlaws(flaws: readonly StateIssue[]): void {
  if (flaws.length === 0) return;
  throw new ControlProblemError('invalid-state', 'the state is not one of this shop, so nothing was changed', flaws);
}

/** Whether two states have the same lists. */
function isSame(one: State, other: State): boolean {
  return (Object.keys(one) as (keyof State)[]).every((list) => one[list] === other[list]);
}
