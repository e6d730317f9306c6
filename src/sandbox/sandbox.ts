import type { ExportedFaults, FaultCounts } from '../faults/fault.ts';
import { FaultList } from '../faults/fault-list.ts';
import { createMemoryBackend } from '../store/backend.ts';
import type { State } from '../store/state.ts';
import { type CommitListener, createStore, type Store, type StoreOptions } from '../store/store.ts';
import {
  type Clock,
  type ClockState,
  createClock,
  createIdGenerator,
  type IdGenerator,
  type IdState,
} from './clock-and-ids.ts';
import { type IdempotencyKeys, MemoryKeys, ResponseMemory } from './idempotency/idempotency-keys.ts';
import { Journal, JournalMemory, type JournalOptions } from './journal/journal.ts';
import {
  DEFAULT_SNAPSHOTS_BYTES,
  MEMORY_LIMITS,
  Memory,
  type MemoryLimits,
  type MemoryQuota,
} from './memory/memory.ts';

/** Options of a store with a memory quota. */
interface CountedStoreOptions<S extends State> extends Omit<StoreOptions<S>, 'backend'> {
  /** The memory quota. It must already count the initial state. */
  readonly quota: MemoryQuota;
  /** Called for each change of the state. */
  readonly onChange: () => void;
}

/**
 * Creates an in-memory store with a memory quota.
 * `update` rejects with an `insufficient-storage` problem if a change exceeds the quota.
 */
function createCountedStore<S extends State>({ quota, onChange, ...options }: CountedStoreOptions<S>): Store<S> {
  const store = createStore({ ...options, backend: createMemoryBackend<S>() });
  const update: Store<S>['update'] = (change) =>
    store.update((state, nowMs) => {
      const changed = change(state, nowMs);
      if (changed.next) {
        quota.replace(state, changed.next);
        onChange();
      }
      return changed;
    });
  const reset: Store<S>['reset'] = async (onApply) => {
    const preparing = options.prepareDefaults?.();
    if (preparing) await preparing;
    const next = options.defaults();
    const change = () => {
      onApply?.();
      return { next, result: undefined };
    };
    await quota.countInSlices(next, () => update(change));
  };
  return { ...store, update, reset };
}

/**
 * The snapshots (saved states) of a sandbox, by name.
 * `set` throws an `insufficient-storage` problem if the snapshot exceeds the memory quota.
 */
class CountedSnapshots<S extends State> extends Map<string, S> {
  /** `onChange`: called each time a snapshot is added, replaced or deleted. */
  constructor(
    private readonly quota: MemoryQuota,
    private readonly onChange: () => void = () => {},
  ) {
    super();
  }

  /**
   * Counts the memory of a state in slices, between which the server handles other requests.
   * Then calls `run`, which can save the state as a snapshot without delay.
   */
  countInSlices<Result>(state: State, run: () => Promise<Result>): Promise<Result> {
    return this.quota.countInSlices(state, run);
  }

  override set(name: string, state: S): this {
    this.quota.replace(this.get(name), state);
    this.onChange();
    return super.set(name, state);
  }

  override delete(name: string): boolean {
    this.quota.replace(this.get(name), undefined);
    this.onChange();
    return super.delete(name);
  }
}

/** The approximate memory of one mocked operation, in bytes. */
const BYTES = 64;

/**
 * The operations that a sandbox mocks although they have a handler.
 * A mocked operation returns responses that are generated from the contract.
 */
class MockedOperations {
  /** The ids of the operations. */
  readonly ids: ReadonlySet<string>;
  private readonly mutableIds = new Set<string>();

  /**
   * `reserve`: reserves memory of the sandbox; a negative number frees memory.
   * Throws an `insufficient-storage` problem if the sandbox exceeds its memory limit.
   */
  constructor(private readonly reserve: (moreBytes: number) => void) {
    this.ids = this.mutableIds;
  }

  /** Mocks an operation. */
  add(operationId: string): void {
    if (this.ids.has(operationId)) return;
    this.reserve(BYTES);
    this.mutableIds.add(operationId);
  }

  /** Stops mocking an operation, so that its handler is used again. */
  remove(operationId: string): void {
    if (this.mutableIds.delete(operationId)) this.reserve(-BYTES);
  }

  /** Returns the ids of the mocked operations. */
  list(): readonly string[] {
    return [...this.ids];
  }

  /** Mocks the given operations, and stops mocking all other operations. */
  replace(operationIds: readonly string[]): void {
    this.clear();
    for (const operationId of operationIds) this.add(operationId);
  }

  /** Stops mocking all operations, so that their handlers are used again. */
  clear(): void {
    for (const operationId of [...this.ids]) this.remove(operationId);
  }
}

/** The URLs to which a sandbox sends webhooks. */
class WebhookUrls {
  /** The URLs; undefined for those of the option `webhookUrl`. */
  urls: readonly string[] | undefined;

  /** `onSet`: called each time the URLs are set. */
  constructor(private readonly onSet: () => void = () => {}) {}

  set(urls: readonly string[] | undefined): void {
    this.onSet();
    this.urls = urls;
  }

  /** Returns the URLs, or null for those of the option. */
  export(): readonly string[] | null {
    return this.urls ?? null;
  }

  /** Restores URLs that `export` returned. */
  import(urls: readonly string[] | null): void {
    this.urls = urls ?? undefined;
  }
}

/**
 * An isolated instance of the application: its state, clock, id generator, faults, mocked operations, request journal,
 * idempotency keys and snapshots.
 */
export interface Sandbox<S extends State = State> {
  readonly id: string;
  readonly store: Store<S>;
  readonly clock: Clock;
  readonly idGenerator: IdGenerator;
  readonly faults: FaultList;
  readonly mockedOperations: MockedOperations;
  readonly webhookUrls: WebhookUrls;
  readonly journal: Journal;
  /** The idempotency keys of earlier requests, with the stored responses for repeated requests. */
  readonly idempotencyKeys: IdempotencyKeys;
  /** The snapshots (saved states) by name. */
  readonly snapshots: CountedSnapshots<S>;
  /**
   * Counts the memory of a state in slices, between which the server handles other requests.
   * Then calls `run`, which can replace the state of the sandbox without delay.
   */
  countInSlices<Result>(state: State, run: () => Promise<Result>): Promise<Result>;
  /**
   * Runs a function that changes the sandbox, but not its state: for example, the clock, the faults or the snapshots.
   * Resolves to the result of the function.
   * If several servers share the sandbox, stores the change in the database.
   * Rejects with `StoreUnavailableError` if this fails.
   * Runs the function again if another server has changed the sandbox in the meantime.
   */
  change<Result>(run: () => Result): Promise<Result>;
}

/** Implements `Sandbox.change` for a sandbox that is only in the memory of this server. */
async function changeInMemory<Result>(run: () => Result): Promise<Result> {
  return run();
}

/** The id of the sandbox that handles requests without a sandbox id. */
export const DEFAULT_SANDBOX_ID = 'default';

/** Options of the sandboxes of a server. */
export interface SandboxesParts<S extends State = State> {
  /** The parts of the sandbox `default` that the caller has already created. */
  readonly default: Pick<Sandbox<S>, 'store' | 'clock'> & Partial<Sandbox<S>>;
  /** Returns the default data. */
  readonly defaults: () => S;
  /** Reads changed default data in slices, before `defaults` is called for a reset. */
  readonly prepareDefaults?: (() => Promise<void> | undefined) | undefined;
  /** Returns the system time, in ms since 1970. */
  readonly nowMs: () => number;
  /** Returns the time of a monotonic clock, in ms. */
  readonly elapsedMs: () => number;
  readonly newId: () => string;
  /** Whether only the control API can create sandboxes. If false, the first request to a sandbox creates it. */
  readonly areDeclared: boolean;
  /**
   * Whether each browser gets a sandbox by cookie.
   * Then sandboxes exist for 30 days without use, and a new one can replace any other.
   */
  readonly areVisitors?: boolean | undefined;
  /** Logs a message, for example that a sandbox has expired. */
  readonly log: (message: string) => void;
  /** Called after each commit (stored change) in a sandbox other than `default`. */
  readonly onCommit?: CommitListener | undefined;
  readonly memoryLimits?: MemoryLimits | undefined;
  /** Creates the journal of a sandbox. Default: a journal in memory. */
  readonly createJournal?: ((id: string, options: JournalOptions) => Journal) | undefined;
  /** The maximum number of sandboxes, not counting `default`. */
  readonly maxSandboxes?: number | undefined;
}

/** The parts of a new sandbox that its creator provides: the memory quota, the journal, and a callback. */
export interface OwnParts {
  readonly quota: MemoryQuota;
  readonly journal: Journal;
  /** Called when a client changes anything in the sandbox. */
  readonly onChange: () => void;
}

/** The maximum number of requests in the journal of the sandbox `default`, and in the journal of each other sandbox. */
const MAX_REQUESTS = { default: 1_000, other: 100 };

/** Creates sandboxes, and counts their memory. */
export class SandboxFactory<S extends State> {
  readonly memory: Memory;
  readonly journalMemory = new JournalMemory();
  private readonly responseMemory: ResponseMemory;

  /**
   * `onFull`: called if a change would exceed the memory limit of all sandboxes together.
   * The callback can remove sandboxes, so that the change succeeds.
   */
  constructor(
    private readonly parts: SandboxesParts<S>,
    onFull: (isFull: () => boolean) => void,
  ) {
    this.memory = new Memory(parts.memoryLimits ?? MEMORY_LIMITS, onFull);
    this.responseMemory = new ResponseMemory(parts.elapsedMs);
  }

  /** Creates the sandbox `default`. */
  createDefault(): Sandbox<S> {
    const { default: main, nowMs, elapsedMs, newId, log } = this.parts;
    return {
      id: DEFAULT_SANDBOX_ID,
      idGenerator: createIdGenerator(newId),
      faults: new FaultList({ clock: main.clock, elapsedMs, machineMs: nowMs, reserve() {}, log }),
      mockedOperations: new MockedOperations(() => {}),
      webhookUrls: new WebhookUrls(),
      journal: this.createJournal(DEFAULT_SANDBOX_ID, () => {}),
      idempotencyKeys: this.createKeys(),
      snapshots: new CountedSnapshots(this.memory.createSeparateQuota(DEFAULT_SNAPSHOTS_BYTES)),
      change: changeInMemory,
      ...main,
      // The state of this sandbox does not count.
      countInSlices: (_, run) => run(),
    };
  }

  /** Creates a sandbox with a state in memory. */
  create(id: string, initial: S, parts: OwnParts): Sandbox<S> {
    const configured = this.createParts(parts);
    const { quota, journal, onChange } = parts;
    const { nowMs } = configured.clock;
    const { onCommit, prepareDefaults } = this.parts;
    const defaults = () => this.getDefaults();
    const store = createCountedStore({ initial, defaults, prepareDefaults, nowMs, quota, onChange, onCommit });
    return { id, journal, ...configured, idempotencyKeys: this.createKeys(), store, change: changeInMemory };
  }

  /** Creates the clock, the id generator, the faults, the mocked operations and the snapshots of a sandbox. */
  createParts(parts: Omit<OwnParts, 'journal'>) {
    return createConfiguredParts<S>(this.parts, parts);
  }

  /** Creates an in-memory store for the idempotency keys of a sandbox. */
  createKeys(): IdempotencyKeys {
    return new MemoryKeys(this.responseMemory);
  }

  /** Creates the journal of a sandbox. `onUnfollow`: called each time a client stops following the journal. */
  createJournal(id: string, onUnfollow: () => void): Journal {
    const { nowMs, elapsedMs, createJournal = (_, options) => new Journal(options) } = this.parts;
    const maxRecords = id === DEFAULT_SANDBOX_ID ? MAX_REQUESTS.default : MAX_REQUESTS.other;
    return createJournal(id, { maxRecords, onUnfollow, nowMs, elapsedMs, memory: this.journalMemory });
  }

  /** Returns the default data. The data does not count towards the memory limit of any sandbox. */
  getDefaults(): S {
    const state = this.parts.defaults();
    this.memory.objects.share(state);
    return state;
  }
}

/**
 * Creates the parts of a sandbox that clients change with the control API: the clock, the id generator, the faults, the
 * mocked operations and the snapshots.
 */
export function createConfiguredParts<S extends State>(
  { nowMs, elapsedMs, newId, log }: Pick<SandboxesParts<S>, 'nowMs' | 'elapsedMs' | 'newId' | 'log'>,
  { quota, onChange }: Omit<OwnParts, 'journal'>,
) {
  const clock = createClock(nowMs, onChange);
  const reserve = (moreBytes: number) => {
    onChange();
    quota.reserve(moreBytes);
  };
  return {
    clock,
    idGenerator: createIdGenerator(newId, onChange),
    faults: new FaultList({ clock, elapsedMs, machineMs: nowMs, reserve, log }),
    mockedOperations: new MockedOperations(reserve),
    webhookUrls: new WebhookUrls(onChange),
    snapshots: new CountedSnapshots<S>(quota, onChange),
    countInSlices: <Result>(state: State, run: () => Promise<Result>) => quota.countInSlices(state, run),
  };
}

/**
 * The settings of a sandbox that clients change with the control API: the clock, the id generator, the faults with
 * their counters, and the mocked operations.
 */
export interface Settings {
  readonly clock: ClockState;
  readonly ids: IdState;
  readonly faults: ExportedFaults;
  readonly counts: FaultCounts;
  readonly mocked: readonly string[];
  /** The URLs for webhooks; null for those of the option. Missing in settings that an earlier version has stored. */
  readonly webhooks?: readonly string[] | null;
}

/** The settings of a new sandbox. */
export const INITIAL_SETTINGS: Settings = {
  clock: { offsetMs: 0 },
  ids: null,
  faults: { lastNumber: 0, rules: [] },
  counts: {},
  mocked: [],
  webhooks: null,
};

/** The parts of a sandbox whose settings are exported and imported. */
export type ConfiguredSandbox = Pick<Sandbox, 'clock' | 'idGenerator' | 'faults' | 'mockedOperations' | 'webhookUrls'>;

/** Returns the settings of a sandbox. */
export function exportSettings({
  clock,
  idGenerator,
  faults,
  mockedOperations,
  webhookUrls,
}: ConfiguredSandbox): Settings {
  return {
    clock: clock.export(),
    ids: idGenerator.export(),
    faults: faults.export(),
    counts: faults.exportCounts(),
    mocked: mockedOperations.list(),
    webhooks: webhookUrls.export(),
  };
}

/** Replaces settings of a sandbox. Settings that are undefined do not change. */
export function importSettings(sandbox: ConfiguredSandbox, settings: Partial<Settings>): void {
  const { clock, ids, faults, counts, mocked, webhooks } = settings;
  if (clock !== undefined) sandbox.clock.import(clock);
  if (ids !== undefined) sandbox.idGenerator.import(ids);
  if (faults !== undefined) sandbox.faults.import(faults);
  if (counts !== undefined) sandbox.faults.importCounts(counts);
  if (mocked !== undefined) sandbox.mockedOperations.replace(mocked);
  if (webhooks !== undefined) sandbox.webhookUrls.import(webhooks);
}

/** Restores the settings of a new sandbox: the system time, random ids, no faults and no mocked operations. */
export function clearSettings({ clock, idGenerator, faults, mockedOperations, webhookUrls }: ConfiguredSandbox): void {
  clock.follow();
  idGenerator.setSeed(undefined);
  faults.clear();
  mockedOperations.clear();
  webhookUrls.set(undefined);
}
