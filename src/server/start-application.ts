import { randomUUID } from 'node:crypto';
import { basename, resolve } from 'node:path';
import type { Application } from '../application.ts';
import { createAccessPolicy } from '../http/access-policy.ts';
import { createHttpServer, REQUEST_TIMEOUT_MS } from '../http/server.ts';
import {
  type Fault,
  findUnknownOperations,
  findUnmatchableReasons,
  validateInjectedResponse,
} from '../mock/validate-fault.ts';
import { type Contract, loadContract } from '../openapi/contract.ts';
import { createClock } from '../sandbox/clock.ts';
import { createDelay } from '../sandbox/faults/combine-faults.ts';
import { createSandboxes } from '../sandbox/registry.ts';
import { openState } from '../store/open-state.ts';
import type { State } from '../store/state.ts';
import { createBinder } from './binding.ts';
import { createControlParts, findUnusableFaults } from './control.ts';
import { getFileSignature } from './file-watcher.ts';
import { loadHandlers } from './handler-registry.ts';
import { listen } from './listen.ts';
import { type Current, LiveService, type LiveServiceParts } from './live-service.ts';
import type { ServerOptions, Storefront } from './options.ts';
import { run } from './running-server.ts';
import { createRuntime, type Files, findFiles, type Runtime } from './runtime.ts';
import type { ServiceParts } from './service.ts';
import { version } from './version.ts';

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
  const files = findFiles(runtime);
  const first = await loadContract(files.contract);
  const bind = createBinder(runtime.application, options.mock ?? false);
  const current: Current = { binding: bind(first, await loadHandlers(options.handlers, files.handlers?.signature)) };
  const address: { url?: string } = {};
  const state = await openServerState(runtime, current, () => address.url);
  try {
    const parts = await createServiceParts(runtime, current, state);
    const live = await LiveService.create(createLiveParts(runtime, { current, bind, files, service: parts }));
    const server = createHttpServer({
      answer: (req, res) => live.service.answer(req, res),
      log: runtime.log,
      requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      access: parts.access,
    });
    const { url, port } = await listen(server, options.host, options.port ?? 0);
    address.url = url;
    return run(runtime, { url, port, state, live, server, files, sandboxes: parts.sandboxes });
  } catch (error) {
    await state.store.close();
    throw error;
  }
}

/** Opens the state of the default sandbox, over its clock. */
async function openServerState(
  { application, options, nowMs, tell }: Runtime,
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
    tell,
  });
  return { ...state, clock };
}

type ServerState = Awaited<ReturnType<typeof openServerState>>;

/** Creates the sandboxes and the control API, and what else handles requests. */
async function createServiceParts(
  { application, options, nowMs, log, tell, stopping }: Runtime,
  current: Current,
  { store, clock, path, defaults }: ServerState,
): Promise<ServiceParts> {
  const sandboxes = createSandboxes({
    default: { store, clock },
    elapsedMs: options.elapsedMs ?? (() => performance.now()),
    defaults,
    nowMs,
    newId: options.newId ?? randomUUID,
    areDeclared: options.sandboxes === 'declared',
    tell: tell.info,
  });
  const control = await createControlParts(application, options, {
    sandboxes,
    defaults,
    validator: () => current.binding.validator,
    unmatched: (fault: Fault) => findUnmatchableReasons(current.binding.contract.routes, fault),
    warn: tell.warn,
    findUnknownOperations: (operation) => findUnknownOperations(current.binding.contract, operation),
    undocumented: (fault: Fault) => validateInjectedResponse(current.binding.contract, fault),
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

function createLiveParts(
  { tell }: Runtime,
  { files, ...parts }: Pick<LiveServiceParts, 'current' | 'bind' | 'service'> & { readonly files: Files },
): LiveServiceParts {
  const warnOfContract = (contract: Contract) => {
    if (contract.warning !== undefined) tell.warn(contract.warning);
    for (const fault of findUnusableFaults(parts.service.sandboxes, contract)) tell.warn(fault);
  };
  return {
    ...parts,
    loadContract: () => loadContract(files.contract),
    loadHandlers: () => loadHandlers(files.handlers?.path, files.handlers && getFileSignature(files.handlers.path)),
    paths: { contract: files.contract.path, handlers: files.handlers?.path },
    info: tell.info,
    warn: tell.warn,
    onContract: warnOfContract,
  };
}
