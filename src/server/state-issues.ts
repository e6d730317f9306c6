import type { Contract } from '../openapi/contract.ts';
import { ContractError } from '../openapi/document.ts';
import type { State } from '../store/state.ts';
import type { StateValidator } from '../store/validate-state.ts';
import type { Issue } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { limitList } from '../util/limit-list.ts';

/**
 * Throws a `ContractError` if a state violates a contract. If the collections depend on the contract, returns a warning instead; undefined if there are no
 * issues.
 */
export function refuseInvalidState({ path }: Contract, state: State, validator: StateValidator): string | undefined {
  const issues = findIssues(state, validator);
  if (validator.hasVariableCollections) return describeUnfitEntries(issues);
  if (issues.length > 0) throw new ContractError(`${path} contradicts the data: ${describeIssues(issues)}`);
}

/** Validates a copy of a state, because the validator adds default values. */
export function findIssues(state: State, validator: StateValidator): readonly Issue[] {
  return validator.validate(structuredClone(state));
}

/** Returns a warning about entries that are kept although they violate the contract; undefined if there are none. */
function describeUnfitEntries(issues: readonly Issue[]): string | undefined {
  const firstIssues = new Map(
    issues.flatMap((issue) => (issue.pointer === '' ? [] : [[getEntryPointer(issue), issue]])),
  );
  if (firstIssues.size === 0) return undefined;
  const count = firstIssues.size === 1 ? '1 entry violates' : `${firstIssues.size} entries violate`;
  return `${count} the new contract: ${describeIssues([...firstIssues.values()])}. The data is kept. Correct it before the next start of the server, or restore the default data`;
}

/** Returns the JSON Pointer of the entry of an issue: the first two steps of the pointer. */
function getEntryPointer({ pointer }: Issue): string {
  return formatPointer(...parsePointer(pointer).slice(0, 2));
}

/** The states before and after a change. */
interface CheckedChange {
  readonly state: State;
  readonly next: State;
  readonly validator: StateValidator;
}

/**
 * Returns the issues of a change. If the collections depend on the contract, a state can have entries that violate the contract since a reload. The issues of
 * these entries are no issues of the change.
 */
export function findNewIssues(issues: readonly Issue[], { state, next, validator }: CheckedChange): readonly Issue[] {
  if (!validator.hasVariableCollections) return issues;
  return issues.filter(({ pointer }) => {
    const [list = '', index = ''] = parsePointer(pointer);
    const entry = next[list]?.[Number(index)];
    // A second occurrence of an entry is new.
    if (entry === undefined || next[list]?.indexOf(entry) !== Number(index)) return true;
    return !state[list]?.includes(entry);
  });
}

/** The maximum number of issues in a message. */
const MAX_SHOWN_ISSUES = 3;

/** Returns the first issues of a state as text. */
export function describeIssues(issues: readonly Issue[]): string {
  const format = ({ pointer, message }: Issue) => `${pointer || 'the state'} ${message}`;
  return limitList(issues, MAX_SHOWN_ISSUES, format).join('; ');
}
