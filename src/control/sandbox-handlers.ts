import { momentIn } from '../sandboxes/clock.ts';
import type { Sandboxes } from '../sandboxes/registry.ts';
import { DEFAULT_ID, type Sandbox } from '../sandboxes/sandbox.ts';
import { flawsOf } from '../store/check-state.ts';
import type { State } from '../store/state.ts';
import { found } from './declining.ts';
import type { ControlHandlers } from './handler.ts';
import { ControlRefusal } from './refusal.ts';
import { snapshotOf } from './snapshot-handlers.ts';

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
  getSandbox: ({ path }, parts) => shown(found(path.id, parts), parts.sandboxes),
  async putSandbox({ path, body }, parts) {
    const from = body?.from;
    const state = from === undefined ? undefined : snapshotOf(parts.sandboxes.default, from, parts);
    const sandbox =
      path.id === DEFAULT_ID ? await renewed(parts.sandboxes.default, state) : parts.sandboxes.make(path.id, state);
    return shown(sandbox, parts.sandboxes);
  },
  removeSandbox({ path }, parts) {
    if (path.id === DEFAULT_ID)
      throw new ControlRefusal(
        'default-sandbox',
        'the sandbox default can not be removed: reset it with POST /_control/sandboxes/default/reset',
      );
    found(path.id, parts);
    parts.sandboxes.remove(path.id);
  },
  resetSandbox: ({ path }, { sandboxes }) => sandboxes.get(path.id).store.reset(),
  getState: ({ path }, parts) => found(path.id, parts).store.read().state,
  async putState({ path, body }, { sandboxes, check, defaults }) {
    const judge = check();
    const changed = (state: State): State => {
      const next = { ...state, ...(body as unknown as Partial<State>) };
      const flaws = flawsOf(structuredClone(next), judge);
      if (flaws.length === 0) return next;
      throw new ControlRefusal('not-a-state', 'the state is not one of this shop, so nothing was changed', flaws);
    };
    // What is refused makes no sandbox.
    if (!sandboxes.find(path.id)) changed(defaults());
    await sandboxes.get(path.id).store.update((state) => ({ next: changed(state), result: undefined }));
  },
  getClock: ({ path }, parts) => clockOf(found(path.id, parts)),
  setClock({ path, body }, { sandboxes }) {
    const nowMs = momentWanted(body.now);
    const sandbox = sandboxes.get(path.id);
    sandbox.clock.set({ nowMs, isFrozen: body.frozen });
    return clockOf(sandbox);
  },
  followClock: ({ path }, parts) => found(path.id, parts).clock.follow(),
  advanceClock({ path, body }, { sandboxes }) {
    const sandbox = sandboxes.get(path.id);
    sandbox.clock.advance(body.ms);
    return clockOf(sandbox);
  },
  getIds: ({ path }, parts) => idsOf(found(path.id, parts)),
  seedIds({ path, body }, { sandboxes }) {
    const sandbox = sandboxes.get(path.id);
    sandbox.ids.use(body.seed);
    return idsOf(sandbox);
  },
  randomIds: ({ path }, parts) => found(path.id, parts).ids.use(undefined),
};

/** A moment, in ms since 1970; undefined where none is given. */
function momentWanted(now: string | number | undefined): number | undefined {
  const nowMs = now === undefined ? undefined : momentIn(now);
  if (!Number.isNaN(nowMs)) return nowMs;
  throw new ControlRefusal(
    'not-a-moment',
    `${now} is no moment of a clock: give one such as 2025-06-01T12:00:00Z, or ms since 1970`,
  );
}

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
    cartItems: state.cartItems.length,
    orders: state.orders.length,
    clock: clockOf(sandbox),
    ids: idsOf(sandbox),
    faults: sandbox.faults.list().filter(({ over }) => !over).length,
    requests: sandbox.journal.size(),
    snapshots: [...sandbox.snapshots.keys()],
    idleMs: sandboxes.idleMs(sandbox.id),
  };
}

function clockOf({ clock }: Sandbox) {
  const nowMs = clock.nowMs();
  return { now: new Date(nowMs).toISOString(), nowMs, frozen: clock.isFrozen };
}

function idsOf({ ids }: Sandbox) {
  return { seed: ids.seed ?? null };
}
