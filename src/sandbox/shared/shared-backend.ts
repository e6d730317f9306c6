import type { Backend, SharedBackend } from '../../store/backend.ts';
import { StateReplacedError, StoreUnavailableError } from '../../store/errors.ts';
import type { SandboxVersion, StoredChange } from '../../store/postgres/change-reader.ts';
import type { SharedLog, StoredSandbox } from '../../store/postgres/shared-log.ts';
import type { State } from '../../store/state.ts';
import type { MemoryQuota } from '../memory/memory.ts';
import { exportSettings, importSettings } from '../settings.ts';
import type { Recovery } from './recovery.ts';
import { type Content, type ContentFormat, compareSettings, type StoredParts } from './stored-content.ts';

/** The error if another server has deleted the sandbox during a request. */
export class SandboxRemovedError extends StoreUnavailableError {
  constructor(id: string) {
    super(`sandbox ${id} was deleted during the request, so nothing was changed`);
  }
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

/** The maximum length of all stored changes of a sandbox, in characters. At this length, the server merges the changes. */
const MAX_CHANGES_LENGTH = 2_000_000;

/** Returns the content of a stored sandbox: applies the stored changes to the stored base content. */
export async function decodeSandbox(
  { generation, base, changes }: StoredSandbox,
  { format }: Pick<SharedParts, 'format'>,
): Promise<LoadedContent> {
  return applyAll({ version: { ...base, generation }, content: await format.decode(base.content) }, changes, format);
}

async function applyAll(
  loaded: LoadedContent,
  changes: readonly StoredChange[],
  format: ContentFormat,
): Promise<LoadedContent> {
  let { version, content } = loaded;
  for (const change of changes) {
    content = await format.apply(content, change.content);
    version = { ...version, revision: change.revision, head: change.head };
  }
  return { version, content };
}

/** Returns whether a stored sandbox contains all changes that this server knows. If not, the database has lost changes. */
function isLaterVersion({ base, changes }: StoredSandbox, { revision, head }: SandboxVersion): boolean {
  return base.revision > revision || [base, ...changes].some((change) => change.head === head);
}

/** Stores the state, the settings and the snapshots of a sandbox in a database that several servers share. */
export class SandboxBackend implements Backend {
  readonly shared: SharedBackend = {
    getRevision: () => this.#version.revision,
    hasOtherChanges: () => this.#hasOtherChanges(),
    discardOtherChanges: () => {
      this.#options.sandbox.idempotencyKeys.settle(false);
      this.#show(this.#committed);
    },
  };
  readonly #options: SandboxBackendOptions;
  #version: SandboxVersion;
  #committed: Content;
  #changes = 0;
  #changesLength = 0;
  #isCompacting = false;

  constructor(options: SandboxBackendOptions) {
    this.#options = options;
    this.#version = options.loaded.version;
    this.#committed = options.loaded.content;
    this.#show(this.#committed);
    this.#committed = this.#getContent(this.#committed.state);
  }

  async commit(next: State): Promise<void> {
    const { id, log, format, quota, sandbox } = this.#options;
    const content = this.#getContent(next);
    const { state } = this.#committed;
    quota?.replace(state, next);
    try {
      const text = await format.encodeDifference(this.#committed, content);
      const change = { content: text, ...sandbox.idempotencyKeys.pending };
      this.#version = { ...this.#version, ...(await log.append(id, this.#version, change)) };
      sandbox.idempotencyKeys.settle(true);
      this.#committed = content;
      this.#changes++;
      this.#changesLength += text.length;
    } catch (error) {
      quota?.replace(next, state);
      throw error;
    }
    if (this.#changes >= MAX_CHANGES || this.#changesLength >= MAX_CHANGES_LENGTH) void this.#compact();
  }

  async findEdit(): Promise<State | undefined> {
    const { id, log, format } = this.#options;
    const changes = await log.readChanges(id, this.#version);
    if (changes === 'removed') return this.#loadReplacement();
    if (changes === 'diverged') return this.#reload();
    if (changes.length === 0) return undefined;
    return this.#replace(await applyAll({ version: this.#version, content: this.#committed }, changes, format));
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {}

  /** Loads the whole sandbox, because the stored changes do not continue the version that this server knows. */
  async #reload(): Promise<State> {
    const { id, log, warn } = this.#options;
    const stored = await log.load(id);
    if (!stored) throw new SandboxRemovedError(id);
    const loaded = await decodeSandbox(stored, this.#options);
    if (!isLaterVersion(stored, this.#version))
      warn(
        `sandbox ${id}: the database is at revision ${loaded.version.revision} and does not have the change of revision ${this.#version.revision} that this server has seen. The database has lost changes. The server uses the content of the database.`,
      );
    return this.#replace(loaded);
  }

  /**
   * Loads the new sandbox after the database has lost the old sandbox. Always rejects: with `StateReplacedError` if there is a new sandbox, or else with
   * another `StoreUnavailableError`.
   */
  async #loadReplacement(): Promise<never> {
    const { id, log, recovery } = this.#options;
    if (!recovery) throw new SandboxRemovedError(id);
    const stored = await log.load(id);
    if (!stored) {
      recovery.start();
      throw new StoreUnavailableError(`the database was emptied: the server creates the sandbox ${id} again`);
    }
    const { revision } = this.#version;
    const state = await this.#replace(await decodeSandbox(stored, this.#options));
    recovery.complete(this.#version.generation, revision);
    throw new StateReplacedError(`the database has lost the sandbox ${id}, which was created again`, state);
  }

  async #replace({ version, content }: LoadedContent): Promise<State> {
    const { quota, prepare } = this.#options;
    await prepare?.(content.state);
    quota?.replace(this.#committed.state, content.state);
    this.#version = version;
    this.#show(content);
    this.#committed = this.#getContent(content.state);
    return content.state;
  }

  #hasOtherChanges(): boolean {
    if (this.#options.sandbox.idempotencyKeys.hasPending) return true;
    const { settings, snapshots } = this.#getContent(this.#committed.state);
    if (Object.keys(compareSettings(this.#committed.settings, settings)).length > 0) return true;
    const before = this.#committed.snapshots;
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

  /** Merges all stored changes into one: stores the whole content of the sandbox as a new base. If this fails, the database still has the changes. */
  async #compact(): Promise<void> {
    if (this.#isCompacting) return;
    this.#isCompacting = true;
    const { id, log, format, warn } = this.#options;
    const version = this.#version;
    try {
      await log.compact(id, version, await format.encode(this.#committed));
      this.#changes = 0;
      this.#changesLength = 0;
    } catch (error) {
      warn(`sandbox ${id}: its changes could not be merged (${(error as Error).message}). The server tries again.`);
    } finally {
      this.#isCompacting = false;
    }
  }
}
