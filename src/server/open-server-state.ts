import type { Application } from '../application.ts';
import type { Metrics } from '../http/metrics.ts';
import { createClock } from '../sandbox/clock.ts';
import type { SandboxesParts } from '../sandbox/sandbox.ts';
import { type OpenedState, type OpenStateOptions, openState } from '../store/open-state.ts';
import { DEFAULT_SCHEMA, describeDatabase } from '../store/postgres/database.ts';
import { UserError } from '../util/user-error.ts';
import { getDefaultData } from './default-data.ts';
import { openSharedState } from './open-shared-state.ts';
import type { ServerOptions } from './options.ts';
import type { ContractSetup } from './served-contract.ts';

/** The parts of a starting server that `openServerState` uses. */
interface StateParts extends Pick<SandboxesParts, 'nowMs' | 'elapsedMs' | 'newId'> {
  readonly application: Application;
  readonly options: ServerOptions;
  readonly log: OpenStateOptions['log'];
  readonly metrics: Pick<Metrics, 'recordCommit'>;
  readonly current: { readonly setup: ContractSetup };
  /** The URL of the server; undefined until the server listens. */
  readonly address: { readonly url?: string };
}

/** Opens the state of the sandbox `default` in the data file, in memory or in a database, and creates the clock of this sandbox. */
export async function openServerState(start: StateParts) {
  const { application, options, nowMs, log, current, address, metrics } = start;
  if (options.database !== undefined && options.data !== undefined)
    throw new UserError('The state is either in a database or in a data file: omit --database or --data.');
  const clock = createClock(nowMs);
  const { prepare } = application;
  const state = await openState({
    data: options.data,
    durability: options.durability ?? 'disk',
    contract: options.contract,
    ...getDefaultData(application, options, () => current.setup.contract),
    collections: () => Object.keys(current.setup.collections),
    internalLists: () => current.setup.internalLists,
    check: (data) => current.setup.validator.validate(data),
    checkInSteps: (data) => current.setup.validator.validateInSteps(data),
    checkedBy: () => current.setup.validator,
    nowMs: clock.nowMs,
    address: () => address.url,
    onCommit: metrics.recordCommit,
    ...(prepare ? { prepare } : {}),
    log,
  });
  return openDatabaseState(start, { ...state, sandbox: { store: state.store, clock } });
}

/** If the options name a database, opens the state in the database, with the default data of `state`. Otherwise, returns `state` unchanged. */
async function openDatabaseState(
  { application, options, log, current, metrics, ...clocks }: StateParts,
  state: OpenedState & { readonly sandbox: SandboxesParts['default'] },
) {
  const { database, databaseSchema = DEFAULT_SCHEMA } = options;
  if (database === undefined)
    return { ...state, shared: undefined, database: undefined, countConnections: undefined, close: undefined };
  const shared = await openSharedState({
    ...clocks,
    application,
    log,
    onCommit: metrics.recordCommit,
    database: { url: database, schema: databaseSchema },
    defaults: state.defaults,
    collections: () => Object.keys(current.setup.collections),
    internalLists: () => current.setup.internalLists,
    check: (data) => current.setup.validator.validate(data),
  });
  return { ...state, ...shared, database: describeDatabase(database, databaseSchema) };
}
