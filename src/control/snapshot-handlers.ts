import type { Sandbox } from '../sandbox/sandbox.ts';
import type { State } from '../store/state.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import { ControlProblemError, formatNames, getSandbox } from './refusal.ts';

/** The handlers of the operations on snapshots. */
export const snapshotHandlers = {
  listSnapshots({ path }, parts) {
    const { snapshots } = getSandbox(path.id, parts);
    const saved = [...snapshots].map(([name, state]) => toSummary({ name, state, builtIn: false }, parts));
    const others = parts.builtIn.names.filter((name) => !snapshots.has(name));
    return [
      ...saved,
      ...others.map((name) => toSummary({ name, state: getSnapshotState(path.id, name, parts), builtIn: true }, parts)),
    ];
  },
  getSnapshot: ({ path }, parts) =>
    selectCollections(getSnapshotState(getSandbox(path.id, parts).id, path.name, parts), parts),
  saveSnapshot({ path }, parts) {
    const { snapshots, store } = parts.sandboxes.get(path.id);
    const { state } = store.read();
    if (!snapshots.has(path.name) && snapshots.size >= MAX_SNAPSHOTS)
      throw new ControlProblemError(
        'limit-reached',
        `The sandbox already has ${MAX_SNAPSHOTS} snapshots. Delete some of them.`,
      );
    snapshots.set(path.name, state);
    return toSummary({ name: path.name, state, builtIn: false }, parts);
  },
  deleteSnapshot({ path }, parts) {
    const sandbox = getSandbox(path.id, parts);
    if (sandbox.snapshots.delete(path.name)) return;
    if (!parts.builtIn.names.includes(path.name)) throw createUnknownSnapshotError(path.id, path.name, parts);
    throw new ControlProblemError('built-in-snapshot', `Snapshot ${path.name} is built-in and cannot be deleted.`);
  },
  async restoreSnapshot({ path }, parts) {
    const state = getSnapshotState(path.id, path.name, parts);
    await restoreState(parts.sandboxes.get(path.id), state);
  },
} satisfies Partial<ControlHandlers>;

/**
 * Replaces the state of a sandbox. Stores a copy even if the new state equals the current state, because another program may have changed the data file.
 */
export function restoreState({ store }: Sandbox, state: State): Promise<void> {
  return store.update(() => ({ next: { ...state }, result: undefined }));
}

/** The maximum number of saved snapshots of a sandbox. */
const MAX_SNAPSHOTS = 100;

/** Returns the state of a snapshot. A snapshot of the sandbox `id` takes precedence over a built-in snapshot. Throws a `ControlProblemError` if there is none. */
export function getSnapshotState(id: string, name: string, parts: ControlParts): State {
  const { builtIn, sandboxes } = parts;
  const saved = sandboxes.find(id)?.snapshots.get(name);
  if (saved) return saved;
  const state = builtIn.state(name);
  if (!state) throw createUnknownSnapshotError(id, name, parts);
  sandboxes.share(state);
  return state;
}

function createUnknownSnapshotError(id: string, name: string, { builtIn, sandboxes }: ControlParts) {
  const existing = formatNames([...(sandboxes.find(id)?.snapshots.keys() ?? []), ...builtIn.names]);
  const other = existing === '' ? 'add it to the folder of --snapshots' : `use one of ${existing}`;
  const remedy = sandboxes.default.snapshots.has(name)
    ? 'The sandbox default has this snapshot: create the sandbox with it (`from`)'
    : 'Save the snapshot in this sandbox';
  const detail = `Snapshot ${name} is neither built-in nor saved in the sandbox ${id}. ${remedy}, or ${other}.`;
  return new ControlProblemError('unknown-snapshot', detail);
}

/** A snapshot, and whether it is built-in. */
interface NamedSnapshot {
  readonly name: string;
  readonly state: State;
  readonly builtIn: boolean;
}

function toSummary({ name, state, builtIn }: NamedSnapshot, parts: ControlParts) {
  return { name, builtIn, counts: countEntries(state, parts) };
}

/** Returns the number of entries of each collection of a state. */
export function countEntries(state: State, parts: ControlParts): Readonly<Record<string, number>> {
  const collections = Object.entries(selectCollections(state, parts));
  return Object.fromEntries(collections.map(([name, entries]) => [name, entries.length]));
}

/** Returns the collections of a state, without lists of another version of the contract. */
export function selectCollections(state: State, { collections }: ControlParts): State {
  return Object.fromEntries(collections().map((name) => [name, state[name] ?? []]));
}
