import { resolve } from 'node:path';
import type { Application } from '../application.ts';
import type { CoverageStorage } from '../coverage/coverage-control.ts';
import type { Metrics } from '../http/metrics.ts';
import type { ServedContract } from '../http/served.ts';
import type { Contract } from '../openapi/contract.ts';
import type { ServerOptions } from '../options.ts';
import { createClock } from '../sandbox/clock-and-ids.ts';
import { DEFAULT_SNAPSHOTS_BYTES, MEMORY_LIMITS, Memory } from '../sandbox/memory/memory.ts';
import {
  createConfiguredParts,
  DEFAULT_SANDBOX_ID,
  INITIAL_SETTINGS,
  type SandboxesParts,
} from '../sandbox/sandbox.ts';
import { CommonLists } from '../sandbox/shared/common-lists.ts';
import { Recovery } from '../sandbox/shared/recovery.ts';
import { decodeSandbox, type LoadedContent, SandboxBackend } from '../sandbox/shared/shared-backend.ts';
import { SharedJournals } from '../sandbox/shared/shared-journals.ts';
import { SharedKeys } from '../sandbox/shared/shared-keys.ts';
import { createChange } from '../sandbox/shared/shared-sandboxes.ts';
import { ContentFormat } from '../sandbox/shared/stored-content.ts';
import { getFailure } from '../store/backend.ts';
import type { DefaultDataSource } from '../store/default-data.ts';
import { type OpenedState, type OpenStateOptions, openState } from '../store/open-state.ts';
import { CoverageTable } from '../store/postgres/coverage-table.ts';
import { type Database, type DatabaseOptions, DEFAULT_SCHEMA, describeDatabase } from '../store/postgres/database.ts';
import { JournalTables } from '../store/postgres/journal-tables.ts';
import { KeyTable } from '../store/postgres/key-table.ts';
import { migrate, openMigratedDatabase, toStartError } from '../store/postgres/schema.ts';
import { SharedLog } from '../store/postgres/shared-log.ts';
import type { State } from '../store/state.ts';
import { addEmptyLists, keepOtherLists } from '../store/state-change.ts';
import { createStore } from '../store/store.ts';
import { UserError } from '../util/issue.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { describeIssues } from './served-contract.ts';

/** The parts of a starting server that `openServerState` uses. */
interface StateParts extends Pick<SandboxesParts, 'nowMs' | 'elapsedMs' | 'newId'> {
  readonly application: Application;
  readonly options: ServerOptions;
  readonly log: OpenStateOptions['log'];
  readonly metrics: Pick<Metrics, 'recordCommit'>;
  readonly current: { readonly served: ServedContract };
  /** The clock of this machine. `nowMs` adds the offset, so that all servers with one database have its time. */
  readonly machineClock: ConstructorParameters<typeof JournalTables>[1];
  /** The URL of the server; undefined until the server listens. */
  readonly address: { readonly url?: string };
}

/**
 * Opens the state of the sandbox `default` in the data file, in memory or in a database, and creates the clock of this
 * sandbox.
 */
export async function openServerState(start: StateParts) {
  const { application, options, nowMs, log, current, address, metrics } = start;
  if (options.database !== undefined && options.data !== undefined)
    throw new UserError('A server has either a database or a data file: omit --database or --data.');
  const clock = createClock(nowMs);
  const { prepare } = application;
  const state = await openState({
    data: options.data,
    durability: options.durability ?? 'disk',
    contract: options.contract,
    ...getDefaultData(application, options, () => current.served.contract),
    collections: () => Object.keys(current.served.collections),
    internalLists: () => current.served.internalLists,
    check: (data) => current.served.validator.validate(data),
    checkInSteps: (data) => current.served.validator.validateInSteps(data),
    checkDefaultsInSteps: (data) => current.served.validator.validateDefaultsInSteps(data),
    checkedBy: () => current.served.validator,
    nowMs: clock.nowMs,
    address: () => address.url,
    onCommit: metrics.recordCommit,
    ...(prepare ? { prepare } : {}),
    log,
  });
  return openDatabaseState(start, { ...state, sandbox: { store: state.store, clock } });
}

/**
 * If the options name a database, opens the state in the database, with the default data of `state`.
 * Otherwise, returns `state` unchanged.
 */
async function openDatabaseState(
  { application, options, log, current, metrics, ...clocks }: StateParts,
  state: OpenedState & { readonly sandbox: SandboxesParts['default'] },
) {
  const { database, databaseSchema = DEFAULT_SCHEMA } = options;
  if (database === undefined) return { ...state, shared: undefined, ...NO_DATABASE };
  const shared = await openSharedState({
    ...clocks,
    application,
    log,
    onCommit: metrics.recordCommit,
    database: { url: database, schema: databaseSchema },
    defaults: state.defaults,
    collections: () => Object.keys(current.served.collections),
    internalLists: () => current.served.internalLists,
    check: (data) => current.served.validator.validate(data),
  });
  return { ...state, ...shared, database: describeDatabase(database, databaseSchema) };
}

const NO_DATABASE = { database: undefined, countConnections: undefined, coverage: undefined, close: undefined };

/** Options of `openSharedState`. */
interface SharedStateOptions
  extends Pick<SandboxesParts, 'nowMs' | 'elapsedMs' | 'newId' | 'onCommit'>,
    Pick<OpenStateOptions, 'check' | 'collections' | 'internalLists'> {
  readonly database: DatabaseOptions;
  readonly machineClock: StateParts['machineClock'];
  readonly application: Application;
  readonly defaults: () => State;
  readonly log: OpenStateOptions['log'];
}

/**
 * Opens a database that several servers share, creates its tables if they do not exist, and loads the default sandbox.
 */
async function openSharedState(options: SharedStateOptions) {
  const { database: source, log } = options;
  const { database } = await openMigratedDatabase(source, log);
  try {
    const recovery = new Recovery(log);
    const { tables, ...shared } = createStorage(options, recovery.watch(database), recovery);
    await tables.register();
    const loaded = await loadDefault(options, shared);
    recovery.generation = loaded.version.generation;
    const journals = new SharedJournals(tables);
    journals.setGeneration(DEFAULT_SANDBOX_ID, loaded.version.generation);
    const { store, sandbox } = createDefault(options, shared, loaded);
    recovery.run = async () => {
      await recreateTables(options, database);
      await createDefaultContent(options, shared);
      await tables.register();
      await store.loadEdits().catch(ignoreReplacement);
    };
    const close = async () => {
      recovery.stop();
      await journals.close();
      await database.close();
    };
    const { countConnections } = database;
    database.logAvailability();
    const coverage = createCoverageStorage(database, journals);
    return { store, sandbox, shared: { ...shared, journals }, countConnections, coverage, close };
  } catch (error) {
    await database.close();
    throw toStartError(error, source);
  }
}

/** Creates the objects that read and write the database. */
function createStorage(
  { defaults, application, log, machineClock }: SharedStateOptions,
  database: Database,
  recovery: Recovery,
) {
  const sharedLog = new SharedLog(database);
  const lists = new CommonLists(sharedLog.lists);
  lists.mark(defaults());
  const tables = new JournalTables(database, machineClock);
  return {
    log: sharedLog,
    lists,
    format: new ContentFormat(lists),
    tables,
    keys: new KeyTable(database, tables.server),
    recovery,
    warn: (message: string) => log.warn(message),
    prepare: application.prepare?.bind(application),
  };
}

/** Creates the storage of the coverage. Another server waits for its counts as it waits for journals. */
function createCoverageStorage(database: Database, journals: SharedJournals): CoverageStorage {
  const table = new CoverageTable(database);
  return {
    add: (rows) => table.add(rows),
    read: () => table.read(),
    clear: () => table.clear(),
    flushOthers: () => journals.flushOthers(),
    set onFlush(store: () => Promise<void>) {
      journals.onFlush = store;
    },
  };
}

type Storage = Omit<ReturnType<typeof createStorage>, 'tables'>;

/** Creates the tables again, if the database has lost them. */
async function recreateTables({ database: source, log }: SharedStateOptions, database: Database): Promise<void> {
  const applied = await migrate(database, source);
  if (applied === 0) return;
  log.warn(`${describeDatabase(source.url, source.schema)} has lost tables. The server has created all tables again.`);
}

/** Creates the sandbox `default` from the default data, if it does not exist. */
async function createDefaultContent(
  { defaults, collections }: SharedStateOptions,
  { log, lists, format }: Storage,
): Promise<void> {
  const state = defaults();
  const missing = collections().filter((name) => !Object.hasOwn(state, name));
  const complete = { ...state, ...Object.fromEntries(missing.map((name) => [name, []])) };
  lists.forgetStored();
  const content = { state: complete, settings: INITIAL_SETTINGS, snapshots: new Map() };
  await log.create(DEFAULT_SANDBOX_ID, await format.encode(content));
}

/**
 * Throws `error` again, unless it only reports that the sandbox `default` was created again.
 */
function ignoreReplacement(error: unknown): void {
  if (!getFailure(error).replacement) throw error;
}

/** Returns the content of the default sandbox. Creates it from the default data if the database is new. */
async function loadDefault(options: SharedStateOptions, shared: Storage): Promise<LoadedContent> {
  const { log, format } = shared;
  await createDefaultContent(options, shared);
  const stored = await log.load(DEFAULT_SANDBOX_ID);
  if (!stored) throw new UserError('The sandbox default is missing in the database: start the server again.');
  const loaded = await decodeSandbox(stored, { format });
  const issues = options.check(structuredClone(loaded.content.state));
  if (issues.length > 0)
    throw new UserError(
      `The state in the database is invalid: ${describeIssues(issues)}. Use another schema with --database-schema, or the contract that the state was made for.`,
    );
  return loaded;
}

function createDefault(options: SharedStateOptions, shared: Storage, loaded: LoadedContent) {
  const { log, defaults, collections, internalLists = () => [], onCommit } = options;
  const quota = new Memory(MEMORY_LIMITS, () => {}).createSeparateQuota(DEFAULT_SNAPSHOTS_BYTES);
  const parts = { ...options, log: (message: string) => log.info(message) };
  const idempotencyKeys = new SharedKeys(shared.keys, DEFAULT_SANDBOX_ID);
  const sandbox = { ...createConfiguredParts(parts, { quota, onChange() {} }), idempotencyKeys };
  const backend = new SandboxBackend({ ...shared, id: DEFAULT_SANDBOX_ID, sandbox, loaded });
  const store = createStore({
    backend,
    initial: loaded.content.state,
    defaults: () => addEmptyLists(defaults(), internalLists()),
    keepLists: (current, next) => keepOtherLists(current, next, collections()),
    nowMs: sandbox.clock.nowMs,
    onCommit,
  });
  return { store, sandbox: { ...sandbox, store, change: createChange(store) } };
}

/**
 * Returns the source of the default data: a path, or a function that creates the default data for the current contract.
 * `getContract` returns the current contract.
 */
export function getDefaultData(
  { defaultData: own, completeDefaultData }: Application,
  { defaultData }: Pick<ServerOptions, 'defaultData'>,
  getContract: () => Contract,
): DefaultDataSource {
  const file = defaultData ?? (typeof own === 'string' ? own : undefined);
  const add = typeof own === 'string' ? completeDefaultData : own;
  const create =
    add && memoizeByObject((contract: Contract) => memoizeByObject((lists: State) => add(contract, lists)));
  const complete = create && ((lists: State) => create(getContract())(lists));
  if (file !== undefined) return { defaultData: resolve(file), complete };
  return { defaultData: () => complete?.(NO_LISTS) ?? NO_LISTS };
}

const NO_LISTS: State = {};
