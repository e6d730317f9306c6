import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { basename, resolve } from 'node:path';
import { createAccessPolicy } from '../http/access-policy.ts';
import { createHttpServer, REQUEST_TIMEOUT_MS } from '../http/server.ts';
import { type FaultTarget, findUnmatchableParts } from '../mock/unmatched-faults.ts';
import { findUnknownOperations, type InjectedResponse, validateInjectedResponse } from '../mock/validate-fault.ts';
import { type Contract, loadContract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import { getPackageFile } from '../package-file.ts';
import { clampTime, createClock } from '../sandbox/clock.ts';
import { createDelay } from '../sandbox/faults/combine-faults.ts';
import { createSandboxes } from '../sandbox/registry.ts';
import { shopContract } from '../shop/contract.ts';
import { prepareSearch } from '../shop/search/product-index.ts';
import { type Durability, openState } from '../store/open-state.ts';
import { reloadOnSave, signatureOf } from './contract-watcher.ts';
import { createControlParts, findUnusableFaults } from './control.ts';
import { createHandlerRegistry, loadHandlers } from './handler-registry.ts';
import { describeExposure, isLoopback, listen } from './listen.ts';
import { createLogger } from './logger.ts';
import type { Options } from './options.ts';
import { getContractPath, getDefaultDataPath } from './paths.ts';
import { createService, describeChanges, refuseClashes, type Service } from './service.ts';
import { formatStartMessage } from './start-message.ts';
import { createStateValidator, createStoreGuard, refuseContradictions } from './state-validation.ts';
import { version } from './version.ts';
import { warmUp } from './warm-up.ts';

/** A shop that runs. */
export interface Storefront {
  /** Where it is, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** The data file; undefined where the state is in memory only. */
  readonly dataFile: string | undefined;
  /** What an answered change survives. */
  readonly durability: Durability;
  /** How many operations its contract has. */
  readonly operations: number;
  /** The ids of those that are answered from the contract alone. */
  readonly mocked: readonly string[];
  /** Takes no new request, finishes those begun (for 8 s at most), and lets go of the port and the data file. */
  close(): Promise<void>;
}

/** What a warning says where saved handlers can't be used. */
const HANDLERS_KEPT = 'The previous handlers stay in use';

/** How many operations are made ready before they are asked for: of hundreds few are, and all would take seconds. */
const WARM_ROUTES = 40;

/**
 * Starts a shop in this process and gives it back once it listens: on a free port, with its state in memory, unless the options say otherwise.
 * Rejects with an error whose message is one clear sentence where the contract, the data or the address can't be used.
 */
export async function createStorefront(options: Options = {}): Promise<Storefront> {
  const nowMs = () => clampTime((options.nowMs ?? Date.now)());
  const log = createLogger(options.log ?? 'off', options.logTo);
  const tell = {
    info: (message: string) => log.info({}, message),
    warn: (message: string) => log.warn({}, message),
    error: (message: string, err: unknown) => log.error({ err }, message),
  };
  const contractFile = { path: getContractPath(options), strict: options.strict ?? false };
  const signature = signatureOf(contractFile.path);
  const first = await loadContract(contractFile);
  const handlersFile = handlersFileOf(options);
  let own = await loadHandlers(options.handlers, handlersFile?.signature);
  let pending: typeof own | undefined;
  const castingBy = (handlers: typeof own) =>
    createHandlerRegistry({ shop: shopContract, mock: options.mock ?? false, own: handlers });
  const casting = castingBy(own);
  casting.check(first);
  let check = createStateValidator(first, casting);
  let address: string | undefined;
  const clock = createClock(nowMs);
  const {
    store,
    path: dataFile,
    defaults,
  } = await openState({
    data: options.data,
    durability: options.durability ?? 'disk',
    defaultData: getDefaultDataPath(options),
    check: (schema, value) => check(schema, value),
    checkedBy: () => check,
    nowMs: clock.nowMs,
    address: () => address,
    prepare: ({ products }) => prepareSearch(products),
    tell,
  });
  const durability = dataFile === undefined ? 'memory' : (options.durability ?? 'disk');
  const newId = options.newId ?? randomUUID;
  const sandboxes = createSandboxes({
    default: { store, clock },
    elapsedMs: options.elapsedMs ?? (() => performance.now()),
    defaults,
    nowMs,
    newId,
    areDeclared: options.sandboxes === 'declared',
    tell: tell.info,
  });
  const stopping = new AbortController();
  // Who follows a journal or waits for a verdict listens to it: as many as there are.
  setMaxListeners(0, stopping.signal);
  const steering = await createControlParts(
    options,
    {
      sandboxes,
      defaults,
      check: () => check,
      unmatched: (wish: FaultTarget) => findUnmatchableParts(service.contract.routes, wish),
      warn: tell.warn,
      findUnknownOperations: (operation) => findUnknownOperations(service.contract, operation),
      undocumented: (meant: InjectedResponse) => validateInjectedResponse(service.contract, meant),
      stopping: stopping.signal,
    },
    { contract: getPackageFile('src/control/control.yaml') },
  ).catch(async (error) => {
    await store.close();
    throw error;
  });
  const access = createAccessPolicy(options);
  const parts = {
    access,
    casting,
    sandboxes,
    ...steering,
    log,
    verify: options.verify ?? 'log',
    delayMs: options.delay === undefined ? undefined : createDelay(options.delay),
    stopping: stopping.signal,
    version,
    dataFile: dataFile && basename(dataFile),
    images: getPackageFile('images'),
    static: options.static && resolve(options.static),
  };
  const warm = (contract: Contract, route: Route) => contract.warmUp(route, { closed: casting.isOurs(route) });
  let service = createService(first, { ...parts, guard: createStoreGuard(check) });
  await refuseClashes(service).catch(async (error) => {
    await store.close();
    throw error;
  });
  if (first.slips !== undefined) tell.warn(first.slips);

  /** Serves a contract with handlers, and tells what was reloaded. Throws, and changes nothing, where they contradict each other or the state. */
  async function serve(contract: Contract, handlers: typeof own, told: (newService: Service) => string): Promise<void> {
    const newCasting = castingBy(handlers);
    newCasting.check(contract);
    const newCheck = createStateValidator(contract, newCasting);
    refuseContradictions(contract, store.read().state, newCheck);
    const newService = createService(contract, { ...parts, casting: newCasting, guard: createStoreGuard(newCheck) });
    await refuseClashes(newService);
    if (contract.routes.length <= WARM_ROUTES) for (const route of contract.routes) warm(contract, route);
    tell.info(told(newService));
    const isNew = contract !== service.contract;
    check = newCheck;
    service = newService;
    own = handlers;
    if (!isNew) return;
    if (contract.slips !== undefined) tell.warn(contract.slips);
    for (const idle of findUnusableFaults(sandboxes, contract)) tell.warn(idle);
  }

  const changesTo = (now: Service) => `${contractFile.path} was read anew: ${describeChanges(service, now)}`;

  async function reloadContract(): Promise<void> {
    const contract = await loadContract(contractFile);
    if (contract === service.contract) return;
    const refused = pending && (await servePending(contract, pending));
    // The pending handlers fit the new contract.
    if (contract === service.contract) return;
    await serve(contract, own, changesTo);
    if (refused) tell.warn(`${refused.message}. ${HANDLERS_KEPT}`);
  }

  /** Serves a contract with the saved handlers that did not fit the contract before. Returns why they do not fit this one either. */
  async function servePending(contract: Contract, handlers: typeof own): Promise<Error | undefined> {
    try {
      await serve(contract, handlers, changesTo);
      pending = undefined;
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  async function reloadHandlers(): Promise<void> {
    const { path, signature } = handlersFileOf(options) ?? {};
    const handlers = await loadHandlers(path, signature);
    pending = handlers;
    // A contract that was refused because of the handlers before may be right with these.
    const contract = await loadContract(contractFile).catch(() => service.contract);
    const said = `${path} was reloaded: handlers of ${Object.keys(handlers).join(', ')}`;
    await serve(contract, handlers, (now) => (contract === service.contract ? said : `${said}; ${changesTo(now)}`));
    pending = undefined;
  }

  const server = createHttpServer({
    answer: (req, res) => service.answer(req, res),
    log,
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    access,
  });
  const { url, port } = await listen(server, options.host, options.port ?? 0).catch(async (error) => {
    await store.close();
    throw error;
  });
  address = url;
  const facts = { url, dataFile, durability, operations: first.routes.length, mocked: service.mocked };
  log.info(facts, formatStartMessage(facts));
  if (!isLoopback(options.host)) tell.warn(describeExposure(options));
  const stopWarming = warmUp([
    () => prepareSearch(store.read().state.products),
    ...first.routes.slice(0, WARM_ROUTES).map((route) => () => warm(first, route)),
  ]);
  const reloaded = {
    contract: { ...contractFile, signature, reload: reloadContract, kept: 'The contract from before is served on' },
    handlers: handlersFile && { ...handlersFile, reload: reloadHandlers, kept: HANDLERS_KEPT },
  };
  const stopWatching = reloadOnSave([reloaded.contract, ...(reloaded.handlers ? [reloaded.handlers] : [])], tell.warn);

  return {
    url,
    port,
    dataFile,
    durability,
    get operations() {
      return service.contract.routes.length;
    },
    get mocked() {
      return service.mocked;
    },
    async close() {
      stopWatching();
      stopWarming();
      stopping.abort();
      await server.close();
      await sandboxes.close();
      await store.close();
    },
  };
}

/** The file of the handlers, where the options name one, and its present signature. */
function handlersFileOf({ handlers }: Pick<Options, 'handlers'>) {
  if (typeof handlers !== 'string') return undefined;
  const path = resolve(handlers);
  return { path, signature: signatureOf(path) };
}
