import { randomUUID } from 'node:crypto';
import { basename, resolve } from 'node:path';
import type { Application } from '../application.ts';
import { createAccessPolicy } from '../http/access-policy.ts';
import { createHttpServer, type HttpServer, REQUEST_TIMEOUT_MS } from '../http/server.ts';
import { findUnmatchableReasons } from '../mock/unmatchable-faults.ts';
import { findUnknownOperations, validateInjectedResponse } from '../mock/validate-fault.ts';
import { loadContract } from '../openapi/contract.ts';
import { createClock } from '../sandbox/clock.ts';
import { createDelay } from '../sandbox/faults/combine-faults.ts';
import { Sandboxes } from '../sandbox/registry.ts';
import { openState } from '../store/open-state.ts';
import type { State } from '../store/state.ts';
import { createBinder } from './binding.ts';
import { createControlParts } from './control.ts';
import { reloadOnSave } from './file-watcher.ts';
import { loadHandlers } from './handler-registry.ts';
import { describeExposure, isLoopback, listen } from './listen.ts';
import { type Current, HANDLERS_KEPT, LiveService } from './live-service.ts';
import type { ServerOptions, Storefront } from './options.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import type { ServiceParts } from './service.ts';
import { formatFirstSteps, formatStartMessage } from './start-message.ts';
import { version } from './version.ts';
import { listWarmUps, runInTurns } from './warm-up.ts';

/**
 * Starts a server for an application, and returns it once it listens: on a free port, with its state in memory, unless the options say otherwise.
 * Rejects with an error whose message is one clear sentence if the contract, the data or the address can't be used.
 */
export async function startApplication<S extends State>(
  application: Application<S>,
  options: ServerOptions = {},
): Promise<Storefront> {
  // The engine treats states as opaque: it hands to the application only states that its rules have accepted.
  const runtime = createRuntime(application as unknown as Application, options);
  const { files, log } = runtime;
  const first = await loadContract(files.contract);
  const bind = createBinder(runtime.application, options.mock ?? false);
  const current: Current = { binding: bind(first, await loadHandlers(options.handlers, files.handlers?.signature)) };
  const address: { url?: string } = {};
  const state = await openServerState(runtime, current, () => address.url);
  try {
    const parts = await createServiceParts(runtime, current, state);
    const live = new LiveService({ runtime, current, bind, service: parts });
    const server = createHttpServer({
      answer: (req, res) => live.service.answer(req, res),
      log,
      requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      access: parts.access,
    });
    const { url, port } = await listen(server, options.host, options.port ?? 0);
    address.url = url;
    return run(runtime, { url, port, state, current, live, server, sandboxes: parts.sandboxes });
  } catch (error) {
    await state.store.close();
    throw error;
  }
}

/** Opens the state of the default sandbox, over its clock. */
async function openServerState(
  { application, options, nowMs, log }: Runtime,
  current: Current,
  address: () => string | undefined,
) {
  const clock = createClock(nowMs);
  const { prepare, collections, defaultDataFile } = application;
  const state = await openState({
    data: options.data,
    durability: options.durability ?? 'disk',
    defaultData: resolve(options.defaultData ?? defaultDataFile),
    collections: Object.keys(collections),
    check: (data) => current.binding.validator.validate(data),
    checkedBy: () => current.binding.validator,
    nowMs: clock.nowMs,
    address,
    ...(prepare ? { prepare } : {}),
    log,
  });
  return { ...state, clock };
}

type ServerState = Awaited<ReturnType<typeof openServerState>>;

/** Creates the sandboxes and the control API, and what else handles requests. */
async function createServiceParts(
  { application, options, nowMs, log, stopping }: Runtime,
  current: Current,
  { store, clock, path, defaults }: ServerState,
): Promise<ServiceParts> {
  const sandboxes = new Sandboxes({
    default: { store, clock },
    elapsedMs: options.elapsedMs ?? (() => performance.now()),
    defaults,
    nowMs,
    newId: options.newId ?? randomUUID,
    areDeclared: options.sandboxes === 'declared',
    log: (message) => log.info(message),
  });
  const control = await createControlParts(application, options, {
    sandboxes,
    defaults,
    validator: () => current.binding.validator,
    findUnmatchableReasons: (fault) => findUnmatchableReasons(current.binding.contract.routes, fault),
    warn: (message) => log.warn(message),
    findUnknownOperations: (operation) => findUnknownOperations(current.binding.contract, operation),
    findUndocumentedResponses: (fault) => validateInjectedResponse(current.binding.contract, fault),
    stopping: stopping.signal,
  });
  return {
    application,
    access: createAccessPolicy(options),
    sandboxes,
    ...control,
    log,
    verify: options.verify ?? 'log',
    responseCache: options.responseCache ?? true,
    delayMs: options.delay === undefined ? undefined : createDelay(options.delay),
    stopping: stopping.signal,
    version,
    dataFile: path && basename(path),
    images: application.imagesFolder,
    static: options.static && resolve(options.static),
  };
}

/** What a running server is made of. */
interface RunningParts extends Pick<Storefront, 'url' | 'port'> {
  readonly state: ServerState;
  readonly current: Current;
  readonly live: LiveService;
  readonly server: HttpServer;
  readonly sandboxes: Sandboxes;
}

/** Logs the start, warms up, and watches the files that are reloaded. */
function run(runtime: Runtime, { url, port, state, current, live, server, sandboxes }: RunningParts): Storefront {
  const { application, options, log, stopping } = runtime;
  const { path: dataFile, store } = state;
  const durability = dataFile === undefined ? 'memory' : (options.durability ?? 'disk');
  const { contract, mocked } = live.service;
  if (contract.warning !== undefined) log.warn(contract.warning);
  const facts = { url, dataFile, durability, operations: contract.routes.length, mocked };
  log.info(facts, formatStartMessage(facts));
  log.info(formatFirstSteps(facts, (options.control ?? true) && options.controlToken === undefined));
  if (!isLoopback(options.host)) log.warn(describeExposure(options));
  const stopWarmUp = runInTurns([() => application.prepare?.(store.read().state), ...listWarmUps(current.binding)]);
  const stopReloads = reloadOnSave(listReloads(runtime, live), (message) => log.warn(message));
  return {
    url,
    port,
    dataFile,
    durability,
    get operations() {
      return live.service.contract.routes.length;
    },
    get mocked() {
      return live.service.mocked;
    },
    async close() {
      stopWarmUp();
      stopReloads();
      stopping.abort();
      await server.close();
      await sandboxes.close();
      await store.close();
    },
  };
}

function listReloads({ files }: Runtime, { reloadContract, reloadHandlers }: LiveService) {
  return [
    { ...files.contract, reload: reloadContract, fallback: 'The previous contract stays in use' },
    ...(files.handlers ? [{ ...files.handlers, reload: reloadHandlers, fallback: HANDLERS_KEPT }] : []),
  ];
}
