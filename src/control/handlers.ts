import { ConditionFault } from '../sandboxes/condition.ts';
import { TooManyFaults } from '../sandboxes/faults.ts';
import { shownEntry } from '../sandboxes/journal-entry.ts';
import type { Sandboxes } from '../sandboxes/registry.ts';
import { DEFAULT_ID, type Sandbox } from '../sandboxes/sandbox.ts';
import { type ReadyMade, SnapshotFault } from '../sandboxes/snapshots.ts';
import { boundsOf, countIn, verdictOf, wantedOf } from '../sandboxes/verdict.ts';
import type { Flaw, SchemaCheck } from '../store/check-state.ts';
import { flawsOf } from '../store/check-state.ts';
import type { State } from '../store/state.ts';
import { verdictWithin } from './awaited.ts';
import type { ControlAnswer, ControlId, ControlInput, FaultWish, RequestsWanted } from './operation.ts';
import { ControlRefusal } from './refusal.ts';

/** Operations, and an answer of theirs. */
type Meant = { readonly [Name in 'operation' | 'code' | 'example']?: FaultWish[Name] | undefined };

/** What control steers. */
export interface ControlParts {
  readonly sandboxes: Sandboxes;
  readonly readyMade: ReadyMade;
  /** The default data. */
  readonly defaults: () => State;
  /** How a state is checked: by the contract that is served now. */
  readonly check: () => SchemaCheck;
  /** What of operations and answers the contract that is served now doesn't have. */
  readonly undocumented: (meant: Meant) => readonly Flaw[];
  /** Ends what waits once the server stops. */
  readonly stopping: AbortSignal;
}

/** What does an operation of control. */
export type ControlHandler<Id extends ControlId> = (
  input: ControlInput<Id>,
  parts: ControlParts,
) => ControlAnswer<Id> | Promise<ControlAnswer<Id>>;

/** Who does which operation of control; one without an entry does not compile. */
export const controlHandlers: { readonly [Id in ControlId]: ControlHandler<Id> } = {
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
    const nowMs = momentIn(body.now);
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
  listSnapshots({ path }, parts) {
    const { snapshots } = found(path.id, parts);
    const saved = [...snapshots].map(([name, state]) => summary(name, state, false));
    const others = parts.readyMade.names.filter((name) => !snapshots.has(name));
    return [...saved, ...others.map((name) => summary(name, snapshotOf(undefined, name, parts), true))];
  },
  getSnapshot: ({ path }, parts) => snapshotOf(found(path.id, parts), path.name, parts),
  saveSnapshot({ path }, { sandboxes }) {
    const { snapshots, store } = sandboxes.get(path.id);
    const { state } = store.read();
    if (!snapshots.has(path.name) && snapshots.size >= MOST_SNAPSHOTS)
      throw new ControlRefusal('too-many', `the sandbox has ${MOST_SNAPSHOTS} snapshots already: delete some`);
    snapshots.set(path.name, state);
    return summary(path.name, state, false);
  },
  deleteSnapshot({ path }, parts) {
    const sandbox = found(path.id, parts);
    if (sandbox.snapshots.delete(path.name)) return;
    if (!parts.readyMade.names.includes(path.name)) throw unknownSnapshot(path.name, sandbox, parts);
    throw new ControlRefusal('ready-made', `the snapshot ${path.name} is ready-made, and stays`);
  },
  async restoreSnapshot({ path }, parts) {
    const state = snapshotOf(parts.sandboxes.find(path.id), path.name, parts);
    const sandbox = parts.sandboxes.get(path.id);
    // A state of its own: it is stored even where it is the one that is there, since the file may hold another.
    await sandbox.store.update(() => ({ next: { ...state }, result: undefined }));
  },
  listFaults: ({ path }, parts) => found(path.id, parts).faults.list(),
  getFault: ({ path }, parts) => found(path.id, parts).faults.find(path.fault) ?? unknownFault(path, parts),
  addFault({ path, body }, parts) {
    refuseFlaws('not-a-fault', parts.undocumented(body));
    return orRefused(() => parts.sandboxes.get(path.id).faults.add(body));
  },
  replaceFaults({ path, body }, parts) {
    const flaws = body.flatMap((wish, place) =>
      parts.undocumented(wish).map((flaw) => ({ ...flaw, pointer: `/${place}${flaw.pointer}` })),
    );
    refuseFlaws('not-a-fault', flaws);
    return orRefused(() => parts.sandboxes.get(path.id).faults.replace(body));
  },
  clearFaults: ({ path }, parts) => found(path.id, parts).faults.clear(),
  removeFault({ path }, parts) {
    if (!found(path.id, parts).faults.remove(path.fault)) unknownFault(path, parts);
  },
  listRequests({ path, query }, parts) {
    refuseFlaws('not-a-condition', parts.undocumented(query));
    const { after = 0, limit, operation } = query;
    const { journal } = found(path.id, parts);
    const asked = journal
      .entries()
      .filter(({ id, operationId }) => id > after && (operation === undefined || operationId === operation));
    return (limit === undefined ? asked : asked.slice(-limit)).map(shownEntry);
  },
  clearRequests: ({ path }, parts) => found(path.id, parts).journal.clear(),
  countRequests({ path, body }, parts) {
    const isWanted = wantedIn(body, parts);
    return { count: countIn(found(path.id, parts).journal.entries(), body, isWanted).length };
  },
  verifyRequests({ path, body }, parts) {
    const isWanted = wantedIn(body, parts);
    const bounds = boundsOf(body);
    if (bounds.least > bounds.most || (body.times !== undefined && (body.atLeast ?? body.atMost) !== undefined)) {
      const trouble = 'can not be had: give times, or atLeast and atMost where atLeast is not above atMost';
      refuseFlaws('not-a-condition', [{ pointer: body.times === undefined ? '/atLeast' : '/times', trouble }]);
    }
    const { journal } = found(path.id, parts);
    const verdict = () => verdictOf(journal.entries(), body, bounds, isWanted);
    return verdictWithin(verdict, { ...bounds, journal, withinMs: body.withinMs ?? 0, stopping: parts.stopping });
  },
};

/** Which requests are wanted; declines where that makes no sense. */
function wantedIn(body: RequestsWanted, parts: ControlParts) {
  refuseFlaws('not-a-condition', parts.undocumented({ operation: body.operation }));
  return orRefused(() => wantedOf(body));
}

function refuseFlaws(code: 'not-a-fault' | 'not-a-condition', flaws: readonly Flaw[]): void {
  if (flaws.length > 0) throw new ControlRefusal(code, sentenceOf(flaws), flaws);
}

function sentenceOf(flaws: readonly Flaw[]): string {
  return flaws.map(({ pointer, trouble }) => `${pointer || 'it'} ${trouble}`).join('; ');
}

/** What is given back, where what was asked for makes sense and there is room for it. */
function orRefused<Value>(make: () => Value): Value {
  try {
    return make();
  } catch (error) {
    if (error instanceof ConditionFault)
      throw new ControlRefusal('not-a-condition', sentenceOf(error.flaws), error.flaws);
    if (error instanceof TooManyFaults) throw new ControlRefusal('too-many', error.message);
    throw error;
  }
}

function unknownFault({ id, fault }: { readonly id: string; readonly fault: string }, parts: ControlParts): never {
  const there = found(id, parts).faults.list();
  const told = there.length > 0 ? `there is ${someOf(there.map((one) => one.fault))}` : 'there are none';
  throw new ControlRefusal('unknown-fault', `there is no fault ${fault} in ${id}: ${told}`);
}

/** How many snapshots are saved in a sandbox. */
const MOST_SNAPSHOTS = 100;

/** A moment as ISO 8601 has it, or in ms since 1970, in ms; undefined where none is given. */
function momentIn(now: string | number | undefined): number | undefined {
  const nowMs = typeof now === 'string' ? Date.parse(now) : now;
  if (nowMs === undefined || !Number.isNaN(nowMs)) return nowMs;
  throw new ControlRefusal(
    'not-a-moment',
    `${now} is no moment of a clock: give one such as 2025-06-01T12:00:00Z, or ms since 1970`,
  );
}

/** The sandbox of an id, which has to be there: looking at one doesn't make it. */
function found(id: string, { sandboxes }: ControlParts): Sandbox {
  const sandbox = sandboxes.find(id);
  if (sandbox) return sandbox;
  const there = someOf(sandboxes.list().map((one) => one.id));
  const remedy = `PUT /_control/sandboxes/${id} makes it, as does a request of the shop that names it`;
  throw new ControlRefusal('unknown-sandbox', `there is no sandbox ${id}, but ${there}: ${remedy}`);
}

/** The state of a snapshot: one that was saved in the sandbox, else a ready-made one. */
function snapshotOf(sandbox: Sandbox | undefined, name: string, parts: ControlParts): State {
  const state = sandbox?.snapshots.get(name) ?? readyMadeState(name, parts);
  if (state) return state;
  throw unknownSnapshot(name, sandbox, parts);
}

function readyMadeState(name: string, { readyMade }: ControlParts): State | undefined {
  try {
    return readyMade.state(name);
  } catch (error) {
    if (error instanceof SnapshotFault) throw new ControlRefusal('not-a-state', error.message);
    throw error;
  }
}

function unknownSnapshot(name: string, sandbox: Sandbox | undefined, { readyMade }: ControlParts): ControlRefusal {
  const there = someOf([...(sandbox?.snapshots.keys() ?? []), ...readyMade.names]);
  return new ControlRefusal('unknown-snapshot', `there is no snapshot ${name} here: save one, or take one of ${there}`);
}

/** How many names a sentence tells. */
const TOLD = 20;

function someOf(names: readonly string[]): string {
  const rest = names.length - TOLD;
  return `${names.slice(0, TOLD).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
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
    requests: sandbox.journal.entries().length,
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

function summary(name: string, { cartItems, orders, products }: State, isReadyMade: boolean) {
  return {
    name,
    readyMade: isReadyMade,
    cartItems: cartItems.length,
    orders: orders.length,
    products: products.length,
  };
}
