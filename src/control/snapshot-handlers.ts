import type { Sandbox } from '../sandbox/sandbox.ts';
import { SnapshotError } from '../sandbox/snapshots.ts';
import type { State } from '../store/state.ts';
import { countEntries } from './counts.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import { ControlProblemError } from './refusal.ts';
import { formatNames, getSandbox } from './refuse.ts';

/** The operations on snapshots. */
export const snapshotHandlers: ControlHandlers<
  'listSnapshots' | 'getSnapshot' | 'saveSnapshot' | 'deleteSnapshot' | 'restoreSnapshot'
> = {
  listSnapshots({ path }, parts) {
    const { snapshots } = getSandbox(path.id, parts);
    const saved = [...snapshots].map(([name, state]) => summary(name, state, false));
    const others = parts.builtIn.names.filter((name) => !snapshots.has(name));
    return [...saved, ...others.map((name) => summary(name, snapshotOf(undefined, name, parts), true))];
  },
  getSnapshot: ({ path }, parts) => snapshotOf(getSandbox(path.id, parts), path.name, parts),
  saveSnapshot({ path }, { sandboxes }) {
    const { snapshots, store } = sandboxes.get(path.id);
    const { state } = store.read();
    if (!snapshots.has(path.name) && snapshots.size >= MOST_SNAPSHOTS)
      throw new ControlProblemError(
        'limit-reached',
        `the sandbox has ${MOST_SNAPSHOTS} snapshots already: delete some`,
      );
    snapshots.set(path.name, state);
    return summary(path.name, state, false);
  },
  deleteSnapshot({ path }, parts) {
    const sandbox = getSandbox(path.id, parts);
    if (sandbox.snapshots.delete(path.name)) return;
    if (!parts.builtIn.names.includes(path.name)) throw unknownSnapshot(path.name, sandbox, parts);
    throw new ControlProblemError('built-in-snapshot', `the snapshot ${path.name} is built-in, and stays`);
  },
  async restoreSnapshot({ path }, parts) {
    const state = snapshotOf(parts.sandboxes.find(path.id), path.name, parts);
    const sandbox = parts.sandboxes.get(path.id);
    // A state of its own: it is stored even where it is the one that is there, since the file may hold another.
    await sandbox.store.update(() => ({ next: { ...state }, result: undefined }));
  },
};

/** How many snapshots are saved in a sandbox. */
const MOST_SNAPSHOTS = 100;

/** The state of a snapshot: one that was saved in the sandbox, else a built-in one. */
export function snapshotOf(sandbox: Sandbox | undefined, name: string, parts: ControlParts): State {
  const state = sandbox?.snapshots.get(name) ?? getBuiltInState(name, parts);
  if (state) return state;
  throw unknownSnapshot(name, sandbox, parts);
}

function getBuiltInState(name: string, { builtIn, sandboxes }: ControlParts): State | undefined {
  try {
    const state = builtIn.state(name);
    if (state) sandboxes.share(state);
    return state;
  } catch (error) {
    if (error instanceof SnapshotError) throw new ControlProblemError('invalid-state', error.message);
    throw error;
  }
}

function unknownSnapshot(name: string, sandbox: Sandbox | undefined, { builtIn }: ControlParts): ControlProblemError {
  const there = formatNames([...(sandbox?.snapshots.keys() ?? []), ...builtIn.names]);
  return new ControlProblemError(
    'unknown-snapshot',
    `there is no snapshot ${name} here: save one, or take one of ${there}`,
  );
}

function summary(name: string, state: State, isBuiltIn: boolean) {
  return { name, builtIn: isBuiltIn, counts: countEntries(state) };
}
