import type { Issue } from '../util/issue.ts';
import { parsePointer } from '../util/json-pointer.ts';
import type { State } from './state.ts';
import type { StateValidator } from './validate-state.ts';

/** The states before and after a change, and the validator of the state. */
interface CheckedChange {
  readonly state: State;
  readonly next: State;
  readonly validator: StateValidator;
}

/**
 * Returns the issues that a change has caused.
 * `issues`: all issues of the next state.
 * Leaves out the issues of old entries: an entry that was valid can become invalid when the contract is reloaded.
 */
export function findNewIssues(issues: readonly Issue[], { state, next, validator }: CheckedChange): readonly Issue[] {
  if (!validator.hasVariableCollections) return issues;
  return issues.filter(({ pointer }) => {
    if (pointer === '') return true;
    const [list = '', index = ''] = parsePointer(pointer);
    const entry = next[list]?.[Number(index)];
    // If an entry is in the list twice, the second occurrence is new.
    if (entry === undefined || next[list]?.indexOf(entry) !== Number(index)) return true;
    return !state[list]?.includes(entry);
  });
}
