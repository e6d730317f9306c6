import { applyPatch, PatchError, type PatchOperation } from '../store/json-patch.ts';
import type { State } from '../store/state.ts';
import type { Issue } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { changeState } from './change-state.ts';
import type { ControlParts } from './handler.ts';
import { ControlProblemError, formatNames, rejectIssues } from './refusal.ts';

/** Applies a JSON Patch to the state of a sandbox. Throws a `ControlProblemError` if the patch can't be applied, or the new state is invalid or too large. */
export async function patchState(id: string, patch: readonly PatchOperation[], parts: ControlParts): Promise<void> {
  rejectIssues('invalid-patch', patch.flatMap(findMissing));
  rejectIssues(
    'unknown-collection',
    patch.flatMap((operation, index) => findUnknownLists(operation, index, parts)),
  );
  await changeState(id, (state) => apply(state, patch), parts);
}

/** Returns a validation issue if an operation of a JSON Patch lacks the property `value` or `from`. `index`: the index of the operation in the patch. */
function findMissing(operation: PatchOperation, index: number): readonly Issue[] {
  const { op } = operation;
  const name = op === 'move' || op === 'copy' ? 'from' : 'value';
  if (op === 'remove' || Object.hasOwn(operation, name)) return [];
  const remedy = `add it, because the operation ${op} needs it`;
  return [{ pointer: formatPointer(index, name), message: `is missing: ${remedy}`, rule: 'required', remedy }];
}

/**
 * Returns a validation issue if `path` or `from` of a JSON Patch operation does not start with a collection of the contract, such as `/pets`. The data file can
 * contain other lists, but clients can't change them. `index`: the index of the operation in the patch.
 */
function findUnknownLists(operation: PatchOperation, index: number, { collections }: ControlParts): readonly Issue[] {
  return (['path', 'from'] as const).flatMap((name) => {
    const path = operation[name];
    const [list = ''] = parsePointer(path ?? '');
    if (path === undefined || collections().includes(list)) return [];
    const remedy = `use a path that starts with one of ${formatNames(collections().map((known) => formatPointer(known)))}`;
    return [
      { pointer: formatPointer(index, name), message: `is not in a collection: ${remedy}`, rule: 'collection', remedy },
    ];
  });
}

function apply(state: State, patch: readonly PatchOperation[]): State {
  try {
    return applyPatch(state, patch);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const { index, message } = error;
    const { op, path } = patch[index] as PatchOperation;
    const detail = `Operation ${index} of the patch (${op} ${path}) cannot be applied, so nothing was changed: ${message}. Read the state again, and correct the patch.`;
    const remedy = 'read the state again, and correct the patch';
    const issue = { pointer: formatPointer(index), message: `${message}: ${remedy}`, rule: op, remedy };
    throw new ControlProblemError('patch-conflict', detail, [issue]);
  }
}
