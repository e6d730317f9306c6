import { getFailure, StoreUnavailableError } from '../../store/backend.ts';
import type { KeyTable } from '../../store/postgres/key-table.ts';
import type { SharedLog } from '../../store/postgres/shared-log.ts';
import type { State } from '../../store/state.ts';
import { createStore, type Store } from '../../store/store.ts';
import { limitList } from '../../util/text.ts';
import { Sandboxes } from '../registry.ts';
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

/** Options of sandboxes that are stored in a database. */
interface SharedSandboxesParts<S extends State> extends SandboxesParts<S> {
  readonly shared: SharedParts & {
    readonly lists: CommonLists;
    readonly journals: SharedJournals;
    readonly keys: KeyTable;
    readonly recovery: Recovery;
  };
}

/** The maximum number of sandbox ids in a warning. */
const MAX_NAMES = 20;

/** Implements `Sandbox.change` for a sandbox in a database: stores each change with `update`. */
export function createChange<S extends State>({ update }: Pick<Store<S>, 'update'>): Sandbox<S>['change'] {
  return (run) => update(() => ({ result: run() }));
}

/**
 * The sandboxes of a server that stores them in a database.
 * Other servers can use the same sandboxes at the same time.
 * The sandboxes in memory are copies.
 */
export class SharedSandboxes<S extends State = State> extends Sandboxes<S> {
  override readonly isShared = true;
  readonly #shared: SharedSandboxesParts<S>['shared'];
  readonly #log: SharedLog;
  /** The sandboxes that are being loaded, by id. */
  readonly #loading = new Map<string, Promise<void>>();
  /** The ids of the sandboxes that were used since the last sweep. */
  readonly #used = new Set<string>();

  constructor(parts: SharedSandboxesParts<S>) {
    super({ ...parts, createJournal: (id, options) => parts.shared.journals.createJournal(id, options) });
    this.#shared = parts.shared;
    this.#log = parts.shared.log;
    parts.shared.journals.onRemoved = (id, journal) => {
      if (id === DEFAULT_SANDBOX_ID) this.default.store.loadEdits().catch(() => {});
      else if (super.find(id)?.journal === journal) this.end(id, 'removed');
    };
    parts.shared.recovery.onComplete = (...values) => this.#forgetLost(...values);
  }

  override find(id: string): Sandbox<S> | undefined {
    this.#used.add(id);
    return super.find(id);
  }

  override async load(id: string): Promise<void> {
    // A load of all sandboxes is no use of them.
    const sandbox = id === DEFAULT_SANDBOX_ID ? this.default : this.getUnexpired(id)?.sandbox;
    if (!sandbox) return this.#loadUnknown(id);
    try {
      await sandbox.store.loadEdits();
    } catch (error) {
      if (getFailure(error).reason !== 'removed') throw error;
      // Another request may have removed the copy, and loaded the new sandbox.
      if (super.find(id) === sandbox) this.end(id, 'removed');
      await this.#loadUnknown(id);
    }
  }

  override async loadAll(): Promise<void> {
    const ids = await this.#log.listIds();
    const removed = this.list().filter((sandbox) => !ids.includes(sandbox.id));
    for (const { id } of removed) this.end(id, 'removed');
    await Promise.all(ids.map((id) => this.load(id)));
    await this.#shared.journals.loadStored();
  }

  override loadJournal(id: string): Promise<void> {
    return this.#shared.journals.load(id);
  }

  override async clearJournal({ id, journal }: Pick<Sandbox<S>, 'id' | 'journal'>): Promise<void> {
    await this.#shared.journals.clear(id);
    journal.clear();
  }

  override async create(id: string, from: S = this.factory.getDefaults()): Promise<Sandbox<S>> {
    const { generation } = this.#shared.recovery;
    const known = this.find(id);
    this.share(from);
    await this.load(id);
    const sandbox = this.find(id);
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
    await this.clearJournal(sandbox);
    return sandbox;
  }

  override async remove(id: string): Promise<boolean> {
    if (id === DEFAULT_SANDBOX_ID) return false;
    const isRemoved = await this.#log.remove(id);
    await super.remove(id);
    return isRemoved;
  }

  override share(state: S): void {
    super.share(state);
    this.#shared.lists.mark(state);
  }

  /** Removes the copy of a sandbox from memory. Another server may still use the sandbox. */
  protected override expire(id: string): void {
    this.release(id);
  }

  protected override release(id: string) {
    const entry = super.release(id);
    if (entry) this.#shared.journals.remove(id, entry.sandbox.journal);
    return entry;
  }

  protected override sweep(): void {
    super.sweep();
    const used = [...this.#used, ...this.map.listInUse()];
    this.#used.clear();
    // The next sweep tries again.
    this.#log.removeUnused(used).catch(() => {});
  }

  protected override async createNew(id: string, from: S): Promise<Sandbox<S>> {
    const { generation } = this.#shared.recovery;
    const created = await this.#createStored(id, from, generation);
    if (created) return created;
    await this.#refuseIfLost(generation);
    return this.get(id);
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
    this.parts.log(`created sandbox ${id}`);
    return super.find(id) ?? this.#addLoaded(id, { version, content });
  }

  #loadUnknown(id: string): Promise<void> {
    const known = this.#loading.get(id);
    if (known) return known;
    const loading = this.#log
      .find(id)
      .then(async ({ stored, expiredAtMs }) => {
        const loaded = stored && (await decodeSandbox(stored, this.#shared));
        // Another request may have created the sandbox in the meantime.
        if (this.map.entries.has(id)) return;
        if (loaded) this.#addLoaded(id, loaded);
        else if (expiredAtMs === undefined) this.expiryTimes.delete(id);
        else this.expiryTimes.set(id, expiredAtMs);
      })
      .finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  /** Removes lost sandboxes from the memory of this server, and logs that the database has lost its content. */
  #forgetLost(generation: string, lostRevision: number): void {
    const { lists, journals, warn } = this.#shared;
    const ids = [...this.map.entries.keys()];
    lists.forgetStored();
    journals.restart(DEFAULT_SANDBOX_ID, generation);
    for (const id of ids) this.end(id, 'removed');
    const others = ids.length === 0 ? '' : `, and the sandboxes ${limitList(ids, MAX_NAMES).join(', ')}`;
    warn(
      `The database has lost the sandbox 'default' (revision ${lostRevision})${others}, including all snapshots, journals and idempotency keys. The sandbox 'default' was created again from the default data.`,
    );
  }

  #addLoaded(id: string, loaded: LoadedContent): Sandbox<S> {
    const { state } = loaded.content;
    this.#shared.journals.setGeneration(id, loaded.version.generation);
    return this.add(id, state as S, false, (parts) => this.#createSandbox(id, loaded, parts));
  }

  #createSandbox(id: string, loaded: LoadedContent, { quota, journal, onChange }: OwnParts): Sandbox<S> {
    const idempotencyKeys = new SharedKeys(this.#shared.keys, id);
    const configured = { ...this.factory.createParts({ quota, onChange }), idempotencyKeys };
    const parts = { ...this.#shared, recovery: undefined };
    const backend = new SandboxBackend({ ...parts, id, sandbox: configured, loaded, quota });
    const store = createStore<S>({
      // The state of the application is what the database contains.
      backend: backend as never,
      initial: loaded.content.state as S,
      defaults: () => ({ ...this.factory.getDefaults() }),
      nowMs: configured.clock.nowMs,
      onCommit: this.parts.onCommit,
    });
    return { id, journal, ...configured, store, change: createChange(store) };
  }
}
