import type { Sandbox } from '../sandbox/sandbox.ts';
import type { State } from '../store/state.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import { ControlProblemError, formatNames, getSandbox, withControlProblems } from './refusal.ts';

/** The operations on snapshots. */
export const snapshotHandlers = {
  listSnapshots({ path }, parts) {
    const { snapshots } = getSandbox(path.id, parts);
    const saved = [...snapshots].map(([name, state]) => toSummary(name, state, false));
    const others = parts.builtIn.names.filter((name) => !snapshots.has(name));
    return [...saved, ...others.map((name) => toSummary(name, getSnapshotState(undefined, name, parts), true))];
  },
  getSnapshot: ({ path }, parts) => getSnapshotState(getSandbox(path.id, parts), path.name, parts),
  saveSnapshot({ path }, { sandboxes }) {
    const { snapshots, store } = sandboxes.get(path.id);
    const { state } = store.read();
    if (!snapshots.has(path.name) && snapshots.size >= MAX_SNAPSHOTS)
      throw new ControlProblemError(
        'limit-reached',
        `The sandbox has ${MAX_SNAPSHOTS} snapshots already. Delete some.`,
      );
    snapshots.set(path.name, state);
    return toSummary(path.name, state, false);
  },
  deleteSnapshot({ path }, parts) {
    const sandbox = getSandbox(path.id, parts);
    if (sandbox.snapshots.delete(path.name)) return;
    if (!parts.builtIn.names.includes(path.name)) throw unknownSnapshot(path.name, sandbox, parts);
    throw new ControlProblemError('built-in-snapshot', `Snapshot ${path.name} is built-in and cannot be deleted.`);
  },
  async restoreSnapshot({ path }, parts) {
    const state = getSnapshotState(parts.sandboxes.find(path.id), path.name, parts);
    const sandbox = parts.sandboxes.get(path.id);
    // A copy is stored even if it equals the current state, because the file may have another one.
    await sandbox.store.update(() => ({ next: { ...state }, result: undefined }));
  },
} satisfies Partial<ControlHandlers>;

/** The maximum number of saved snapshots of a sandbox. */
const MAX_SNAPSHOTS = 100;

/** Returns the state of a saved or built-in snapshot. Throws a `ControlProblemError` if there is none. */
export function getSnapshotState(sandbox: Sandbox | undefined, name: string, parts: ControlParts): State {
  const state = sandbox?.snapshots.get(name) ?? getBuiltInState(name, parts);
  if (state) return state;
  throw unknownSnapshot(name, sandbox, parts);
}

function getBuiltInState(name: string, { builtIn, sandboxes }: ControlParts): State | undefined {
  const state = withControlProblems(() => builtIn.state(name));
  if (state) sandboxes.share(state);
  return state;
}

function unknownSnapshot(name: string, sandbox: Sandbox | undefined, { builtIn }: ControlParts): ControlProblemError {
  const existing = formatNames([...(sandbox?.snapshots.keys() ?? []), ...builtIn.names]);
  return new ControlProblemError(
    'unknown-snapshot',
    `Snapshot ${name} does not exist. Save it, or use one of ${existing}.`,
  );
}

function toSummary(name: string, state: State, builtIn: boolean) {
  return { name, builtIn, counts: countEntries(state) };
}

/** Counts the entries of a state by the name of their collection. */
export function countEntries(state: State): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(state).map(([name, entries]) => [name, entries.length]));
}
