import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { basename, resolve } from 'node:path';
import type { Application } from '../application.ts';
import type { ControlParts } from '../control/handler.ts';
import { createAccessPolicy } from '../http/access-policy.ts';
import { Metrics } from '../http/metrics.ts';
import type { ServerParts } from '../http/parts.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import { loadContract } from '../openapi/contract.ts';
import { getPartPaths } from '../openapi/contract-documents.ts';
import { getPackageFile } from '../package-file.ts';
import { clampTime } from '../sandbox/clock.ts';
import { createDelay } from '../sandbox/faults/combine-faults.ts';
import { Sandboxes } from '../sandbox/registry.ts';
import type { SandboxesParts } from '../sandbox/sandbox.ts';
import { SharedSandboxes } from '../sandbox/shared/shared-sandboxes.ts';
import { createBuiltInSnapshots } from '../sandbox/snapshots.ts';
import { createStateFileCheck } from '../store/data-path.ts';
import type { State } from '../store/state.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { addMissingCollections, describeOtherLists } from './contract-lists.ts';
import { createApplicationView } from './controlled-application.ts';
import { logInvalidExamples } from './example-warnings.ts';
import { createFaultChecks } from './fault-checks.ts';
import { findWatchedFiles, loadSettings, reloadOnSave } from './file-watcher.ts';
import { addGauges } from './gauges.ts';
import { loadHandlers } from './handler-registry.ts';
import { describeExposure, describePublicHost, listen } from './listen.ts';
import { HANDLERS_FALLBACK, LiveContract, SETTINGS_FALLBACK } from './live-contract.ts';
import { createLogger } from './logger.ts';
import { openServerState } from './open-server-state.ts';
import type { ServerOptions, Storefront } from './options.ts';
import { createContractSetupFactory } from './served-contract.ts';
import { formatFirstSteps, formatStartMessage, logOperations } from './start-message.ts';
import { version } from './version.ts';
import { listWarmUps, runInTurns } from './warm-up.ts';

/**
 * Starts a server for an application. Resolves when the server listens. By default, the server uses a free port and has its state in memory. Rejects if the
 * contract, the data, the handlers or the address can't be used.
 */
export async function startApplication<S extends State>(
  application: Application<S>,
  options: ServerOptions = {},
): Promise<Storefront> {
  // The cast is safe: the server validates a state by the rules of the application before it passes the state to the application.
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
    await state.close?.();
    throw error;
  }
}

/** Loads the contract, the handlers and the settings of the application. Creates the log, the metrics and the system clock. */
async function loadApplication(application: Application, options: ServerOptions) {
  const stopping = new AbortController();
  // Allows any number of listeners: each client that follows a journal or waits for a verification adds a listener.
  setMaxListeners(0, stopping.signal);
  const log = createLogger(options.log ?? 'off', options.logTo);
  const files = findWatchedFiles(application, options);
  loadSettings(application);
  const contract = await loadContract(files.contract);
  const createSetup = createContractSetupFactory(application, options);
  const handlers = await loadHandlers(options.handlers, files.handlers?.signature);
  return {
    application,
    options,
    nowMs: () => clampTime((options.nowMs ?? Date.now)()),
    elapsedMs: options.elapsedMs ?? (() => performance.now()),
    newId: options.newId ?? randomUUID,
    log,
    files,
    createSetup,
    current: { setup: await createSetup(contract, handlers), reloads: 0 },
    /** The URL of the server; undefined until the server listens. */
    address: {} as { url?: string },
    stopping,
    metrics: new Metrics(),
  };
}

type Start = Awaited<ReturnType<typeof loadApplication>>;

type ServerState = Awaited<ReturnType<typeof openServerState>>;

/** Creates the sandboxes of a server, and adds their gauges to the metrics. */
function createSandboxes(
  { options, nowMs, elapsedMs, newId, log, metrics }: Start,
  { sandbox, defaults, shared, countConnections }: ServerState,
): Sandboxes {
  const parts: SandboxesParts = {
    default: sandbox,
    elapsedMs,
    defaults,
    nowMs,
    newId,
    areDeclared: options.sandboxes === 'declared',
    log: (message) => log.info(message),
    onCommit: metrics.recordCommit,
  };
  const sandboxes = shared ? new SharedSandboxes({ ...parts, shared }) : new Sandboxes(parts);
  addGauges(metrics, sandboxes, countConnections);
  return sandboxes;
}

/** Creates the parts of a server that a reload does not replace, such as the sandboxes and the control API. */
function createServerParts(start: Start, state: ServerState): ServerParts {
  const { application, options, nowMs, log, current, stopping, metrics } = start;
  const { path, defaults } = state;
  const sandboxes = createSandboxes(start, state);
  const snapshotParts = {
    defaults,
    validator: () => current.setup.validator,
    warn: (message: string) => log.warn(message),
  };
  const getControlled = createApplicationView(application);
  const folder = options.snapshots && resolve(options.snapshots);
  const control: ControlParts = {
    ...snapshotParts,
    builtIn: createBuiltInSnapshots({ ...snapshotParts, builtIn: application.snapshots, folder }),
    sandboxes,
    collections: () => Object.keys(current.setup.collections),
    application: () => getControlled(current.setup),
    version,
    startedAt: toIsoTime(nowMs()),
    dataFile: path && basename(path),
    reloads: () => current.reloads,
    ...createFaultChecks(current),
    formatMetrics: metrics.format,
    stopping: stopping.signal,
  };
  return {
    application,
    options: { ...options, static: options.static && resolve(options.static) },
    access: createAccessPolicy(options),
    sandboxes,
    control,
    log,
    metrics,
    getDelayMs: createDelay(options.delay),
    stopping: stopping.signal,
    pagesFolder: getPackageFile('dist'),
    version,
    dataFile: control.dataFile,
    isStateFile: createStateFileCheck(path),
  };
}

/** The parts of a running server. */
interface RunningParts extends Pick<Storefront, 'url' | 'port'> {
  readonly state: ServerState;
  readonly server: ServerParts;
  readonly live: LiveContract;
  readonly httpServer: HttpServer;
}

/** Logs the warnings about the contract and the data, the start message, the first steps for the user, and the operations. */
function logStart(
  { options, log }: Pick<Start, 'options' | 'log'>,
  { url, state, server, live, durability }: Omit<RunningParts, 'port' | 'httpServer'> & Pick<Storefront, 'durability'>,
): void {
  const { path: dataFile, database, store } = state;
  const { contract, mocked } = live.setup;
  const lists = { collections: server.control.collections(), dataFile: server.dataFile };
  const warnings = [contract.warning, describeOtherLists(store.read().state, lists)];
  for (const warning of warnings) if (warning !== undefined) log.warn(warning);
  const facts = { url, dataFile, database, durability, operations: contract.routes.length, mocked };
  log.info(facts, formatStartMessage(facts));
  const { isOn, isLoopback: isLocal, publicHost, token } = server.access.control;
  const hasControl = isOn && isLocal && publicHost === undefined && token === undefined;
  const hasOwnRoot = options.static !== undefined || contract.routes.some(({ path }) => path === '/');
  const consolePath = hasOwnRoot ? '/_console/' : '';
  log.info(formatFirstSteps({ url, consolePath, hasControl }));
  if (contract.overlay !== undefined) log.info(`The contract is changed by the overlay ${contract.overlay}`);
  logOperations(log, live.setup);
  if (!isLocal) log.warn(describeExposure(options));
  else if (isOn && token === undefined && publicHost !== undefined) log.warn(describePublicHost(publicHost));
}

/**
 * Logs the start, compiles the schemas of operations in the background, and reloads the contract, the handlers and the settings when they are saved. Returns
 * the running server.
 */
function run(
  { application, options, log, files, stopping }: Start,
  { url, port, state, server, live, httpServer }: RunningParts,
): Storefront {
  const { path: dataFile, database, store } = state;
  const durability = dataFile === undefined && database === undefined ? 'memory' : (options.durability ?? 'disk');
  logStart({ options, log }, { url, state, server, live, durability });
  // Ignores an error: the first request that needs the prepared data reports it.
  const prepare = () => void application.prepare?.(store.read().state).catch(() => {});
  const checkExamples = () =>
    void logInvalidExamples(live.setup.contract, (message) => log.warn(message), stopping.signal).catch(() => {});
  const stopWarmUp = runInTurns([prepare, ...listWarmUps(live.setup), checkExamples]);
  const stopReloads = reloadOnSave(
    [
      {
        ...files.contract,
        reload: live.reloadContract,
        fallback: 'The previous contract stays in use',
        getRelatedFiles: () => getPartPaths(files.contract.path),
      },
      ...(files.handlers ? [{ ...files.handlers, reload: live.reloadHandlers, fallback: HANDLERS_FALLBACK }] : []),
      ...(files.settings ? [{ ...files.settings, reload: live.reloadSettings, fallback: SETTINGS_FALLBACK }] : []),
    ],
    (message) => log.warn(message),
  );
  return {
    url,
    port,
    dataFile,
    database,
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
      await state.close?.();
    },
  };
}
