import type { AcceptedState } from '../application.ts';
import { dropDeliveries, emptyDeliveries } from '../deliveries/delivery.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import { clearSettings, DEFAULT_SANDBOX_ID, type Sandbox } from '../sandbox/sandbox.ts';
import { isSame } from '../sandbox/snapshots.ts';
import { getExceededLimit } from '../store/backend.ts';
import { getCollection } from '../store/entry-list.ts';
import { applyPatch, type PatchOperation } from '../store/json-patch.ts';
import type { Entry, State } from '../store/state.ts';
import { findNewIssues } from '../store/validate-state.ts';
import { parseTime, toIsoTime } from '../util/iso-time.ts';
import { describeIssues, type Issue } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { HttpProblemError, toViolations } from '../util/problem.ts';
import { runAtOnce, runInSlices } from '../util/slices.ts';
import {
  type ControlHandlers,
  type ControlParts,
  createUnknownCollectionError,
  formatNames,
  getSandbox,
  rejectIssues,
} from './handler.ts';

/**
 * How often a new state is validated in slices before it is validated in one go.
 * Between slices, the server handles other requests.
 * If one of them changes the state, the validation starts again.
 * A validation in one go can't be interrupted.
 */
const MAX_SLICED_VALIDATIONS = 3;

/**
 * Changes the state of a sandbox.
 * `change`: a pure function that returns the new state.
 * Validates the new state in slices, between which the server handles other requests.
 * Throws a `HttpProblemError` if the new state is invalid or too large.
 * If the sandbox does not exist, creates it after the validation.
 */
async function changeState(
  id: string,
  change: (state: State) => State,
  { sandboxes, validator, defaults, application }: ControlParts,
): Promise<void> {
  let base = sandboxes.find(id)?.store.read().state ?? defaults();
  const acceptInSteps = (next: State, before: State) => application().acceptState(next, before);
  // Resolves to undefined if `getNext` returns a new state, which is then stored.
  // Otherwise resolves to the current state.
  const replace = async (getNext: (state: State) => State | undefined, counted: State = {}) => {
    const toResult = (state: State) => {
      const next = getNext(state);
      return next ? { next, result: undefined } : { result: state };
    };
    const { sandbox, leave } = await sandboxes.use(id);
    return sandbox
      .countInSlices(counted, () => sandbox.store.update<State | undefined>(toResult))
      .catch(rejectTooLarge)
      .finally(leave);
  };
  for (let attempt = 1; attempt <= MAX_SLICED_VALIDATIONS; attempt++) {
    const next = change(base);
    const issues = await validator().validateInSlices(selectListsToValidate(base, next, validator()));
    rejectInvalid(findNewIssues(issues, { state: base, next, validator: validator() }));
    const accepted = getAccepted(await runInSlices(acceptInSteps(next, base)));
    const current = await replace((state) => (isSame(state, base) ? accepted : undefined), accepted);
    if (current === undefined) return;
    base = current;
  }
  await replace((state) => {
    const next = change(state);
    const issues = validator().validate(structuredClone(selectListsToValidate(state, next, validator())));
    rejectInvalid(findNewIssues(issues, { state, next, validator: validator() }));
    return getAccepted(runAtOnce(acceptInSteps(next, state)));
  });
}

/** Returns a state as it is stored. Throws a `HttpProblemError` if it has issues. */
function getAccepted({ state, issues }: AcceptedState): State {
  rejectInvalid(issues);
  return state;
}

/**
 * Returns the lists of `next` that must be validated.
 * If the contract defines the collections, these are only the changed lists.
 * An unchanged list may violate a contract that was reloaded, but the change did not cause this.
 */
function selectListsToValidate(
  state: State,
  next: State,
  { hasVariableCollections }: ReturnType<ControlParts['validator']>,
): State {
  if (!hasVariableCollections) return next;
  return Object.fromEntries(Object.entries(next).filter(([name, list]) => list !== state[name]));
}

function rejectTooLarge(error: unknown): never {
  const limit = getExceededLimit(error);
  if (limit === undefined) throw error;
  throw new HttpProblemError({ code: 'state-too-large', detail: `the state was not replaced: ${limit}` });
}

function rejectInvalid(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const detail = `the state is invalid, so nothing was changed: ${describeIssues(issues)}`;
  throw new HttpProblemError({ code: 'invalid-state', detail, violations: toViolations(issues) });
}

/** The handlers of the control API for sandboxes, states, clocks and id generators, by operationId. */
export const sandboxHandlers = {
  async listSandboxes(_input, parts) {
    await parts.sandboxes.loadAll();
    return parts.sandboxes.list().map((sandbox) => toSandboxSummary(sandbox, parts));
  },
  async getSandbox({ path }, parts) {
    await parts.sandboxes.loadJournal(path.id);
    return toSandboxSummary(getSandbox(path.id, parts), parts);
  },
  async putSandbox({ path, body }, parts) {
    const from = body?.from;
    // The snapshot may be saved in the sandbox `default`.
    if (from !== undefined) await parts.sandboxes.load(DEFAULT_SANDBOX_ID);
    const state = from === undefined ? undefined : getSnapshotState(DEFAULT_SANDBOX_ID, from, parts);
    const sandbox =
      path.id === DEFAULT_SANDBOX_ID
        ? await recreateDefault(parts.sandboxes, state)
        : await parts.sandboxes.create(path.id, state);
    return toSandboxSummary(sandbox, parts);
  },
  async removeSandbox({ path }, parts) {
    if (path.id === DEFAULT_SANDBOX_ID)
      throw new HttpProblemError({
        code: 'default-sandbox',
        detail: 'The sandbox default cannot be deleted. Reset it with POST /_control/sandboxes/default/reset.',
      });
    getSandbox(path.id, parts);
    await parts.sandboxes.remove(path.id);
  },
  async resetSandbox({ path }, { sandboxes }) {
    await resetState(await sandboxes.get(path.id));
  },
  flushSandbox: ({ path }, parts) => getSandbox(path.id, parts).store.flush(),
  getState: ({ path }, parts) => selectCollections(getSandbox(path.id, parts).store.read().state, parts),
  putState: ({ path, body }, parts) => changeState(path.id, (state) => ({ ...state, ...body }), parts),
  patchState: ({ path, body }, parts) => patchState(path.id, body, parts),
  async addEntry({ path: { id, collection }, body }, parts) {
    const { clock, idGenerator } = getSandbox(id, parts);
    const { getTable, completeNewEntry } = parts.application();
    if (!getTable(collection)) throw createUnknownCollectionError(collection, parts);
    const [nowMs, uuid] = [clock.nowMs(), idGenerator.next()];
    let added: Entry = body;
    const add = (state: State) => {
      added = completeNewEntry(collection, body, { state, nowMs, newId: () => uuid });
      return { ...state, [collection]: [...getCollection(state, collection), added] };
    };
    await changeState(id, add, parts);
    return added;
  },
  getClock: ({ path }, parts) => toClock(getSandbox(path.id, parts)),
  async setClock({ path, body }, { sandboxes, deliveries }) {
    const nowMs = body.now === undefined ? undefined : parseTime(body.now);
    const sandbox = await sandboxes.get(path.id);
    await sandbox.change(() => sandbox.clock.set({ nowMs, isFrozen: body.frozen }));
    await deliveries.deliverDue(sandbox);
    return toClock(sandbox);
  },
  async followClock({ path }, parts) {
    const sandbox = getSandbox(path.id, parts);
    await sandbox.change(() => sandbox.clock.follow());
    await parts.deliveries.deliverDue(sandbox);
  },
  async advanceClock({ path, body }, { sandboxes, deliveries }) {
    const sandbox = await sandboxes.get(path.id);
    await sandbox.change(() => sandbox.clock.advance(body.ms));
    await deliveries.deliverDue(sandbox);
    return toClock(sandbox);
  },
  getIds: ({ path }, parts) => toIds(getSandbox(path.id, parts)),
  async seedIds({ path, body }, { sandboxes }) {
    const sandbox = await sandboxes.get(path.id);
    await sandbox.change(() => sandbox.idGenerator.setSeed(body.seed));
    return toIds(sandbox);
  },
  randomIds({ path }, parts) {
    const { change, idGenerator } = getSandbox(path.id, parts);
    return change(() => idGenerator.setSeed(undefined));
  },
} satisfies Partial<ControlHandlers>;

/**
 * Replaces the state of the sandbox `default` with `state`, or with the default data if `state` is undefined.
 * Resets the clock, the id generator, the faults, the mocked operations, the journal and the idempotency keys.
 * Keeps the snapshots.
 */
async function recreateDefault(sandboxes: Sandboxes, state: State | undefined): Promise<Sandbox> {
  const sandbox = sandboxes.default;
  if (state) await restoreState(sandbox, state);
  else await resetState(sandbox);
  await sandbox.change(() => clearSettings(sandbox));
  await sandboxes.clearJournal(sandbox);
  sandbox.journal.clear();
  return sandbox;
}

/**
 * Restores the default data of a sandbox, and deletes its idempotency keys.
 * After that, a repeated request with an earlier key is handled like a new request.
 */
function resetState({ store, idempotencyKeys }: Sandbox): Promise<void> {
  return idempotencyKeys.clearWith((onApply) => store.reset(onApply));
}

function toSandboxSummary(sandbox: Sandbox, parts: ControlParts) {
  const { state, revision } = sandbox.store.read();
  return {
    id: sandbox.id,
    revision,
    counts: countEntries(state, parts),
    clock: toClock(sandbox),
    ids: toIds(sandbox),
    faults: sandbox.faults.list().filter(({ expired }) => !expired).length,
    requests: sandbox.journal.size(),
    snapshots: [...sandbox.snapshots.keys()],
    idleMs: parts.sandboxes.idleMs(sandbox.id),
  };
}

function toClock({ clock }: Sandbox) {
  const nowMs = clock.nowMs();
  return { now: toIsoTime(nowMs), nowMs, frozen: clock.isFrozen };
}

function toIds({ idGenerator }: Sandbox) {
  return { seed: idGenerator.seed ?? null };
}

/**
 * Applies a JSON Patch to the state of a sandbox.
 * Throws a `HttpProblemError` if the patch can't be applied, or the new state is invalid or too large.
 */
async function patchState(id: string, patch: readonly PatchOperation[], parts: ControlParts): Promise<void> {
  rejectIssues('invalid-patch', patch.flatMap(findMissing));
  rejectIssues(
    'unknown-collection',
    patch.flatMap((operation, index) => findUnknownLists(operation, index, parts)),
  );
  await changeState(id, (state) => apply(state, patch), parts);
}

/**
 * Returns a validation issue if an operation of a JSON Patch lacks the property `value` or `from`.
 * `index`: the index of the operation in the patch.
 */
function findMissing(operation: PatchOperation, index: number): readonly Issue[] {
  const { op } = operation;
  const name = op === 'move' || op === 'copy' ? 'from' : 'value';
  if (op === 'remove' || Object.hasOwn(operation, name)) return [];
  const remedy = `add it, because the operation ${op} needs it`;
  return [{ pointer: formatPointer(index, name), message: `is missing: ${remedy}`, rule: 'required', remedy }];
}

/**
 * Returns a validation issue if `path` or `from` of a JSON Patch operation does not start with a collection of the
 * contract, such as `/pets`.
 * The data file can contain other lists, but clients can't change them.
 * `index`: the index of the operation in the patch.
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
  const result = applyPatch(state, patch);
  if (result.failed === undefined) return result.document;
  const { failed: index, reason } = result;
  const { op, path } = patch[index] as PatchOperation;
  const detail = `Operation ${index} of the patch (${op} ${path}) cannot be applied, so nothing was changed: ${reason}. Read the state again, and correct the patch.`;
  const remedy = 'read the state again, and correct the patch';
  const issue = { pointer: formatPointer(index), message: `${reason}: ${remedy}`, rule: op, remedy };
  throw new HttpProblemError({ code: 'patch-conflict', detail, violations: toViolations([issue]) });
}

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
      const saved = dropDeliveries(current.state);
      snapshots.set(path.name, saved);
      return saved;
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
 * Replaces the state of a sandbox, and deletes its idempotency keys and deliveries.
 * Stores a new object even if the state is unchanged, because another program can have edited the data file, and only a
 * new object makes the store write the file.
 */
function restoreState(sandbox: Sandbox, state: State): Promise<void> {
  const { store, idempotencyKeys } = sandbox;
  return sandbox.countInSlices(state, () =>
    idempotencyKeys.clearWith((onApply) =>
      store.update((current) => {
        onApply();
        return { next: { ...state, ...emptyDeliveries(current) }, result: undefined };
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
function getSnapshotState(id: string, name: string, parts: ControlParts): State {
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
function countEntries(state: State, parts: ControlParts): Readonly<Record<string, number>> {
  const collections = Object.entries(selectCollections(state, parts));
  return Object.fromEntries(collections.map(([name, entries]) => [name, entries.length]));
}

/**
 * Returns a state with only the collections of the current contract.
 * A collection that the state lacks becomes an empty list.
 */
function selectCollections(state: State, { collections }: ControlParts): State {
  return Object.fromEntries(collections().map((name) => [name, getCollection(state, name)]));
}
