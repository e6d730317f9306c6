import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { basename, resolve } from 'node:path';
import type { Application } from '../application.ts';
import type { ControlParts } from '../control/handler.ts';
import { createAccessPolicy, isLoopback } from '../http/access-policy.ts';
import type { ServerParts } from '../http/parts.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import { findUnmatchableReasons } from '../mock/unmatchable-faults.ts';
import { findUnknownOperations, validateInjectedResponse } from '../mock/validate-fault.ts';
import { loadContract } from '../openapi/contract.ts';
import { getPartPaths } from '../openapi/contract-documents.ts';
import { clampTime, createClock } from '../sandbox/clock.ts';
import { createDelay } from '../sandbox/faults/combine-faults.ts';
import { Sandboxes } from '../sandbox/registry.ts';
import { createBuiltInSnapshots } from '../sandbox/snapshots.ts';
import { openState } from '../store/open-state.ts';
import type { State } from '../store/state.ts';
import { addMissingCollections, describeOtherLists } from './contract-lists.ts';
import { getDefaultData } from './default-data.ts';
import { findWatchedFiles, reloadOnSave } from './file-watcher.ts';
import { loadHandlers } from './handler-registry.ts';
import { describeExposure, listen } from './listen.ts';
import { HANDLERS_FALLBACK, LiveContract } from './live-contract.ts';
import { createLogger } from './logger.ts';
import type { ServerOptions, Storefront } from './options.ts';
import { createContractSetupFactory } from './served-contract.ts';
import { formatFirstSteps, formatStartMessage, logOperations } from './start-message.ts';
import { version } from './version.ts';
import { listWarmUps, runInTurns } from './warm-up.ts';

/**
 * Starts a server for an application. Resolves to the server when it listens. By default, the server uses a free port and stores its state in memory. Rejects with
 * an error if the contract, the data, the handlers or the address can't be used.
 */
export async function startApplication<S extends State>(
  application: Application<S>,
  options: ServerOptions = {},
): Promise<Storefront> {
  // The cast is safe: the engine validates each state by the rules of the application before it passes the state to the application.
  const start = await loadApplication(application as unknown as Application, options);
  const state = await openServerState(start);
  try {
    const server = createServerParts(start, state);
    const live = new LiveContract({ ...start, server });
    await addMissingCollections([server.sandboxes.default], server.control.collections(), state.defaults);
    const httpServer = createHttpServer({ ...server, listener: live.handle });
    const { url, port } = await listen(httpServer, options.host, options.port ?? 0);
    start.address.url = url;
    return run(start, { url, port, state, server, live, httpServer });
  } catch (error) {
    await state.store.close();
    throw error;
  }
}

/** Loads the contract and the handlers, and creates the log and the clock. */
async function loadApplication(application: Application, options: ServerOptions) {
  const stopping = new AbortController();
  // Each client that follows a journal or waits for a verification adds a listener.
  setMaxListeners(0, stopping.signal);
  const log = createLogger(options.log ?? 'off', options.logTo);
  const files = findWatchedFiles(application, options);
  const contract = await loadContract(files.contract);
  const createSetup = createContractSetupFactory(application, options.mock ?? false);
  const handlers = await loadHandlers(options.handlers, files.handlers?.signature);
  return {
    application,
    options,
    nowMs: () => clampTime((options.nowMs ?? Date.now)()),
    log,
    files,
    createSetup,
    current: { setup: await createSetup(contract, handlers) },
    /** The URL of the server; undefined until it listens. */
    address: {} as { url?: string },
    stopping,
  };
}

type Start = Awaited<ReturnType<typeof loadApplication>>;

/** Opens the state and the clock of the default sandbox. */
async function openServerState({ application, options, nowMs, log, current, address }: Start) {
  const clock = createClock(nowMs);
  const { prepare } = application;
  const state = await openState({
    data: options.data,
    durability: options.durability ?? 'disk',
    contract: options.contract,
    ...getDefaultData(application, options, () => current.setup.contract),
    collections: () => Object.keys(current.setup.collections),
    check: (data) => current.setup.validator.validate(data),
    checkInSteps: (data) => current.setup.validator.validateInSteps(data),
    checkedBy: () => current.setup.validator,
    nowMs: clock.nowMs,
    address: () => address.url,
    ...(prepare ? { prepare } : {}),
    log,
  });
  return { ...state, clock };
}

type ServerState = Awaited<ReturnType<typeof openServerState>>;

/** Creates the sandboxes, the control API, and the other parts that a reload does not replace. */
function createServerParts(
  { application, options, nowMs, log, current, stopping }: Start,
  { store, clock, path, defaults }: ServerState,
): ServerParts {
  const sandboxes = new Sandboxes({
    default: { store, clock },
    elapsedMs: options.elapsedMs ?? (() => performance.now()),
    defaults,
    nowMs,
    newId: options.newId ?? randomUUID,
    areDeclared: options.sandboxes === 'declared',
    log: (message) => log.info(message),
  });
  const snapshotParts = {
    defaults,
    validator: () => current.setup.validator,
    warn: (message: string) => log.warn(message),
  };
  const folder = options.snapshots && resolve(options.snapshots);
  const control: ControlParts = {
    ...snapshotParts,
    builtIn: createBuiltInSnapshots({ ...snapshotParts, builtIn: application.snapshots, folder }),
    sandboxes,
    collections: () => Object.keys(current.setup.collections),
    findUnmatchableReasons: (fault) => findUnmatchableReasons(current.setup.contract.routes, fault),
    findUnknownOperations: (operation) => findUnknownOperations(current.setup.contract, operation),
    findUndocumentedResponses: (fault) => validateInjectedResponse(current.setup.contract, fault),
    stopping: stopping.signal,
  };
  return {
    application,
    options: { ...options, static: options.static && resolve(options.static) },
    access: createAccessPolicy(options),
    sandboxes,
    control,
    log,
    getDelayMs: createDelay(options.delay),
    stopping: stopping.signal,
    version,
    dataFile: path && basename(path),
  };
}

/** The parts of a running server. */
interface RunningParts extends Pick<Storefront, 'url' | 'port'> {
  readonly state: ServerState;
  readonly server: ServerParts;
  readonly live: LiveContract;
  readonly httpServer: HttpServer;
}

/** Logs the start, warms up the operations, and watches the files of the contract and the handlers. */
function run(
  { application, options, log, files, stopping }: Start,
  { url, port, state, server, live, httpServer }: RunningParts,
): Storefront {
  const { path: dataFile, store } = state;
  const durability = dataFile === undefined ? 'memory' : (options.durability ?? 'disk');
  const { contract, mocked } = live.setup;
  const lists = { collections: server.control.collections(), dataFile: server.dataFile };
  const warnings = [contract.warning, describeOtherLists(store.read().state, lists)];
  for (const warning of warnings) if (warning !== undefined) log.warn(warning);
  const facts = { url, dataFile, durability, operations: contract.routes.length, mocked };
  log.info(facts, formatStartMessage(facts));
  const { isOn, token } = server.access.control;
  log.info(formatFirstSteps(facts, isOn && token === undefined));
  if (contract.overlay !== undefined) log.info(`The contract is changed by ${contract.overlay}`);
  logOperations(log, live.setup);
  if (!isLoopback(options.host)) log.warn(describeExposure(options));
  // If this fails, the first request that needs the prepared data reports the error.
  const prepare = () => void application.prepare?.(store.read().state).catch(() => {});
  const stopWarmUp = runInTurns([prepare, ...listWarmUps(live.setup)]);
  const stopReloads = reloadOnSave(
    [
      {
        ...files.contract,
        reload: live.reloadContract,
        fallback: 'The previous contract stays in use',
        getParts: () => getPartPaths(files.contract.path),
      },
      ...(files.handlers ? [{ ...files.handlers, reload: live.reloadHandlers, fallback: HANDLERS_FALLBACK }] : []),
    ],
    (message) => log.warn(message),
  );
  return {
    url,
    port,
    dataFile,
    durability,
    get operations() {
      return live.setup.contract.routes.length;
    },
    get mocked() {
      return live.setup.mocked;
    },
    flush: store.flush,
    async close() {
      stopWarmUp();
      stopReloads();
      stopping.abort();
      await httpServer.close();
      await server.sandboxes.close();
      await store.close();
    },
  };
}
