import { type Backend, createConflictError, type SharedBackend, StoreUnavailableError } from '../../store/backend.ts';
import type { SandboxVersion, StoredChange } from '../../store/postgres/change-reader.ts';
import type { Transaction } from '../../store/postgres/database.ts';
import type { SharedLog, StoredSandbox } from '../../store/postgres/shared-log.ts';
import type { CommittedState, State } from '../../store/state.ts';
import type { MemoryQuota } from '../memory/memory.ts';
import { exportSettings, importSettings } from '../sandbox.ts';
import type { Recovery } from './recovery.ts';
import { type Content, type ContentFormat, compareSettings, type StoredParts } from './stored-content.ts';

/** Creates the error if another server has deleted the sandbox during a request. */
function createRemovedError(id: string): StoreUnavailableError {
  const detail = `sandbox ${id} was deleted during the request, so nothing was changed`;
  return new StoreUnavailableError(detail, { reason: 'removed' });
}

/** The dependencies that all sandboxes of a server have in common. */
export interface SharedParts {
  readonly log: SharedLog;
  readonly format: ContentFormat;
  /** Writes a warning to the log of the server. */
  readonly warn: (message: string) => void;
  /** Computes data that is derived from a state, such as search indexes, before requests use the state. */
  readonly prepare?: ((state: State) => Promise<void>) | undefined;
}

/** The content of a sandbox that was loaded from the database, and the version of this content. */
export interface LoadedContent {
  readonly version: SandboxVersion;
  readonly content: Content;
}

/** Options of `SandboxBackend`. */
interface SandboxBackendOptions extends SharedParts {
  readonly id: string;
  readonly sandbox: StoredParts;
  readonly loaded: LoadedContent;
  /** The memory quota of the sandbox. It already counts the state. */
  readonly quota?: MemoryQuota | undefined;
  /** Creates the sandbox again if the database has lost it. Undefined for a sandbox that clients can delete. */
  readonly recovery?: Recovery | undefined;
}

/** The maximum number of stored changes of a sandbox. At this number, the server merges the changes. */
const MAX_CHANGES = 500;

/**
 * The maximum length of all stored changes of a sandbox, in characters.
 * At this length, the server merges the changes.
 */
const MAX_CHANGES_LENGTH = 2_000_000;

/**
 * The length for which a reference to a collection counts, in characters.
 * The database stores the collection at least until the changes are merged.
 */
const REFERENCE_LENGTH = 20_000;

/** Returns the content of a stored sandbox: applies the stored changes to the stored base content. */
export async function decodeSandbox(stored: StoredSandbox, parts: Pick<SharedParts, 'format'>): Promise<LoadedContent> {
  return (await decodeHistory(stored, parts)).at(-1) as LoadedContent;
}

/** Returns the base content of a stored sandbox, and the contents after each of the stored changes. */
async function decodeHistory(
  { generation, base: { revision, head, content }, changes }: StoredSandbox,
  { format }: Pick<SharedParts, 'format'>,
): Promise<readonly LoadedContent[]> {
  const loaded = { version: { revision, head, generation }, content: await format.decode(content) };
  return [loaded, ...(await applyAll(loaded, changes, format))];
}

/** Returns the contents after each of the changes. */
async function applyAll(
  { version, content }: LoadedContent,
  changes: readonly StoredChange[],
  format: ContentFormat,
): Promise<readonly LoadedContent[]> {
  const contents: LoadedContent[] = [];
  let next = content;
  for (const { revision, head, content: change } of changes) {
    next = await format.apply(next, change);
    contents.push({ version: { ...version, revision, head }, content: next });
  }
  return contents;
}

function toCommitted({ version: { revision, generation }, content: { state } }: LoadedContent): CommittedState {
  return { state, revision, generation };
}

/**
 * Returns whether a stored sandbox contains all changes that this server knows.
 * If not, the database has lost changes.
 */
function isLaterVersion({ base, changes }: StoredSandbox, { revision, head }: SandboxVersion): boolean {
  return base.revision > revision || [base, ...changes].some((change) => change.head === head);
}

/** Stores the state, the settings and the snapshots of a sandbox in a database that several servers share. */
export class SandboxBackend implements Backend {
  readonly shared: SharedBackend = {
    getCommitted: () => toCommitted(this.#loaded),
    takeCommitted: () => this.#committed.splice(0),
    loadHistory: (revision) => this.#loadHistory(revision),
    takeTurn: async () => {
      this.shared.endTurn();
      this.#turn = await this.#options.log.takeTurn(this.#options.id);
    },
    endTurn: () => {
      this.#turn?.rollback();
      this.#turn = undefined;
    },
    hasOtherChanges: () => this.#hasOtherChanges(),
    discardOtherChanges: () => {
      this.#options.sandbox.idempotencyKeys.settle(false);
      this.#show(this.#loaded.content);
    },
  };
  readonly #options: SandboxBackendOptions;
  /** The last committed content that this server knows. */
  #loaded: LoadedContent;
  /** The states since the last call of `takeCommitted`. */
  readonly #committed: CommittedState[] = [];
  /** The state that the quota counts: during a commit, it can be the next state. */
  #counted: State;
  /** The open transaction in which this server may commit, while the other servers wait. */
  #turn: Transaction | undefined;
  #changes = 0;
  #changesLength = 0;
  #isCompacting = false;

  constructor(options: SandboxBackendOptions) {
    this.#options = options;
    const { version, content } = options.loaded;
    this.#show(content);
    this.#loaded = { version, content: this.#getContent(content.state) };
    this.#counted = content.state;
  }

  async commit(next: State, base: State): Promise<void> {
    const { id, log, format, sandbox } = this.#options;
    const { version, content } = this.#loaded;
    if (base !== content.state) throw createConflictError();
    const changed = this.#getContent(next);
    try {
      this.#count(next);
      const encoded = await format.encodeDifference(content, changed);
      const change = { ...encoded, ...sandbox.idempotencyKeys.pending };
      const appended = { ...version, ...(await log.append(id, version, change, this.#turn)) };
      sandbox.idempotencyKeys.settle(true);
      // A request may have loaded this change in the meantime, with later changes of other servers.
      if (appended.revision > this.#loaded.version.revision) {
        this.#loaded = { version: appended, content: changed };
        this.#committed.push(toCommitted(this.#loaded));
      }
      this.#changes++;
      this.#changesLength += encoded.content.length + encoded.lists.size * REFERENCE_LENGTH;
    } finally {
      this.#count(this.#loaded.content.state);
    }
    if (this.#changes >= MAX_CHANGES || this.#changesLength >= MAX_CHANGES_LENGTH) void this.#compact();
  }

  async findEdit(): Promise<State | undefined> {
    const { id, log, format } = this.#options;
    const known = this.#loaded;
    const changes = await log.readChanges(id, known.version);
    if (changes === 'removed') return this.#loadReplacement(known);
    if (changes === 'diverged') return this.#reload(known);
    if (changes.length === 0) return undefined;
    return this.#replace(known, await applyAll(known, changes, format));
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {}

  /** Loads the whole sandbox, because the stored changes do not continue the version that this server knows. */
  async #reload(known: LoadedContent): Promise<State | undefined> {
    const { id, log, warn } = this.#options;
    const stored = await log.load(id);
    if (!stored) throw createRemovedError(id);
    const contents = await decodeHistory(stored, this.#options);
    if (this.#loaded === known && !isLaterVersion(stored, known.version))
      warn(
        `sandbox ${id}: the database is at revision ${contents.at(-1)?.version.revision} and does not have the change of revision ${known.version.revision} that this server has seen. The database has lost changes. The server uses the content of the database.`,
      );
    return this.#replace(known, contents);
  }

  /**
   * Loads the new sandbox after the database has lost the old sandbox.
   * Always rejects with a `StoreUnavailableError`. It has a `replacement` if there is a new sandbox.
   */
  async #loadReplacement(known: LoadedContent): Promise<never> {
    const { id, log, recovery } = this.#options;
    if (!recovery) throw createRemovedError(id);
    const stored = await log.load(id);
    if (!stored) {
      recovery.start();
      throw new StoreUnavailableError(`the database was emptied: the server creates the sandbox ${id} again`);
    }
    const loaded = await decodeSandbox(stored, this.#options);
    await this.#replace(known, [loaded]);
    recovery.complete(loaded.version.generation, known.version.revision);
    const detail = `the database has lost the sandbox ${id}, which was created again`;
    throw new StoreUnavailableError(detail, { replacement: this.#loaded.content.state });
  }

  /**
   * Uses the last of the loaded contents.
   * Resolves to its state, or to undefined if a commit has ended in the meantime that is not older.
   * `known`: the content that this server knew at the start of the load.
   */
  async #replace(known: LoadedContent, contents: readonly LoadedContent[]): Promise<State | undefined> {
    const last = contents.at(-1) as LoadedContent;
    const { version, content } = last;
    await this.#options.prepare?.(content.state);
    const { revision, generation } = this.#loaded.version;
    if (this.#loaded !== known && revision >= version.revision) return undefined;
    this.#count(content.state);
    this.#show(content);
    const isNew = ({ version: one }: LoadedContent) => one.generation === generation && one.revision > revision;
    const added = contents.filter(isNew);
    this.#committed.push(...(added.length > 0 ? added : [last]).map(toCommitted));
    this.#loaded = { version, content: this.#getContent(content.state) };
    return content.state;
  }

  /** Loads the states of the stored commits from a revision on. */
  async #loadHistory(revision: number): Promise<readonly CommittedState[] | undefined> {
    const { id, log } = this.#options;
    const stored = await log.load(id);
    const { generation } = this.#loaded.version;
    if (!stored || stored.generation !== generation || stored.base.revision > revision) return undefined;
    const contents = await decodeHistory(stored, this.#options);
    return contents.map(toCommitted).filter((one) => one.revision >= revision);
  }

  #count(state: State): void {
    if (state === this.#counted) return;
    this.#options.quota?.replace(this.#counted, state);
    this.#counted = state;
  }

  #hasOtherChanges(): boolean {
    if (this.#options.sandbox.idempotencyKeys.hasPending) return true;
    const { settings, snapshots } = this.#getContent(this.#loaded.content.state);
    if (Object.keys(compareSettings(this.#loaded.content.settings, settings)).length > 0) return true;
    const before = this.#loaded.content.snapshots;
    return before.size !== snapshots.size || [...snapshots].some(([name, state]) => before.get(name) !== state);
  }

  #getContent(state: State): Content {
    const { sandbox } = this.#options;
    return { state, settings: exportSettings(sandbox), snapshots: new Map(sandbox.snapshots) };
  }

  /** Applies stored settings and snapshots to the sandbox in memory. */
  #show({ settings, snapshots }: Content): void {
    const { sandbox } = this.#options;
    const current = exportSettings(sandbox);
    importSettings(sandbox, compareSettings(current, settings));
    for (const name of sandbox.snapshots.keys()) if (!snapshots.has(name)) sandbox.snapshots.delete(name);
    for (const [name, state] of snapshots)
      if (sandbox.snapshots.get(name) !== state) sandbox.snapshots.set(name, state);
  }

  /**
   * Merges all stored changes into one: stores the whole content of the sandbox as a new base.
   * If this fails, the database still has the changes.
   */
  async #compact(): Promise<void> {
    if (this.#isCompacting) return;
    this.#isCompacting = true;
    const { id, log, format, warn } = this.#options;
    const { version, content } = this.#loaded;
    try {
      await log.compact(id, version, await format.encode(content));
      this.#changes = 0;
      this.#changesLength = 0;
    } catch (error) {
      warn(`sandbox ${id}: its changes could not be merged (${(error as Error).message}). The server tries again.`);
    } finally {
      this.#isCompacting = false;
    }
  }
}
