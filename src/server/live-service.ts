import type { Contract } from '../openapi/contract.ts';
import type { Bind, Binding } from './binding.ts';
import type { HandlerRegistry, UserHandlers } from './handler-registry.ts';
import { createService, describeChanges, refuseTypeConflicts, type Service, type ServiceParts } from './service.ts';
import { refuseContradictions } from './state-validation.ts';

/** The binding that is served now. Only `LiveService` replaces it. */
export interface Current {
  binding: Binding;
}

/** What a live service is made of. */
export interface LiveServiceParts {
  readonly current: Current;
  readonly bind: Bind;
  readonly service: ServiceParts;
  /** Loads the contract from its file. Throws a `ContractError`. */
  readonly loadContract: () => Promise<Contract>;
  /** Loads the handlers from their file. Throws a `HandlersError`. */
  readonly loadHandlers: () => Promise<UserHandlers>;
  /** The files of the contract and the handlers. */
  readonly paths: { readonly contract: string; readonly handlers: string | undefined };
  readonly info: (message: string) => void;
  readonly warn: (message: string) => void;
  /** Called with each new contract before it is served. */
  readonly onContract: (contract: Contract) => void;
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
  static async create(parts: LiveServiceParts): Promise<LiveService> {
    const service = createService(parts.current.binding, parts.service);
    await refuseTypeConflicts(service);
    return new LiveService(parts, service);
  }

  private constructor(parts: LiveServiceParts, service: Service) {
    this.#parts = parts;
    this.#service = service;
  }

  get service(): Service {
    return this.#service;
  }

  get registry(): HandlerRegistry {
    return this.#parts.current.binding.registry;
  }

  /** Serves the contract of the saved file. Throws, and changes nothing, if it can't be served. */
  readonly reloadContract = async (): Promise<void> => {
    const contract = await this.#parts.loadContract();
    if (contract === this.#service.contract) return;
    const failure = this.#pending && (await this.#servePending(contract, this.#pending));
    // The pending handlers fit the new contract.
    if (contract === this.#service.contract) return;
    await this.#serve(contract, this.#parts.current.binding.handlers, this.#describeContract);
    if (failure) this.#parts.warn(`${failure.message}. ${HANDLERS_KEPT}`);
  };

  /** Serves the handlers of the saved file. Throws, and changes nothing, if they can't be used. */
  readonly reloadHandlers = async (): Promise<void> => {
    const { loadContract, loadHandlers, paths } = this.#parts;
    const handlers = await loadHandlers();
    this.#pending = handlers;
    // A contract that was refused because of the previous handlers may fit these.
    const contract = await loadContract().catch(() => this.#service.contract);
    const message = `${paths.handlers} was reloaded: handlers of ${Object.keys(handlers).join(', ')}`;
    await this.#serve(contract, handlers, (next) =>
      contract === this.#service.contract ? message : `${message}; ${this.#describeContract(next)}`,
    );
    this.#pending = undefined;
  };

  readonly #describeContract = (next: Service): string =>
    `${this.#parts.paths.contract} was reloaded: ${describeChanges(this.#service, next)}`;

  /** Serves a contract with the saved handlers that did not fit the previous one. Returns why they do not fit this one either. */
  async #servePending(contract: Contract, handlers: UserHandlers): Promise<Error | undefined> {
    try {
      await this.#serve(contract, handlers, this.#describeContract);
      this.#pending = undefined;
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /** Serves a contract with handlers. Throws, and changes nothing, if they contradict each other or the state. */
  async #serve(contract: Contract, handlers: UserHandlers, describe: (next: Service) => string): Promise<void> {
    const { current, bind, service: parts, info, onContract } = this.#parts;
    const binding = bind(contract, handlers);
    refuseContradictions(contract, parts.sandboxes.default.store.read().state, binding.validator);
    const service = createService(binding, parts);
    await refuseTypeConflicts(service);
    warmUpRoutes(binding);
    info(describe(service));
    const isNew = contract !== this.#service.contract;
    current.binding = binding;
    this.#service = service;
    if (isNew) onContract(contract);
  }
}

/** The number of operations that are warmed up before the first request: of hundreds few are used, and all would take seconds. */
export const MAX_WARM_ROUTES = 40;

/** Warms up the operations of a reloaded contract, if they are few. Throws a `ContractError` if a schema can't be compiled. */
function warmUpRoutes({ contract, registry }: Binding): void {
  if (contract.routes.length > MAX_WARM_ROUTES) return;
  for (const route of contract.routes) contract.warmUp(route, { closed: registry.isImplemented(route) });
}
