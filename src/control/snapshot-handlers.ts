import type { Sandbox } from '../sandbox/sandbox.ts';
import type { State } from '../store/state.ts';
import { HttpProblemError } from '../util/problem.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import { formatNames, getSandbox } from './refusal.ts';

/** The handlers of the control API for snapshots, by operationId. */
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
  async saveSnapshot({ path }, parts) {
    const { change, snapshots, store } = await parts.sandboxes.get(path.id);
    const save = () => {
      if (!snapshots.has(path.name) && snapshots.size >= MAX_SNAPSHOTS)
        throw new HttpProblemError({
          code: 'limit-reached',
          detail: `The sandbox already has ${MAX_SNAPSHOTS} snapshots. Delete some of them.`,
        });
      const current = store.read();
      snapshots.set(path.name, current.state);
      return current.state;
    };
    const state = await snapshots.countInSlices(store.read().state, () => change(save));
    return toSummary({ name: path.name, state, builtIn: false }, parts);
  },
  async deleteSnapshot({ path }, parts) {
    const { change, snapshots } = getSandbox(path.id, parts);
    if (await change(() => snapshots.delete(path.name))) return;
    if (!parts.builtIn.names.includes(path.name)) throw createUnknownSnapshotError(path.id, path.name, parts);
    throw new HttpProblemError({
      code: 'built-in-snapshot',
      detail: `Snapshot ${path.name} is built-in and cannot be deleted.`,
    });
  },
  async restoreSnapshot({ path }, parts) {
    // If there is no snapshot, this rejects before a sandbox is created.
    getSnapshotState(path.id, path.name, parts);
    const sandbox = await parts.sandboxes.get(path.id);
    // Another server may have replaced the sandbox in the meantime.
    await restoreState(sandbox, getSnapshotState(path.id, path.name, parts));
  },
} satisfies Partial<ControlHandlers>;

/**
 * Replaces the state of a sandbox, and deletes its idempotency keys.
 * Stores a new object even if the state is unchanged, because another program can have edited the data file, and only a
 * new object makes the store write the file.
 */
export function restoreState(sandbox: Sandbox, state: State): Promise<void> {
  const { store, idempotencyKeys } = sandbox;
  return sandbox.countInSlices(state, () =>
    idempotencyKeys.clearWith((onApply) =>
      store.update(() => {
        onApply();
        return { next: { ...state }, result: undefined };
      }),
    ),
  );
}

/** The maximum number of saved snapshots of a sandbox. */
const MAX_SNAPSHOTS = 100;

/**
 * Returns the state of a snapshot.
 * `id`: the id of a sandbox.
 * A snapshot that was saved in this sandbox takes precedence over a built-in snapshot.
 * Throws a `HttpProblemError` if no snapshot has the name `name`.
 */
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
  return new HttpProblemError({ code: 'unknown-snapshot', detail });
}

/** A snapshot. `builtIn`: whether it ships with the server or is a file in the folder of `--snapshots`. */
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

/**
 * Returns a state with only the collections of the current contract.
 * A collection that the state lacks becomes an empty list.
 */
export function selectCollections(state: State, { collections }: ControlParts): State {
  return Object.fromEntries(collections().map((name) => [name, state[name] ?? []]));
}
