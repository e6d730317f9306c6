import { getFailure, StoreUnavailableError } from '../../store/backend.ts';
import type { KeyTable } from '../../store/postgres/key-table.ts';
import type { SharedLog } from '../../store/postgres/shared-log.ts';
import type { State } from '../../store/state.ts';
import { createStore, type Store } from '../../store/store.ts';
import { limitList } from '../../util/text.ts';
import type { Journal } from '../journal/journal.ts';
import { IDLE_MS, type LiveSandboxes, VISITOR_IDLE_MS } from '../live-sandboxes.ts';
import { Sandboxes, type SandboxStorage } from '../registry.ts';
import {
  clearSettings,
  DEFAULT_SANDBOX_ID,
  INITIAL_SETTINGS,
  type OwnParts,
  type Sandbox,
  type SandboxesParts,
} from '../sandbox.ts';
import type { CommonLists } from './common-lists.ts';
import type { Recovery } from './recovery.ts';
import { decodeSandbox, type LoadedContent, SandboxBackend, type SharedParts } from './shared-backend.ts';
import type { SharedJournals } from './shared-journals.ts';
import { SharedKeys } from './shared-keys.ts';

/** What the servers of a database share. */
type Shared = SharedParts & {
  readonly lists: CommonLists;
  readonly journals: SharedJournals;
  readonly keys: KeyTable;
  readonly recovery: Recovery;
};

/** The maximum number of sandbox ids in a warning. */
const MAX_NAMES = 20;

/** Implements `Sandbox.change` for a sandbox in a database: stores each change with `update`. */
export function createChange<S extends State>({ update }: Pick<Store<S>, 'update'>): Sandbox<S>['change'] {
  return (run) => update(() => ({ result: run() }));
}

/** Creates the sandboxes of a server that stores them in a database. Other servers can use the same sandboxes. */
export function createSharedSandboxes<S extends State>(parts: SandboxesParts<S>, shared: Shared): Sandboxes<S> {
  const { journals } = shared;
  return new Sandboxes(
    { ...parts, createJournal: (id, options) => journals.createJournal(id, options) },
    (live, main) => new DatabaseStorage({ parts, shared, live, main }),
  );
}

/** The sandboxes in a database. */
class DatabaseStorage<S extends State> implements SandboxStorage<S> {
  readonly #parts: SandboxesParts<S>;
  readonly #shared: Shared;
  readonly #log: SharedLog;
  readonly #live: LiveSandboxes<S>;
  readonly #default: Sandbox<S>;
  /** The sandboxes that are being loaded, by id. */
  readonly #loading = new Map<string, Promise<void>>();

  /** `live`: the copies in memory. `main`: the sandbox `default`. */
  constructor({
    parts,
    shared,
    live,
    main,
  }: {
    readonly parts: SandboxesParts<S>;
    readonly shared: Shared;
    readonly live: LiveSandboxes<S>;
    readonly main: Sandbox<S>;
  }) {
    this.#parts = parts;
    this.#shared = shared;
    this.#log = shared.log;
    this.#live = live;
    this.#default = main;
    shared.journals.onRemoved = (id, journal) => {
      if (id === DEFAULT_SANDBOX_ID) main.store.loadEdits().catch(() => {});
      else if (live.find(id)?.journal === journal) live.end(id, 'removed');
    };
    shared.recovery.onComplete = (...values) => this.#forgetLost(...values);
  }

  async load(id: string): Promise<void> {
    // A load of all sandboxes is no use of them.
    const sandbox = id === DEFAULT_SANDBOX_ID ? this.#default : this.#live.getUnexpired(id)?.sandbox;
    if (!sandbox) return this.#loadUnknown(id);
    try {
      await sandbox.store.loadEdits();
    } catch (error) {
      if (getFailure(error).reason !== 'removed') throw error;
      // Another request may have removed the copy, and loaded the new sandbox.
      if (this.#find(id) === sandbox) this.#live.end(id, 'removed');
      await this.#loadUnknown(id);
    }
  }

  async loadAll(): Promise<void> {
    const ids = await this.#log.listIds();
    this.#live.removeExpired();
    for (const [id] of this.#live.list()) if (!ids.includes(id)) this.#live.end(id, 'removed');
    await Promise.all(ids.map((id) => this.load(id)));
    await this.#shared.journals.loadStored();
  }

  loadJournal(id: string): Promise<void> {
    return this.#shared.journals.load(id);
  }

  async clearJournal(id: string): Promise<void> {
    await this.#shared.journals.clear(id);
  }

  async create(id: string, from: S): Promise<Sandbox<S>> {
    const { generation } = this.#shared.recovery;
    const known = this.#find(id);
    this.share(from);
    await this.load(id);
    const sandbox = this.#find(id);
    if (!sandbox) {
      const created = await this.#createStored(id, from, generation);
      if (created) return created;
      // Another request has created the sandbox in the meantime. It is replaced now.
      await this.#refuseIfLost(generation);
      return this.create(id, from);
    }
    if (sandbox !== known) await this.#refuseIfLost(generation);
    await sandbox.idempotencyKeys.clearWith((onApply) =>
      sandbox.store.update(() => {
        onApply();
        clearSettings(sandbox);
        sandbox.snapshots.clear();
        return { next: { ...from }, result: undefined };
      }),
    );
    await this.clearJournal(id);
    sandbox.journal.clear();
    return sandbox;
  }

  async createNew(id: string, from: S): Promise<Sandbox<S>> {
    const { generation } = this.#shared.recovery;
    const created = await this.#createStored(id, from, generation);
    if (created) return created;
    await this.#refuseIfLost(generation);
    await this.load(id);
    // Another server may have removed the sandbox in the meantime.
    return this.#find(id) ?? this.createNew(id, this.#live.factory.getDefaults());
  }

  remove(id: string): Promise<boolean> {
    return this.#log.remove(id);
  }

  share(state: S): void {
    this.#live.factory.memory.objects.share(state);
    this.#shared.lists.mark(state);
  }

  removeUnused(used: readonly string[]): void {
    // The next sweep tries again.
    this.#log.removeUnused(used, this.#parts.areVisitors ? VISITOR_IDLE_MS : IDLE_MS).catch(() => {});
  }

  onRelease(id: string, journal: Journal): void {
    this.#shared.journals.remove(id, journal);
  }

  #find(id: string): Sandbox<S> | undefined {
    return id === DEFAULT_SANDBOX_ID ? this.#default : this.#live.find(id);
  }

  /**
   * Throws `StoreUnavailableError` if the database has lost its content in the meantime.
   * `generation`: the generation of the sandbox `default` (its random id) at the start.
   */
  async #refuseIfLost(generation: string): Promise<void> {
    await this.load(DEFAULT_SANDBOX_ID);
    if (this.#shared.recovery.generation !== generation)
      throw new StoreUnavailableError('the database has lost its content, so nothing was changed');
  }

  /**
   * Creates a sandbox in the database.
   * Resolves to undefined if the sandbox exists already, or if the database has lost its content since `from` was read.
   * `generation`: the generation of the sandbox `default` (its random id) when `from` was read.
   */
  async #createStored(id: string, from: S, generation: string): Promise<Sandbox<S> | undefined> {
    this.share(from);
    const { log, format } = this.#shared;
    const content = { state: from, settings: INITIAL_SETTINGS, snapshots: new Map() };
    const version = await log.create(id, await format.encode(content), generation);
    if (!version) return undefined;
    this.#parts.log(`created sandbox ${id}`);
    return this.#find(id) ?? this.#addLoaded(id, { version, content });
  }

  #loadUnknown(id: string): Promise<void> {
    const known = this.#loading.get(id);
    if (known) return known;
    const loading = this.#log
      .find(id)
      .then(async ({ stored, expiredAtMs }) => {
        const loaded = stored && (await decodeSandbox(stored, this.#shared));
        // Another request may have created the sandbox in the meantime.
        if (this.#live.get(id)) return;
        if (loaded) this.#addLoaded(id, loaded);
        else if (expiredAtMs === undefined) this.#live.expiryTimes.delete(id);
        else this.#live.expiryTimes.set(id, expiredAtMs);
      })
      .finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  /** Removes lost sandboxes from the memory of this server, and logs that the database has lost its content. */
  #forgetLost(generation: string, lostRevision: number): void {
    const { lists, journals, warn } = this.#shared;
    const ids = this.#live.list().map(([id]) => id);
    lists.forgetStored();
    journals.restart(DEFAULT_SANDBOX_ID, generation);
    for (const id of ids) this.#live.end(id, 'removed');
    const others = ids.length === 0 ? '' : `, and the sandboxes ${limitList(ids, MAX_NAMES).join(', ')}`;
    warn(
      `The database has lost the sandbox 'default' (revision ${lostRevision})${others}, including all snapshots, journals and idempotency keys. The sandbox 'default' was created again from the default data.`,
    );
  }

  #addLoaded(id: string, loaded: LoadedContent): Sandbox<S> {
    const { state } = loaded.content;
    this.#shared.journals.setGeneration(id, loaded.version.generation);
    return this.#live.add(id, state as S, false, (parts) => this.#createSandbox(id, loaded, parts));
  }

  #createSandbox(id: string, loaded: LoadedContent, { quota, journal, onChange }: OwnParts): Sandbox<S> {
    const idempotencyKeys = new SharedKeys(this.#shared.keys, id);
    const configured = { ...this.#live.factory.createParts({ quota, onChange }), idempotencyKeys };
    const parts = { ...this.#shared, recovery: undefined };
    const backend = new SandboxBackend({ ...parts, id, sandbox: configured, loaded, quota });
    const store = createStore<S>({
      // The state of the application is what the database contains.
      backend: backend as never,
      initial: loaded.content.state as S,
      defaults: () => ({ ...this.#live.factory.getDefaults() }),
      nowMs: configured.clock.nowMs,
      onCommit: this.#parts.onCommit,
    });
    return { id, journal, ...configured, store, change: createChange(store) };
  }
}
