import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { basename, relative, resolve } from 'node:path';
import type { Application } from '../application.ts';
import type { ControlParts } from '../control/handler.ts';
import { Coverage } from '../coverage/coverage.ts';
import { createCoverageControl } from '../coverage/coverage-control.ts';
import { Deliveries } from '../deliveries/deliveries.ts';
import { createDelay } from '../faults/fault.ts';
import { findFaultWarnings, findUnknownOperationIssues, validateInjectedResponse } from '../faults/validate.ts';
import { createAccessPolicy, ipVersion, isLoopback } from '../http/access-policy.ts';
import { Metrics } from '../http/metrics.ts';
import type { ServedContract, Server } from '../http/served.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import { findMismatchedCodes } from '../mock/mismatched-codes.ts';
import { loadContract } from '../openapi/contract.ts';
import { getPartPaths } from '../openapi/contract-documents.ts';
import { refuseInvalidOptions, type ServerOptions } from '../options.ts';
import { getPackageFile } from '../package-file.ts';
import { ChangeLogs } from '../sandbox/change-log.ts';
import { createMachineClock } from '../sandbox/clock-and-ids.ts';
import { Sandboxes } from '../sandbox/registry.ts';
import type { SandboxesParts } from '../sandbox/sandbox.ts';
import { createSharedSandboxes } from '../sandbox/shared/shared-sandboxes.ts';
import { createBuiltInSnapshots } from '../sandbox/snapshots.ts';
import { createStateFileCheck } from '../store/data-path.ts';
import type { PoolCounts } from '../store/postgres/database.ts';
import type { State } from '../store/state.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { runAtOnce } from '../util/slices.ts';
import { hideCredentials, isUrl } from '../util/source-path.ts';
import type { ShopApi } from './api-types.ts';
import { chooseApplication } from './choose-application.ts';
import { addMissingCollections, describeOtherLists } from './control.ts';
import { createApplicationView } from './controlled-application.ts';
import { formatFirstSteps, formatStartMessage, logOperations } from './explain.ts';
import { findWatchedFiles, loadSettings, reloadOnSave } from './file-watcher.ts';
import { loadHandlers } from './handler-registry.ts';
import { listen } from './listen.ts';
import { createLogger } from './logger.ts';
import { openServerState } from './open-server-state.ts';
import type { Options, Storefront } from './options.ts';
import { HANDLERS_FALLBACK, Reloads, SETTINGS_FALLBACK } from './reload.ts';
import { createServedContractFactory } from './served-contract.ts';
import { version } from './version.ts';
import { listWarmUps, logInvalidExamples, runInTurns } from './warm-up.ts';

export type { Storefront } from './options.ts';

/**
 * Starts a server in this process.
 * It serves the shop, or the resources of the contract in the options.
 * Resolves when the server listens.
 * By default, the server uses a free port and has its state in memory.
 * Rejects if an option is unknown or invalid, or if the contract, the data, the handlers or the address can't be used.
 */
export async function createStorefront<Api extends object = ShopApi>(options: Options<Api> = {}): Promise<Storefront> {
  refuseInvalidOptions(options);
  return startApplication(await chooseApplication(options), options);
}

/**
 * Starts a server for an application.
 * Resolves when the server listens.
 * By default, the server uses a free port and has its state in memory.
 * Rejects if the contract, the data, the handlers or the address can't be used.
 */
export async function startApplication<S extends State>(
  application: Application<S>,
  options: ServerOptions = {},
): Promise<Storefront> {
  // The cast is safe: the server validates a state by the rules of the application before it passes the state to the
  // application.
  const start = await loadApplication(application as unknown as Application, options);
  const state = await openServerState(start);
  try {
    const server = createServer(start, state);
    const live = new Reloads({ ...start, server });
    await addMissingCollections([server.sandboxes.default], server.control.collections(), state.defaults);
    const httpServer = createHttpServer({ ...server, current: live });
    const { url, port } = await listen(httpServer, options.host, options.port ?? 0);
    start.address.url = url;
    server.deliveries.wake(server.sandboxes.default);
    return run(start, { url, port, state, server, live, httpServer });
  } catch (error) {
    await state.store.close();
    await state.close?.();
    throw error;
  }
}

/**
 * Loads the contract, the handlers and the settings of the application.
 * Creates the log, the metrics and the system clock.
 */
async function loadApplication(application: Application, options: ServerOptions) {
  const stopping = new AbortController();
  // Allows any number of listeners: each client that follows a journal or waits for a verification adds a listener.
  setMaxListeners(0, stopping.signal);
  const log = createLogger(options.log ?? 'off', options.logTo);
  const files = findWatchedFiles(application, options);
  loadSettings(application);
  const contract = await loadContract(files.contract);
  const createServed = createServedContractFactory(application, options);
  const machineClock = createMachineClock(options);
  const handlers = await loadHandlers(options.handlers, files.handlers?.signature);
  return {
    application,
    options,
    machineClock,
    nowMs: machineClock.nowMs,
    elapsedMs: machineClock.elapsedMs,
    newId: options.newId ?? randomUUID,
    log,
    files,
    createServed,
    current: { served: await createServed(contract, handlers), reloads: 0 },
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
  { sandbox, defaults, prepareDefaults, shared, countConnections }: ServerState,
): Sandboxes {
  const parts: SandboxesParts = {
    default: sandbox,
    elapsedMs,
    defaults,
    prepareDefaults,
    nowMs,
    newId,
    areDeclared: options.sandboxes === 'declared',
    areVisitors: options.sandboxes === 'visitor',
    log: (message) => log.info(message),
    onCommit: metrics.recordCommit,
  };
  const sandboxes = shared ? createSharedSandboxes(parts, shared) : new Sandboxes(parts);
  addGauges(metrics, sandboxes, countConnections);
  return sandboxes;
}

/** Creates the parts of a server that a reload does not replace, such as the sandboxes and the control API. */
function createServer(start: Start, state: ServerState): Server {
  const { application, options, nowMs, log, current, stopping, metrics } = start;
  const { path, defaults } = state;
  const sandboxes = createSandboxes(start, state);
  const coverage = new Coverage(current.served.contract);
  const snapshotParts = {
    defaults,
    validator: () => current.served.validator,
    warn: (message: string) => log.warn(message),
  };
  const getControlled = createApplicationView(application);
  const accept = (next: State, before: State) =>
    runAtOnce(getControlled(current.served).acceptState(next, before)).state;
  const folder = options.snapshots && resolve(options.snapshots);
  const deliveries = createDeliveries(start, sandboxes);
  const control: ControlParts = {
    deliveries,
    ...snapshotParts,
    builtIn: createBuiltInSnapshots({ ...snapshotParts, accept, builtIn: application.snapshots, folder }),
    sandboxes,
    collections: () => Object.keys(current.served.collections),
    application: () => getControlled(current.served),
    version,
    startedAt: toIsoTime(nowMs()),
    dataFile: path && basename(path),
    startOptions: getStartOptions(options),
    reloads: () => current.reloads,
    ...createFaultChecks(current),
    formatMetrics: metrics.format,
    coverage: createCoverageControl(coverage, state.coverage),
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
    coverage,
    getDelayMs: createDelay(options.delay),
    streams: new Set(),
    deliveries,
    changeLogs: new ChangeLogs(() => randomUUID().slice(0, 8)),
    stopping: stopping.signal,
    pagesFolder: getPackageFile('dist'),
    version,
    dataFile: control.dataFile,
    isStateFile: createStateFileCheck(path),
  };
}

function createDeliveries(
  { options, nowMs, elapsedMs, log, current, stopping }: Start,
  sandboxes: Sandboxes,
): Deliveries {
  return new Deliveries({
    sandboxes,
    current: () => current.served,
    urls: options.webhookUrl ?? [],
    secret: options.webhookSecret,
    allowedHosts: options.allowCallback ?? [],
    isPublic: !isLoopback(options.host),
    userAgent: `storefront/${version}`,
    nowMs,
    elapsedMs,
    newId: randomUUID,
    log,
    stopping: stopping.signal,
  });
}

/**
 * Returns the options with which `startStorefront` starts a server with the same contract, handlers and default data.
 * Paths are relative to the working directory, in which tests usually run.
 */
function getStartOptions({ contract, handlers, defaultData }: ServerOptions): ControlParts['startOptions'] {
  const paths = Object.entries({ contract, handlers, defaultData }).flatMap(([name, path]) =>
    typeof path === 'string'
      ? [[name, isUrl(path) ? hideCredentials(path) : relative('', path).replaceAll('\\', '/')]]
      : [],
  );
  return Object.fromEntries(paths);
}

/** The parts of a running server. */
interface RunningParts extends Pick<Storefront, 'url' | 'port'> {
  readonly state: ServerState;
  readonly server: Server;
  readonly live: Reloads;
  readonly httpServer: HttpServer;
}

/**
 * Logs the warnings about the contract and the data, the start message, the first steps for the user, and the
 * operations.
 */
function logStart(
  { options, log }: Pick<Start, 'options' | 'log'>,
  { url, state, server, live, durability }: Omit<RunningParts, 'port' | 'httpServer'> & Pick<Storefront, 'durability'>,
): void {
  const { path: dataFile, database, store } = state;
  const { contract, mocked } = live.served;
  const collections = [...server.control.collections(), ...live.served.internalLists];
  const lists = { collections, dataFile: server.dataFile };
  const warnings = [contract.warning, describeOtherLists(store.read().state, lists)];
  for (const warning of warnings) if (warning !== undefined) log.warn(warning);
  const facts = { url, dataFile, database, durability, operations: contract.routes.length, mocked };
  log.info(facts, formatStartMessage(facts));
  const { isOn, isLoopback: isLocal, publicHost, token } = server.access.control;
  const isProtected = isLocal && publicHost === undefined;
  const control = !isOn || !(isProtected || token !== undefined) ? 'disabled' : token === undefined ? 'open' : 'token';
  const hasOwnRoot = options.static !== undefined || contract.routes.some(({ path }) => path === '/');
  const consolePath = hasOwnRoot ? '/_console/' : '';
  log.info(formatFirstSteps({ url, consolePath, control }));
  if (contract.overlay !== undefined) log.info(`The contract is changed by the overlay ${contract.overlay}`);
  logOperations(log, live.served);
  if (!isLocal) log.warn(describeExposure(options));
  else if (isOn && token === undefined && publicHost !== undefined) log.warn(describePublicHost(publicHost));
}

/**
 * Logs the start, compiles the schemas of operations in the background, and reloads the contract, the handlers and the
 * settings when they are saved.
 * Returns the running server.
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
    void logInvalidExamples(live.served.contract, (message) => log.warn(message), stopping.signal).catch(() => {});
  const stopWarmUp = runInTurns([prepare, ...listWarmUps(live.served), checkExamples]);
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
      return live.served.contract.routes.length;
    },
    get mocked() {
      return live.served.mocked;
    },
    flush: store.flush,
    async close() {
      stopWarmUp();
      stopReloads();
      stopping.abort();
      await httpServer.close();
      await server.deliveries.close();
      await server.control.coverage.close();
      await server.sandboxes.close();
      await store.close();
      await state.close?.();
    },
  };
}

/** Creates the functions that compare a fault with the current contract. */
function createFaultChecks(current: {
  readonly served: ServedContract;
}): Pick<ControlParts, 'findFaultWarnings' | 'findUnknownOperationIssues' | 'findUndocumentedResponses'> {
  return {
    findFaultWarnings: (fault) => [
      ...findFaultWarnings(current.served.contract.routes, fault),
      ...findMismatchedCodes(current.served, fault),
    ],
    findUnknownOperationIssues: (operation) => findUnknownOperationIssues(current.served.contract, operation),
    findUndocumentedResponses: (fault) => validateInjectedResponse(current.served.contract, fault),
  };
}

/**
 * Adds metrics of the type gauge: the number of sandboxes, the size of the journals, and the number of database
 * connections.
 * `countConnections`: counts the connections; undefined if the server has no database.
 */
function addGauges(metrics: Metrics, sandboxes: Sandboxes, countConnections: (() => PoolCounts) | undefined): void {
  const add = (name: string, help: string, read: () => number) =>
    metrics.addGauge({ name: `storefront_${name}`, help, read });
  add('sandboxes', 'Sandboxes in memory', () => sandboxes.list().length);
  add('journal_bytes', 'Approximate size of the request journals in memory, in bytes', () => sandboxes.journalBytes);
  if (!countConnections) return;
  add('database_connections', 'Open connections to the database', () => countConnections().total);
  add('database_idle_connections', 'Connections to the database that are not used', () => countConnections().idle);
  add('database_waiting_statements', 'Statements that wait for a connection', () => countConnections().waiting);
}

/**
 * Returns a warning for a server that other machines can reach.
 * The warning says what these machines can access, which host names are allowed, and how to protect the server.
 */
function describeExposure({ control = true, controlToken, ...options }: ServerOptions): string {
  const files = options.static === undefined ? 'the images' : 'the images and the files of --static';
  return [
    `The server listens on ${options.host}. Other machines can read and change the data through the API, and read ${files}.`,
    describeControl(control, controlToken),
    describeHosts(options),
    'To protect the server, omit --host and the variable HOST, or allow only trusted machines to connect to the port.',
  ].join(' ');
}

function describeHosts({ host = '', allowHost = [] }: ServerOptions): string {
  if (allowHost.includes('*')) return 'All host names are allowed (--allow-host *).';
  const names = ['localhost', ...(ipVersion(host) > 0 ? [] : [host]), ...allowHost].join(', ');
  const remedy = allowHost.length > 0 ? '' : ' To allow the name of a container or a service, use --allow-host NAME.';
  return `Requests to IP addresses and these host names are allowed: ${names}. Requests to other host names get 403, which prevents DNS rebinding attacks by web pages.${remedy}`;
}

function describeControl(isOn: boolean, token: string | undefined): string {
  if (!isOn) return 'The control API is disabled.';
  return token === undefined
    ? 'The control API is disabled: with --host or the variable HOST, it needs --control-token.'
    : 'The control API requires the token of --control-token.';
}

/**
 * Returns a warning for a server on loopback without a token for the control API, which others can reach under a public
 * name.
 */
function describePublicHost(name: string): string {
  return `--allow-host ${name} is a public name, so other machines can reach the server through a proxy. The control API and the console are disabled until the server has a token: add --control-token TOKEN. If you need neither, add --no-control.`;
}
