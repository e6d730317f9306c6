import type { Contract } from '../openapi/contract.ts';
import { ContractError } from '../openapi/document.ts';
import type { State } from '../store/state.ts';
import type { StateValidator } from '../store/validate-state.ts';
import type { Issue } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { limitList } from '../util/limit-list.ts';

/**
 * Validates the current state with a new contract.
 * Throws a `ContractError` if the state violates the contract.
 * If the contract defines the collections, which is not the case for the shop, returns a warning instead.
 * Returns undefined if there are no issues.
 */
export function refuseInvalidState({ path }: Contract, state: State, validator: StateValidator): string | undefined {
  const issues = findIssues(state, validator);
  if (validator.hasVariableCollections) return describeUnfitEntries(issues);
  if (issues.length > 0) throw new ContractError(`${path} does not accept the current data: ${describeIssues(issues)}`);
}

/**
 * Returns the issues of a state.
 * Validates a copy of the state, because the validator adds default values to its argument.
 */
export function findIssues(state: State, validator: StateValidator): readonly Issue[] {
  return validator.validate(structuredClone(state));
}

/**
 * Returns a warning about entries that violate a new contract.
 * The server keeps these entries.
 * Returns undefined if there are no such entries.
 */
function describeUnfitEntries(issues: readonly Issue[]): string | undefined {
  const firstIssues = new Map(
    issues.flatMap((issue) => (issue.pointer === '' ? [] : [[getEntryPointer(issue), issue]])),
  );
  if (firstIssues.size === 0) return undefined;
  const count = firstIssues.size === 1 ? '1 entry violates' : `${firstIssues.size} entries violate`;
  return `${count} the new contract: ${describeIssues([...firstIssues.values()])}. The server keeps these entries. Correct them before the next start of the server, or restore the default data`;
}

/**
 * Returns the JSON Pointer of the entry that an issue is about, for example `/pets/3` for an issue at `/pets/3/name`.
 */
function getEntryPointer({ pointer }: Issue): string {
  return formatPointer(...parsePointer(pointer).slice(0, 2));
}

/** The maximum number of issues in an error message. */
const MAX_SHOWN_ISSUES = 3;

/** Describes the first three issues of a state, and says how many more there are. */
export function describeIssues(issues: readonly Issue[]): string {
  const format = ({ pointer, message }: Issue) => `${pointer || 'the state'} ${message}`;
  return limitList(issues, MAX_SHOWN_ISSUES, format).join('; ');
}
