import { parseTime } from '../sandbox/clock.ts';
import { DEFAULT_SANDBOX_ID, type Sandbox } from '../sandbox/sandbox.ts';
import type { State } from '../store/state.ts';
import { toIsoTime } from '../util/iso-time.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import { ControlProblemError, getSandbox } from './refusal.ts';
import { countEntries, getSnapshotState, restoreState, selectCollections } from './snapshot-handlers.ts';
import { replaceCollections } from './state-replacement.ts';

/** The handlers of the operations on sandboxes, states, clocks and id generators. */
export const sandboxHandlers = {
  listSandboxes: (_input, parts) => parts.sandboxes.list().map((sandbox) => toSandboxSummary(sandbox, parts)),
  getSandbox: ({ path }, parts) => toSandboxSummary(getSandbox(path.id, parts), parts),
  async putSandbox({ path, body }, parts) {
    const from = body?.from;
    const state = from === undefined ? undefined : getSnapshotState(DEFAULT_SANDBOX_ID, from, parts);
    const sandbox =
      path.id === DEFAULT_SANDBOX_ID
        ? await recreateDefault(parts.sandboxes.default, state)
        : parts.sandboxes.create(path.id, state);
    return toSandboxSummary(sandbox, parts);
  },
  removeSandbox({ path }, parts) {
    if (path.id === DEFAULT_SANDBOX_ID)
      throw new ControlProblemError(
        'default-sandbox',
        'The sandbox default cannot be deleted. Reset it with POST /_control/sandboxes/default/reset.',
      );
    getSandbox(path.id, parts);
    parts.sandboxes.remove(path.id);
  },
  resetSandbox: ({ path }, { sandboxes }) => sandboxes.get(path.id).store.reset(),
  flushSandbox: ({ path }, parts) => getSandbox(path.id, parts).store.flush(),
  getState: ({ path }, parts) => selectCollections(getSandbox(path.id, parts).store.read().state, parts),
  putState: ({ path, body }, parts) => replaceCollections(path.id, body, parts),
  getClock: ({ path }, parts) => toClock(getSandbox(path.id, parts)),
  setClock({ path, body }, { sandboxes }) {
    const nowMs = body.now === undefined ? undefined : parseTime(body.now);
    const sandbox = sandboxes.get(path.id);
    sandbox.clock.set({ nowMs, isFrozen: body.frozen });
    return toClock(sandbox);
  },
  followClock: ({ path }, parts) => getSandbox(path.id, parts).clock.follow(),
  advanceClock({ path, body }, { sandboxes }) {
    const sandbox = sandboxes.get(path.id);
    sandbox.clock.advance(body.ms);
    return toClock(sandbox);
  },
  getIds: ({ path }, parts) => toIds(getSandbox(path.id, parts)),
  seedIds({ path, body }, { sandboxes }) {
    const sandbox = sandboxes.get(path.id);
    sandbox.idGenerator.setSeed(body.seed);
    return toIds(sandbox);
  },
  randomIds: ({ path }, parts) => getSandbox(path.id, parts).idGenerator.setSeed(undefined),
} satisfies Partial<ControlHandlers>;

/** Replaces the state of the default sandbox, or resets it if `state` is undefined. Resets the clock, id generator, faults and journal. Keeps the snapshots. */
async function recreateDefault(sandbox: Sandbox, state: State | undefined): Promise<Sandbox> {
  if (state) await restoreState(sandbox, state);
  else await sandbox.store.reset();
  sandbox.clock.follow();
  sandbox.idGenerator.setSeed(undefined);
  sandbox.faults.clear();
  sandbox.journal.clear();
  return sandbox;
}

function toSandboxSummary(sandbox: Sandbox, parts: ControlParts) {
  const { state } = sandbox.store.read();
  return {
    id: sandbox.id,
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
