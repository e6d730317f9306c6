import { parseTime } from '../sandbox/clock.ts';
import type { Sandboxes } from '../sandbox/registry.ts';
import { DEFAULT_SANDBOX_ID, type Sandbox } from '../sandbox/sandbox.ts';
import type { State } from '../store/state.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { countEntries } from './counts.ts';
import type { ControlHandlers } from './handler.ts';
import { ControlProblemError } from './refusal.ts';
import { getSandbox } from './refuse.ts';
import { snapshotOf } from './snapshot-handlers.ts';
import { replaceCollections } from './state-replacement.ts';

/** Sandboxes, what they hold, their clocks and their ids. */
export const sandboxHandlers: ControlHandlers<
  | 'listSandboxes'
  | 'getSandbox'
  | 'putSandbox'
  | 'removeSandbox'
  | 'resetSandbox'
  | 'getState'
  | 'putState'
  | 'getClock'
  | 'setClock'
  | 'followClock'
  | 'advanceClock'
  | 'getIds'
  | 'seedIds'
  | 'randomIds'
> = {
  listSandboxes: (_input, { sandboxes }) => sandboxes.list().map((sandbox) => shown(sandbox, sandboxes)),
  getSandbox: ({ path }, parts) => shown(getSandbox(path.id, parts), parts.sandboxes),
  async putSandbox({ path, body }, parts) {
    const from = body?.from;
    const state = from === undefined ? undefined : snapshotOf(parts.sandboxes.default, from, parts);
    const sandbox =
      path.id === DEFAULT_SANDBOX_ID
        ? await renewed(parts.sandboxes.default, state)
        : parts.sandboxes.make(path.id, state);
    return shown(sandbox, parts.sandboxes);
  },
  removeSandbox({ path }, parts) {
    if (path.id === DEFAULT_SANDBOX_ID)
      throw new ControlProblemError(
        'default-sandbox',
        'the sandbox default can not be removed: reset it with POST /_control/sandboxes/default/reset',
      );
    getSandbox(path.id, parts);
    parts.sandboxes.remove(path.id);
  },
  resetSandbox: ({ path }, { sandboxes }) => sandboxes.get(path.id).store.reset(),
  getState: ({ path }, parts) => getSandbox(path.id, parts).store.read().state,
  putState: ({ path, body }, parts) => replaceCollections(path.id, body, parts),
  getClock: ({ path }, parts) => clockOf(getSandbox(path.id, parts)),
  setClock({ path, body }, { sandboxes }) {
    const nowMs = body.now === undefined ? undefined : parseTime(body.now);
    const sandbox = sandboxes.get(path.id);
    sandbox.clock.set({ nowMs, isFrozen: body.frozen });
    return clockOf(sandbox);
  },
  followClock: ({ path }, parts) => getSandbox(path.id, parts).clock.follow(),
  advanceClock({ path, body }, { sandboxes }) {
    const sandbox = sandboxes.get(path.id);
    sandbox.clock.advance(body.ms);
    return clockOf(sandbox);
  },
  getIds: ({ path }, parts) => idsOf(getSandbox(path.id, parts)),
  seedIds({ path, body }, { sandboxes }) {
    const sandbox = sandboxes.get(path.id);
    sandbox.ids.use(body.seed);
    return idsOf(sandbox);
  },
  randomIds: ({ path }, parts) => getSandbox(path.id, parts).ids.use(undefined),
};

/** The default sandbox with another state, all else but its snapshots as at the start. */
async function renewed(sandbox: Sandbox, state: State | undefined): Promise<Sandbox> {
  if (state) await sandbox.store.update(() => ({ next: { ...state }, result: undefined }));
  else await sandbox.store.reset();
  sandbox.clock.follow();
  sandbox.ids.use(undefined);
  sandbox.faults.clear();
  sandbox.journal.clear();
  return sandbox;
}

function shown(sandbox: Sandbox, sandboxes: Sandboxes) {
  const { state } = sandbox.store.read();
  return {
    id: sandbox.id,
    counts: countEntries(state),
    clock: clockOf(sandbox),
    ids: idsOf(sandbox),
    faults: sandbox.faults.list().filter(({ expired }) => !expired).length,
    requests: sandbox.journal.size(),
    snapshots: [...sandbox.snapshots.keys()],
    idleMs: sandboxes.idleMs(sandbox.id),
  };
}

function clockOf({ clock }: Sandbox) {
  const nowMs = clock.nowMs();
  return { now: toIsoTime(nowMs), nowMs, frozen: clock.isFrozen };
}

function idsOf({ ids }: Sandbox) {
  return { seed: ids.seed ?? null };
}
