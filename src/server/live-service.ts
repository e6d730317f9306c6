import { type Contract, loadContract } from '../openapi/contract.ts';
import type { Bind, Binding } from './binding.ts';
import { findUnusableFaults } from './control.ts';
import { getFileSignature } from './file-watcher.ts';
import { refuseContradictions } from './guarded-store.ts';
import { loadHandlers, type UserHandlers } from './handler-registry.ts';
import type { Runtime } from './runtime.ts';
import { createService, describeChanges, type Service, type ServiceParts } from './service.ts';
import { warmUpIfSmall } from './warm-up.ts';

/** The binding that is served now. Only `LiveService` replaces it. */
export interface Current {
  binding: Binding;
}

/** What a live service is made of. */
interface LiveServiceParts {
  readonly runtime: Runtime;
  readonly current: Current;
  readonly bind: Bind;
  readonly service: ServiceParts;
}

/** The remedy in a warning about handlers that can't be used. */
export const HANDLERS_KEPT = 'The previous handlers stay in use';

/** A service that is replaced when the file of the contract or of the handlers is saved. */
export class LiveService {
  readonly #parts: LiveServiceParts;
  #service: Service;
  /** Saved handlers that do not fit the contract, and may fit the next one. */
  #pending: UserHandlers | undefined;

  /** Creates the service of the current binding. Throws a `ContractError` if the contract can't be served. */
  constructor(parts: LiveServiceParts) {
    this.#parts = parts;
    this.#service = createService(parts.current.binding, parts.service);
  }

  get service(): Service {
    return this.#service;
  }

  /** Serves the contract of the saved file. Throws, and changes nothing, if it can't be served. */
  readonly reloadContract = async (): Promise<void> => {
    const { runtime, current } = this.#parts;
    const contract = await loadContract(runtime.files.contract);
    if (contract === this.#service.contract) return;
    const failure = this.#pending && this.#servePending(contract, this.#pending);
    // The pending handlers fit the new contract.
    if (contract === this.#service.contract) return;
    this.#serve(contract, current.binding.handlers, this.#describeContract);
    if (failure) runtime.log.warn(`${failure.message}. ${HANDLERS_KEPT}`);
  };

  /** Serves the handlers of the saved file. Throws, and changes nothing, if they can't be used. */
  readonly reloadHandlers = async (): Promise<void> => {
    const { files } = this.#parts.runtime;
    const path = files.handlers?.path;
    const handlers = await loadHandlers(path, path && getFileSignature(path));
    this.#pending = handlers;
    // A contract that was refused because of the previous handlers may fit these.
    const contract = await loadContract(files.contract).catch(() => this.#service.contract);
    const message = `${path} was reloaded: handlers of ${Object.keys(handlers).join(', ')}`;
    this.#serve(contract, handlers, (next) =>
      contract === this.#service.contract ? message : `${message}; ${this.#describeContract(next)}`,
    );
    this.#pending = undefined;
  };

  readonly #describeContract = (next: Service): string =>
    `${this.#parts.runtime.files.contract.path} was reloaded: ${describeChanges(this.#service, next)}`;

  /** Serves a contract with the saved handlers that did not fit the previous one. Returns why they do not fit this one either. */
  #servePending(contract: Contract, handlers: UserHandlers): Error | undefined {
    try {
      this.#serve(contract, handlers, this.#describeContract);
      this.#pending = undefined;
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /** Serves a contract with handlers. Throws, and changes nothing, if they contradict each other or the state. */
  #serve(contract: Contract, handlers: UserHandlers, describe: (next: Service) => string): void {
    const { runtime, current, bind, service: parts } = this.#parts;
    const binding = bind(contract, handlers);
    refuseContradictions(contract, parts.sandboxes.default.store.read().state, binding.validator);
    const service = createService(binding, parts);
    warmUpIfSmall(binding);
    runtime.log.info(describe(service));
    const isNew = contract !== this.#service.contract;
    current.binding = binding;
    this.#service = service;
    if (!isNew) return;
    if (contract.warning !== undefined) runtime.log.warn(contract.warning);
    for (const warning of findUnusableFaults(parts.sandboxes, contract)) runtime.log.warn(warning);
  }
}
