import { parseTime } from '../sandbox/clock.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import { DEFAULT_SANDBOX_ID, type Sandbox } from '../sandbox/sandbox.ts';
import { clearSettings } from '../sandbox/settings.ts';
import type { State } from '../store/state.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { changeState } from './change-state.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import { patchState } from './patch-state.ts';
import { ControlProblemError, getSandbox } from './refusal.ts';
import { countEntries, getSnapshotState, restoreState, selectCollections } from './snapshot-handlers.ts';

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
      throw new ControlProblemError(
        'default-sandbox',
        'The sandbox default cannot be deleted. Reset it with POST /_control/sandboxes/default/reset.',
      );
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
  getClock: ({ path }, parts) => toClock(getSandbox(path.id, parts)),
  async setClock({ path, body }, { sandboxes }) {
    const nowMs = body.now === undefined ? undefined : parseTime(body.now);
    const sandbox = await sandboxes.get(path.id);
    await sandbox.change(() => sandbox.clock.set({ nowMs, isFrozen: body.frozen }));
    return toClock(sandbox);
  },
  followClock({ path }, parts) {
    const { change, clock } = getSandbox(path.id, parts);
    return change(() => clock.follow());
  },
  async advanceClock({ path, body }, { sandboxes }) {
    const sandbox = await sandboxes.get(path.id);
    await sandbox.change(() => sandbox.clock.advance(body.ms));
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
 * Replaces the state of the sandbox `default` with `state`, or with the default data if `state` is undefined. Resets the clock, the id generator, the faults,
 * the mocked operations, the journal and the idempotency keys. Keeps the snapshots.
 */
async function recreateDefault(sandboxes: Sandboxes, state: State | undefined): Promise<Sandbox> {
  const sandbox = sandboxes.default;
  if (state) await restoreState(sandbox, state);
  else await resetState(sandbox);
  await sandbox.change(() => clearSettings(sandbox));
  await sandboxes.clearJournal(sandbox);
  return sandbox;
}

/**
 * Restores the default data of a sandbox, and deletes its idempotency keys. After that, a repeated request with an earlier key is handled like a new request.
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
